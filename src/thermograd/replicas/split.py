"""Shares of a data set for replicas that each see only their own.

Every share has the same size and every example is in at least one. With n replicas and a share s of
the data, n s must be 1 or above; above 1 the shares overlap. The source does not say how: here the
examples stand in a circle in a random order, and the shares are arcs of it that begin n equal
distances apart. So every example is in about n s shares, and neighbours overlap.
"""

import math

import torch
from torch import Tensor

from .._checks import is_real, positive_int, require

__all__ = ["split"]


def split(
    num_examples: int, replicas: int, share: float, *, generator: torch.Generator
) -> list[Tensor]:
    """Return the indices of each replica's examples, sorted.

    Args:
        num_examples: N.
        replicas: n.
        share: of the data that each replica sees, at least 1/n and at most 1.
        generator: of the random order.

    Returns:
        n tensors of ⌈share · N⌉ indices each, all different within a tensor.
    """
    total = positive_int(num_examples, "num_examples", "split")
    n = positive_int(replicas, "replicas", "split")
    ok = is_real(share) and 0 < share <= 1
    require(ok, "share", "split", "above 0 and at most 1", share)
    size = math.ceil(share * total - 1e-9)
    constraint = f"at least 1/{n}, or {n} shares cannot cover the data"
    require(size * n >= total, "share", "split", constraint, share)
    order = torch.randperm(total, generator=generator)
    starts = [(a * total) // n for a in range(n)]
    blocks = [order[torch.arange(start, start + size) % total] for start in starts]
    return [block.sort().values for block in blocks]
