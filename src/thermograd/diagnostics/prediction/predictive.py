"""Class probabilities of the posterior: the average of those of its draws."""

import torch
from torch import Tensor

from ..._checks import require

__all__ = ["predictive_probabilities"]


def predictive_probabilities(logits: Tensor) -> Tensor:
    """Return p(c | x) = (1/S) Σ_s softmax(logits_s(x))_c, shape (N, C).

    The probabilities are averaged, not the logits: this is the law of a label under the posterior.

    Args:
        logits: of S draws or walkers, shape (S, N, C), C ≥ 2.
    """
    ok = logits.dim() == 3 and logits.shape[0] > 0 and logits.shape[2] > 1
    shape = tuple(logits.shape)
    require(ok, "logits", "predictive_probabilities", "of shape (S, N, C), C ≥ 2", shape)
    return torch.softmax(logits, -1).mean(0)
