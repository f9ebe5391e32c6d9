"""What every sampler is given: targets, temperature, friction, step sizes, effort."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from thermograd.potentials import DoubleWell, Harmonic, Quartic

Target = Harmonic | Quartic | DoubleWell

OBSERVABLES = {"q2": "⟨q²⟩", "p2": "⟨p²⟩", "q4": "⟨q⁴⟩"}


@dataclass(frozen=True, slots=True)
class Settings:
    """One run of the benchmark.

    Attributes:
        step_sizes: h of methods with momenta; methods without take δ = h²/2m.
        gradients: evaluations of the force per walker that are averaged over.
        burn_in: evaluations before, starting from exact draws of the target.
        walkers: independent walkers of one coordinate.
        temperature: T.
        friction: γ.
        mass: m; 1 because not every peer has one.
        noise_sd: standard deviation of the gradient noise, where there is some.
        path_steps: substeps of a Hamiltonian path, and gradients between two refreshments.
        chains: independent chains where a sampler couples the coordinates it is given.
        seed: of every generator, together with a cell's label.
    """

    step_sizes: tuple[float, ...] = (0.12, 0.18, 0.28, 0.45)
    gradients: int = 600
    burn_in: int = 200
    walkers: int = 8192
    temperature: float = 0.7
    friction: float = 1.4
    mass: float = 1.0
    noise_sd: float = 0.8
    path_steps: int = 10
    chains: int = 64
    seed: int = 2026

    def step_size(self, h: float, has_momenta: bool) -> float:
        """Return a method's own step size in the column h."""
        return h if has_momenta else h * h / (2 * self.mass)

    def heating(self, h: float, has_momenta: bool) -> float:
        """Return how much gradient noise raises the temperature, to first order."""
        scale = self.friction if has_momenta else 1.0
        step = self.step_size(h, has_momenta)
        return step * self.noise_sd**2 / (2 * scale * self.mass)

    def seed_of(self, *label: object) -> int:
        """Return the seed of the cell with that label."""
        return self.seed + zlib.crc32("/".join(map(str, label)).encode())


TARGETS: Mapping[str, Target] = {
    "Gaussian": Harmonic((2.3,)),
    "quartic": Quartic(quartic=0.4, quadratic=0.9),
    "double well": DoubleWell(stiffness=0.1, well=1.5),
}


def share(target: Target, part: float) -> Target:
    """Return the potential `part` times `target`."""
    if isinstance(target, Harmonic):
        return Harmonic(tuple(part * k for k in target.spectrum))
    if isinstance(target, Quartic):
        return Quartic(quartic=part * target.quartic, quadratic=part * target.quadratic)
    return DoubleWell(stiffness=part * target.stiffness, well=target.well)


def exact(target: Target, settings: Settings, heating: float = 0.0) -> dict[str, float]:
    """Return the averages of the continuous dynamics at the temperature plus `heating`."""
    temperature = settings.temperature + heating
    values = target.expectations(temperature)
    return {"q2": values["q^2"], "p2": settings.mass * temperature, "q4": values["q^4"]}
