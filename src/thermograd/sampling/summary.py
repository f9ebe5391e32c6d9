"""The summary of a run: mean, sd, effective sample size, R-hat and error of every quantity.

Effective sample sizes are those of the mean, over halved chains, with Geyer's initial monotone
sequence; R-hat is that of halved chains. Walkers that hold a NaN are left out.

References:
    Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), doi:10.1214/20-BA1221, section 3
        without rank normalisation.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._quantiles import student_t_quantile

__all__ = ["Line", "Summary", "effective_sample_size", "split_rhat", "summarise"]

Draws = NDArray[np.float64]  # (chain, draw)

MIN_DRAWS = 4
MAX_ENTRIES = 10  # of one array
TEMPERATURES = ("kinetic_temperature", "virial")
FALSE_ALARM = 1e-3


@dataclass(frozen=True, slots=True)
class Line:
    """What is said of one number.

    Attributes:
        name: of the array, with the entry in brackets.
        mean: over draws and walkers.
        sd: over draws and walkers.
        ess: effective sample size of the mean.
        iat: draws for each effective one.
        r_hat: between and within walkers; 1 when they agree.
        mcse: standard error of the mean.
        expected: the value from theory, if there is one.
        verdict: "as expected", "off by ... standard errors", "not applicable", or nothing.
    """

    name: str
    mean: float
    sd: float
    ess: float
    iat: float
    r_hat: float
    mcse: float
    expected: float | None = None
    verdict: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """Lines for what a run recorded; prints as a table.

    Attributes:
        lines: one for each number.
        left_out: how many entries of large arrays are not shown.
    """

    lines: tuple[Line, ...]
    left_out: int = 0

    def __getitem__(self, name: str) -> Line:
        return next(line for line in self.lines if line.name == name)

    def __str__(self) -> str:
        width = max([len(line.name) for line in self.lines] + [8])
        heads = ("mean", "sd", "ess", "iat", "r_hat", "mcse")
        rows = [" " * width + "".join(f"{head:>11}" for head in heads)]
        for line in self.lines:
            values = "".join(f"{getattr(line, head):>11.4g}" for head in heads)
            said = f"  expected {line.expected:.4g}" if line.expected is not None else ""
            said += f": {line.verdict}" if line.verdict else ""
            rows.append(f"{line.name:<{width}}{values}{said}")
        if self.left_out:
            rows.append(f"({self.left_out} further entries are not shown)")
        return "\n".join(rows)


def summarise(
    posterior: Mapping[str, NDArray[np.generic]],
    sample_stats: Mapping[str, NDArray[np.generic]],
    temperature: float,
    chains: Sequence[int] | None = None,
    others: Mapping[str, float] | None = None,
) -> Summary:
    """Return the summary of arrays (chain, draw, ...).

    Args:
        posterior: what is inferred.
        sample_stats: how the run went.
        temperature: T, which the temperatures among them are compared with.
        chains: the walkers that count; all if not given.
        others: what further averages are compared with, by name.
    """
    lines, left_out = list[Line](), 0
    expected = {**dict.fromkeys(TEMPERATURES, temperature), **(others or {})}
    for name, whole in {**posterior, **sample_stats}.items():
        array = whole if chains is None else whole[list(chains)]
        left_out += max(0, math.prod(array.shape[2:]) - MAX_ENTRIES)
        wanted = expected.get(name)
        lines += [_line(entry, draws, wanted) for entry, draws in _entries(name, array)]
    return Summary(tuple(lines), left_out)


def effective_sample_size(draws: Draws) -> float:
    """Return the effective sample size of the mean of draws, (chain, draw)."""
    if draws.shape[1] < MIN_DRAWS or draws.shape[0] == 0:
        return math.nan
    halves = _halves(draws)
    num_chains, num = halves.shape
    centred = halves - halves.mean(axis=1, keepdims=True)
    spectrum = np.abs(np.fft.rfft(centred, n=2 * num, axis=1)) ** 2
    covariance = np.fft.irfft(spectrum, axis=1)[:, :num] / num
    within = float(covariance[:, 0].mean()) * num / (num - 1)
    total = within * (num - 1) / num
    if num_chains > 1:
        total += float(halves.mean(axis=1).var(ddof=1))
    if total == 0:
        return float(num_chains * num)
    rho = 1 - (within - covariance.mean(axis=0)) / total
    rho[0] = 1.0
    pairs = rho[0 : 2 * (num // 2) : 2] + rho[1::2][: num // 2]
    negative = np.flatnonzero(pairs < 0)
    last = max((num - 3) // 2, 1)
    stop = min(int(negative[0]), last) if len(negative) else last
    kept = np.minimum.accumulate(pairs[:stop])
    rest = max(float(rho[2 * stop]), 0.0) if 2 * stop < num else 0.0  # halves may be of 2 draws
    tau = -1 + 2 * float(kept.sum()) + rest
    tau = max(tau, 1 / math.log10(num_chains * num))
    return num_chains * num / tau


def split_rhat(draws: Draws) -> float:
    """Return √(total variance/within variance) over halved chains, (chain, draw)."""
    if draws.shape[1] < MIN_DRAWS or draws.shape[0] == 0:
        return math.nan
    halves = _halves(draws)
    num = halves.shape[1]
    within = float(halves.var(axis=1, ddof=1).mean())
    between = float(halves.mean(axis=1).var(ddof=1))
    return math.sqrt((num - 1) / num + between / within) if within > 0 else math.nan


def _halves(draws: Draws) -> Draws:
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, -half:]])


def _entries(name: str, array: NDArray[np.generic]) -> Iterator[tuple[str, NDArray[np.generic]]]:
    if array.ndim == 2:
        yield name, array
        return
    flat = array.reshape(*array.shape[:2], -1)
    for number, index in enumerate(np.ndindex(*array.shape[2:])):
        if number == MAX_ENTRIES:
            return
        yield f"{name}[{','.join(map(str, index))}]", flat[:, :, number]


def _line(name: str, array: NDArray[np.generic], expected: float | None) -> Line:
    values = array.astype(np.float64)
    draws = values[np.isfinite(values).all(axis=1)]
    if draws.size == 0:
        nan = math.nan
        said = "not applicable" if expected is not None else ""
        return Line(name, nan, nan, nan, nan, nan, nan, None, said)
    mean = float(draws.mean())
    sd = float(draws.std(ddof=1)) if draws.size > 1 else math.nan
    ess = effective_sample_size(draws)
    mcse = sd / math.sqrt(ess) if ess > 0 else math.nan
    said = ""
    if expected is not None and mcse > 0:
        off = (mean - expected) / mcse
        is_far = abs(off) > student_t_quantile(FALSE_ALARM / 2, max(ess - 1, 1))
        said = f"off by {off:+.1f} standard errors" if is_far else "as expected"
    return Line(name, mean, sd, ess, draws.size / ess, split_rhat(draws), mcse, expected, said)
