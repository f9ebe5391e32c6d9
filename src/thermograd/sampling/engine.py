"""Runs many walkers of one method on one target and averages what is asked for."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from torch import Tensor

from .._checks import is_int, non_negative, positive, positive_int, require
from .._foreach import clone, decay_add_
from ..geometry import Flat, Manifold, begin, settle_start
from ..integrators import Integrator, check_geometry, check_noise, resolve, starting_scalars
from ..noise import NoiseSource
from ..potentials.base import Evaluator, Potential
from ..state import Env, Force, Geometry, Params, Part, thermal_noise
from ..thermostat import Thermostat
from .on_manifold import OnManifold

__all__ = ["Averages", "Observe", "draw_momenta", "make_part", "simulate"]

Observe = Callable[[Part], Mapping[str, Tensor]]


@dataclass(frozen=True, slots=True)
class Averages:
    """What a run leaves behind.

    Attributes:
        mean: time average of each observable per walker, weighted by the step size, (W,).
        part: the state at the end.
        gradients: evaluations of the force, by term of the potential.
    """

    mean: dict[str, Tensor]
    part: Part
    gradients: dict[str | None, int]


def make_part(
    integrator: Integrator,
    start: Params,
    *,
    friction: float = 0.0,
    temperature: float = 0.0,
    mass: float = 1.0,
    geometry: Geometry | None = None,
    thermostat: Thermostat | None = None,
) -> Part:
    """Make the state of an integrator at given positions, with momenta at rest.

    Args:
        integrator: the method that will advance the part.
        start: positions, each (W, ...), or the coordinates that the manifold is moved along in;
            copied.
        friction: γ ≥ 0, per unit time; may be infinite.
        temperature: T ≥ 0.
        mass: m > 0.
        geometry: the manifold, with the start on it; flat if not given.
        thermostat: ε, σ and the start of ξ, for methods with a thermostat variable.

    Returns:
        the part, its force not yet evaluated.
    """
    require(bool(start), "start", "make_part", "a list with a tensor in it", start)
    if friction != math.inf:
        non_negative(friction, "friction", "make_part")
    if geometry is not None:
        check_geometry(integrator, geometry)
    return Part(
        q=clone(start),
        p=[q.new_zeros(q.shape) for q in start] if integrator.has_momenta else [],
        force=Force([q.new_empty(q.shape) for q in start]),
        geometry=geometry if geometry is not None else Flat(),
        friction=float(friction),
        temperature=non_negative(temperature, "temperature", "make_part"),
        mass=positive(mass, "mass", "make_part"),
        thermostat=thermostat,
        aux={name: [q.new_zeros(q.shape) for q in start] for name in integrator.auxiliaries},
        scalars=starting_scalars(integrator, thermostat, start[0].new_zeros(start[0].shape[0])),
    )


def draw_momenta(part: Part, env: Env) -> None:
    """Draw the momenta of a part, if it has any, from N(0, mT) on the tangent space."""
    if part.p and not part.is_cold:
        gain, xi = thermal_noise(part, part.mass, part.p, env)
        decay_add_(part.p, xi, 0.0, gain)
        part.geometry.project_tangent(part)


def simulate(
    potential: Potential,
    method: str | Integrator,
    start: Params,
    *,
    steps: int,
    step_size: float | Callable[[int], float],
    noise: NoiseSource,
    friction: float = 0.0,
    temperature: float = 0.0,
    mass: float = 1.0,
    thermostat: Thermostat | None = None,
    geometry: Manifold | None = None,
    burn_in: int = 0,
    observe: Observe | None = None,
    progress: Callable[[int], None] | None = None,
) -> Averages:
    """Run walkers and average observables over the steps after the burn-in.

    Args:
        potential: the target.
        method: a registry name, a word, or an integrator.
        start: positions, each (W, ...).
        steps: number of averaged steps.
        step_size: h, or a schedule from the step number to h.
        noise: where random numbers come from.
        friction: γ ≥ 0, per unit time.
        temperature: T ≥ 0.
        mass: m > 0.
        thermostat: ε, σ and the start of ξ, for methods with a thermostat variable.
        geometry: the manifold; flat if not given. A start off it is projected with a notice.
        burn_in: steps before the average starts.
        observe: called where a step ends; returns quantities of shape (W,). On a manifold with
            hidden coordinates, `thermograd.geometry.positions` reads them.
        progress: called after every step with the number of steps done.

    Returns:
        averages per walker, the last state and the number of gradients.
    """
    integrator = resolve(method)
    check_noise(integrator, noise)
    positive_int(steps, "steps", "simulate")
    ok = is_int(burn_in) and burn_in >= 0
    require(ok, "burn_in", "simulate", "an integer, 0 or above", burn_in)
    schedule = _schedule(step_size)
    manifold = geometry if geometry is not None else Flat()
    evaluate = Evaluator(potential if geometry is None else OnManifold(potential, manifold))
    env = Env(noise, evaluate)
    part = make_part(
        integrator,
        _on(manifold, start),
        friction=friction,
        temperature=temperature,
        mass=mass,
        geometry=manifold,
        thermostat=thermostat,
    )
    draw_momenta(part, env)
    integrator.init(part, env)
    sums: dict[str, Tensor] = {}
    total = 0.0
    for step in range(burn_in + steps):
        h = positive(schedule(step), "step_size", f"simulate at step {step}")
        integrator.step(part, h, env)
        if observe is not None and step >= burn_in:
            total += h
            for name, value in observe(part).items():
                sums[name] = sums.get(name, 0.0) + h * value.double()
        if progress is not None:
            progress(step + 1)
    mean = {name: value / total for name, value in sums.items()}
    return Averages(mean, part, evaluate.counts)


def _schedule(step_size: float | Callable[[int], float]) -> Callable[[int], float]:
    if callable(step_size):
        return step_size
    value = positive(step_size, "step_size", "simulate")
    return lambda step: value


def _on(manifold: Manifold, start: Params) -> Params:
    """Return the coordinates on a manifold of a start."""
    settled = clone(start)
    if not isinstance(manifold, Flat):
        names = [f"tensor {number}" for number in range(len(start))]
        settle_start(manifold, settled, names, "the start", strict=False)
    return begin(manifold, settled)
