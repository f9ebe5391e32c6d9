"""Algorithms 5.1 to 5.3 of Vlaar's thesis and what follows from them, typed out line by line.

In tensors, with one rounding where torch's optimizers have one, so that equality can be exact:
`torch.add(x, y, alpha=a)` is x + a y. `h` is the source's step size, that of the slow part.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

Gradients = Callable[[Tensor, Tensor], Sequence[Tensor]]


def plus(x: Tensor, a: float, y: Tensor) -> Tensor:
    return torch.add(x, y, alpha=a)


def algorithm_5_1(
    s: Tensor, f: Tensor, gradients: Gradients, h: float, k: int, mu: float, cycles: int
) -> tuple[Tensor, Tensor]:
    """Return θ_S and θ_F after some cycles, with linear drift."""
    return algorithm_5_3(s, f, gradients, h, k, mu, (0.0, 0.0), cycles)


def algorithm_5_2(
    s: Tensor, f: Tensor, gradients: Gradients, h: float, k: int, mu: float, cycles: int
) -> tuple[Tensor, Tensor]:
    """Return θ_S and θ_F after some cycles, without linear drift."""
    p_s, p_f = torch.zeros_like(s), torch.zeros_like(f)
    for _ in range(cycles):
        p_s = mu * p_s + gradients(s, f)[0]
        s = plus(s, -h, p_s)
        for _ in range(k):
            p_f = mu * p_f + gradients(s, f)[1]
            f = plus(f, -h / k, p_f)
    return s, f


def algorithm_5_3(
    s: Tensor,
    f: Tensor,
    gradients: Gradients,
    h: float,
    k: int,
    mu: float,
    omega: tuple[float, float],
    cycles: int,
) -> tuple[Tensor, Tensor]:
    """Return θ_S and θ_F after some cycles, with linear drift and weight decay (slow, fast)."""
    p_s, p_f = torch.zeros_like(s), torch.zeros_like(f)
    for _ in range(cycles):
        p_s = mu * p_s + plus(gradients(s, f)[0], omega[0], s)
        for _ in range(k):
            p_f = mu * p_f + plus(gradients(s, f)[1], omega[1], f)
            f = plus(f, -h / k, p_f)
            s = plus(s, -h / k, p_s)
    return s, f


def three_scales(
    q: list[Tensor],
    gradients: Callable[[list[Tensor]], list[Tensor]],
    h: float,
    k: tuple[int, int],
    mu: float,
    cycles: int,
) -> list[Tensor]:
    """Return θ after some cycles of Algorithm 5.1 nested once more, from slow to fast."""
    p = [torch.zeros_like(x) for x in q]
    for _ in range(cycles):
        p[0] = mu * p[0] + gradients(q)[0]
        for _ in range(k[0]):
            p[1] = mu * p[1] + gradients(q)[1]
            for _ in range(k[1]):
                p[2] = mu * p[2] + gradients(q)[2]
                q = [plus(x, -h / (k[0] * k[1]), v) for x, v in zip(q, p, strict=True)]
    return q


def three_scales_without_drift(
    q: list[Tensor],
    gradients: Callable[[list[Tensor]], list[Tensor]],
    h: float,
    k: tuple[int, int],
    mu: float,
    cycles: int,
) -> list[Tensor]:
    """Return θ after some cycles of Algorithm 5.2 nested once more, from slow to fast."""
    p = [torch.zeros_like(x) for x in q]

    def move(scale: int, step: float) -> None:
        p[scale] = mu * p[scale] + gradients(q)[scale]
        q[scale] = plus(q[scale], -step, p[scale])

    for _ in range(cycles):
        move(0, h)
        for _ in range(k[0]):
            move(1, h / k[0])
            for _ in range(k[1]):
                move(2, h / (k[0] * k[1]))
    return q


def dropout(
    q: Tensor, gradient: Callable[[Tensor], Tensor], h: float, k: int, masks: list[Tensor]
) -> Tensor:
    """Return θ after an ordinary step, and a cycle of k + 1 steps for each mask."""
    q = q - h * gradient(q)
    for slow in masks:
        kept = q[slow]
        q = q.clone()
        q[slow] = 0.0
        for _ in range(k):
            step = h * gradient(q)
            step[slow] = 0.0
            q = q - step
        q[slow] = kept
        g = gradient(q)
        q = torch.where(slow, q - h * k * g, q - h * g)
    return q


def two_rate(
    q: Tensor,
    gradient: Callable[[Tensor], Tensor],
    h: float,
    k: int,
    mu: float,
    omega: float,
    cycles: int,
) -> Tensor:
    """Return θ after some cycles: k small steps and a large one from the same point, averaged."""
    v_fast, v_slow = torch.zeros_like(q), torch.zeros_like(q)
    for _ in range(cycles):
        v_slow = mu * v_slow + gradient(q) + omega * q
        slow = q - k * h * v_slow
        for _ in range(k):
            v_fast = mu * v_fast + gradient(q) + omega * q
            q = q - h * v_fast
        q = (q + slow) / 2
    return q


def langevin(
    s: Tensor,
    f: Tensor,
    gradients: Gradients,
    h: float,
    k: int,
    friction: tuple[float, float],
    temperature: float,
    mass: tuple[float, float],
    normals: list[Tensor],
) -> tuple[Tensor, Tensor]:
    """Return q_slow and q_fast: OBA on two scales, bath on the fast part only; h is of one call."""
    p_s, p_f = torch.zeros_like(s), torch.zeros_like(f)
    gamma_s, gamma_f = (torch.tensor(gamma, dtype=s.dtype) for gamma in friction)
    while normals:
        p_s = torch.exp(-gamma_s * k * h) * p_s - k * h * gradients(s, f)[0]
        for _ in range(k):
            c = torch.exp(-gamma_f * h)
            p_f = c * p_f + torch.sqrt(mass[1] * temperature * (1 - c * c)) * normals.pop(0)
            p_f = p_f - h * gradients(s, f)[1]
            f = f + h * p_f / mass[1]
            s = s + h * p_s / mass[0]
    return s, f
