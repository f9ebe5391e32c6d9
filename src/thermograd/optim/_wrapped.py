"""An optimizer whose methods depend on a clock, wrapped in something of the optimizer's own."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import torch

from .._errors import ParameterError, StateError
from ..geometry import Hidden
from ..integrators import CutIntegrator, Integrator
from ..noise import NoiseSource
from ._adapter import DynamicsOptimizer, Group, OnNonfinite, ParamsT

__all__ = ["WrappedOptimizer"]


class WrappedOptimizer(DynamicsOptimizer):
    """Base of optimizers that wrap the method of each group; not for use by itself.

    Args:
        params: parameters, named parameters or groups.
        defaults: settings of groups that do not say otherwise.
        noise: as for `Langevin`.
        generator: as for `Langevin`.
        on_nonfinite: as for `Langevin`.
    """

    def __init__(
        self,
        params: ParamsT,
        defaults: Group,
        *,
        noise: str | NoiseSource = "gaussian",
        generator: torch.Generator | None = None,
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        self._bases: dict[str, CutIntegrator] = {}
        self._clock: dict[str, int] = {"steps": 0, "rounds": 0, "inside": 0}
        super().__init__(
            params, defaults, noise=noise, generator=generator, on_nonfinite=on_nonfinite
        )

    @abstractmethod
    def _wrap(self, method: CutIntegrator) -> CutIntegrator:
        """Return the method as it runs at this time of the clock."""

    def _wrap_all(self) -> None:
        for key, base in self._bases.items():
            self._methods[key] = self._wrap(base)

    def _register(self, word: str | Integrator) -> str:
        wrapped, self._methods = self._methods, self._bases
        try:
            key = super()._register(word)
        finally:
            self._methods = wrapped
        self._methods[key] = self._wrap(self._bases[key])
        return key

    def add_param_group(self, param_group: Group) -> None:
        """Add a group; its geometry must be one that averages can be brought back to."""
        geometry = param_group.get("geometry")
        if isinstance(geometry, Hidden) and geometry.hidden:
            raise ParameterError(
                f"{type(self).__name__} cannot run on {geometry}: the average of two of its "
                "points means nothing. Take a geometry without hidden coordinates"
            )
        super().add_param_group(param_group)

    def step(self, closure: Callable[[], float] | None = None) -> float | None:
        """Advance every parameter that has a gradient by one step, and the clock.

        Args:
            closure: recomputes the loss and its gradients first, if given.

        Returns:
            what the closure returned.
        """
        skipped = self.skipped_steps
        loss = super().step(closure)
        if self.skipped_steps == skipped:
            self._clock["steps"] += 1
            self._tick()
        return loss

    def _tick(self) -> None:
        """Do what is due after a step."""

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_bases": self._bases, "_clock": self._clock}

    def state_dict(self) -> dict[str, Any]:
        """Return everything a continuation needs, the clock included."""
        return {**super().state_dict(), "clock": dict(self._clock)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue where the saved optimizer stood; a state that does not fit changes nothing."""
        saved = state_dict.get("clock")
        if not isinstance(saved, dict) or set(saved) != set(self._clock):
            raise StateError(
                f"the state dict lacks a clock; was it saved by a {type(self).__name__}?"
            )
        super().load_state_dict(state_dict)
        self._clock = {name: int(value) for name, value in saved.items()}
        self._wrap_all()
