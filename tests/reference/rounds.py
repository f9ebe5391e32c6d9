"""The smoothing optimizers and their replicas, typed out literally in Python floats.

Each function takes gradient functions of one vector, and returns every point at which a gradient
was wanted after the first, one for each call, with the outer points where a round ends.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

Vector = list[float]
Gradient = Callable[[Vector], Vector]


@dataclass
class Inner:
    """Nesterov's descent from y, on a tether to x."""

    h: float
    scope: float
    momentum: float
    velocity: Vector = field(default_factory=list[float])

    def step(self, y: Vector, x: Vector, g: Vector) -> Vector:
        d = [b + (a - c) / self.scope for a, b, c in zip(y, g, x, strict=True)]
        self.velocity = self.velocity or [0.0] * len(y)
        self.velocity = [self.momentum * v + b for v, b in zip(self.velocity, d, strict=True)]
        rows = zip(y, d, self.velocity, strict=True)
        return [a - self.h * (b + self.momentum * v) for a, b, v in rows]


def mixed(z: Vector, y: Vector, alpha: float) -> Vector:
    return [alpha * a + (1 - alpha) * b for a, b in zip(z, y, strict=True)]


@dataclass
class Round:
    """One replica's settings: L, h, γ, α, inner momentum, η, outer momentum."""

    steps: int
    h: float
    scope: float
    alpha: float
    inner_momentum: float
    lr: float
    momentum: float
    velocity: Vector = field(default_factory=list[float])

    def run(self, x: Vector, gradient: Gradient) -> tuple[list[Vector], Vector]:
        """Return y after each call of a round, and z."""
        inner, y, z, seen = Inner(self.h, self.scope, self.inner_momentum), x, x, list[Vector]()
        for _ in range(self.steps):
            y = inner.step(y, x, gradient(y))
            z = mixed(z, y, self.alpha)
            seen.append(y)
        return seen, z

    def outer(self, x: Vector, d: Vector) -> Vector:
        self.velocity = self.velocity or [0.0] * len(x)
        self.velocity = [self.momentum * v + b for v, b in zip(self.velocity, d, strict=True)]
        rows = zip(x, d, self.velocity, strict=True)
        return [a - self.lr * (b + self.momentum * v) for a, b, v in rows]


def entropy_sgd(x: Vector, gradient: Gradient, settings: Round, rounds: int) -> list[Vector]:
    """Return the parameters after each call."""
    path: list[Vector] = []
    for _ in range(rounds):
        seen, z = settings.run(x, gradient)
        x = settings.outer(x, [a - b for a, b in zip(x, z, strict=True)])
        path += [*seen[:-1], x]
    return path


def parle(
    starts: Sequence[Vector],
    gradient: Gradient,
    settings: Sequence[Round],
    coupling: float,
    rounds: int,
) -> tuple[list[Vector], Vector]:
    """Return the replicas' points and the master, updated as (5.8c) and (5.8d) say."""
    xs = [list(x) for x in starts]
    master = mean(xs)
    for _ in range(rounds):
        for a, own in enumerate(settings):
            z = own.run(xs[a], gradient)[1]
            rows = zip(xs[a], z, master, strict=True)
            xs[a] = own.outer(xs[a], [x - b + (x - m) / coupling for x, b, m in rows])
        master = mean(xs)
    return xs, master


def mean(xs: Sequence[Vector]) -> Vector:
    return [sum(column) / len(xs) for column in zip(*xs, strict=True)]


def elastic_sgd(
    starts: Sequence[Vector], gradient: Gradient, lr: float, coupling: float, steps: int
) -> tuple[list[Vector], Vector]:
    """Return the replicas and the master of (5.4) with η' = ρ/n, without momentum."""
    xs, master = [list(x) for x in starts], mean(starts)
    for _ in range(steps):
        for a, x in enumerate(xs):
            rows = zip(x, gradient(x), master, strict=True)
            xs[a] = [q - lr * (g + (q - m) / coupling) for q, g, m in rows]
        master = mean(xs)
    return xs, master


def hj_two(
    x: Vector, gradient: Gradient, steps: int, h: float, scope: float, lr: float, rounds: int
) -> Vector:
    """Return x after some rounds of (4.42), as printed, for the displacement y."""
    for _ in range(rounds):
        y = [0.0] * len(x)
        for k in range(steps):
            g = gradient([a - b for a, b in zip(x, y, strict=True)])
            y = [(1 - h / scope) * b + h * c for b, c in zip(y, g, strict=True)]
            if k == steps - 1:
                x = [a - lr * c for a, c in zip(x, g, strict=True)]
    return x


def heat(
    x: Vector,
    gradient: Gradient,
    steps: int,
    scope: float,
    lr: float,
    noise: Sequence[Vector],
) -> Vector:
    """Return x after the rounds that the noise lasts for; the first gradient is at x itself."""
    root = math.sqrt(scope)
    at, total, used = x, [0.0] * len(x), 0
    for xi in noise:
        total = [a + b for a, b in zip(total, gradient(at), strict=True)]
        used += 1
        if used == steps:
            x = [a - lr * b / steps for a, b in zip(x, total, strict=True)]
            total, used = [0.0] * len(x), 0
        at = [a + root * b for a, b in zip(x, xi, strict=True)]
    return x


def viscous_coupled(
    x: Vector,
    gradient: Gradient,
    h: float,
    scope: float,
    ratio: float,
    heat: float,
    noise: Sequence[Vector],
) -> tuple[Vector, Vector]:
    """Return x and y of the first form."""
    y, size = x, math.sqrt(2 * heat * h / ratio)
    for xi in noise:
        g = gradient(y)
        rows = list(zip(x, y, g, xi, strict=True))
        y = [b - h / ratio * (c + (b - a) / scope) + size * e for a, b, c, e in rows]
        x = [a - h / scope * (a - b) for a, b, _, _ in rows]
    return x, y


def viscous_force(
    x: Vector,
    gradient: Gradient,
    h: float,
    scope: float,
    ratio: float,
    heat: float,
    noise: Sequence[Vector],
) -> tuple[Vector, Vector]:
    """Return x and x − y of the second form."""
    y, size = [0.0] * len(x), math.sqrt(2 * heat * h / ratio)
    for xi in noise:
        g = gradient([a - b for a, b in zip(x, y, strict=True)])
        y = [b - h / ratio * (b / scope - c) + size * e for b, c, e in zip(y, g, xi, strict=True)]
        x = [a - h * c for a, c in zip(x, g, strict=True)]
    return x, [a - b for a, b in zip(x, y, strict=True)]


def trivialised(
    q: Vector,
    gradient: Gradient,
    h: float,
    momentum: float,
    fields: Sequence[Vector],
    decay: float,
    num: int,
) -> Vector:
    """Return q of Algorithm 1 with Nesterov's momentum; N = num cancels."""
    v = [0.0] * len(q)
    for i, drawn in enumerate(fields):
        tau = num * (math.exp(-i / decay) - 0.5)
        now = [math.sqrt(1 + 2 * tau / num) * b for b in drawn]
        g = [a + b for a, b in zip(gradient(q), now, strict=True)]
        v = [momentum * a + b for a, b in zip(v, g, strict=True)]
        q = [a - h * (b + momentum * c) for a, b, c in zip(q, g, v, strict=True)]
    return q
