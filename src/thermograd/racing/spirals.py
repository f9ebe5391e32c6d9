"""Two spirals and a small perceptron: the problem of the demo, and the settings published for it.

500 points to train on and 500 to test with, 20 ReLU units, minibatches of 25, and parameters
drawn from N(0, 0.01²). SGLD's noise of amplitude σ√h is temperature σ²/2.

References:
    Vlaar (2022), thesis, University of Edinburgh, Figure 3.8; LOL as in Figure 3.14.
    Leimkuhler, Matthews and Vlaar (2019), doi:10.3934/fods.2019019.
"""

from .. import models
from .._checks import positive_int
from ..data import toy
from ..sampling.streams import stream
from .entry import Entry
from .problem import Problem, Start

__all__ = ["published", "spiral"]

SIGMA = 0.1  # of SGLD


def spiral(
    turns: float = 2.0,
    hidden: int = 20,
    points: int = 500,
    *,
    test_points: int = 500,
    batch_size: int = 25,
    exponent: float = 0.5,
    start: Start = 0.01,
    seed: int = 0,
) -> Problem:
    """Return two spirals to be told apart by a perceptron with one hidden layer.

    Args:
        turns: of each spiral.
        hidden: ReLU units.
        points: to train on, both classes together.
        test_points: to test with.
        batch_size: of the minibatches.
        exponent: p of `thermograd.data.toy.spirals`.
        start: of the parameters, as in `Problem`.
        seed: of the points.
    """
    positive_int(points, "points", "spiral")
    train, test = (
        toy.spirals(num, generator=stream(seed, purpose), turns=turns, exponent=exponent)
        for num, purpose in ((points, "points to train on"), (test_points, "points to test with"))
    )
    model = models.perceptron(2, hidden, 1, generator=stream(seed, "model"))
    name = f"{turns:g}-turn spiral, {hidden} units"
    return Problem(name, model, "binary", train, test, batch_size, start)


def published() -> dict[str, Entry]:
    """Return the entries of Figure 3.8, and LOL's of Figure 3.14."""
    return {
        "SGD": Entry("sgd", {"step_size": 0.1}),
        "SGLD": Entry("sgld", {"step_size": 0.1, "temperature": SIGMA**2 / 2}),
        "Adam": Entry("adam", {"step_size": 0.005}),
        "LOL": Entry("lol", {"step_size": 0.25, "friction": 0.01, "temperature": 1e-3}),
        "AdLaLa": Entry(
            "adlala",
            {
                "step_size": 0.25,
                "friction": 0.5,
                "temperature": 1e-4,
                "output_temperature": 1e-4,
                "driving_noise": 0.01,
                "feedback": 0.1,
                "coupling": "scaled",
                "initial_xi": 0.1,
            },
        ),
    }
