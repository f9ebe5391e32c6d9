"""Stationary variances on the oscillator against closed forms, to 1e-12 (Shows 5).

Expected values hold at the end of a step; k is the stiffness and s = h²k/4m.
"""

import math
from collections.abc import Callable

import pytest

from .oscillator import FRICTION, MASS, TEMPERATURE, law, mode

STIFFNESS = 1.7
Q2, P2 = TEMPERATURE / STIFFNESS, MASS * TEMPERATURE

Formula = Callable[[float], float]


def s(h: float) -> float:
    return h * h * STIFFNESS / (4 * MASS)


def oba_q2(h: float) -> float:
    rate = 1 + math.exp(-FRICTION * h)
    return Q2 * (rate / 2) / (1 - h * h * STIFFNESS / (2 * MASS * rate))


LANGEVIN: dict[str, tuple[Formula, Formula]] = {
    "baoab": (lambda h: Q2, lambda h: P2 * (1 - s(h))),
    "obabo": (lambda h: Q2 / (1 - s(h)), lambda h: P2),
    "aboba": (lambda h: Q2, lambda h: P2 / (1 - s(h))),
    "baoa": (lambda h: Q2, lambda h: P2),
}


@pytest.mark.parametrize("h", [0.5, 0.1])
@pytest.mark.parametrize("name", LANGEVIN)
def test_variances(name: str, h: float) -> None:
    covariance = law(mode(name, STIFFNESS), h)
    q2, p2 = LANGEVIN[name]
    assert float(covariance[0, 0]) == pytest.approx(q2(h), rel=1e-12, abs=0.0)
    assert float(covariance[1, 1]) == pytest.approx(p2(h), rel=1e-12, abs=0.0)


@pytest.mark.parametrize("h", [0.5, 0.1])
@pytest.mark.parametrize(
    ("name", "q2"),
    [
        ("oba", oba_q2),
        ("euler_maruyama", lambda h: Q2 / (1 - h * STIFFNESS / (2 * MASS))),
        ("leimkuhler_matthews", lambda h: Q2),
    ],
)
def test_position_variance(name: str, q2: Formula, h: float) -> None:
    assert float(law(mode(name, STIFFNESS), h)[0, 0]) == pytest.approx(q2(h), rel=1e-12, abs=0.0)


@pytest.mark.parametrize("h", [0.5, 0.1])
def test_oba_at_infinite_friction_is_at_half_the_temperature(h: float) -> None:
    covariance = law(mode("oba", STIFFNESS, friction=math.inf), h)
    expected = TEMPERATURE / (STIFFNESS * (2 - h * h * STIFFNESS / MASS))
    assert float(covariance[0, 0]) == pytest.approx(expected, rel=1e-12, abs=0.0)


@pytest.mark.parametrize(("h", "excess"), [(0.1, 0.055), (0.2, 0.121), (0.4, 0.287), (0.8, 0.790)])
def test_abo_bias(h: float, excess: float) -> None:
    # independent figures to three digits, for k = m = T = γ = 1; scaled to k = m γ², γ = 0.8
    setting = mode("abo", MASS * FRICTION**2)
    ratio = float(law(setting, h / FRICTION)[0, 0]) * MASS * FRICTION**2 / TEMPERATURE
    assert ratio - 1 == pytest.approx(excess, abs=5.1e-4)


@pytest.mark.parametrize("h", [0.5, 0.1])
def test_baoa_is_biased_in_the_mixed_moment(h: float) -> None:
    # half a kick behind BAOAB: ⟨qp⟩ = ½ h k ⟨q²⟩
    covariance = law(mode("baoa", STIFFNESS), h)
    expected = 0.5 * h * STIFFNESS * Q2
    assert float(covariance[0, 1]) == pytest.approx(expected, rel=1e-12, abs=0.0)
