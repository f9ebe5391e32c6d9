"""The tensors of a part by name, for checkpoints."""

from collections.abc import Mapping

from torch import Tensor

from .._errors import StateError
from ..state import Force, Part

__all__ = ["ensemble_tensors", "load_state_tensors", "state_tensors"]


def state_tensors(part: Part) -> dict[str, Tensor]:
    """Return every tensor a part carries from step to step, forces and energy included."""
    groups = {"q": part.q, "p": part.p, "force": part.force.tensors}
    groups |= {f"aux.{name}": tensors for name, tensors in part.aux.items()}
    groups |= {f"component.{name}": force.tensors for name, force in part.components.items()}
    named = {
        f"{group}.{index}": tensor
        for group, tensors in groups.items()
        for index, tensor in enumerate(tensors)
    }
    named |= {f"scalar.{name}": tensor for name, tensor in part.scalars.items()}
    named |= {f"record.{name}": tensor for name, tensor in part.records.items()}
    if part.energy is not None:
        named["energy"] = part.energy
    return named


def ensemble_tensors(part: Part) -> dict[str, Tensor]:
    """Return what an ensemble keeps in a part: it belongs to no walker alone."""
    named = {f"coupling.{name}": tensor for name, tensor in part.coupling.items()}
    if isinstance(part.temperature, Tensor):
        named["temperature"] = part.temperature
    return named


def load_state_tensors(
    part: Part, tensors: Mapping[str, Tensor], is_fresh: Mapping[str, bool]
) -> None:
    """Put back what `state_tensors` and `ensemble_tensors` returned.

    Args:
        part: a part of the same method and target.
        tensors: the tensors by name; those of other things are left alone.
        is_fresh: which cached forces are those of the present positions; "" is the whole.

    Raises:
        StateError: if a tensor is missing or has another shape or dtype.
    """
    device = part.q[0].device
    for name in is_fresh:
        if name:
            part.components[name] = Force([q.new_empty(q.shape) for q in part.q])
    for name, tensor in tensors.items():
        if name == "energy":
            part.energy = tensor.to(device)
        elif name.startswith("record."):
            part.records[name.removeprefix("record.")] = tensor.to(device)
    for name, tensor in (state_tensors(part) | ensemble_tensors(part)).items():
        saved = tensors.get(name)
        if saved is None or saved.shape != tensor.shape or saved.dtype is not tensor.dtype:
            found = "nothing" if saved is None else f"{tuple(saved.shape)} of {saved.dtype}"
            raise StateError(
                f"the checkpoint is of another method or target: {name} should be "
                f"{tuple(tensor.shape)} of {tensor.dtype}, and it holds {found}"
            )
        tensor.copy_(saved)
    part.force.is_fresh = is_fresh[""]
    for name, force in part.components.items():
        force.is_fresh = is_fresh[name]
