"""Records that figures are drawn from: plain numbers, no tensors."""

from dataclasses import dataclass

__all__ = ["BiasCurve", "Density", "Histogram", "Well"]


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
