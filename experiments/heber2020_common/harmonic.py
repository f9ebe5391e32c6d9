"""The harmonic oscillator U = ½aθ² as a perceptron without bias: input √a, label 0.

Every cell (a, γ, h) runs many walkers at once and reports the relative error of an average next to
that of the method's exact stationary law.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass

import torch
from torch import Tensor, nn

from thermograd.noise import Gaussian, seeded
from thermograd.potentials import Harmonic, Network
from thermograd.sampling.engine import simulate
from thermograd.state import Part

from .fits import slope

__all__ = ["TEMPERATURE", "Average", "Size", "force_gap", "measure", "settings"]

TEMPERATURE = 0.1  # β = 10

Average = Callable[[float, Part], Tensor]
"""From a and the state to an average's value per walker, divided by its exact value."""


@dataclass(frozen=True, slots=True)
class Size:
    """How much is run.

    Attributes:
        stiffnesses: a.
        frictions: γ.
        step_sizes: h.
        walkers: W.
        steps: averaged over, per walker.
        longest: time after which a burn-in ends, relaxed or not.
    """

    stiffnesses: tuple[float, ...] = (0.01, 1.0, 4.0)
    frictions: tuple[float, ...] = (0.01, 0.1, 1.0, 10.0, 100.0)
    step_sizes: tuple[float, ...] = (2**-2, 2**-3, 2**-4, 2**-5, 2**-6)
    walkers: int = 8192
    steps: int = 5000
    longest: float = 400.0


def settings(size: Size) -> dict[str, object]:
    """Return a size as plain values."""
    return {**asdict(size), "temperature": TEMPERATURE, "dtype": "float32"}


class Weight(nn.Module):
    """A perceptron of one weight."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1, 1))

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.weight.T


def perceptron(a: float) -> Network:
    """Return the target as the source sets it up: one weight, half the squared error."""
    model = Weight().double()
    x = torch.tensor([[math.sqrt(a)]], dtype=torch.float64)
    return Network(model, "gaussian", (x, torch.zeros_like(x)))


def force_gap(a: float) -> float:
    """Return the largest difference between the forces of the perceptron and of ½aθ²."""
    q = torch.linspace(-2.0, 2.0, 9, dtype=torch.float64)
    network, harmonic = torch.empty(9, 1, 1).double(), torch.empty(9, 1).double()
    perceptron(a).force([q.reshape(9, 1, 1)], out=[network])
    Harmonic((a,)).force([q.reshape(9, 1)], out=[harmonic])
    return float((network.flatten() - harmonic.flatten()).abs().max())


def relaxation(a: float, friction: float) -> float:
    """Return the time in which squares of the oscillator's coordinates forget, 1/2λ."""
    rest = friction**2 / 4 - a
    rate = friction / 2 - math.sqrt(rest) if rest > 0 else friction / 2
    return 1 / (2 * rate)


def measure(
    method: str, average: Average, law: Callable[[float], float], size: Size, seed: int
) -> dict[str, float]:
    """Run every cell; return bias, its standard error and the law's, and what follows.

    Args:
        method: name of an integrator.
        average: what is averaged.
        law: the bias of the method's stationary law, from s = ah²/4.
        size: how much is run.
        seed: of the first cell's streams.
    """
    found = {"force_gap": max(force_gap(a) for a in size.stiffnesses)}
    largest, weakest = 0.0, 0.0
    for a in size.stiffnesses:
        noise = dict[float, float]()
        for friction in size.frictions:
            biases, errors = list[float](), list[float]()
            for h in size.step_sizes:
                seed += 1
                bias, error = _cell(method, average, a, friction, h, size, seed)
                biases.append(bias)
                errors.append(error)
                cell = f"a{a:g}_gamma{friction:g}_h{h:g}"
                expected = law(a * h * h / 4)
                found |= {f"bias_{cell}": bias, f"error_{cell}": error, f"law_{cell}": expected}
                largest = max(largest, abs(bias - expected) / error)
                weakest = max(weakest, abs(bias) / error if a < 0.1 else 0.0)
            found |= _slopes(f"a{a:g}_gamma{friction:g}", size.step_sizes, biases, errors)
            noise[friction] = sum(errors)
        found[f"quietest_friction_a{a:g}"] = min(noise, key=noise.__getitem__)
    return {**found, "largest_z": largest, "largest_z_from_zero_if_soft": weakest}


def _cell(
    method: str, average: Average, a: float, friction: float, h: float, size: Size, seed: int
) -> tuple[float, float]:
    """Return the bias of the average over one cell's walkers, and its standard error."""
    target = Harmonic((a,))
    burn_in = min(6 * relaxation(a, friction), size.longest) / h

    def observe(part: Part) -> Mapping[str, Tensor]:
        return {"average": average(a, part)}

    run = simulate(
        target,
        method,
        target.sample(size.walkers, TEMPERATURE, seeded(2 * seed)),
        steps=size.steps,
        burn_in=math.ceil(burn_in),
        step_size=h,
        noise=Gaussian(seeded(2 * seed + 1)),
        friction=friction,
        temperature=TEMPERATURE,
        observe=observe,
    )
    values = run.mean["average"] - 1
    return float(values.mean()), float(values.std()) / math.sqrt(size.walkers)


def _slopes(
    name: str, step_sizes: tuple[float, ...], biases: list[float], errors: list[float]
) -> dict[str, float]:
    found, error = slope(step_sizes, biases, errors)
    return {f"slope_{name}": found, f"slope_error_{name}": error} if error == error else {}
