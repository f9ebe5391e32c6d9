"""Parts with time scales of their own: who takes a gradient, who drifts, who rests.

Before a call, `requires_grad` is off for the parameters whose gradient that call does not use, so
that the backward pass leaves them out. It is off from the end of one `step` to the end of the next.
State of a slow parameter: "drifts", whether it had a gradient when last asked.
"""

import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, cast

import torch
from torch import Tensor

from .._errors import EvaluationError, ParameterError
from ..geometry import Flat
from ..integrators._multirate import without_drift
from ..multirate import Cycle
from ..noise import NoiseSource
from ._adapter import Group, OnNonfinite
from ._cyclic import CyclicOptimizer
from ._gate import Gate
from ._parts import part_of
from ._tiles import Columns


class MultirateOptimizer(CyclicOptimizer):
    """Base of the optimizers with several time scales; not for use by itself.

    Args:
        groups: parameters of each part, with its label.
        defaults: settings of groups that do not say otherwise.
        cycle: which part takes a gradient when.
        prune: whether the backward pass leaves out what a call does not use.
        noise: as for `Langevin`.
        generator: as for `Langevin`.
        on_nonfinite: as for `Langevin`.
    """

    def __init__(
        self,
        groups: Sequence[Group],
        defaults: Group,
        *,
        cycle: Cycle,
        prune: bool,
        noise: str | NoiseSource = "gaussian",
        generator: torch.Generator | None = None,
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        self.cycle = cycle
        self.prune = prune
        self._gate = Gate()
        self._returning: set[str] = set()  # labels that the last call left out and this one needs
        self._has_warned = False
        self._kicks: dict[str, str] = {}  # for words of slow parts: what comes before the drift
        super().__init__(
            groups, defaults, noise=noise, generator=generator, on_nonfinite=on_nonfinite
        )

    @property
    def cycle_length(self) -> int:
        """Number of calls after which the cycle begins again."""
        return len(self.cycle.calls)

    @property
    def wanted(self) -> frozenset[str]:
        """Labels of the parts whose gradients the next call uses."""
        return self.cycle.calls[self.position]

    def add_param_group(self, param_group: Group) -> None:
        """Add a group to one of the parts."""
        kind, group = type(self).__name__, {**self.defaults, **param_group}
        label = group.get("label")
        if label not in self.cycle.every:
            known = ", ".join(repr(known) for known in self.cycle.every)
            raise ParameterError(
                f"a group of {kind} must say with label which part it joins: {known}; got {label!r}"
            )
        every = self.cycle.every[cast(str, label)]
        if every > 1 and self.cycle.linear_drift:
            if not isinstance(group["geometry"] or Flat(), Flat):
                raise ParameterError(
                    f"the slow part {label!r} of {kind} drifts in straight lines between its "
                    f"gradients, and would leave {group['geometry']}. Use linear_drift=False"
                )
            word = self._register(group["word"])
            if word not in self._kicks:
                self._kicks[word] = self._register(without_drift(self._methods[word]))
        super().add_param_group({**param_group, "every": every})

    def step(self, closure: Callable[[], float] | None = None) -> float | None:
        """Run the next call of the cycle, and prepare the backward pass of the one after.

        Args:
            closure: recomputes the loss and its gradients first, if given.

        Returns:
            what the closure returned.
        """
        try:
            loss = super().step(closure)
        except BaseException:
            self._gate.release()
            raise
        self._hold()
        return loss

    @contextmanager
    def released(self) -> Generator[None]:
        """Give every parameter the `requires_grad` its owner chose, within this block.

        Here parameters can be frozen and unfrozen, and gradients of all of them be taken.
        """
        self._gate.release()
        try:
            yield
        finally:
            self._hold()

    def state_dict(self) -> dict[str, Any]:
        """Return everything a continuation needs; `requires_grad` is the owner's until `step`."""
        self._gate.release()
        return super().state_dict()

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue where the saved optimizer stood; a state that does not fit changes nothing."""
        super().load_state_dict(state_dict)
        self._hold()

    def __getstate__(self) -> dict[str, Any]:
        names = ("cycle", "prune", "_gate", "_returning", "_has_warned", "_kicks")
        return {**super().__getstate__(), **{name: getattr(self, name) for name in names}}

    def _cycle_state(self) -> dict[str, Any]:
        calls = [sorted(labels) for labels in self.cycle.calls]
        return {"every": dict(self.cycle.every), "calls": calls}

    def _hold(self) -> None:
        """Switch off the gradients that the next call does not use."""
        held = {id(q) for q in self._gate.held}
        self._gate.release()
        self._returning = {
            group["label"]
            for group in self.param_groups
            if group["label"] in self.wanted and any(id(q) in held for q in group["params"])
        }
        if not self.prune:
            return
        busy, idle = self._sorted()
        if any(q.requires_grad for group in busy for q in group["params"]):
            self._gate.hold(q for group in idle for q in group["params"])

    def _sorted(self) -> tuple[list[Group], list[Group]]:
        """Return the groups whose gradients the next call uses, and the others."""
        busy = [group for group in self.param_groups if group["label"] in self.wanted]
        return busy, [group for group in self.param_groups if group["label"] not in self.wanted]

    def _is_fit(self, grads: list[list[Tensor | None]]) -> bool:
        """Leave out what this call does not use, then check as usual."""
        for index, group in enumerate(self.param_groups):
            label, is_asking = group["label"], any(q.requires_grad for q in group["params"])
            if label not in self.wanted:
                grads[index] = [None] * len(grads[index])
            elif label in self._returning and is_asking and all(g is None for g in grads[index]):
                raise EvaluationError(
                    f"no parameter of the part {label!r} has a gradient, and this call needs "
                    "them. They did not ask for one until the last step was over: compute the "
                    "loss after step(), from the model as it is then, or pass prune=False"
                )
        if not self._has_warned and any(q.requires_grad for q in self._gate.held):
            self._has_warned = True
            warnings.warn(
                "requires_grad was switched on for parameters whose gradient this step does not "
                "use: the backward pass computed it for nothing. Change requires_grad within "
                f"`with {type(self).__name__}.released():`",
                stacklevel=6,
            )
        return super()._is_fit(grads)

    def _advance(self, index: int, group: Group, columns: Columns, pending: float | None) -> None:
        """Advance one of the parts that have a gradient, by the step of its scale."""
        h = float(group["lr"]) * group["every"]
        if group["every"] == 1:
            super()._advance(index, group, columns, pending)
        elif not self.cycle.linear_drift:
            super()._advance(index, {**group, "lr": h}, columns, pending)
        else:
            kick = self._kicks[group["word"]]
            super()._advance(index, {**group, "word": kick, "lr": h}, columns, pending)

    def _end_call(self) -> None:
        """Let the slow parts drift."""
        if not self.cycle.linear_drift:
            return
        held = {id(q) for q in self._gate.held}
        for group in self.param_groups:
            if group["every"] == 1:
                continue
            begun = [q for q in group["params"] if q in self.state]
            if group["label"] in self.wanted:
                for q in begun:
                    self.state[q]["drifts"] = q.grad is not None
            asking = [q for q in begun if q.requires_grad or id(q) in held]
            self._drift(group, [q for q in asking if self.state[q].get("drifts", False)])

    def _drift(self, group: Group, params: list[Tensor]) -> None:
        if not params:
            return
        columns = Columns(params, [self.state[q]["momenta"] for q in params], [], {})
        Flat().drift(part_of(columns, group, {}, Flat()), float(group["lr"]))
