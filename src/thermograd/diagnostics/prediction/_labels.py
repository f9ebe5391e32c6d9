"""Checks of probabilities and labels that every score makes."""

import torch
from torch import Tensor

from ..._checks import require

TOLERANCE = 1e-3  # of the sum of a row, in single precision


def check(probabilities: Tensor, labels: Tensor, owner: str) -> None:
    """Refuse what are not probabilities (N, C) and labels (N,) among the C classes."""
    shape, is_table = tuple(probabilities.shape), probabilities.dim() == 2
    ok = is_table and shape[0] > 0
    require(ok, "probabilities", owner, "of shape (N, C), N above 0", shape)
    ok = bool((probabilities >= 0).all())
    ok = ok and float((probabilities.sum(1) - 1).abs().max()) < TOLERANCE
    require(ok, "probabilities", owner, "rows of numbers, 0 or above, that sum to 1", "others")
    is_whole = not labels.is_floating_point() and labels.dtype is not torch.bool
    kind = f"{labels.dtype} of shape {tuple(labels.shape)}"
    ok = is_whole and tuple(labels.shape) == shape[:1]
    require(ok, "labels", owner, f"integers of shape ({shape[0]},)", kind)
    low, high = int(labels.min()), int(labels.max())
    ok = low >= 0 and high < shape[1]
    require(ok, "labels", owner, f"from 0 to {shape[1] - 1}", (low, high))
