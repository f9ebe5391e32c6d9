"""Keeps autograd from computing gradients that the next call would not use."""

from collections.abc import Iterable
from typing import Any

from torch import Tensor


class Gate:
    """Switches `requires_grad` off for some parameters, and on again for the same ones.

    Parameters that their owner has frozen are never touched. What is held when the gate is
    deleted is released.
    """

    def __init__(self) -> None:
        self.held: list[Tensor] = []

    def hold(self, params: Iterable[Tensor]) -> None:
        """Release what is held, and hold those of `params` that ask for a gradient."""
        self.release()
        self.held = [q for q in params if q.requires_grad]
        for q in self.held:
            q.requires_grad_(False)

    def release(self) -> None:
        """Let everything that is held ask for a gradient again."""
        held, self.held = self.held, []
        for q in held:
            q.requires_grad_(True)

    def __getstate__(self) -> dict[str, Any]:
        return {"held": self.held}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.held = state["held"]

    def __del__(self) -> None:
        self.release()
