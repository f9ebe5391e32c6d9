"""Bands that a measured temperature leaves only by error or with a stated probability."""

from ..._checks import non_negative, positive, require
from ..._quantiles import chi2_quantile


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
