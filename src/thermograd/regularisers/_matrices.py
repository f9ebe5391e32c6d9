"""Weights of a model as matrices: a row for each unit, a column for each of its inputs."""

from collections.abc import Sequence

from torch import Tensor, nn

from .._errors import ParameterError
from ..geometry._constrain import Where, selected


def weights_of(model: nn.Module, where: Sequence[Where], owner: str) -> list[Tensor]:
    """Return the chosen weights, or all with two axes or more but biases; a tied one once.

    Raises:
        ParameterError: if there are none, or a chosen one is no matrix.
    """
    named = dict(model.named_parameters(remove_duplicate=False))
    if where:
        names = selected(model, where)
        flat = [name for name in names if named[name].dim() < 2]
        if flat:
            raise ParameterError(f"{owner} is for matrices and convolutions; {flat[0]} is neither")
    else:
        names = [name for name, q in named.items() if q.dim() > 1 and not name.endswith("bias")]
    if not names:
        raise ParameterError(f"{owner} finds no matrix and no convolution in the model")
    return list({id(named[name]): named[name] for name in names}.values())
