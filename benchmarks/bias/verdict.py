"""What a row's numbers say: its slope, its limit, and whether its claim explains it."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import curve_fit
from scipy.stats import chi2

Record = dict[str, Any]

FALSE_ALARM = 1e-6  # per observable of a row
FAR = 0.5  # relative bias from which four steps do not tell where it goes
SEEN = 3.0  # standard errors from which a bias counts as seen


def chi_square(residuals: Sequence[float], errors: Sequence[float], fitted: int) -> float:
    """Return the probability of residuals this large if nothing but noise is in them."""
    total = sum((r / e) ** 2 for r, e in zip(residuals, errors, strict=True))
    return float(chi2.sf(total, len(residuals) - fitted))


def fit(
    steps: Sequence[float], bias: Sequence[float], errors: Sequence[float], powers: Sequence[int]
) -> tuple[list[float], list[float], list[float]]:
    """Fit Σ cₖ hᵏ by weighted least squares; return c, its standard errors, the residuals."""
    h, y, se = np.array(steps), np.array(bias), np.array(errors)
    design = np.stack([h**k for k in powers], axis=1)
    covariance = np.linalg.inv((design / se[:, None] ** 2).T @ design)
    c = covariance @ (design.T @ (y / se**2))
    return c.tolist(), np.sqrt(np.diag(covariance)).tolist(), (y - design @ c).tolist()


def slope(
    steps: Sequence[float], bias: Sequence[float], errors: Sequence[float]
) -> tuple[float, float] | None:
    """Fit c hˢ; return (s, its standard error), or None where too little is seen or signs mix."""
    seen = [abs(b) > SEEN * e for b, e in zip(bias, errors, strict=True)]
    signs = {b > 0 for b, is_seen in zip(bias, seen, strict=True) if is_seen}
    if sum(seen) < 2 or not seen[-1] or not seen[-2] or len(signs) > 1:
        return None
    guess = math.log(bias[-1] / bias[-2]) / math.log(steps[-1] / steps[-2])
    scaled = np.array(steps) / steps[-1]
    try:
        found, covariance = curve_fit(
            lambda h, c, s: c * h**s, scaled, bias, p0=(bias[-1], guess), sigma=errors,
            absolute_sigma=True,
        )  # fmt: skip
    except RuntimeError:
        return None
    return float(found[1]), float(math.sqrt(covariance[1, 1]))


def describe(row: Record) -> None:
    """Add to every observable of a row its slope, and its relative bias as h → 0.

    The limit is that of a parabola through exact/mean, since a mean that grows without bound
    towards the largest stable step is smooth in that form; None if a bias is above `FAR`.
    """
    for values in row["observables"].values():
        steps, exact, means = row["own_steps"], values["exact"], values["mean"]
        values["slope"] = values["limit"] = None
        if any(mean is None or not math.isfinite(mean) for mean in means):
            continue
        bias = [mean / exact - 1 for mean in means]
        values["slope"] = slope(steps, bias, [error / exact for error in values["error"]])
        if max(map(abs, bias)) > FAR:
            continue
        inverse = [exact / mean for mean in means]
        errors = [exact * e / mean**2 for mean, e in zip(means, values["error"], strict=True)]
        c, se, _ = fit(steps, inverse, errors, (0, 1, 2))
        values["limit"] = [1 / c[0] - 1, se[0] / c[0] ** 2]


def judge(row: Record, clean: Record | None = None) -> None:
    """Add to every observable of an own row what explains it, and how probable the rest is.

    Args:
        row: with `claim` (None where the law is exact, else its order), `predicted` where the
            stationary law is known, `law_keeps_claims` where that law is read off the method
            itself, `heating` where the gradient is noisy.
        clean: the same row without gradient noise, where that is what it is compared with.
    """
    for name, values in row["observables"].items():
        mean, errors = values["mean"], values["error"]
        if "predicted" in values:
            off = [m - p for m, p in zip(mean, values["predicted"], strict=True)]
            values["probability"] = chi_square(off, errors, 0)
        elif clean is not None:
            other = clean["observables"][name]
            errors = [math.hypot(*pair) for pair in zip(errors, other["error"], strict=True)]
            off = [
                m - c - rise
                for m, c, rise in zip(mean, other["mean"], values["heating"], strict=True)
            ]
            values["probability"] = _explained(row["own_steps"], off, errors, (2, 3))
        else:
            off = [m - values["exact"] for m in mean]
            order = row["claim"]
            values["probability"] = _explained(row["own_steps"], off, errors, _powers(order))
        is_likely = values["probability"] >= FALSE_ALARM
        values["is_explained"] = is_likely and values.get("law_keeps_claims", True)
    row["is_explained"] = all(v["is_explained"] for v in row["observables"].values())


def _powers(order: int) -> tuple[int, ...]:
    """Return the first powers of the expansion; words of order 2 are even in h, mostly."""
    return (1, 2, 3) if order == 1 else (order, order + 2)


def _explained(
    steps: Sequence[float], off: Sequence[float], errors: Sequence[float], powers: tuple[int, ...]
) -> float:
    _, _, residuals = fit(steps, off, errors, powers)
    return chi_square(residuals, errors, len(powers))
