"""What is rounded before it is exchanged: bounds, range, and what stays exact."""

from typing import Any

import pytest
import torch

from thermograd import _errors as errors
from thermograd.noise import seeded
from thermograd.replicas import local, mean_of
from thermograd.replicas.buckets import post_mean
from thermograd.replicas.transport import rounded

UNITS = {"float16": 2.0**-11, "bfloat16": 2.0**-8}


@pytest.mark.parametrize("compress", UNITS)
def test_error_of_the_mean_is_at_most_the_unit_times_the_mean_size(compress: Any) -> None:
    rows = torch.randn(3, 500, generator=seeded(4), dtype=torch.float64) + 0.3
    exchanges = [post_mean(end, [row]) for end, row in zip(local(3, compress), rows, strict=True)]
    for exchange in exchanges:
        (mean,) = exchange.wait(exclude=False)
        assert mean.dtype == torch.float64
        tiny = 2.0**-25  # half the spacing of float16 below its normal range
        bound = UNITS[compress] * rows.abs().mean(0) + tiny
        error = (mean - rows.mean(0)).abs()
        assert bool((error <= bound).all())
        assert float(error.max()) > 0.1 * UNITS[compress]  # it was rounded at all


def test_bytes_are_those_of_the_short_dtype() -> None:
    (end,) = local(1, "bfloat16")
    mean_of(end, [torch.full((10,), 0.3)])
    assert end.ledger.bytes == 2 * (10 + 1)


def test_what_is_out_of_range_is_clipped_and_what_is_exact_stays() -> None:
    big = torch.tensor([1e6, -1e6, 0.7])
    assert rounded(big, "float16")[:2].tolist() == [65504.0, -65504.0]
    (end,) = local(1, "float16")
    assert torch.equal(end.post(big, exact=True).wait(), big)
    assert rounded(torch.tensor([2**40 + 1]), "float16").tolist() == [2**40 + 1]


def test_other_dtypes_are_refused() -> None:
    unknown: Any = "int8"
    with pytest.raises(errors.ParameterError, match="'compress' of local must be one of"):
        local(2, unknown)
