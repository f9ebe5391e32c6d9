"""Temperatures of an optimizer's parameters, with the bands that chance allows.

    kinetic           T̂ = p·p / (m ν),           ν independent momenta; T̂ ~ T χ²_ν / ν
    configurational   T̂ = |∇U|² / tr ∇²U;        on a quadratic U      T̂ ~ T χ²_μ / μ,
                                                 μ = (tr ∇²U)² / tr (∇²U)²

Both are read off one moment. The traces are Hutchinson estimates with probes of ±1.

References:
    Butler, Ayton, Jepps and Evans (1998), doi:10.1063/1.477301, for the configurational one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor

from .._checks import positive_int
from .._quantiles import chi2_band
from ..noise import seeded

__all__ = ["Reading", "Temperature", "configurational", "kinetic"]


@dataclass(frozen=True, slots=True)
class Temperature:
    """One measured temperature.

    Attributes:
        value: T̂.
        degrees: independent squares behind it.
        low: where chance alone leaves T̂ below with half the false-alarm probability.
        high: the same, above.
        verdict: "in band", "hot", "cold" or "no bath".
    """

    value: float
    degrees: float
    low: float
    high: float
    verdict: str


@dataclass(frozen=True, slots=True)
class Reading:
    """The temperatures of one parameter group.

    Attributes:
        group: its number.
        target: T, what the group was asked to have.
        kinetic: of the momenta; None if there are none yet.
        configurational: of the positions; None if no loss was given or its curvature is not
            positive.
    """

    group: int
    target: float
    kinetic: Temperature | None
    configurational: Temperature | None

    def __str__(self) -> str:
        parts = [f"group {self.group}, T = {self.target:.3g}:"]
        for name, found in (("kinetic", self.kinetic), ("configurational", self.configurational)):
            if found is None:
                parts.append(f"{name} not measured;")
            else:
                band = f"[{found.low:.3g}, {found.high:.3g}]"
                parts.append(f"{name} {found.value:.3g} of {band}, {found.verdict};")
        return " ".join(parts).rstrip(";") + _hint(self.kinetic)


def kinetic(
    momenta: Sequence[Tensor], mass: float, target: float, false_alarm: float, degrees: int
) -> Temperature | None:
    """Measure the temperature of momenta of one mass, of which `degrees` are independent."""
    if degrees == 0:
        return None
    total = math.fsum(float(p.double().square().sum()) for p in momenta)
    return _judge(total / (mass * degrees), degrees, target, false_alarm)


def configurational(
    params: Sequence[Tensor], loss: Tensor, target: float, false_alarm: float, probes: int
) -> Temperature | None:
    """Measure the temperature of positions, from the graph of the loss at them."""
    positive_int(probes, "probes", "thermometer")
    grads = cast(
        Sequence[Tensor | None],
        torch.autograd.grad(loss, list(params), create_graph=True, allow_unused=True),
    )
    used = [(q, g) for q, g in zip(params, grads, strict=True) if g is not None]
    if not used or not any(g.requires_grad for _, g in used):
        return None
    generator = seeded(0, used[0][0].device)  # of its own: measuring must not change the run
    first: list[float] = []
    second: list[float] = []
    for _ in range(probes):
        signs = [_signs(g, generator) for _, g in used]
        products = cast(
            Sequence[Tensor | None],
            torch.autograd.grad(
                [g for _, g in used],
                [q for q, _ in used],
                grad_outputs=signs,
                retain_graph=True,
                allow_unused=True,
            ),
        )
        pairs = [(s, hv) for s, hv in zip(signs, products, strict=True) if hv is not None]
        first.append(sum(float((s * hv).sum()) for s, hv in pairs))
        second.append(sum(float((hv * hv).sum()) for _, hv in pairs))
    trace, square = math.fsum(first) / probes, math.fsum(second) / probes
    if not (trace > 0 and square > 0):
        return None
    size = math.fsum(float(g.detach().double().square().sum()) for _, g in used)
    return _judge(size / trace, trace**2 / square, target, false_alarm)


def _signs(like: Tensor, generator: torch.Generator) -> Tensor:
    return torch.empty_like(like).uniform_(-1, 1, generator=generator).sign_()


def _judge(value: float, degrees: float, target: float, false_alarm: float) -> Temperature:
    low, high = chi2_band(degrees, target, false_alarm)
    if target == 0:
        verdict = "no bath"
    elif value > high:
        verdict = "hot"
    else:
        verdict = "cold" if value < low else "in band"
    return Temperature(value, float(degrees), low, high, verdict)


def _hint(found: Temperature | None) -> str:
    if found is None or found.verdict in ("in band", "no bath"):
        return ""
    if found.verdict == "hot":
        return ". Minibatch noise heats by about h·Var(force)/(2γm): lower lr or raise friction"
    return ". Momenta start at rest and warm up in a time 1/γ: wait, or raise friction"
