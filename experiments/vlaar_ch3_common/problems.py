"""Perceptrons with one hidden layer on spirals and trigonometric data, as chapter 3 has them."""

from thermograd import models
from thermograd.data import toy
from thermograd.noise import seeded
from thermograd.racing import Problem, Standing
from thermograd.racing.problem import Start

__all__ = ["numbers", "trigonometric"]


def trigonometric(
    a: float,
    b: float = 1.0,
    hidden: int = 100,
    batch_size: int = 50,
    *,
    points: int = 1000,
    test_points: int = 1000,
    start: Start = "reset",
    seed: int = 0,
) -> Problem:
    """Return the trigonometric data of width a, with the cosine of x₁, not of t.

    As printed (3.33) has the angle πbt, and a only stretches it; here the angle is πbx₁ = πabt.
    """
    generator = seeded(seed)
    train, test = (
        toy.trigonometric(num, generator=generator, frequency=a * b, scale=a)
        for num in (points, test_points)
    )
    model = models.perceptron(2, hidden, 1, generator=seeded(seed + 1))
    name = f"trigonometric a = {a:g}, b = {b:g}, {hidden} units"
    return Problem(name, model, "binary", train, test, batch_size, start)


def numbers(found: Standing, key: str) -> dict[str, float]:
    """Return mean, standard deviation and extremes of the accuracy, in percent."""
    return {
        f"{key}_percent": 100 * found.mean,
        f"{key}_sd": 100 * (found.sd or 0.0),
        f"{key}_worst": 100 * found.worst,
        f"{key}_best": 100 * max(found.accuracy),
        f"{key}_diverged": float(found.num_diverged),
    }
