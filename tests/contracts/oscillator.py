"""One harmonic mode, its method read off as matrices."""

from torch import Tensor

from thermograd.integrators import Claims, Integrator, from_word, get
from thermograd.testing.contracts.gaussian import stationary_covariance
from thermograd.testing.contracts.probe import Affine, Setting, read_step
from thermograd.testing.contracts.targets import harmonic

FRICTION, TEMPERATURE, MASS = 0.8, 0.7, 1.3


def mode(
    method: str | Integrator,
    fast: float,
    slow: float = 0.0,
    *,
    friction: float = FRICTION,
    temperature: float = TEMPERATURE,
    mass: float = MASS,
) -> Setting:
    """Put a method on U = ½ (slow + fast) q²."""
    if isinstance(method, str):
        method = from_word(method, Claims(dynamics="langevin")) if method.isupper() else get(method)
    target = harmonic(((slow,),), ((fast,),))
    return Setting(method, target, friction, temperature, mass)


def law(setting: Setting, h: float) -> Tensor:
    """Return the stationary covariance of the state."""
    return stationary_covariance(read_step(setting, h))


def step(setting: Setting, h: float) -> Affine:
    """Return the affine step."""
    return read_step(setting, h)
