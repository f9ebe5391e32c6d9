"""The record every estimator returns: a number with its uncertainty, its size and its unit."""

from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "Estimate"]

Array: TypeAlias = NDArray[np.float64]
Value = TypeVar("Value", float, Array)


@dataclass(frozen=True, slots=True, eq=False)
class Estimate(Generic[Value]):
    """A measured number, or an array of them.

    Attributes:
        value: what was measured.
        uncertainty: one standard error where chance enters; a bound on the numerical error where
            an iteration was stopped; 0 where the value is exact up to rounding; NaN if unknown.
        n: what the uncertainty rests on: draws, examples, probes, points.
        unit: of value and uncertainty, in words; "1" for a pure number.

    >>> print(Estimate(2.5, 0.25, 40, "steps"))
    2.5 ± 0.25 steps (n = 40)
    """

    value: Value
    uncertainty: Value
    n: int
    unit: str

    def __str__(self) -> str:
        unit = "" if self.unit == "1" else f" {self.unit}"
        if isinstance(self.value, np.ndarray):
            return f"array {self.value.shape}{unit} (n = {self.n})"
        return f"{self.value:.6g} ± {self.uncertainty:.2g}{unit} (n = {self.n})"
