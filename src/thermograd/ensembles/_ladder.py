"""A ladder of temperatures, lowest first."""

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor

from .._checks import is_real, require
from .._errors import ParameterError
from .._foreach import scale_
from ..state import Part

__all__ = ["at_home", "check_ladder", "set_temperatures"]


def check_ladder(temperatures: Sequence[float], owner: str) -> tuple[float, ...]:
    """Return the ladder as floats; it must rise from above 0 and have two rungs."""
    ladder = tuple(temperatures)
    ok = len(ladder) > 1 and all(is_real(heat) and heat > 0 for heat in ladder)
    require(ok, "temperatures", owner, "two or more finite numbers above 0", ladder)
    rises = all(low < high for low, high in pairwise(ladder))
    require(rises, "temperatures", owner, "sorted, each above the one before", ladder)
    return tuple(float(heat) for heat in ladder)


def at_home(ladder: Sequence[float], temperature: float, owner: str) -> None:
    """Refuse a run at another temperature than the lowest rung.

    Raises:
        ParameterError: if it is another.
    """
    if ladder[0] != temperature:
        raise ParameterError(
            f"the lowest of the temperatures of {owner} must be the run's, {temperature:g}, which "
            f"is the one that is summarised; got {ladder[0]:g}"
        )


def set_temperatures(part: Part, temperatures: Tensor) -> None:
    """Change the temperature of every walker, (W,), and its momenta in proportion to √T."""
    heat = part.temperature
    if not isinstance(heat, Tensor):
        heat = torch.full_like(temperatures, heat)
        part.temperature = heat
    scale_(part.p, (temperatures / heat).sqrt())
    heat.copy_(temperatures)
