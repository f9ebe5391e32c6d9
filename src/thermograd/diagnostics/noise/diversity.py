"""Gradient diversity: how much the gradients of single examples differ.

    Δ = Σ_n |g_n|²/|Σ_n g_n|²

It is 1/N if all are the same and 1 if they are orthogonal; batches up to about N Δ speed up
training as if their examples came one after the other. `ratio` is Σ_n |g_n|/|N ḡ|, without the
squares, which is how a thesis that we follow quotes it.

References:
    Yin, Pananjady, Lam, Papailiopoulos, Ramchandran and Bartlett (2018), arXiv:1706.05699.
    Chaudhari (2018), doctoral thesis, UCLA, section 6.8.
"""

from dataclasses import dataclass

import torch

from ..._errors import ParameterError
from .._progress import track
from ..curvature import per_example_gradients
from ..estimate import Estimate
from ..objective import Objective

__all__ = ["GradientDiversity", "gradient_diversity"]


@dataclass(frozen=True, slots=True)
class GradientDiversity:
    """How much gradients differ.

    Attributes:
        diversity: Δ; its uncertainty is not known.
        ratio: Σ_n |g_n|/|Σ_n g_n|.
        largest_batch: N Δ.
    """

    diversity: Estimate[float]
    ratio: float
    largest_batch: float


def gradient_diversity(objective: Objective) -> GradientDiversity:
    """Return the diversity of the gradients at the objective's point."""
    total = torch.zeros(objective.num_params, dtype=torch.float64)
    squares, sizes = 0.0, 0.0
    extra = 3 * objective.num_params * objective.point.element_size()
    for x, y in track(list(objective.pieces(2.0, extra)), "gradient diversity"):
        rows = per_example_gradients(objective, x, y).double().cpu()
        total += rows.sum(0)
        squares += float(rows.square().sum())
        sizes += float(rows.norm(dim=1).sum())
    size = float(total.norm())
    if size == 0:
        raise ParameterError("the gradient is 0 here: the diversity of its parts is undefined")
    n = objective.num_data
    value = Estimate(squares / size**2, float("nan"), n, "1")
    return GradientDiversity(value, sizes / size, n * squares / size**2)
