"""Harmonic mean of a spectrum, which its smallest eigenvalue rules.

    HM = ((1/d) Σ_i 1/λ_i)⁻¹,   min λ ≤ HM ≤ d min λ

References:
    Chaudhari (2018), doctoral thesis, UCLA, lemmas 4.18 and 4.19.
"""

import numpy as np

from ..._checks import require
from ..estimate import Array, Estimate

__all__ = ["harmonic_mean"]


def harmonic_mean(eigenvalues: Array, uncertainty: Array | None = None) -> Estimate[float]:
    """Return the harmonic mean of positive eigenvalues, all of them.

    Args:
        eigenvalues: λ > 0, shape (d,).
        uncertainty: of each, as bounds; none if not given.
    """
    ok = eigenvalues.ndim == 1 and len(eigenvalues) > 0 and bool((eigenvalues > 0).all())
    require(ok, "eigenvalues", "harmonic_mean", "positive: at 0 or below it has no meaning", "else")
    value = 1 / float(np.mean(1 / eigenvalues))
    given = np.zeros_like(eigenvalues) if uncertainty is None else uncertainty
    error = value**2 * float(np.mean(given / eigenvalues**2))
    return Estimate(value, error, len(eigenvalues), "loss/parameter²")
