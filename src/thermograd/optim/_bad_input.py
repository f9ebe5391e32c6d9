"""What the optimizers refuse, and the words they refuse it with."""

import math
import warnings
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.optim import Optimizer

from .._checks import is_real, non_negative, positive, require
from .._errors import NonFiniteError, ParameterError, StateError, TensorError
from .._foreach import all_finite
from ..thermostat import Thermostat


def check_settings(group: dict[str, Any], owner: str) -> None:
    """Refuse settings outside their ranges."""
    for name in ("lr", "temperature"):
        non_negative(number(group[name]), name, owner)
    if group["friction"] != math.inf:
        non_negative(number(group["friction"]), "friction", owner)
    positive(number(group["mass"]), "mass", owner)
    momentum = group["momentum"]
    if momentum is not None:
        ok = is_real(number(momentum)) and 0 <= momentum < 1
        require(ok, "momentum", owner, "None or in [0, 1)", momentum)


def number(value: object) -> Any:
    """Read a one-element CPU tensor as a float, as torch's schedulers may leave one behind."""
    if isinstance(value, Tensor) and value.numel() == 1 and value.device.type == "cpu":
        return float(value)
    return value


def check_tensor(tensor: object, owner: str) -> None:
    """Refuse what no flow can move."""
    if not isinstance(tensor, Tensor):
        raise TensorError(f"{owner} holds a {type(tensor).__name__}; parameters are tensors")
    if tensor.layout is not torch.strided:
        raise TensorError(f"{owner} holds a sparse parameter; only dense ones can drift")
    if not tensor.is_floating_point():
        raise TensorError(
            f"{owner} holds a parameter of dtype {tensor.dtype}; a temperature needs real "
            "floating-point ones" + (" (view_as_real splits a complex one)" * tensor.is_complex())
        )


def nonfinite(grads: list[Tensor], owner: str) -> NonFiniteError:
    """Build the error for gradients that are NaN or infinite."""
    bad = [(k, int((~g.isfinite()).sum())) for k, g in enumerate(grads) if not all_finite([g])]
    index, count = bad[0]
    return NonFiniteError(
        f"{count} of {grads[index].numel()} elements of a gradient in {owner} are NaN or infinite "
        f"(its shape is {tuple(grads[index].shape)}; so are {len(bad)} of {len(grads)} gradients). "
        "Nothing was written. A smaller lr or a clipped gradient may help; "
        "on_nonfinite='skip' leaves such steps out"
    )


def check_saved(optimizer: Optimizer, saved: dict[str, Any]) -> None:
    """Refuse a saved state that does not fit, before anything is changed."""
    kind = type(optimizer).__name__
    missing = {"state", "param_groups", "noise", "scalars"} - set(saved)
    if missing:
        raise StateError(f"the state dict lacks {sorted(missing)}; was it saved by a {kind}?")
    groups = list(zip(optimizer.param_groups, saved["param_groups"], strict=False))
    if len(groups) != len(optimizer.param_groups) or len(groups) != len(saved["param_groups"]):
        raise StateError(
            f"the state dict has {len(saved['param_groups'])} parameter groups and this {kind} "
            f"{len(optimizer.param_groups)}"
        )
    for number, (ours, theirs) in enumerate(groups):
        if theirs.get("word") != ours["word"]:
            raise StateError(
                f"group {number} of the state dict is of the word {theirs.get('word')!r}, but this "
                f"one runs {ours['word']!r}; their momenta do not mean the same"
            )
        if theirs.get("geometry") != ours["geometry"]:
            raise StateError(
                f"group {number} of the state dict lives on {theirs.get('geometry')}, but this one "
                f"on {ours['geometry']}"
            )
        for name in ("label", "param_names"):
            pair = (theirs.get(name), ours.get(name))
            if None not in pair and pair[0] != pair[1]:
                raise StateError(
                    f"group {number} of the state dict has the {name} {pair[0]!r}, this "
                    f"one {pair[1]!r}: it was saved with another partition"
                )
        if len(theirs["params"]) != len(ours["params"]):
            raise StateError(f"group {number} of the state dict has another number of parameters")
        for index, param in zip(theirs["params"], ours["params"], strict=True):
            for name, value in saved["state"].get(index, {}).items():
                is_slack = name.startswith("slack")  # fewer numbers; the geometry fixes them
                if isinstance(value, Tensor) and value.shape != param.shape and not is_slack:
                    raise StateError(
                        f"{name!r} of parameter {index} has shape {tuple(value.shape)} in the "
                        f"state dict, but the parameter has {tuple(param.shape)}"
                    )


def thermostat_of(group: dict[str, Any]) -> Thermostat | None:
    """Return the thermostat that a group's settings describe, if they do."""
    if group["feedback"] is None:
        return None
    return Thermostat(
        number(group["feedback"]),
        number(group["driving_noise"]),
        group["coupling"],
        group["initial_xi"],
    )


def check_thermostat(group: dict[str, Any], tensors: Sequence[Tensor], owner: str) -> None:
    """Refuse a thermostat without its constants, or on momenta that cannot be added up.

    Raises:
        ParameterError: if there is something to refuse.
    """
    for name in ("feedback", "driving_noise"):
        ok = group[name] is not None
        require(ok, name, owner, "a number: its method has a thermostat variable", None)
    thermostat = thermostat_of(group)
    kinds = {(q.device, torch.promote_types(q.dtype, torch.float32)) for q in tensors}
    if len(kinds) > 1:
        raise ParameterError(
            f"{owner} has one thermostat for momenta on {len(kinds)} kinds of device or dtype, "
            "whose kinetic energies cannot be added without waiting. Give each a group of its own"
        )
    is_dead = thermostat is not None and thermostat.driving_noise == 0
    if is_dead and number(group["temperature"]) > 0:
        warnings.warn(
            f"{owner} has driving_noise = 0 at a temperature above 0: with exact forces the "
            "thermostat alone is not ergodic. Give it some noise",
            stacklevel=3,
        )
