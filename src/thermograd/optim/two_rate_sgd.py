"""SGD with momentum at two rates: a fast and a slow copy of all parameters, averaged every k calls.

    once        v′ ← μ v′ − (∇U(q) + ω q);   q′ ← q + kh v′           the slow copy
    k times     v ← μ v − (∇U(q) + ω q);     q ← q + h v              the fast copy
    merge       q ← ½ (q + q′)

The source says that two subnetworks are trained on different time scales and their weights
averaged and merged every k steps, no more. We read: two copies of all weights, of which the slow
one takes one step of size kh while the fast one takes k of size h.
"""

from collections.abc import Sequence
from typing import Any

from torch import nn

from .._checks import non_negative, positive_int
from ..integrators._two_rate import two_rate
from ._adapter import Group, OnNonfinite, ParamsT
from ._cyclic import CyclicOptimizer
from ._groups import as_groups

__all__ = ["TwoRateSGD"]


class TwoRateSGD(CyclicOptimizer):
    """SGD with momentum that averages a small-step and a large-step copy every k calls.

    Between calls the model is the fast copy; when `position` is 0 it is the average. Needs two
    more tensors per parameter than SGD with momentum.

    Args:
        params: a model, parameters, or groups.
        lr: h ≥ 0, the step of the fast copy.
        k: calls between averages; the slow copy's step is kh.
        momentum: μ in [0, 1), of both copies.
        weight_decay: ω ≥ 0.
        on_nonfinite: as for `Langevin`.

    References:
        Vlaar (2022), thesis, University of Edinburgh, section 5.9.3: h = 0.004, k = 25.
    """

    def __init__(
        self,
        params: ParamsT | nn.Module,
        lr: float,
        *,
        k: int = 25,
        momentum: float = 0.9,
        weight_decay: float = 0.0,
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        self.k = positive_int(k, "k", "TwoRateSGD")
        defaults: dict[str, Any] = {
            "lr": lr,
            "friction": 0.0,
            "temperature": 0.0,
            "mass": 1.0,
            "momentum": momentum,
            "weight_decay": non_negative(weight_decay, "weight_decay", "TwoRateSGD"),
        }
        groups: Sequence[Group] = as_groups(params)
        super().__init__(groups, defaults, on_nonfinite=on_nonfinite)

    @property
    def cycle_length(self) -> int:
        """Number of calls after which the cycle begins again."""
        return self.k

    def add_param_group(self, param_group: Group) -> None:
        """Add a group."""
        omega = {**self.defaults, **param_group}["weight_decay"]
        non_negative(omega, "weight_decay", "TwoRateSGD")
        word = self._enter_calls(two_rate(self.k))
        super().add_param_group({**param_group, "word": word})

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "k": self.k}
