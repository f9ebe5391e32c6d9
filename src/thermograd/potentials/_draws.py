"""Random numbers that code draws without being handed a generator: redirected, or refused.

torch's modules initialise themselves, and dropout acts, from the global generator. Inside
`DrawFrom(generator)` the same calls draw from the generator given, and inside `DrawFrom(None)`
they raise, so the global one never moves.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from .._errors import EvaluationError


@final
class DrawFrom(TorchDispatchMode):
    """Context in which every draw of torch comes from one generator, or is refused.

    Args:
        generator: where draws come from; None refuses them.
    """

    def __init__(self, generator: torch.Generator | None) -> None:
        super().__init__()
        self.generator = generator

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> object:
        given = dict(kwargs or {})
        if torch.Tag.nondeterministic_seeded not in func.tags or _never_drops(func, args, given):
            return func(*args, **given)
        if given.get("generator") is None:
            func = self._with_generator(func)
            given["generator"] = self.generator
        return func(*args, **given)

    def _with_generator(self, func: Any) -> Callable[..., object]:
        """Return the overload of an operation that takes a generator."""
        if self.generator is None:
            raise EvaluationError(f"{func} draws random numbers from torch's global generator")
        names = [argument.name for argument in func._schema.arguments]
        if "generator" in names:
            return func
        packet, overload = func.overloadpacket, func._overloadname
        wanted = "generator" if overload == "default" else f"{overload}_generator"
        if wanted not in packet.overloads():
            raise EvaluationError(
                f"{func} draws from torch's global generator and takes no other; initialise the "
                "model in another way"
            )
        return getattr(packet, wanted)


def _never_drops(func: Any, args: Sequence[Any], given: Mapping[str, Any]) -> bool:
    """Tell whether an operation with built-in dropout, such as attention, has it switched off."""
    if "scaled_dot_product" not in str(func) and "_fused_sdp" not in str(func):
        return False
    names = [argument.name for argument in func._schema.arguments]
    values = {**dict(zip(names, args, strict=False)), **given}
    return values.get("dropout_p", 0.0) == 0.0
