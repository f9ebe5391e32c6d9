"""The cycle of a multirate method: which parts take a gradient in which call.

With r scales from slow to fast and factors K₁ … K_{r−1}, a step of scale i spans Kᵢ steps of scale
i + 1, so a part of scale i takes a gradient every kᵢ = Kᵢ ⋯ K_{r−1} calls of the optimizer.

    linear drift    call n, n = 0 … k₁ − 1: all scales with n mod kᵢ = 0, from one gradient
    no drift        step(i): a call for scale i alone, then Kᵢ times step(i + 1); it begins with
                    step(1)

References:
    Vlaar (2022), thesis, University of Edinburgh, Algorithms 5.1 and 5.2, section 5.3.1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from .._checks import is_int, positive_int, require
from .._errors import ParameterError

__all__ = ["Cycle"]


@dataclass(frozen=True, slots=True)
class Cycle:
    """Time scales, nested, and the calls they take turns in.

    Attributes:
        scales: labels of the parts of each scale, from slow to fast.
        factors: K between neighbouring scales, each an integer above 0.
        linear_drift: whether slow parts share the gradient of the fast ones, and move in every
            call; otherwise they have a call of their own, and rest in the others.
        every: calls with a gradient that a step of a part spans, by label.
        calls: the labels that take a gradient, for each call of the cycle.

    Examples:
        >>> from thermograd.multirate import Cycle
        >>> [sorted(labels) for labels in Cycle((("body",), ("head",)), (3,)).calls]
        [['body', 'head'], ['head'], ['head']]
    """

    scales: Sequence[Sequence[str]]
    factors: Sequence[int]
    linear_drift: bool = True
    every: Mapping[str, int] = field(init=False)
    calls: tuple[frozenset[str], ...] = field(init=False)

    def __post_init__(self) -> None:
        scales = tuple(tuple(scale) for scale in self.scales)
        factors = tuple(self.factors)
        object.__setattr__(self, "scales", scales)
        object.__setattr__(self, "factors", factors)
        for factor in factors:
            positive_int(factor, "k", "a multirate cycle")
        wanted = "one less than there are scales"
        require(len(factors) == len(scales) - 1, "factors", "a cycle", wanted, factors)
        labels = [label for scale in scales for label in scale]
        ok = all(scales) and len(set(labels)) == len(labels)
        require(ok, "scales", "a cycle", "of different labels, none empty", scales)
        spans = [1]
        for factor in reversed(factors):
            spans.insert(0, spans[0] * factor)
        every = {label: span for scale, span in zip(scales, spans, strict=True) for label in scale}
        object.__setattr__(self, "every", every)
        calls = self._shared() if self.linear_drift else self._apart(0)
        object.__setattr__(self, "calls", tuple(calls))

    @classmethod
    def from_every(cls, every: Mapping[str, int], linear_drift: bool = True) -> "Cycle":
        """Make the cycle in which each part takes a gradient every so many calls.

        Raises:
            ParameterError: if these are no integers above 0, do not divide one another, or none
                is 1.
        """
        for label, k in every.items():
            require(is_int(k) and k > 0, f"k of {label!r}", "a cycle", "an integer above 0", k)
        spans = sorted(set(every.values()), reverse=True)
        if not spans or spans[-1] != 1:
            raise ParameterError(
                f"no part takes every gradient; the fastest has k = {min(spans, default=None)}, so "
                "some gradients would be computed for nothing. Give one part k = 1"
            )
        for slow, fast in pairwise(spans):
            if slow % fast:
                raise ParameterError(
                    f"k = {slow} is no multiple of k = {fast}: the slower part's gradient would "
                    "fall between those of the faster one. Time scales must be nested"
                )
        scales = [tuple(label for label, k in every.items() if k == span) for span in spans]
        factors = [slow // fast for slow, fast in pairwise(spans)]
        return cls(scales, factors, linear_drift)

    def _shared(self) -> list[frozenset[str]]:
        return [
            frozenset(label for label, k in self.every.items() if number % k == 0)
            for number in range(max(self.every.values()))
        ]

    def _apart(self, scale: int) -> list[frozenset[str]]:
        own = frozenset(self.scales[scale])
        if scale == len(self.factors):
            return [own]
        return [own, *(self._apart(scale + 1) * self.factors[scale])]
