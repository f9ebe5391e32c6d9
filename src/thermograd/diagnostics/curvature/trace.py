"""Trace of a curvature by random probes.

    tr A = E[vᵀ A v],  v of independent signs

The variance of a probe is 2 Σ_{i≠j} A_ij², so a diagonal matrix takes one.

References:
    Hutchinson (1990), doi:10.1080/03610919008812866.
"""

import math

import torch

from ..._checks import is_int, require
from .._progress import track
from ..estimate import Estimate
from .operator import SymmetricOperator

__all__ = ["trace"]


def trace(
    operator: SymmetricOperator, *, num_probes: int = 64, generator: torch.Generator
) -> Estimate[float]:
    """Return tr A with its standard error over the probes.

    Args:
        operator: the matrix.
        num_probes: at least 2; each costs a product.
        generator: draws them.
    """
    ok = is_int(num_probes) and num_probes > 1
    require(ok, "num_probes", "trace", "an integer above 1", num_probes)
    found: list[float] = []
    for _ in track(range(num_probes), f"trace of the {operator.name}"):
        v = operator.draw(generator)
        found.append(float((v.double() * (operator @ v).double()).sum()))
    values = torch.tensor(found, dtype=torch.float64)
    error = float(values.std()) / math.sqrt(num_probes)
    return Estimate(float(values.mean()), error, num_probes, "loss/parameter²")
