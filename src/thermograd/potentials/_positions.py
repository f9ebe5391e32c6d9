"""Positions of walkers, from a model and back into one."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

import torch
from torch import Tensor, nn

from .._checks import non_negative, one_of, positive_int, require
from .._errors import NonFiniteError, ParameterError
from ..state import Params
from ._template import Template

Init: TypeAlias = Literal["model", "jitter", "reset"]


def start(
    template: Template,
    num_walkers: int,
    generator: torch.Generator | None,
    init: Init,
    spread: float,
) -> Params:
    """Return positions for walkers to start from, each (W, ...)."""
    positive_int(num_walkers, "num_walkers", "Network.start")
    one_of(init, ("model", "jitter", "reset"), "init", "Network.start")
    non_negative(spread, "spread", "Network.start")
    copies = [v.detach().repeat(num_walkers, *[1] * v.dim()) for v in template.values()]
    if init == "model":
        return copies
    if generator is None:
        raise ParameterError(
            f"init={init!r} draws random numbers: hand Network.start a generator, such as "
            "thermograd.noise.seeded(7)"
        )
    if init == "reset":
        walkers = [template.reset(generator) for _ in range(num_walkers)]
        return [torch.stack(column) for column in zip(*walkers, strict=True)]
    return [_jittered(copy, spread, generator) for copy in copies]


def check(template: Template, q: Params) -> None:
    """Refuse what are not finite positions of the template."""
    require(len(q) == len(template.names), "q", "Network", f"{len(template.names)} tensors", len(q))
    for name, tensor, value in zip(template.names, q, template.values(), strict=True):
        wanted = (q[0].shape[:1] + value.shape, value.dtype, value.device)
        got = (tensor.shape, tensor.dtype, tensor.device)
        if got != wanted:
            raise ParameterError(
                f"the positions of {name!r} must be {_kind(*wanted)}, walkers first; got "
                f"{_kind(*got)}"
            )
        if not bool(torch.isfinite(tensor).all()):
            raise NonFiniteError(f"the positions of {name!r} hold NaN or infinity")


def load_(names: Sequence[str], model: nn.Module, q: Params, walker: int) -> None:
    """Copy the parameters of one walker into a model."""
    num_walkers = q[0].shape[0]
    ok = 0 <= walker < num_walkers
    require(ok, "walker", "Network.load_", f"an integer from 0 to {num_walkers - 1}", walker)
    known = dict(model.named_parameters())
    missing = [name for name in names if name not in known]
    if missing:
        raise ParameterError(f"the model to load into has no parameter {', '.join(missing)}")
    for name, tensor in zip(names, q, strict=True):
        if known[name].shape != tensor.shape[1:]:
            raise ParameterError(
                f"the parameter {name!r} of the model to load into has shape "
                f"{tuple(known[name].shape)}, the walker's is {tuple(tensor.shape[1:])}"
            )
    with torch.no_grad():
        for name, tensor in zip(names, q, strict=True):
            known[name].copy_(tensor[walker])


def _jittered(q: Tensor, spread: float, generator: torch.Generator) -> Tensor:
    xi = torch.randn(q.shape, generator=generator, dtype=q.dtype, device=generator.device)
    return q.add_(xi.to(q.device), alpha=spread)


def _kind(shape: torch.Size, dtype: torch.dtype, device: torch.device) -> str:
    return f"{tuple(shape)} of {dtype} on {device}"
