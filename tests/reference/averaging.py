"""Reversible averaging on the linear model problem with exact fast motion, as printed matrices.

H = P²/2 + Ω²p²/2 + Q²/2 + Ω²(Q − q)²/2, state (Q, q, P, p), s = sin Ω²h, c = cos Ω²h.

Vlaar (2022), thesis, University of Edinburgh, eqs. (1.49) and (1.50); the second is misprinted
there and given here as derived.
"""

import math

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def ra0(h: float, square: float) -> Matrix:
    """Return the matrix of RA-0 for Ω² = square."""
    s, c = math.sin(square * h), math.cos(square * h)
    r1 = np.array([1 - h / 2 * s - h * h / 2, h / 2 * s, h, h / 2 * (1 - c)])
    outer = 1 - (h / 2 * s + h * h / 2) / 2
    r2 = np.array(
        [
            (1 - c) * outer,
            c + (1 - c) / 2 * r1[1],
            (1 - c) / 2 * r1[2],
            s + (1 - c) / 2 * r1[3],
        ]
    )
    r4 = np.array(
        [
            s * outer,
            -s + s / 2 * r1[1],
            s / 2 * r1[2],
            c + s / 2 * r1[3],
        ]
    )
    return np.stack([r1, r2, _third(h, s, c, r1, r2, r4), r4])


def ra1(h: float, square: float) -> Matrix:
    """Return the matrix of RA-1 for Ω² = square."""
    s, c = math.sin(square * h), math.cos(square * h)
    r1 = np.array([1 - h / 2 * s - h * h / 2, h / 2 * s, h, h / 2 * (1 - c)])
    lag = h - s / square
    r2 = np.array(
        [
            1 - c - lag * (h + s) / 2,
            c + s / 2 * lag,
            lag,
            s + (1 - c) / 2 * lag,
        ]
    )
    r4 = np.array(
        [
            s - (1 - c) * (h + s) / (2 * square),
            -s + (1 - c) * s / (2 * square),
            (1 - c) / square,
            c + (1 - c) ** 2 / (2 * square),
        ]
    )
    return np.stack([r1, r2, _third(h, s, c, r1, r2, r4), r4])


def _third(h: float, s: float, c: float, r1: Matrix, r2: Matrix, r4: Matrix) -> Matrix:
    start = np.array([-s / 2 - h / 2, s / 2, 1.0, (1 - c) / 2])
    return start - r1 * (h / 2 + s / 2) + s / 2 * r2 - (1 - c) / 2 * r4
