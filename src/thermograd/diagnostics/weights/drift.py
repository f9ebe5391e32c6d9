"""How far weights have come from where they started.

    ‖θ_f − θ_i‖/‖θ_i‖

References:
    Vlaar (2022), doctoral thesis, University of Edinburgh, (6.3).
"""

import math

from ..._checks import require
from ..._errors import ParameterError
from ..estimate import Estimate
from ._named import Weights, named

__all__ = ["drift", "drift_by_tensor"]


def drift(start: Weights, end: Weights) -> Estimate[float]:
    """Return ‖θ_f − θ_i‖/‖θ_i‖ over all tensors that both have.

    Args:
        start: θ_i, a model or tensors by name.
        end: θ_f, likewise.
    """
    a, b = named(start, "drift"), named(end, "drift")
    shared = [name for name in a if name in b]
    require(bool(shared), "end", "drift", "a point that shares names with start", sorted(b))
    for name in shared:
        shapes = tuple(a[name].shape), tuple(b[name].shape)
        require(shapes[0] == shapes[1], "end", "drift", f"of start's shapes in {name!r}", shapes)
    apart = sum(float((b[name] - a[name]).square().sum()) for name in shared)
    size = sum(float(a[name].square().sum()) for name in shared)
    if size == 0:
        raise ParameterError("the start is 0 everywhere: a relative distance is undefined")
    return Estimate(math.sqrt(apart / size), 0.0, sum(a[name].numel() for name in shared), "1")


def drift_by_tensor(start: Weights, end: Weights) -> dict[str, Estimate[float]]:
    """Return the drift of every tensor by name; those that start at 0 are left out."""
    a, b = named(start, "drift_by_tensor"), named(end, "drift_by_tensor")
    moved = [name for name in a if name in b and bool(a[name].any())]
    return {name: drift({name: a[name]}, {name: b[name]}) for name in moved}
