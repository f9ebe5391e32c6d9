"""Training a wide perceptron on two noisy spirals, with and without circles, many runs at once."""

from dataclasses import dataclass

import torch
from vlaar_common.own_data import OwnData, Spiral

import thermograd
from thermograd.geometry import Sphere
from thermograd.models import perceptron
from thermograd.noise import seeded
from thermograd.state import Params

SPIRAL = Spiral(turns=2, scale=1.0, noise=0.05, num_train=100, num_test=2000, batch=2)
BOUNDED = ("0.weight", "2.weight")
STEPS_PER_EPOCH = 50


@dataclass(frozen=True, slots=True)
class Method:
    """What a row of the table differs in.

    Attributes:
        temperature: T.
        decay: λ of the weight decay.
        is_bounded: whether weights live on circles.
    """

    temperature: float = 0.0
    decay: float = 0.0
    is_bounded: bool = False


@dataclass(frozen=True, slots=True)
class Size:
    """How much is run.

    Attributes:
        runs: of each method, each with its own start and its own points.
        epochs: of 50 steps.
        hidden: units.
        looks: how often positions are kept.
        step_size: h.
        radii: of the first and the second layer.
    """

    runs: int = 20
    epochs: int = 10_000
    hidden: int = 500
    looks: int = 20
    step_size: float = 0.05
    radii: tuple[float, float] = (1.0, 5.0)


def problem(size: Size, seed: int, decay: float = 0.0) -> OwnData:
    """Return the target of all runs."""
    model = perceptron(2, size.hidden, 1, generator=seeded(seed))
    return OwnData(model, SPIRAL, size.runs, seed, decay)


def train(method: Method, size: Size, seed: int, compile: bool = True) -> list[Params]:
    """Return the positions of all runs at every look."""
    target = problem(size, seed, method.decay)
    steps = size.epochs * STEPS_PER_EPOCH
    geometry = {
        name: Sphere(radius, slack=True, per="weight")
        for name, radius in zip(BOUNDED, size.radii, strict=True)
    }
    run = thermograd.sample(
        target,
        "euler_maruyama",
        walkers=size.runs,
        steps=steps,
        every=steps // size.looks,
        seed=seed,
        temperature=method.temperature,
        step_size=size.step_size,
        start=target.network.start(size.runs, seeded(seed + 1), init="reset"),
        geometry=geometry if method.is_bounded else None,
        compile=compile,
        progress=False,
    )
    kept = [torch.from_numpy(run.posterior[name]) for name in target.names]
    return [[x[:, look] for x in kept] for look in range(size.looks)]
