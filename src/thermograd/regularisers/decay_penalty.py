"""Weight decay as a term of the loss, for optimizers that have none of their own."""

import torch
from torch import Tensor, nn

from .._checks import non_negative
from .._errors import ParameterError
from ..geometry import Where
from ..geometry._constrain import selected

__all__ = ["decay_penalty"]


def decay_penalty(model: nn.Module, strength: float, *where: Where) -> Tensor:
    """Return a penalty to add to the loss.

        ½ λ Σ |θ|²

    Its gradient is λθ, which is what `weight_decay=λ` adds to the gradient in torch.optim.SGD; in
    AdamW it is something else.

    Args:
        model: whose parameters are meant.
        strength: λ ≥ 0.
        where: names or patterns of parameters, or types of layers; all parameters, biases too, if
            none is given.
    """
    non_negative(strength, "strength", "decay_penalty")
    named = dict(model.named_parameters(remove_duplicate=not where))
    names = selected(model, where) if where else list(named)
    chosen = list({id(named[name]): named[name] for name in names}.values())
    if not chosen:
        raise ParameterError("decay_penalty finds no parameter in the model")
    return 0.5 * strength * torch.stack([theta.square().sum() for theta in chosen]).sum()
