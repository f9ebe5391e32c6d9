"""Likelihoods of a network's outputs: −log p(target | prediction), example by example.

The predictions of a batch come as (B, ...). What a likelihood returns is (B,): where an example
has several outputs, those of a classifier or a Gaussian are independent, so their terms are
summed; `SquaredError` averages them, as torch.nn.MSELoss does.
"""

import math
from dataclasses import dataclass
from typing import Protocol, final, runtime_checkable

import torch
from torch import Tensor
from torch.nn import functional

from .._checks import positive, unknown_name
from .._errors import ParameterError

__all__ = [
    "Bernoulli",
    "Categorical",
    "Classifier",
    "Gaussian",
    "GaussianWithSd",
    "Likelihood",
    "SquaredError",
    "by_name",
]


@runtime_checkable
class Likelihood(Protocol):
    """A named loss, with its own check of the targets."""

    def losses(self, prediction: Tensor, target: Tensor) -> Tensor:
        """Return −log p(target | prediction) per example, shape (B,)."""
        ...

    def prepare(self, prediction: Tensor, target: Tensor) -> Tensor:
        """Check all targets against the form of a prediction; return them as `losses` wants.

        Args:
            prediction: the output for a few examples.
            target: of all examples, first axis N.
        """
        ...


@runtime_checkable
class Classifier(Likelihood, Protocol):
    """A likelihood of classes, with a notion of a right answer."""

    def correct(self, prediction: Tensor, target: Tensor) -> Tensor:
        """Return whether each target is the most likely class."""
        ...


@final
@dataclass(frozen=True, slots=True)
class Categorical:
    """Softmax classifier: the prediction holds a logit per class, the target a class.

    Predictions are (B, C) or (B, C, ...), with integer targets (B,) or (B, ...) from 0 to C − 1.
    """

    def losses(self, prediction: Tensor, target: Tensor) -> Tensor:
        return _sum(functional.cross_entropy(prediction, target, reduction="none"))

    def prepare(self, prediction: Tensor, target: Tensor) -> Tensor:
        if prediction.dim() < 2 or prediction.shape[1] < 2:
            raise ParameterError(
                f"cross entropy needs a logit for each of at least 2 classes, predictions (B, C); "
                f"the model returns {tuple(prediction.shape)}. For one logit use 'binary'."
            )
        if target.is_floating_point() or target.dtype is torch.bool:
            raise ParameterError(
                f"the labels of a cross entropy must be integers; got {target.dtype}. Convert "
                "them with `.long()` if they are class numbers."
            )
        expected = (prediction.shape[0], *prediction.shape[2:])
        _require_shape(expected, prediction, target)
        low, high, classes = int(target.min()), int(target.max()), prediction.shape[1]
        if low < 0 or high >= classes:
            raise ParameterError(
                f"the labels must be from 0 to {classes - 1}, one of the model's {classes} "
                f"classes; they run from {low} to {high}"
            )
        return target.long()

    def correct(self, prediction: Tensor, target: Tensor) -> Tensor:
        return prediction.argmax(1) == target


@final
@dataclass(frozen=True, slots=True)
class Bernoulli:
    """Binary classifier: the prediction is a logit, the target 0 or 1 (or a probability)."""

    def losses(self, prediction: Tensor, target: Tensor) -> Tensor:
        loss = functional.binary_cross_entropy_with_logits(prediction, target, reduction="none")
        return _sum(loss)

    def prepare(self, prediction: Tensor, target: Tensor) -> Tensor:
        target = _like(prediction, target)
        low, high = float(target.min()), float(target.max())
        if low < 0 or high > 1:
            raise ParameterError(
                f"the labels of a binary classifier must be from 0 to 1; they run from {low} to "
                f"{high}. Labels −1 and 1 become 0 and 1 by (y + 1)/2."
            )
        return target

    def correct(self, prediction: Tensor, target: Tensor) -> Tensor:
        return (prediction > 0) == (target > 0.5)


@final
@dataclass(frozen=True, slots=True)
class Gaussian:
    """Regression with known noise: Σ_k (y_k − f_k)²/(2s²) + ln s + ½ ln 2π.

    Attributes:
        sd: s > 0, in units of the target.
    """

    sd: float

    def __post_init__(self) -> None:
        positive(self.sd, "sd", "Gaussian")

    def losses(self, prediction: Tensor, target: Tensor) -> Tensor:
        constant = math.log(self.sd) + 0.5 * math.log(2.0 * math.pi)
        return _sum(0.5 * ((prediction - target) / self.sd) ** 2 + constant)

    def prepare(self, prediction: Tensor, target: Tensor) -> Tensor:
        return _like(prediction, target)


@final
@dataclass(frozen=True, slots=True)
class GaussianWithSd:
    """Regression with learned noise: the prediction holds the mean f, then ln s, per output.

    The last axis of the prediction is twice that of the target:
    Σ_k (y_k − f_k)²/(2s_k²) + ln s_k + ½ ln 2π.
    """

    def losses(self, prediction: Tensor, target: Tensor) -> Tensor:
        mean, log_sd = prediction.chunk(2, dim=-1)
        residual = (mean - target) * torch.exp(-log_sd)
        return _sum(0.5 * residual**2 + log_sd + 0.5 * math.log(2.0 * math.pi))

    def prepare(self, prediction: Tensor, target: Tensor) -> Tensor:
        if prediction.dim() < 2 or prediction.shape[-1] % 2:
            raise ParameterError(
                "learned noise needs a mean and a log standard deviation for each output, an even "
                f"number along the last axis; the model returns {tuple(prediction.shape)}"
            )
        return _like(prediction.chunk(2, dim=-1)[0], target)


@final
@dataclass(frozen=True, slots=True)
class SquaredError:
    """Mean squared error over the outputs of an example, (1/K) Σ_k (y_k − f_k)²; no likelihood.

    At temperature T it is that of Gaussian noise of variance ½KT.
    """

    def losses(self, prediction: Tensor, target: Tensor) -> Tensor:
        return ((prediction - target) ** 2).reshape(prediction.shape[0], -1).mean(1)

    def prepare(self, prediction: Tensor, target: Tensor) -> Tensor:
        return _like(prediction, target)


def by_name(name: str) -> Likelihood:
    """Return a likelihood by name; "gaussian" has unit noise."""
    known: dict[str, Likelihood] = {
        "cross_entropy": Categorical(),
        "binary": Bernoulli(),
        "bce_with_logits": Bernoulli(),
        "mse": SquaredError(),
        "gaussian": Gaussian(1.0),
        "gaussian_with_sd": GaussianWithSd(),
    }
    if name not in known:
        raise unknown_name("loss", name, known)
    return known[name]


def _sum(losses: Tensor) -> Tensor:
    return losses.reshape(losses.shape[0], -1).sum(1)


def _like(prediction: Tensor, target: Tensor) -> Tensor:
    """Return targets in the dtype and form of the predictions, (N,) as (N, 1) where needed."""
    if prediction.shape[1:] == (*target.shape[1:], 1):
        target = target.unsqueeze(-1)
    _require_shape(tuple(prediction.shape), prediction, target)
    return target.to(prediction.dtype)


def _require_shape(expected: tuple[int, ...], prediction: Tensor, target: Tensor) -> None:
    if tuple(target.shape[1:]) != expected[1:]:
        wanted = ", ".join(["N", *(str(size) for size in expected[1:])])
        got = ", ".join(["N", *(str(size) for size in target.shape[1:])])
        raise ParameterError(
            f"the targets must have the shape ({wanted}) that goes with the model's predictions "
            f"{tuple(prediction.shape)}; got ({got}): torch would broadcast them against each "
            "other and the loss would be another one"
        )
