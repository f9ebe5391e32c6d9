"""What the flows of adaptive Langevin dynamics read from a part."""

from torch import Tensor

from .._errors import EvaluationError
from ..state import Part
from ..thermostat import Thermostat


def constants(part: Part, letter: str) -> Thermostat:
    """Return the thermostat of a part.

    Raises:
        EvaluationError: if it has none.
    """
    if part.thermostat is None:
        raise EvaluationError(f"the map {letter} needs to know ε and σ; give the part a Thermostat")
    return part.thermostat


def variable(part: Part, letter: str) -> Tensor:
    """Return ξ of a part, shape (W,).

    Raises:
        EvaluationError: if it has none.
    """
    if "xi" not in part.scalars:
        raise EvaluationError(f"the map {letter} needs the thermostat variable; make_part makes it")
    return part.scalars["xi"]
