"""Integrators: one published method per file, found by being here.

`names()` lists them, `get(name)` returns one, `from_word("…")` makes any other splitting, and
`resolve` takes a name, a word or an integrator.
"""

from pathlib import Path

from .._checks import unknown_name
from .._errors import ClaimError, EvaluationError, ThermogradError
from .._registry import INTEGRATORS
from ..claims import Claims, Limit
from ..flows import alphabet
from ..noise import NoiseSource
from ..splitting import Word
from ..state import Geometry
from ._around import Around
from ._base import (
    ChecksGeometry,
    CutIntegrator,
    HasScalars,
    Integrator,
    Update,
    scalars_of,
    starting_scalars,
)
from ._force_time import check_force_time
from .hmc import HMC

__all__ = [
    "Around",
    "ChecksGeometry",
    "Claims",
    "CutIntegrator",
    "HasScalars",
    "Integrator",
    "Limit",
    "Update",
    "check_force_time",
    "check_geometry",
    "check_noise",
    "from_file",
    "from_word",
    "get",
    "names",
    "resolve",
    "scalars_of",
    "starting_scalars",
]


def names() -> list[str]:
    """Return the names of all integrators."""
    return INTEGRATORS.names()


def get(name: str) -> Integrator:
    """Return the integrator of that name."""
    return _checked(INTEGRATORS.get(name), name)


def from_file(path: Path) -> Integrator:
    """Return the integrator that a file outside the package defines."""
    return _checked(INTEGRATORS.from_file(path), str(path))


def from_word(word: str, claims: Claims | None = None) -> Word:
    """Make the splitting that `word` spells, with equal shares for equal letters."""
    return Word.from_word(word, claims)


def resolve(method: str | Integrator) -> Integrator:
    """Return the integrator that a name, a word in capitals, or an integrator stands for."""
    if not isinstance(method, str):
        return _checked(method, repr(method))
    if method.lower() in names():
        return get(method.lower())
    if method.isupper() and method.isalpha():
        return from_word(method)
    letters = "".join(sorted(alphabet()))
    hint = f" A word is spelled in capitals from the alphabet {letters!r}."
    raise unknown_name("integrator", method, names(), hint)


def check_noise(integrator: Integrator, noise: NoiseSource) -> None:
    """Refuse a noise source that breaks what the integrator claims.

    A weak order k needs the moments of the noise up to order 2k + 1; an acceptance test needs
    the Gaussian density itself.

    Raises:
        ClaimError: if the noise has too few moments right.
    """
    claims, matched = integrator.claims, noise.matched_moments
    needed = float("inf") if claims.is_metropolised else 2 * (claims.weak_order or 0) + 1
    if matched < needed:
        what = "an exact law" if claims.is_metropolised else f"weak order {claims.weak_order}"
        raise ClaimError(
            f"the method claims {what}, but the noise {type(noise).__name__} has the moments of a "
            f"Gaussian only up to order {matched:g}; use noise='gaussian'"
        )


def check_geometry(integrator: Integrator, geometry: Geometry) -> None:
    """Refuse a method whose formula holds in flat space only.

    Words move by the geometry's own drift and keep momenta tangent; HMC does too; plain updates
    without momenta are brought back to the manifold. What else there is knows no manifold.

    Raises:
        EvaluationError: if it is such a method and the geometry is curved.
    """
    while isinstance(inside := getattr(integrator, "method", None), Integrator):
        integrator = inside  # what wraps a method moves as it does
    if isinstance(integrator, ChecksGeometry):
        integrator.check_geometry()
        return
    is_update = isinstance(integrator, Update) and not integrator.has_momenta
    if geometry.is_flat or is_update or isinstance(integrator, (Word, HMC)):
        return
    name = getattr(getattr(integrator, "update", integrator), "__name__", None)
    raise EvaluationError(
        f"{name or type(integrator).__name__} cannot run on {geometry}: its formula holds in flat "
        "space only, and its state would leave the manifold or sample another law. Take a word, "
        "such as 'BAOAB', or 'euler_maruyama'"
    )


def _checked(found: object, name: str) -> Integrator:
    if not isinstance(found, Integrator):
        raise ThermogradError(
            f"{name} is not an integrator; it needs claims, has_momenta, auxiliaries, init and "
            "step, as a Word or an Update has"
        )
    return found
