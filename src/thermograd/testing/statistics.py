"""Honest statistical assertions: each states its false-alarm rate and what it can see."""

import math

import torch
from torch import Tensor

from .._checks import positive, require
from .._quantiles import student_t_quantile

MIN_WALKERS = 32


def assert_mean(
    per_walker: Tensor, expected: float, *, resolves: float, false_alarm: float = 1e-6
) -> None:
    """Assert that independent walkers average to `expected`, with a stated resolution.

    The standard error comes from the spread between walkers, se = s/√W, so time averages may
    be as correlated as they like. Three outcomes:

    - the mean is off by more than t·se, with t the two-sided quantile of Student's t for W − 1
      degrees of freedom at rate `false_alarm`: fails;
    - it is not, but a bias of size `resolves` might have gone unseen: t·se > `resolves`:
      fails, "too weak to tell";
    - otherwise passes, and the promise was kept.

    "Can see" means t·se: a true bias of that size fails with probability one half; of 1.35
    times that size, with more than 95% at the default rate. Decide the sample size and
    `resolves` before looking.

    Args:
        per_walker: one average per independent walker, shape (W,), W ≥ 32.
        expected: the value from theory.
        resolves: the bias this assertion promises to see, above 0.
        false_alarm: probability of failing when the mean is right and walkers are normal.

    Raises:
        AssertionError: if the mean is off, or the data are too weak to tell.
    """
    owner = "assert_mean"
    ok = per_walker.dim() == 1 and per_walker.shape[0] >= MIN_WALKERS
    shape = tuple(per_walker.shape)
    require(ok, "per_walker", owner, f"of shape (W,) with W ≥ {MIN_WALKERS}", shape)
    positive(resolves, "resolves", owner)
    require(math.isfinite(expected), "expected", owner, "a finite number", expected)
    ok = 0 < positive(false_alarm, "false_alarm", owner) < 1
    require(ok, "false_alarm", owner, "between 0 and 1", false_alarm)
    values = per_walker.detach().to(device="cpu", dtype=torch.float64)
    num_lost = int((~values.isfinite()).sum())
    if num_lost:
        raise AssertionError(f"{num_lost} of {len(values)} walkers are not finite")
    error = float(values.std()) / math.sqrt(len(values))
    constraint = "independent walkers: all are equal, as if they shared their noise"
    require(error > 0, "per_walker", owner, constraint, float(values[0]))
    off = float(values.mean()) - expected
    can_see = student_t_quantile(false_alarm / 2, len(values) - 1) * error
    if abs(off) > can_see:
        raise AssertionError(
            f"mean is off by {off:+.3g} = {off / error:+.1f} standard errors "
            f"(expected {expected:.6g}, standard error {error:.2g}, {len(values)} walkers)"
        )
    if can_see > resolves:
        raise AssertionError(
            f"too weak to tell: promises to see a bias of {resolves:.3g}, can see {can_see:.2g}; "
            f"run {math.ceil((can_see / resolves) ** 2)} times longer or promise less"
        )
