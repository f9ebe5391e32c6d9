"""Looks at a model once, on a few examples: does its loss depend on it, and can it be batched."""

import warnings

import torch
from torch import Tensor
from torch.func import grad_and_value

from .._errors import EvaluationError, NonFiniteError, ParameterError
from ..noise import seeded
from ._draws import DrawFrom
from ._evaluation import Evaluation
from ._template import Template

_JITTER = 0.1
_NUM_PROBED = 8


def sample_rows(num_data: int) -> Tensor:
    """Return a few examples spread over the data, which may be sorted by label."""
    few = min(num_data, _NUM_PROBED)
    return torch.linspace(0, num_data - 1, few, dtype=torch.float64).long()


def predictions(template: Template, x: Tensor) -> Tensor:
    """Return what the model says of a few inputs; its errors come with an explanation."""
    try:
        with torch.no_grad(), DrawFrom(None):
            prediction: object = template.module(x)
    except EvaluationError as error:
        raise ParameterError(
            f"the model is random even in eval mode ({error}): its potential would be another "
            "function at every evaluation. Take the draw out, or let it depend on `self.training`."
        ) from error
    except (RuntimeError, ValueError, TypeError, IndexError) as error:
        raise ParameterError(
            f"the model cannot be evaluated on inputs {tuple(x.shape)} of {x.dtype}: {error}"
        ) from error
    if not isinstance(prediction, Tensor) or prediction.shape[:1] != (len(x),):
        is_tensor = isinstance(prediction, Tensor)
        got = tuple(prediction.shape) if is_tensor else type(prediction).__name__
        raise ParameterError(
            f"the model must return one tensor with a row for each of the {len(x)} examples; got "
            f"{got}"
        )
    if not bool(torch.isfinite(prediction).all()):
        raise NonFiniteError("the model's predictions are not finite at its parameters")
    return prediction


def examine(evaluation: Evaluation, x: Tensor, y: Tensor) -> tuple[str, ...]:
    """Find out what a gradient keeps and whether walkers can be batched; return unused names.

    Raises:
        ParameterError: if the loss depends on no parameter.
    """
    template = evaluation.template
    values = [value.detach().clone() for value in template.values()]
    gradients = _gradients(evaluation, values, x, y)
    unused = tuple(name for name, own in zip(template.names, gradients, strict=True) if own is None)
    if not _any_nonzero(gradients):
        # An exact minimum or a dead start also has no force; a point next to it has one.
        generator = seeded(0)
        near = [v + _JITTER * _normal_like(v, generator) for v in values]
        if not _any_nonzero(_gradients(evaluation, near, x, y)):
            raise ParameterError(
                "the loss does not depend on the model's parameters: the force on "
                f"{', '.join(template.names)} is 0. The model may compute with copies of them "
                "(`detach`, `.data`, `torch.no_grad`), or these may be the wrong ones to move."
            )
    if unused:
        warnings.warn(
            f"the loss does not depend on {', '.join(unused)}: only the prior acts there. Name "
            "them in `frozen` to leave them out.",
            stacklevel=3,
        )
    evaluation.is_vectorized = _can_vectorize(evaluation, values, x, y)
    return unused


def _gradients(
    evaluation: Evaluation, values: list[Tensor], x: Tensor, y: Tensor
) -> list[Tensor | None]:
    """Return the gradient of the loss, None where a parameter does not enter; count its bytes."""
    leaves = [value.detach().requires_grad_() for value in values]
    own = {leaf.untyped_storage().data_ptr() for leaf in leaves} | {x.untyped_storage().data_ptr()}
    num_bytes = 0

    def count(tensor: Tensor) -> Tensor:
        nonlocal num_bytes
        if tensor.untyped_storage().data_ptr() not in own:
            num_bytes += tensor.numel() * tensor.element_size()
        return tensor

    with torch.enable_grad():
        with torch.autograd.graph.saved_tensors_hooks(count, lambda tensor: tensor):
            total = evaluation.total(leaves, x, y)
        evaluation.bytes_per_example = num_bytes // len(x) + x[0].numel() * x.element_size()
        if not total.requires_grad:
            return [None] * len(leaves)
        return list(torch.autograd.grad(total, leaves, allow_unused=True))


def _can_vectorize(evaluation: Evaluation, values: list[Tensor], x: Tensor, y: Tensor) -> bool:
    """Tell whether two walkers at once work, and agree with one walker at a time.

    Where vmap has no rule for an operation, as for fused attention on a CPU, it warns and loops:
    then the loop over whole walkers is as fast.
    """
    alone, _ = grad_and_value(evaluation.total)(tuple(values), x, y)
    pairs = [torch.stack([value, value]) for value in values]
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message="There is a performance drop")
            both, _ = evaluation.gradients(evaluation.total, pairs, x, y, is_shared=True)
    except (RuntimeError, ValueError, TypeError, UserWarning):
        return False
    tolerance = torch.finfo(values[0].dtype).eps ** 0.5
    return all(
        torch.allclose(two[0], one, rtol=tolerance, atol=tolerance * float(one.abs().max()))
        for two, one in zip(both, alone, strict=True)
    )


def _any_nonzero(gradients: list[Tensor | None]) -> bool:
    return any(gradient is not None and bool(gradient.any()) for gradient in gradients)


def _normal_like(value: Tensor, generator: torch.Generator) -> Tensor:
    return torch.randn(value.shape, generator=generator, dtype=value.dtype).to(value.device)
