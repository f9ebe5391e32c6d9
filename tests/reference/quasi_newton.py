"""Ensemble quasi-Newton, written out literally: one walker, one coordinate at a time."""

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def covariance_of_others(q: Array, alive: list[bool], walker: int) -> Array:
    """Return the sample covariance of the living walkers but one; q is (W, N)."""
    others = [q[j] for j in range(len(q)) if alive[j] and j != walker]
    mean = sum(others) / len(others)
    total = np.zeros((q.shape[1], q.shape[1]))
    for x in others:
        total += np.outer(x - mean, x - mean)
    return total / (len(others) - 1)


def ledoit_wolf(q: Array, alive: list[bool], walker: int) -> tuple[float, float]:
    """Return ρ and the mean variance μ (over n − 1), from the definition of the former."""
    others = [q[j] for j in range(len(q)) if alive[j] and j != walker]
    num, size = len(others), q.shape[1]
    mean = sum(others) / num
    centred = [x - mean for x in others]
    s = sum(np.outer(x, x) for x in centred) / num
    scale = np.trace(s) / size
    distance = float(((s - scale * np.eye(size)) ** 2).sum()) / size
    spread = sum(float(((np.outer(x, x) - s) ** 2).sum()) for x in centred) / size / num**2
    return min(spread, distance) / distance, scale * num / (num - 1)


def baoab(
    q: Array, p: Array, b: Array, precision: Array, xi: Array, h: float, setting: dict[str, float]
) -> tuple[Array, Array]:
    """Return q and p of one walker after B A O A B with kicks Bᵀ f and drifts B p/m."""
    gamma, heat, m = setting["friction"], setting["temperature"], setting["mass"]
    c = math.exp(-gamma * h)
    p = p - 0.5 * h * b.T @ (precision @ q)
    q = q + 0.5 * h * b @ p / m
    p = c * p + math.sqrt((1 - c * c) * m * heat) * xi
    q = q + 0.5 * h * b @ p / m
    p = p - 0.5 * h * b.T @ (precision @ q)
    return q, p
