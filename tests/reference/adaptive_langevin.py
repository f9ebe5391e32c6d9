"""Adaptive Langevin methods, written out one assignment at a time for one walker, in numpy."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass
class Problem:
    """Constants of a run, and the noise it will use."""

    force: Callable[[Vector], Vector]
    eps: float
    sigma: float
    c: float
    temperature: float
    mass: float
    noise: Iterator[Vector]


def _answer(x: Problem, p: Vector, dt: float) -> float:
    return dt * x.eps * (float(p @ p) / x.mass - len(p) * x.temperature)


def _bath(x: Problem, p: Vector, xi: float, dt: float) -> Vector:
    rate = x.c * xi
    variance = x.sigma**2 * x.mass * (-np.expm1(-2 * rate * dt) / (2 * rate))
    return np.exp(-rate * dt) * p + np.sqrt(variance) * next(x.noise)


def bacdedcab(
    x: Problem, q: Vector, p: Vector, xi: float, h: float
) -> tuple[Vector, Vector, float]:
    p = p + h / 2 * x.force(q)
    q = q + h / 2 * p / x.mass
    p = np.exp(-h / 2 * x.c * xi) * p
    p = p + x.sigma * np.sqrt(h / 2 * x.mass) * next(x.noise)
    xi = xi + _answer(x, p, h)
    p = p + x.sigma * np.sqrt(h / 2 * x.mass) * next(x.noise)
    p = np.exp(-h / 2 * x.c * xi) * p
    q = q + h / 2 * p / x.mass
    return q, p + h / 2 * x.force(q), xi


def badcecdab(
    x: Problem, q: Vector, p: Vector, xi: float, h: float
) -> tuple[Vector, Vector, float]:
    p = p + h / 2 * x.force(q)
    q = q + h / 2 * p / x.mass
    p = p + x.sigma * np.sqrt(h / 2 * x.mass) * next(x.noise)
    p = np.exp(-h / 2 * x.c * xi) * p
    xi = xi + _answer(x, p, h)
    p = np.exp(-h / 2 * x.c * xi) * p
    p = p + x.sigma * np.sqrt(h / 2 * x.mass) * next(x.noise)
    q = q + h / 2 * p / x.mass
    return q, p + h / 2 * x.force(q), xi


def bafefab(x: Problem, q: Vector, p: Vector, xi: float, h: float) -> tuple[Vector, Vector, float]:
    p = p + h / 2 * x.force(q)
    q = q + h / 2 * p / x.mass
    p = _bath(x, p, xi, h / 2)
    xi = xi + _answer(x, p, h)
    p = _bath(x, p, xi, h / 2)
    q = q + h / 2 * p / x.mass
    return q, p + h / 2 * x.force(q), xi


def baefeab(x: Problem, q: Vector, p: Vector, xi: float, h: float) -> tuple[Vector, Vector, float]:
    p = p + h / 2 * x.force(q)
    q = q + h / 2 * p / x.mass
    xi = xi + _answer(x, p, h / 2)
    p = _bath(x, p, xi, h)
    xi = xi + _answer(x, p, h / 2)
    q = q + h / 2 * p / x.mass
    return q, p + h / 2 * x.force(q), xi


def sgnht(x: Problem, q: Vector, p: Vector, xi: float, h: float) -> tuple[Vector, Vector, float]:
    noise = x.sigma * np.sqrt(h * x.mass) * next(x.noise)
    p = p + h * x.force(q) - h * x.c * xi * p + noise
    q = q + h * p / x.mass
    return q, p, xi + _answer(x, p, h)
