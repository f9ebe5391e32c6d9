"""What a race is run on: a model, its loss, data to train on and to test with, and a start."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import torch
from torch import Tensor, nn

from .._checks import is_real, require
from .._errors import EvaluationError
from ..potentials import Network
from ..potentials.likelihoods import Classifier, by_name
from ..state import Params

__all__ = ["Pair", "Problem", "Start"]

Pair: TypeAlias = tuple[Tensor, Tensor]
Start: TypeAlias = float | Literal["reset"] | Callable[[int, torch.Generator], Params]


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A classification problem; U is the mean loss of the training examples.

    Attributes:
        name: what it is called in tables.
        model: maps inputs (B, ...) to predictions (B, ...).
        loss: "binary" for one logit, "cross_entropy" for a logit per class.
        train: inputs and labels to train on.
        test: inputs and labels that the accuracy is measured on.
        batch_size: examples in a minibatch, drawn with replacement; None is all of them.
        start: s for parameters drawn from N(0, s²); "reset" for the model's own
            `reset_parameters`; or a function of the number of runs and a generator that returns
            positions, each (W, ...), in the order of the model's parameters.
    """

    name: str
    model: nn.Module
    loss: str
    train: Pair
    test: Pair
    batch_size: int | None
    start: Start = "reset"

    def __post_init__(self) -> None:
        if not isinstance(by_name(self.loss), Classifier):
            raise EvaluationError(
                f"a race is decided by accuracy, so the loss of {self.name!r} must be that of a "
                f"classifier, 'cross_entropy' or 'binary'; got {self.loss!r}"
            )
        start = self.start
        ok = start == "reset" or callable(start) or (is_real(start) and start >= 0)
        require(ok, "start", "Problem", "a number, 0 or above, 'reset' or a function", start)

    def network(self) -> Network:
        """Return U as a potential of the model's parameters."""
        return Network(self.model, self.loss, self.train, batch_size=self.batch_size, scale="mean")

    def positions(self, network: Network, num_runs: int, generator: torch.Generator) -> Params:
        """Return where `num_runs` runs start, each tensor (W, ...)."""
        start = self.start
        if callable(start):
            q = start(num_runs, generator)
        elif start == "reset":
            q = network.start(num_runs, generator, init="reset")
        else:
            q = [
                float(start) * torch.randn(like.shape, generator=generator, dtype=like.dtype)
                for like in network.start(num_runs)
            ]
        network.check(q)
        return q
