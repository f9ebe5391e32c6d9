"""How many critical points a spherical p-spin glass has, and at which energies.

At u = U/N, for J₀ = 1 and no field, exp(N Θ_k(u)) of them are below u and have k directions of
descent, and exp(N Θ(u)) have any number, up to factors that are not exponential:

    Θ(u)   = ½ log(p − 1) − (p − 2) u²/(4(p − 1)) − I(u)          Θ_k: (k + 1) I(u),   u ≤ −E_∞
    Θ(u)   = the same without I(u) for u ≤ 0, ½ log(p − 1) above it
    Θ_k(u) = ½ log(p − 1) − (p − 2)/p                             above −E_∞
    I(u)   = −(u/E²) √(u² − E²) − log(−u + √(u² − E²)) + log E,   E = E_∞ = 2 √((p − 1)/p)

Minima lie between −E_0, where Θ_0 = 0, and −E_∞; above −E_∞ a critical point has a finite share
of directions of descent. A field of size ν changes the count to what follows from

    B = (J₀² p(p − 2) − ν²)/(J₀² p² + ν²)

E crt = 4 √(N(1 + B)/(πB)) exp((N/2) log((1 + B)/(1 − B))) for B > 0, exponential; 2N/√π τ^{−3/2}
for B = −τ/N with τ large, polynomial; 2, a minimum and a maximum, for B well below 0, trivial.

References:
    Auffinger, Ben Arous and Cerny (2013), doi:10.1002/cpa.21422; Fyodorov (2013),
    arXiv:1307.2379; Chaudhari (2018), thesis, Lemma 2.2, eq. (2.15) and Theorem 2.7. I(u) is
    printed there with u² for u.
"""

import math

from .._checks import is_int, is_real, non_negative, positive, positive_int, require

__all__ = [
    "band_edge",
    "complexity",
    "expected_critical_points",
    "field_regime",
    "lowest_level",
]


def band_edge(order: int) -> float:
    """Return E_∞ = 2 √((p − 1)/p): minima are below −E_∞ N.

    Args:
        order: p ≥ 3.
    """
    ok = is_int(order) and order >= 3
    require(ok, "order", "band_edge", "an integer of 3 or more", order)
    return 2.0 * math.sqrt((order - 1) / order)


def complexity(level: float, order: int, index: int | None = None) -> float:
    """Return Θ(u), or Θ_k(u) of critical points with k directions of descent.

    Args:
        level: u, an energy over N.
        order: p ≥ 3.
        index: k ≥ 0; None counts all.
    """
    require(is_real(level), "level", "complexity", "a finite number", level)
    edge = band_edge(order)
    if index is not None:
        ok = is_int(index) and index >= 0
        require(ok, "index", "complexity", "an integer of 0 or more", index)
    whole = 0.5 * math.log(order - 1)
    lowered = whole - (order - 2) * level**2 / (4 * (order - 1))
    if level <= -edge:
        return lowered - (1 if index is None else index + 1) * _deficit(level, edge)
    if index is not None:
        return whole - (order - 2) / order
    return lowered if level <= 0 else whole


def lowest_level(order: int, index: int = 0) -> float:
    """Return −E_k, the energy over N of the lowest critical points with k directions of descent.

    Args:
        order: p ≥ 3.
        index: k ≥ 0; at 0 it is the ground state.
    """
    low, high = -2.0 * math.sqrt(math.log(order) + 1.0), -band_edge(order)
    while high - low > 1e-14:
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        if complexity(middle, order, index) < 0:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def field_regime(order: int, field_size: float, coupling: float = 1.0) -> float:
    """Return B: above 0 many critical points, below 0 few; of order 1/N in between.

    Args:
        order: p ≥ 3.
        field_size: ν ≥ 0; B = 0 at `objectives.critical_field`.
        coupling: J₀ > 0.
    """
    band_edge(order)
    j2 = positive(coupling, "coupling", "field_regime") ** 2
    v2 = non_negative(field_size, "field_size", "field_regime") ** 2
    return (j2 * order * (order - 2) - v2) / (j2 * order**2 + v2)


def expected_critical_points(num_spins: int, regime: float) -> float:
    """Return the leading term of E crt(U) at large N, never below 2; it needs N |B| well above 1.

    Args:
        num_spins: N.
        regime: B, not 0, between −1 and 1.
    """
    n, owner = positive_int(num_spins, "num_spins", "expected_critical_points"), "regime"
    ok = is_real(regime) and -1 < regime < 1 and regime != 0
    require(ok, owner, "expected_critical_points", "in (−1, 1) and not 0", regime)
    if regime > 0:
        exponent = n * math.atanh(regime)
        return 4.0 * math.sqrt(n * (1 + regime) / (math.pi * regime)) * math.exp(exponent)
    return max(2.0, 2.0 * n / math.sqrt(math.pi) * (-n * regime) ** -1.5)


def _deficit(level: float, edge: float) -> float:
    """Return I(u), which is (2/E²) ∫ √(z² − E²) dz from u to −E."""
    root = math.sqrt(max(level * level - edge * edge, 0.0))
    return -level / edge**2 * root - math.log(-level + root) + math.log(edge)
