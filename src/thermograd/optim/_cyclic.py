"""Optimizers whose calls are not all alike: they count where in a cycle of calls they are."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import torch

from .._errors import StateError
from ..integrators import Update
from ._adapter import DynamicsOptimizer, Group, ParamsT
from ._tiles import Columns


class CyclicOptimizer(DynamicsOptimizer):
    """Base of the optimizers that go through a cycle of calls; not for use by itself.

    A call whose gradients are left out as not finite does not count.
    """

    position: int = 0  # of the next call in its cycle

    def __init__(self, params: ParamsT, defaults: Group, **settings: Any) -> None:
        self._calls: dict[str, tuple[str, ...]] = {}  # by a group's word, the method of each call
        super().__init__(params, defaults, **settings)

    @property
    @abstractmethod
    def cycle_length(self) -> int:
        """Number of calls after which the cycle begins again."""

    def step(self, closure: Callable[[], float] | None = None) -> float | None:
        """Run the next call of the cycle.

        Args:
            closure: recomputes the loss and its gradients first, if given.

        Returns:
            what the closure returned.
        """
        skipped = self.skipped_steps
        loss = super().step(closure)
        if self.skipped_steps == skipped:
            with torch.no_grad():
                self._end_call()
            self.position = (self.position + 1) % self.cycle_length
        return loss

    def _enter_calls(self, methods: Sequence[Update]) -> Update:
        """Register a method for each call of the cycle, and return the one that names them all."""
        keys = tuple(self._register(method) for method in methods)
        self._calls[keys[0]] = keys
        return methods[0]

    def _advance(self, index: int, group: Group, columns: Columns, pending: float | None) -> None:
        """Advance by the method of this call."""
        keys = self._calls.get(group["word"])
        if keys is not None:
            group = {**group, "word": keys[self.position]}
        super()._advance(index, group, columns, pending)

    def _end_call(self) -> None:
        """Do what a call does after every group was advanced."""

    def _cycle_state(self) -> dict[str, Any]:
        """Return what must be the same in an optimizer that continues this one."""
        return {"length": self.cycle_length}

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "position": self.position, "_calls": self._calls}

    def state_dict(self) -> dict[str, Any]:
        """Return everything a continuation needs, the place in the cycle included."""
        cycle = {"position": self.position, **self._cycle_state()}
        return {**super().state_dict(), "cycle": cycle}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue where the saved optimizer stood; a state that does not fit changes nothing."""
        kind, ours = type(self).__name__, self._cycle_state()
        if "cycle" not in state_dict:
            raise StateError(f"the state dict lacks 'cycle'; was it saved by a {kind}?")
        theirs = {**state_dict["cycle"]}
        position = theirs.pop("position", None)
        for name, value in ours.items():
            if theirs.get(name) != value:
                raise StateError(
                    f"the state dict is of a {kind} with the cycle {theirs}, this one has {ours}: "
                    "it stands in another place of another cycle. Use the same partition and k"
                )
        super().load_state_dict(state_dict)
        self.position = position
