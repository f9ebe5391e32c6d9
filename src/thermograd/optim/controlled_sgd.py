"""Controlled SGD: SGD that is pushed by a control a(q, s), by default with SGLD's noise.

q ← q − h (∇U(q) + a(q, s)) + √(2Th) ξ,   s ← s + h
"""

from typing import Any

import torch

from .._checks import require
from ..integrators import CutIntegrator, Integrator
from ..noise import NoiseSource
from ..objectives.control import Control, Controlled
from ._adapter import OnNonfinite, ParamsT
from ._wrapped import WrappedOptimizer

__all__ = ["ControlledSGD"]


class ControlledSGD(WrappedOptimizer):
    """SGD with a control, such as the gradient of a value function.

    Args:
        params: parameters, named parameters or groups.
        lr: h ≥ 0, the step size; the clock s advances by that of the first group.
        control: maps a list of positions, each with a leading axis of length 1, and the time s
            to a list of tensors in their shapes; called for each group, and each dtype in it.
        temperature: T ≥ 0, in units of the loss.
        word: a word, a method's name, or an integrator with one gradient a step.
        friction: γ ≥ 0, of words with a bath.
        noise: "gaussian", "three_point" or a noise source.
        generator: as for `Langevin`.
        on_nonfinite: as for `Langevin`.

    References:
        Chaudhari et al. (2018), doi:10.1007/s40687-018-0148-y, section 4; thesis, eq. (4.29).
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float,
        *,
        control: Control,
        temperature: float = 0.0,
        word: str | Integrator = "sgld",
        friction: float = 0.0,
        noise: str | NoiseSource = "gaussian",
        generator: torch.Generator | None = None,
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        require(callable(control), "control", "ControlledSGD", "callable", control)
        self.control, self.time = control, 0.0
        defaults = {
            "lr": lr,
            "momentum": None,
            "word": word,
            "temperature": temperature,
            "friction": friction,
            "mass": 1.0,
        }
        super().__init__(
            params, defaults, noise=noise, generator=generator, on_nonfinite=on_nonfinite
        )

    def _wrap(self, method: CutIntegrator) -> CutIntegrator:
        return Controlled(method, self.control, self.time)

    def _tick(self) -> None:
        self.time += float(self.param_groups[0]["lr"])
        self._wrap_all()

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "control": self.control, "time": self.time}

    def state_dict(self) -> dict[str, Any]:
        """Return everything a continuation needs but the control."""
        return {**super().state_dict(), "time": self.time}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue where the saved optimizer stood; a state that does not fit changes nothing."""
        super().load_state_dict(state_dict)
        self.time = float(state_dict.get("time", 0.0))
        self._wrap_all()
