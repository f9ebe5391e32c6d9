"""Viscous HJ: the two time scales of local entropy as one dynamics, one gradient a step.

    coupled   y ← y − (h/ε) [∇U(y) + (y − x)/γ] + √(2Th/ε) ξ,   x ← x − (h/γ) (x − y)
    force     y ← y − (h/ε) [y/γ − ∇U(x − y)] + √(2Th/ε) ξ,     x ← x − h ∇U(x − y)

`lr` is h. The parameters are y, or x − y: where the gradient is wanted; `sync` shows x. As ε → 0
the path of x is that of descent on the local entropy.
"""

import torch

from .._checks import one_of, positive
from ..integrators import CutIntegrator
from ..noise import NoiseSource
from ..objectives.viscous import Form, viscous
from ..schedules import Schedule
from ._adapter import OnNonfinite, ParamsT
from ._rounds import RoundOptimizer

__all__ = ["ViscousHJ"]


class ViscousHJ(RoundOptimizer):
    """The coupled pair of stochastic differential equations behind Entropy-SGD.

    Args:
        params: parameters, named parameters or groups.
        lr: h ≥ 0, the time step of x; h/ε is that of y.
        scope: γ > 0, or a schedule of it by steps.
        ratio: ε > 0, between the time scales of y and x.
        temperature: T ≥ 0, in units of the loss.
        form: "coupled" or "force".
        noise: "gaussian", "three_point" or a noise source.
        generator: as for `Langevin`.
        on_nonfinite: as for `Langevin`.

    References:
        Chaudhari et al. (2018), doi:10.1007/s40687-018-0148-y, section 3; thesis, eq. (4.21),
        with the noise of exp(−U/T).
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float,
        *,
        scope: float | Schedule,
        ratio: float,
        temperature: float,
        form: Form = "coupled",
        noise: str | NoiseSource = "gaussian",
        generator: torch.Generator | None = None,
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        self.ratio = positive(ratio, "ratio", "ViscousHJ")
        self.form: Form = form
        one_of(form, ("coupled", "force"), "form", "ViscousHJ")
        defaults = {
            "lr": lr,
            "momentum": None,
            "word": "sgld",
            "temperature": temperature,
            "friction": 0.0,
            "mass": 1.0,
        }
        super().__init__(
            params,
            defaults,
            inner_steps=1,
            scope=scope,
            noise=noise,
            generator=generator,
            on_nonfinite=on_nonfinite,
        )

    def _wrap(self, method: CutIntegrator) -> CutIntegrator:
        return viscous(self.scope, self.ratio, self.form)

    @property
    def at_outer_point(self) -> bool:
        """Whether the parameters are the ones to evaluate: before the first step, or synced."""
        return self._shown is not None or self._clock["steps"] == 0

    def _tick(self) -> None:
        self._clock["rounds"] += 1
        if (scope := self._scope_at(self._clock["rounds"])) != self.scope:
            self.scope = scope
            self._wrap_all()

    def __getstate__(self) -> dict[str, object]:
        return {**super().__getstate__(), "ratio": self.ratio, "form": self.form}
