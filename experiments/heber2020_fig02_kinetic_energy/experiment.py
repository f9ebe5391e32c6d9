"""Figure 2: error of BAOAB's average kinetic energy on harmonic oscillators."""

from heber2020_common import harmonic
from heber2020_common.harmonic import Size
from torch import Tensor

from thermograd.experiments import Result
from thermograd.state import Part

SEED = 2


def kinetic(a: float, part: Part) -> Tensor:
    """Return p²/T, which is 1 on average."""
    return part.p[0][:, 0].square() / harmonic.TEMPERATURE


def law(s: float) -> float:
    """Return the relative bias of ⟨p²⟩ = T(1 − s), s = ah²/4."""
    return -s


def smoke(seed: int = SEED) -> Result:
    """Run two cells of the figure, a = 4 and γ = 10, for seconds."""
    return _run(Size((4.0,), (10.0,), (2**-2, 2**-3), walkers=2048, steps=600), seed)


def full(seed: int = SEED) -> Result:
    """Run all cells, each for 41 million steps in all."""
    return _run(Size(), seed)


def _run(size: Size, seed: int) -> Result:
    measured = harmonic.measure("baoab", kinetic, law, size, 1000 * seed)
    return Result(measured, {**harmonic.settings(size), "method": "baoab"}, seed)
