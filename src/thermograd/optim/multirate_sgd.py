"""SGD with momentum on several time scales: the slow part takes one gradient in k calls.

One cycle with linear drift, h the step of a call:

    once        v_slow ← μ v_slow − (∇_slow U(q) + ω q_slow)
    k times     v_fast ← μ v_fast − (∇_fast U(q) + ω q_fast)
                q_fast ← q_fast + h v_fast
                q_slow ← q_slow + h v_slow

The first gradient of a cycle serves both parts. The source calls kh the step size h.
"""

from collections.abc import Mapping

from .._checks import non_negative
from ..integrators._multirate import MULTIRATE_SGD
from ..partitions import Partition
from ._adapter import Group, OnNonfinite
from ._multirate import MultirateOptimizer
from ._scales import LabelsT, PartsT, cycle_of, parts_of

__all__ = ["MultirateSGD"]


class MultirateSGD(MultirateOptimizer):
    """SGD with momentum in which slow parts take a gradient every k calls.

    In the other calls the backward pass leaves the slow parts out, which saves time if they lie at
    the bottom of the network. For this their `requires_grad` is off from one `step` to the next;
    see `released`. With k = 1 this is torch.optim.SGD with the same lr, momentum and
    weight decay, dampening 0 and no Nesterov, bit for bit in float32 and float64.

    Args:
        params: a model, or parameters (or a module, or a group with settings) for each label.
        lr: h ≥ 0, the step of every call, for all parts; a slow gradient acts in k of them.
        k: calls between gradients of the slow part; or for each label, 1 for the fastest, and
            each a multiple of the next smaller.
        momentum: μ in [0, 1).
        weight_decay: ω ≥ 0, applied when a part takes a gradient.
        partition: parts of the model, from `thermograd.partitions`; the last layer and the rest
            if not given.
        slow: label or labels of the slow part, if it is not called "slow" or "rest".
        fast: label or labels of the fast part; give one of both.
        linear_drift: whether slow parts move in every call, along their last momenta. If not, a
            cycle has k + 1 calls: in the first the slow part alone moves, by k lr, and then the
            fast part k times.
        prune: whether the backward pass leaves out what a call does not use.
        on_nonfinite: as for `Langevin`.

    Examples:
        >>> import torch
        >>> from torch import nn
        >>> from thermograd.optim import MultirateSGD
        >>> with torch.random.fork_rng():
        ...     model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
        >>> opt = MultirateSGD(model, lr=0.01, k=5)
        >>> model(torch.ones(4, 2)).mean().backward()
        >>> opt.step()
        >>> [q.requires_grad for q in model.parameters()]
        [False, False, True, True]

    References:
        Vlaar (2022), thesis, University of Edinburgh, Algorithms 5.1, 5.2 and 5.3.
    """

    def __init__(
        self,
        params: PartsT,
        lr: float,
        *,
        k: int | Mapping[str, int] = 5,
        momentum: float = 0.9,
        weight_decay: float = 0.0,
        partition: Partition | None = None,
        slow: LabelsT = None,
        fast: LabelsT = None,
        linear_drift: bool = True,
        prune: bool = True,
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        groups = parts_of(params, partition, "MultirateSGD")
        labels = [group["label"] for group in groups]
        cycle = cycle_of(labels, k, slow, fast, linear_drift, "MultirateSGD")
        defaults: Group = {
            "lr": lr,
            "friction": 0.0,
            "temperature": 0.0,
            "word": MULTIRATE_SGD,
            "mass": 1.0,
            "momentum": momentum,
            "weight_decay": weight_decay,
        }
        super().__init__(groups, defaults, cycle=cycle, prune=prune, on_nonfinite=on_nonfinite)

    def add_param_group(self, param_group: Group) -> None:
        """Add a group to one of the parts."""
        omega = {**self.defaults, **param_group}["weight_decay"]
        non_negative(omega, "weight_decay", f"the part {param_group.get('label')!r}")
        super().add_param_group(param_group)
