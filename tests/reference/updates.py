"""Published update rules, typed out literally in Python floats, one walker at a time.

Each function advances one walker of the chain by one step. They share the three elementary maps
below and nothing else; the order of the maps is spelled in each.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from .chain import energy, fast_force, force, slow_force

Vector = list[float]


@dataclass
class Walker:
    """One walker, its parameters and the random numbers it is going to use, in order."""

    q: Vector
    p: Vector
    friction: float
    temperature: float
    mass: float
    normals: list[Vector]
    uniforms: list[float]
    xi: Vector = field(default_factory=list[float])
    acceptance: float = math.nan

    def drift(self, dt: float) -> None:
        self.q = [q + dt * p / self.mass for q, p in zip(self.q, self.p, strict=True)]

    def kick(self, dt: float, f: Callable[[Vector], Vector] = force) -> None:
        self.p = [p + dt * g for p, g in zip(self.p, f(self.q), strict=True)]

    def bath(self, dt: float) -> None:
        c = math.exp(-self.friction * dt)
        s = math.sqrt(self.mass * self.temperature * (1 - c * c))
        self.p = [c * p + s * x for p, x in zip(self.p, self.normals.pop(0), strict=True)]


def baoab(w: Walker, h: float) -> None:
    w.kick(h / 2)
    w.drift(h / 2)
    w.bath(h)
    w.drift(h / 2)
    w.kick(h / 2)


def aboba(w: Walker, h: float) -> None:
    w.drift(h / 2)
    w.kick(h / 2)
    w.bath(h)
    w.kick(h / 2)
    w.drift(h / 2)


def obabo(w: Walker, h: float) -> None:
    w.bath(h / 2)
    w.kick(h / 2)
    w.drift(h)
    w.kick(h / 2)
    w.bath(h / 2)


def oabao(w: Walker, h: float) -> None:
    w.bath(h / 2)
    w.drift(h / 2)
    w.kick(h)
    w.drift(h / 2)
    w.bath(h / 2)


def baoa(w: Walker, h: float) -> None:
    w.kick(h)
    w.drift(h / 2)
    w.bath(h)
    w.drift(h / 2)


def oba(w: Walker, h: float) -> None:
    w.bath(h)
    w.kick(h)
    w.drift(h)


def abo(w: Walker, h: float) -> None:
    w.drift(h)
    w.kick(h)
    w.bath(h)


def gla1(w: Walker, h: float) -> None:
    w.kick(h)
    w.drift(h)
    w.bath(h)


def gla2(w: Walker, h: float) -> None:
    w.kick(h / 2)
    w.drift(h)
    w.kick(h / 2)
    w.bath(h)


def velocity_verlet(w: Walker, h: float) -> None:
    w.kick(h / 2)
    w.drift(h)
    w.kick(h / 2)


def r_respa(w: Walker, h: float) -> None:
    w.kick(h / 2, slow_force)
    for _ in range(4):
        w.kick(h / 8, fast_force)
        w.drift(h / 4)
        w.kick(h / 8, fast_force)
    w.kick(h / 2, slow_force)


def langevin_r_respa(w: Walker, h: float) -> None:
    w.kick(h / 2, slow_force)
    for _ in range(4):
        w.kick(h / 8, fast_force)
        w.drift(h / 8)
        w.bath(h / 4)
        w.drift(h / 8)
        w.kick(h / 8, fast_force)
    w.kick(h / 2, slow_force)


def gradient_descent(w: Walker, h: float) -> None:
    w.q = [q + h / w.mass * f for q, f in zip(w.q, force(w.q), strict=True)]


def euler_maruyama(w: Walker, h: float) -> None:
    s = math.sqrt(2 * w.temperature * h / w.mass)
    rows = zip(w.q, force(w.q), w.normals.pop(0), strict=True)
    w.q = [q + h / w.mass * f + s * x for q, f, x in rows]


def leimkuhler_matthews(w: Walker, h: float) -> None:
    w.xi = w.xi or w.normals.pop(0)  # ξ₋₁, before the first step
    new = w.normals.pop(0)
    s = math.sqrt(2 * w.temperature * h / w.mass)
    rows = zip(w.q, force(w.q), new, w.xi, strict=True)
    w.q = [q + h / w.mass * f + s * (x + last) / 2 for q, f, x, last in rows]
    w.xi = new


def sgd_momentum(w: Walker, h: float) -> None:
    w.p = [0.9 * v + f for v, f in zip(w.p, force(w.q), strict=True)]
    w.q = [q + h / w.mass * v for q, v in zip(w.q, w.p, strict=True)]


def sgd_momentum_i(w: Walker, h: float) -> None:
    w.p = [0.9 * v + h / w.mass * f for v, f in zip(w.p, force(w.q), strict=True)]
    w.q = [q + v for q, v in zip(w.q, w.p, strict=True)]


def sgd_momentum_ii(w: Walker, h: float) -> None:
    w.p = [0.9 * v + 0.1 * f for v, f in zip(w.p, force(w.q), strict=True)]
    w.q = [q + h / w.mass * v for q, v in zip(w.q, w.p, strict=True)]


def nesterov(w: Walker, h: float) -> None:
    fs = force(w.q)
    w.p = [0.9 * v + f for v, f in zip(w.p, fs, strict=True)]
    w.q = [q + h / w.mass * (0.9 * v + f) for q, v, f in zip(w.q, w.p, fs, strict=True)]


def _metropolis(w: Walker, q: Vector, p: Vector, log_ratio: float) -> None:
    w.acceptance = min(1.0, math.exp(log_ratio))
    if w.uniforms.pop(0) >= w.acceptance:
        w.q, w.p = q, p


def mala(w: Walker, h: float) -> None:
    x, s = w.q, math.sqrt(2 * w.temperature * h / w.mass)
    rows = zip(x, force(x), w.normals.pop(0), strict=True)
    y = [q + h / w.mass * f + s * xi for q, f, xi in rows]

    def log_density(to: Vector, at: Vector) -> float:
        gaps = [b - a - h / w.mass * f for b, a, f in zip(to, at, force(at), strict=True)]
        return -sum(gap**2 for gap in gaps) / (2 * s**2)

    w.q = y
    gain = -(energy(y) - energy(x)) / w.temperature
    _metropolis(w, x, w.p, gain + log_density(x, y) - log_density(y, x))


def _hmc(w: Walker, path: Callable[[], None]) -> None:
    w.p = [math.sqrt(w.mass * w.temperature) * x for x in w.normals.pop(0)]
    q, p = w.q, w.p

    def total() -> float:
        return energy(w.q) + sum(v * v for v in w.p) / (2 * w.mass)

    start = total()
    path()
    _metropolis(w, q, p, -(total() - start) / w.temperature)


def hmc(w: Walker, h: float) -> None:
    def path() -> None:
        for _ in range(10):
            velocity_verlet(w, h)

    _hmc(w, path)


def hmc_randomised(w: Walker, h: float) -> None:
    def path() -> None:
        for _ in range(1 + math.floor(19 * w.uniforms.pop(0))):
            velocity_verlet(w, h)

    _hmc(w, path)


def hmc_first_order(w: Walker, h: float) -> None:
    def path() -> None:
        drift_first = w.uniforms.pop(0) < 0.5
        for _ in range(10):
            if drift_first:
                w.drift(h)
                w.kick(h)
            else:
                w.kick(h)
                w.drift(h)

    _hmc(w, path)


def _fast(f: Callable[[Vector], Vector]) -> Callable[[Vector], Vector]:
    return lambda q: [0.0, *f(q)[1:]]


def _fast_drift(w: Walker, dt: float) -> None:
    big = w.q[0]
    w.drift(dt)
    w.q[0] = big


def _slow_drift(w: Walker, dt: float) -> None:
    w.q = [w.q[0] + dt * w.p[0] / w.mass, *w.q[1:]]


def _mean_slow_force(w: Walker, s: float) -> float:
    """Average the slow force by the trapezoidal rule over 4 fast steps, Q standing still."""
    q, p, seen = w.q, w.p, [force(w.q)[0]]
    for _ in range(4):
        w.kick(s / 2, _fast(force))
        _fast_drift(w, s)
        w.kick(s / 2, _fast(force))
        seen.append(force(w.q)[0])
    w.q, w.p = q, p
    return (seen[0] / 2 + seen[1] + seen[2] + seen[3] + seen[4] / 2) / 4


def ra0(w: Walker, h: float) -> None:
    w.p = [w.p[0] + h / 2 * _mean_slow_force(w, h / 4), *w.p[1:]]
    _slow_drift(w, h / 2)
    for _ in range(4):
        w.kick(h / 8, _fast(force))
        _fast_drift(w, h / 4)
        w.kick(h / 8, _fast(force))
    _slow_drift(w, h / 2)
    w.p = [w.p[0] + h / 2 * _mean_slow_force(w, -h / 4), *w.p[1:]]


def ra1(w: Walker, h: float) -> None:
    w.p = [w.p[0] + h / 2 * _mean_slow_force(w, h / 4), *w.p[1:]]
    for _ in range(4):
        w.kick(h / 8, _fast(force))
        _fast_drift(w, h / 4)
        _slow_drift(w, h / 4)
        w.kick(h / 8, _fast(force))
    w.p = [w.p[0] + h / 2 * _mean_slow_force(w, -h / 4), *w.p[1:]]


UPDATES: dict[str, Callable[[Walker, float], None]] = {
    update.__name__: update
    for update in (
        *(baoab, aboba, obabo, oabao, baoa, oba, abo, gla1, gla2, velocity_verlet),
        *(r_respa, langevin_r_respa, ra0, ra1),
        *(gradient_descent, euler_maruyama, leimkuhler_matthews),
        *(sgd_momentum, sgd_momentum_i, sgd_momentum_ii, nesterov),
        *(mala, hmc, hmc_randomised, hmc_first_order),
    )
} | {"sgd": gradient_descent, "sgld": euler_maruyama}
