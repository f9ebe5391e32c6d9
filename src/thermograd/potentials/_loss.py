"""The loss of a network's potential: a likelihood, or a function whose form is found out once.

A function must return one loss per example, or their mean. Which of the two is read off its shape
on a few examples, and what would make a minibatch force biased is refused: a sum, a weighted
mean, terms between examples.
"""

from collections.abc import Callable
from typing import TypeAlias

import torch
from torch import Tensor

from .._errors import NonFiniteError, ParameterError
from .likelihoods import Likelihood, by_name

LossFunction: TypeAlias = Callable[[Tensor, Tensor], Tensor]
Predict: TypeAlias = Callable[[Tensor], Tensor]


class Loss:
    """A loss whose form is known, as a sum over examples.

    Attributes:
        likelihood: the named loss; None where the user gave a function.
        is_mean: whether that function returns the mean over the batch.
    """

    def __init__(self, fn: LossFunction, likelihood: Likelihood | None, is_mean: bool) -> None:
        self.fn = fn
        self.likelihood = likelihood
        self.is_mean = is_mean

    def total(self, prediction: Tensor, target: Tensor) -> Tensor:
        """Return the sum of the losses of a batch, a scalar."""
        losses = self.fn(prediction, target)
        return losses * prediction.shape[0] if self.is_mean else losses.sum()


def examine(
    loss: str | Likelihood | LossFunction, predict: Predict, x: Tensor, y: Tensor, rows: Tensor
) -> tuple[Loss, Tensor]:
    """Return the loss and the targets of all examples, checked, in the form it wants.

    Args:
        loss: a name, a likelihood or a function of (prediction, target).
        predict: the model.
        x: a few inputs.
        y: all targets.
        rows: the examples that `x` are.
    """
    _refuse_mixing(predict, x)
    prediction = predict(x)
    if isinstance(loss, str):
        loss = by_name(loss)
    if isinstance(loss, Likelihood):
        y = loss.prepare(prediction, y)
        found = Loss(loss.losses, loss, is_mean=False)
    elif callable(loss):
        found = Loss(loss, None, _returns_mean(loss, predict, x, y[rows]))
    else:
        raise ParameterError(
            "the 'loss' of Network must be a name, a likelihood or a function of (prediction, "
            f"target); got {loss!r}"
        )
    total = found.total(prediction, y[rows])
    if total.dtype is not prediction.dtype:
        raise ParameterError(
            f"the loss is {total.dtype} and the predictions {prediction.dtype}; give the targets "
            "the dtype of the model"
        )
    if not bool(torch.isfinite(total)):
        raise NonFiniteError(
            f"the loss of {len(x)} examples is {float(total)} at the model's parameters"
        )
    return found, y


def _returns_mean(loss: LossFunction, predict: Predict, x: Tensor, y: Tensor) -> bool:
    """Tell whether a function returns a mean (else per example), and refuse what is neither."""
    few = len(x)
    prediction = predict(x)
    losses = loss(prediction, y)
    ok = isinstance(losses, Tensor) and losses.shape in {(few,), ()}  # pyright: ignore[reportUnnecessaryIsInstance]
    if not ok:
        got = tuple(losses.shape) if isinstance(losses, Tensor) else type(losses).__name__  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ParameterError(
            f"the loss must return one number per example, shape ({few},), or their mean, a "
            f"scalar, for predictions {tuple(prediction.shape)} and targets {tuple(y.shape)}; got "
            f"{got}"
        )
    if losses.dim() == 1 and not _is_independent(losses, loss(*_repeated(prediction, y, 0, few))):
        raise ParameterError(
            "the loss of an example depends on the other examples in its batch: U would not be a "
            "sum over examples. Return a loss that looks at one example at a time."
        )
    if losses.dim() == 0:
        _refuse_other_than_mean(losses, loss, prediction, y)
    return losses.dim() == 0


def _refuse_other_than_mean(
    losses: Tensor, loss: LossFunction, prediction: Tensor, y: Tensor
) -> None:
    twice = [loss(*_repeated(prediction, y, index, 2)) for index in range(len(y))]
    four = loss(*_repeated(prediction, y, 0, 4))
    if _close(four, 2.0 * twice[0]) and not _close(four, twice[0]):
        raise ParameterError(
            "the loss is a sum over the examples: N/B times it would count the batch twice. Return "
            "the mean, or one loss per example (reduction='mean' or 'none')."
        )
    if not _close(losses, torch.stack(twice).mean()):
        raise ParameterError(
            "the loss is a scalar, but not the mean of what it is on single examples (class "
            "weights do that): the force of a minibatch would be biased. Return one loss per "
            "example (reduction='none')."
        )


def _refuse_mixing(predict: Predict, x: Tensor) -> None:
    alone = predict(x[:1].repeat(len(x), *[1] * (x.dim() - 1)))
    if not _is_independent(predict(x), alone):
        raise ParameterError(
            "the model's output for an example depends on the other examples in its batch: U would "
            "not be a sum over examples. Statistics of a batch must be fixed or taken out."
        )


def _repeated(prediction: Tensor, y: Tensor, index: int, times: int) -> tuple[Tensor, Tensor]:
    chosen = torch.full((times,), index, device=y.device)
    return prediction[chosen], y[chosen]


def _is_independent(mixed: Tensor, alone: Tensor) -> bool:
    return _close(mixed[0], alone[0])


def _close(a: Tensor, b: Tensor) -> bool:
    tolerance = torch.finfo(a.dtype).eps ** 0.5
    return torch.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)
