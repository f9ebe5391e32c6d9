"""What one method did in a race."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from statistics import fmean, stdev

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from .entry import Setting

__all__ = ["Standing", "Trial"]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Trial:
    """A point of a grid.

    Attributes:
        settings: of the method.
        accuracy: mean over the tuning runs.
    """

    settings: Mapping[str, Setting]
    accuracy: float


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """What one method did.

    Attributes:
        label: of the entry.
        method: its name.
        settings: that it ran with, the tuned ones if it was tuned.
        gradients: minibatch gradients that each run took.
        seconds: for all runs together, by the clock, compilation included.
        is_compiled: whether they ran as a compiled program.
        at: gradients taken at each checkpoint, (K,).
        train_loss: mean loss over all training examples, (W, K); NaN once a run has diverged.
        test_accuracy: share of the test examples, (W, K); 0 once a run has diverged.
        positions: parameters of every run at the end, each (W, ...); empty if all diverged.
        trials: the grid it was tuned over, in order; empty if it was not.
    """

    label: str
    method: str
    settings: Mapping[str, Setting]
    gradients: int
    seconds: float
    is_compiled: bool
    at: tuple[int, ...]
    train_loss: Array
    test_accuracy: Array
    positions: tuple[Tensor, ...]
    trials: tuple[Trial, ...] = ()

    @property
    def accuracy(self) -> tuple[float, ...]:
        """Test accuracy of every run at the end."""
        return tuple(self.test_accuracy[:, -1].tolist())

    @property
    def mean(self) -> float:
        """Mean of the test accuracy over the runs."""
        return fmean(self.accuracy)

    @property
    def sd(self) -> float | None:
        """Standard deviation of the test accuracy between runs; None for one run."""
        return stdev(self.accuracy) if len(self.accuracy) > 1 else None

    @property
    def worst(self) -> float:
        """Test accuracy of the worst run."""
        return min(self.accuracy)

    @property
    def num_diverged(self) -> int:
        """How many runs left for infinity; they count with accuracy 0."""
        return int(np.isnan(self.train_loss[:, -1]).sum())

    def with_trials(self, trials: tuple[Trial, ...]) -> "Standing":
        """Return the standing with the grid it was tuned over."""
        return replace(self, trials=trials)

    def as_data(self) -> dict[str, object]:
        """Return everything but the positions as JSON can hold it."""
        loss = [
            None if np.isnan(row).all() else float(np.nanmean(row)) for row in self.train_loss.T
        ]
        return {
            "label": self.label,
            "method": self.method,
            "settings": dict(self.settings),
            "mean": self.mean,
            "sd": self.sd,
            "worst": self.worst,
            "num_diverged": self.num_diverged,
            "accuracy": list(self.accuracy),
            "gradients": self.gradients,
            "seconds": round(self.seconds, 3),
            "is_compiled": self.is_compiled,
            "curve": {
                "gradients": list(self.at),
                "train_loss": loss,
                "test_accuracy": self.test_accuracy.mean(0).tolist(),
            },
            "trials": [
                {"settings": dict(trial.settings), "accuracy": trial.accuracy}
                for trial in self.trials
            ],
        }
