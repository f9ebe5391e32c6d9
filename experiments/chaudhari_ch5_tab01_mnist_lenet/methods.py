"""SGD, Entropy-SGD, Elastic-SGD and Parle with the hyper-parameters of chapter 5."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

from thermograd.optim import ElasticSGD, EntropySGD, Parle
from thermograd.replicas import LocalReplica
from thermograd.schedules import Geometric

__all__ = ["METHODS", "Method", "Setting"]


@dataclass(frozen=True)
class Setting:
    """Sizes and hyper-parameters.

    Attributes:
        images: trained on.
        test_images: the errors are of these.
        batch_size: of every replica.
        epochs: effective epochs: gradients of one replica, over batches in the data.
        evaluate_every: epochs.
        drop_at: share of the run after which the learning rate is a tenth.
        replicas: n of Elastic-SGD and Parle.
        inner_steps: L of Entropy-SGD and Parle.
        seeds: independent starts.
    """

    images: int = 2_500
    test_images: int = 5_000
    batch_size: int = 64
    epochs: int = 6
    evaluate_every: int = 3
    drop_at: float = 0.75
    lr: float = 0.1
    momentum: float = 0.9
    dropout: float = 0.25
    replicas: int = 3
    inner_steps: int = 10
    averaging: float = 0.25
    scope: float = 100.0
    coupling: float = 1.0
    seeds: int = 3

    @property
    def batches(self) -> int:
        """B, in the data."""
        return self.images // self.batch_size

    def scoping(self, start: float, floor: float, rounds_per_step: float = 1.0) -> Geometric:
        """Return (5.10), per round, or per step if a step is that much of a round."""
        return Geometric(start, (1 - 1 / (2 * self.batches)) ** rounds_per_step, floor)


@dataclass(frozen=True)
class Method:
    """An optimizer for each of its replicas.

    Attributes:
        make: of a model's parameters.
        is_coupled: whether it has replicas.
    """

    make: Callable[[nn.Module, LocalReplica, Setting], torch.optim.Optimizer]
    is_coupled: bool


def sgd(model: nn.Module, end: LocalReplica, at: Setting) -> torch.optim.Optimizer:
    """Nesterov's momentum."""
    return torch.optim.SGD(model.parameters(), at.lr, momentum=at.momentum, nesterov=True)


def entropy_sgd(model: nn.Module, end: LocalReplica, at: Setting) -> EntropySGD:
    """Parle with one replica."""
    return EntropySGD(
        model.parameters(),
        at.lr,
        inner_lr=at.lr,
        scope=at.scoping(at.scope, 1.0),
        inner_steps=at.inner_steps,
        averaging=at.averaging,
        momentum=at.momentum,
        inner_momentum=at.momentum,
    )


def elastic_sgd(model: nn.Module, end: LocalReplica, at: Setting) -> ElasticSGD:
    """Scoping by steps, as fast for each gradient as Parle's."""
    return ElasticSGD(
        model.parameters(),
        at.lr,
        replica=end,
        coupling=at.scoping(at.coupling, 0.1, 1 / at.inner_steps),
        inner_momentum=at.momentum,
    )


def parle(model: nn.Module, end: LocalReplica, at: Setting) -> Parle:
    """Hyper-parameters of section 5.3."""
    return Parle(
        model.parameters(),
        at.lr,
        replica=end,
        inner_lr=at.lr,
        scope=at.scoping(at.scope, 1.0),
        coupling=at.scoping(at.coupling, 0.1),
        inner_steps=at.inner_steps,
        averaging=at.averaging,
        momentum=at.momentum,
        inner_momentum=at.momentum,
    )


METHODS = {
    "sgd": Method(sgd, False),
    "entropy_sgd": Method(entropy_sgd, False),
    "elastic_sgd": Method(elastic_sgd, True),
    "parle": Method(parle, True),
}
