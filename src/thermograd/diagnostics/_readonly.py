"""Looking at a model without leaving a trace, and refusing one that draws random numbers."""

from collections.abc import Callable, Generator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from .._errors import ParameterError


@contextmanager
def looking_at(predict: Callable[[Tensor], Tensor]) -> Generator[None]:
    """Hold a module in eval mode, without gradients and with torch's global generator put back."""
    modules = list(predict.modules()) if isinstance(predict, nn.Module) else []
    modes = [module.training for module in modules]
    try:
        for module in modules:
            module.training = False
        with torch.no_grad(), torch.random.fork_rng(devices=[]):
            yield
    finally:
        for module, mode in zip(modules, modes, strict=True):
            module.training = mode


def refuse_random(predict: Callable[[Tensor], Tensor], x: Tensor) -> None:
    """Refuse a model whose answer changes when it is asked again."""
    if not torch.equal(predict(x), predict(x)):
        raise ParameterError(
            "the model says something else when it is asked again: a diagnostic of it would "
            "measure that noise. Take the draw out, or let it depend on `self.training`."
        )
