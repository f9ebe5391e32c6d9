"""SGD that puts a random subset of the weights to sleep: dropout of weights on a slow time scale.

    joint       q ← q − h ∇U(q) on all elements, by kh on those that slept
                each weight falls asleep with probability p: it is set to 0, its value kept
    k times     q ← q − h ∇U(q) on those awake
                those asleep get their values back

The source prints no order of the two parts and no start. Here a cycle begins with the joint step,
which is the first time an ordinary one.
"""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from .._checks import is_real, positive_int, require
from .._foreach import add_
from ..integrators._deactivation import deactivation
from ..noise import NoiseSource
from ._adapter import Group, OnNonfinite, ParamsT
from ._cyclic import CyclicOptimizer
from ._groups import as_groups
from ._scales import tensors_of

__all__ = ["MultirateDropout"]


class MultirateDropout(CyclicOptimizer):
    """SGD in which random weights are at 0 for k calls, then take one step of k times the size.

    A cycle has k + 1 calls, each with a gradient. What the model holds between calls is what the
    next gradient is taken at; `whole` shows the model with all weights awake.

    Args:
        params: a model, of which all tensors with two dimensions or more take part; or parameters
            or groups, each with its "probability".
        lr: h ≥ 0, the step size.
        k: calls that a subset sleeps for.
        probability: p of falling asleep, in [0, 1).
        joint: whether a cycle has the joint step. Without it weights that slept keep the value they
            had, and a cycle has k calls; the source's ablation is this with k = 1.
        noise: what decides who sleeps: "gaussian", "three_point" or a noise source, of which the
            uniform numbers are used.
        generator: as for `Langevin`.
        on_nonfinite: as for `Langevin`.

    References:
        Vlaar (2022), thesis, University of Edinburgh, section 5.5.
    """

    def __init__(
        self,
        params: ParamsT | nn.Module,
        lr: float,
        *,
        k: int = 5,
        probability: float = 0.5,
        joint: bool = True,
        noise: str | NoiseSource = "gaussian",
        generator: torch.Generator | None = None,
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        self.k = positive_int(k, "k", "MultirateDropout")
        self.joint = joint
        groups = _weights_and_others(params) if isinstance(params, nn.Module) else as_groups(params)
        defaults: dict[str, Any] = {
            "lr": lr,
            "friction": 0.0,
            "temperature": 0.0,
            "mass": 1.0,
            "momentum": None,
            "probability": probability,
        }
        super().__init__(
            groups, defaults, noise=noise, generator=generator, on_nonfinite=on_nonfinite
        )

    @property
    def cycle_length(self) -> int:
        """Number of calls after which the cycle begins again."""
        return self.k + self.joint

    def add_param_group(self, param_group: Group) -> None:
        """Add a group; its weights fall asleep with its "probability"."""
        p = {**self.defaults, **param_group}["probability"]
        ok = is_real(p) and 0 <= p < 1
        require(ok, "probability", type(self).__name__, "in [0, 1)", p)
        word = self._enter_calls(deactivation(float(p), self.k, self.joint))
        super().add_param_group({**param_group, "word": word})

    @contextmanager
    def whole(self) -> Generator[None]:
        """Wake all weights within this block, to evaluate or save the model."""
        rows = [q for group in self.param_groups for q in group["params"] if q in self.state]
        kept = [self.state[q]["kept"] for q in rows]
        if not rows:
            yield
            return
        with torch.no_grad():
            add_(rows, kept, 1.0)
        try:
            yield
        finally:
            with torch.no_grad():
                add_(rows, kept, -1.0)

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "k": self.k, "joint": self.joint}


def _weights_and_others(model: nn.Module) -> list[Group]:
    rows = list(model.named_parameters())
    weights = [row for row in rows if row[1].dim() > 1]
    others = [row for row in rows if row[1].dim() <= 1]
    require(bool(tensors_of(weights)), "params", "MultirateDropout", "a model with weights", model)
    groups: list[Group] = [{"params": weights, "label": "weights"}]
    return [*groups, {"params": others, "label": "others", "probability": 0.0}][: 1 + bool(others)]
