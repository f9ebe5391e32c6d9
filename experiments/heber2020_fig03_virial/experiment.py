"""Figure 3: error of GLA2's average virial on harmonic oscillators."""

from heber2020_common import harmonic
from heber2020_common.harmonic import Size
from torch import Tensor

from thermograd.experiments import Result
from thermograd.state import Part

SEED = 3


def virial(a: float, part: Part) -> Tensor:
    """Return θ·∇L/T, which is 1 on average."""
    return a * part.q[0][:, 0].square() / harmonic.TEMPERATURE


def law(s: float) -> float:
    """Return the relative bias of a⟨θ²⟩ = T/(1 − s), s = ah²/4."""
    return s / (1 - s)


def smoke(seed: int = SEED) -> Result:
    """Run two cells of the figure, a = 4 and γ = 1, for seconds."""
    return _run(Size((4.0,), (1.0,), (2**-2, 2**-3), walkers=2048, steps=600), seed)


def full(seed: int = SEED) -> Result:
    """Run all cells, each for 41 million steps in all."""
    return _run(Size(), seed)


def _run(size: Size, seed: int) -> Result:
    measured = harmonic.measure("gla2", virial, law, size, 1000 * seed)
    return Result(measured, {**harmonic.settings(size), "method": "gla2"}, seed)
