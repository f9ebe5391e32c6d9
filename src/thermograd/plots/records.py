"""Records that figures are drawn from: plain numbers, no tensors."""

from dataclasses import dataclass
from typing import TypeAlias

from ..diagnostics.estimate import Array

__all__ = [
    "Band",
    "BiasCurve",
    "Classifier",
    "Density",
    "Histogram",
    "Points",
    "Trace",
    "Trained",
    "Well",
]

Points: TypeAlias = tuple[tuple[float, float, int], ...]  # x, y and class of each


@dataclass(frozen=True, slots=True)
class Density:
    """An exact density on a grid."""

    grid: tuple[float, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Histogram:
    """What a method sampled.

    Attributes:
        label: the method and its step size.
        edges: of the bins.
        density: in each bin; one number fewer than edges.
    """

    label: str
    edges: tuple[float, ...]
    density: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class BiasCurve:
    """The relative bias of an average at several step sizes.

    Attributes:
        label: the method.
        step_sizes: where it was measured.
        bias: measured / exact − 1.
        standard_error: of each.
        theory: (step size, bias) along a line; empty if there is no formula.
    """

    label: str
    step_sizes: tuple[float, ...]
    bias: tuple[float, ...]
    standard_error: tuple[float, ...]
    theory: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Well:
    """One target: its exact law and what the methods made of it.

    Attributes:
        title: the target, with its formula.
        density: exact.
        histograms: one per method.
        curves: one per method, in the same order.
        line_label: what the lines of the curves are.
    """

    title: str
    density: Density
    histograms: tuple[Histogram, ...]
    curves: tuple[BiasCurve, ...]
    line_label: str


@dataclass(frozen=True, slots=True)
class Band:
    """A quantity of many runs on the way.

    Attributes:
        at: where it was measured.
        mean: over the runs.
        low: tenth percentile.
        high: ninetieth percentile.
    """

    at: tuple[float, ...]
    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Classifier:
    """What one run makes of the plane.

    Attributes:
        accuracy: of the run, on the test set.
        reach: the square is from −reach to reach along both axes.
        probability: of class 1, rows from the lowest.
    """

    accuracy: float
    reach: float
    probability: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Trained:
    """What many runs of one method did.

    Attributes:
        label: the method.
        median: the run of median accuracy.
        worst: the run of lowest accuracy.
        loss: on the training set.
        accuracy: on the test set.
    """

    label: str
    median: Classifier
    worst: Classifier
    loss: Band
    accuracy: Band


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """A number over the steps of a run.

    Attributes:
        name: of the number.
        steps: where each block of draws ends, shape (B,).
        mean: over the walkers and the draws of a block, shape (B,).
        low: smallest over the walkers, each averaged over the block.
        high: largest, likewise.
    """

    name: str
    steps: Array
    mean: Array
    low: Array
    high: Array
