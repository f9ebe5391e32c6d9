"""Quantiles of Student's t and of χ², in float64, without scipy."""

import functools
import math
from statistics import NormalDist

import torch

from ._checks import non_negative, positive, require

MANY_DEGREES = 1e4  # from here on the expansion about the normal is exact to 1e-12


def _log_gamma_step(a: float) -> float:
    """Return log Γ(a + ½) − log Γ(a), without cancellation for large a."""
    if a < 100:
        return math.lgamma(a + 0.5) - math.lgamma(a)
    return 0.5 * math.log(a) - 1 / (8 * a) + 1 / (192 * a**3) - 1 / (640 * a**5)


def _continued_fraction(a: float, b: float, x: float) -> float:
    """Evaluate the continued fraction of the incomplete beta function by Lentz's method."""
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    value = d
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        change = 1.0
        for term in (even, odd):
            d, c = 1 + term * d, 1 + term / c
            d = 1 / (d if abs(d) > tiny else tiny)
            c = c if abs(c) > tiny else tiny
            change = c * d
            value *= change
        if abs(change - 1) < 1e-16:
            break
    return value


def student_t_tail(t: float, num_degrees: float) -> float:
    """Return P(X > t) for X of Student's t with ν degrees of freedom, t ≥ 0.

    Equals ½ I_x(ν/2, ½) with x = ν/(ν + t²), the regularised incomplete beta function.
    """
    a, b = num_degrees / 2, 0.5
    x, y = num_degrees / (num_degrees + t * t), t * t / (num_degrees + t * t)
    if y == 0:
        return 0.5
    log_beta = 0.5 * math.log(math.pi) - _log_gamma_step(a)
    front = math.exp(-a * math.log1p(t * t / num_degrees) + b * math.log(y) - log_beta)
    if x < (a + 1) / (a + b + 2):
        return 0.5 * front * _continued_fraction(a, b, x) / a
    return 0.5 - 0.5 * front * _continued_fraction(b, a, y) / b


@functools.cache
def student_t_quantile(tail: float, num_degrees: float) -> float:
    """Return the t with P(X > t) = `tail`, for X of Student's t distribution.

    By bisection on the incomplete beta function; from 10⁴ degrees of freedom on by the
    expansion in 1/ν about the normal quantile.

    Args:
        tail: 0 < tail ≤ ½; giving the tail, not 1 minus it, keeps small ones exact.
        num_degrees: ν > 0.

    References:
        Abramowitz and Stegun (1964), 26.5.27 and 26.7.5.
    """
    owner = "student_t_quantile"
    ok = 0 < positive(tail, "tail", owner) <= 0.5
    require(ok, "tail", owner, "above 0 and at most 0.5", tail)
    nu = positive(num_degrees, "num_degrees", owner)
    if nu >= MANY_DEGREES:
        z = -NormalDist().inv_cdf(tail)
        first = (z**3 + z) / 4
        second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
        third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
        return z + first / nu + second / nu**2 + third / nu**3
    low, high = 0.0, 1.0
    while student_t_tail(high, nu) > tail:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if student_t_tail(middle, nu) > tail else (low, middle)
    return (low + high) / 2


def _chi2_expansion(z: float, nu: float) -> float:
    """Return the χ² quantile belonging to the normal quantile z, by its series in ν^(−½)."""
    root = math.sqrt(2 * nu)
    return (
        nu
        + root * z
        + 2 * (z**2 - 1) / 3
        + (z**3 - 7 * z) / (9 * root)
        - (6 * z**4 + 14 * z**2 - 32) / (405 * nu)
        + (9 * z**5 + 256 * z**3 - 433 * z) / (4860 * nu * root)
        + (12 * z**6 - 243 * z**4 - 923 * z**2 + 1472) / (25515 * nu**2)
        - (3753 * z**7 + 4353 * z**5 - 289517 * z**3 - 289717 * z) / (9185400 * nu**2 * root)
    )


def chi2_quantile(probability: float, num_degrees: float, *, upper: bool = False) -> float:
    """Return the x with P(X ≤ x) = `probability` for X of χ² with ν degrees of freedom.

    By bisection on torch's incomplete gamma function, bracketed around the Wilson–Hilferty
    approximation; from 10⁴ degrees of freedom on by the Cornish–Fisher expansion, because the
    incomplete gamma functions of torch and scipy lose the far tails of large ν: at ν = 10⁹
    both return a tail of 5e-7 where it is 6e-7.

    Args:
        probability: strictly between 0 and 1.
        num_degrees: ν > 0, not necessarily an integer.
        upper: take P(X > x) instead, which keeps small upper tails exact.

    References:
        Wilson and Hilferty (1931), doi:10.1073/pnas.17.12.684; Goldberg and Levine (1946),
        Annals of Mathematical Statistics 17, for the expansion.
    """
    owner = "chi2_quantile"
    ok = 0 < positive(probability, "probability", owner) < 1
    require(ok, "probability", owner, "strictly between 0 and 1", probability)
    nu = positive(num_degrees, "num_degrees", owner)
    z = NormalDist().inv_cdf(probability) * (-1 if upper else 1)
    if nu >= MANY_DEGREES:
        return _chi2_expansion(z, nu)
    half = torch.tensor(nu / 2, dtype=torch.float64)
    incomplete = torch.special.gammaincc if upper else torch.special.gammainc

    def is_below(x: float) -> bool:
        value = float(incomplete(half, torch.tensor(x / 2, dtype=torch.float64)))
        return value > probability if upper else value < probability

    spread = 2 / (9 * nu)
    low = high = nu * max(1 - spread + z * math.sqrt(spread), 1e-3) ** 3
    while low > 0 and not is_below(low):
        low = low * 0.99 if nu > 100 else low / 2
    while is_below(high):
        high = high * 1.01 if nu > 100 else high * 2
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if is_below(middle) else (low, middle)
    return (low + high) / 2


def chi2_band(
    num_degrees: float, temperature: float, false_alarm: float = 1e-6
) -> tuple[float, float]:
    """Return the band of T χ²_ν/ν, the law of a mean of ν squares of N(0, T).

    One snapshot of ν momenta of unit mass has kinetic temperature p·p/ν of this law.

    Args:
        num_degrees: ν > 0, independent squares in the mean.
        temperature: T ≥ 0.
        false_alarm: probability of lying outside, half on either side.

    Returns:
        The lower and the upper end, in the units of T.
    """
    owner = "chi2_band"
    nu = positive(num_degrees, "num_degrees", owner)
    temperature = non_negative(temperature, "temperature", owner)
    ok = 0 < positive(false_alarm, "false_alarm", owner) < 1
    require(ok, "false_alarm", owner, "between 0 and 1", false_alarm)
    low = chi2_quantile(false_alarm / 2, nu)
    high = chi2_quantile(false_alarm / 2, nu, upper=True)
    return temperature * low / nu, temperature * high / nu
