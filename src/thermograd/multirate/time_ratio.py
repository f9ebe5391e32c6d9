"""What a multirate epoch costs against one in which every part takes every gradient.

In one of k calls the backward pass goes all the way, in the others through the fast part only:

    ratio = 1 − b (1 − f) (k − 1)/k

with b the share of the backward pass in a whole step, and f the share of the fast part in a whole
backward pass. The source counts layers and the backward pass alone, b = 1 and f = l/L; its ratio
kL/(L + (k − 1) l) is the inverse. Its text calls the last l layers the slow ones; they are the fast
ones.

References:
    Vlaar (2022), thesis, University of Edinburgh, equation (5.6).
"""

from .._checks import is_real, positive_int, require

__all__ = ["time_ratio"]


def time_ratio(k: int, *, fast: float, backward: float = 1.0) -> float:
    """Predict the time of multirate training, relative to training with one rate.

    Args:
        k: calls between gradients of the slow part.
        fast: share of the backward pass that the fast part needs, in [0, 1].
        backward: share of the backward pass in the time of a step, in [0, 1]. The forward pass,
            data and the optimizer itself are the rest, which stays.

    Returns:
        time over time; below 1 is faster.

    Examples:
        >>> from thermograd.multirate import time_ratio
        >>> time_ratio(5, fast=0.0)
        0.2
        >>> round(time_ratio(5, fast=0.1, backward=2 / 3), 3)
        0.52
    """
    positive_int(k, "k", "time_ratio")
    for name, share in (("fast", fast), ("backward", backward)):
        require(is_real(share) and 0 <= share <= 1, name, "time_ratio", "in [0, 1]", share)
    # one fraction: 1 - 4/5 would leave the rounding of 0.8 behind
    return (k - backward * (1 - fast) * (k - 1)) / k
