"""Integrated autocorrelation times of quasi-Newton walkers on MNIST's 7 and 9, after Figure 11."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

import thermograd
from thermograd import data
from thermograd.ensembles import Ensemble, QuasiNewton, descend
from thermograd.experiments import Result
from thermograd.noise import seeded
from thermograd.potentials import Network

STEP_SIZE, FRICTION, TEMPERATURE = 0.125, 10.0, 0.1
WALKERS, BATCH, DIRECTIONS = 8, 550, 20
TRAINING_IMAGES = 55_000  # of the 60,000, as in the source
LEAST_CURVATURE = 1e-3
SEED = 0

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Size:
    """How long and how fine.

    Attributes:
        steps: of each run.
        update: steps between two updates of the matrices.
        every: steps between two draws.
        descent: steps of SGD before.
        etas: η of the runs with the matrices of the source.
    """

    steps: int = 50_000
    update: int = 10_000
    every: int = 100
    descent: int = 5000
    etas: tuple[float, ...] = (1.0, 10.0, 100.0, 1000.0, 10_000.0)


def ensembles(size: Size) -> dict[str, QuasiNewton]:
    """Return the ensembles by name: those of the source, and other ways."""
    largest = max(size.etas)
    shrunk = QuasiNewton(largest, size.update, memory=1, shrinkage="ledoit-wolf")
    return {
        **{f"eta{eta:g}": QuasiNewton(eta, size.update, memory=1) for eta in size.etas},
        "memory": QuasiNewton(largest, size.update),
        "often": QuasiNewton(largest, size.update // 20),
        "shrunk": shrunk,
    }


def digits() -> tuple[Tensor, Tensor]:
    """Return the images of 7 and 9 as rows of 784 numbers in [0, 1], and 0 or 1."""
    found = data.load("mnist")
    x, y = found.x[:TRAINING_IMAGES], found.y[:TRAINING_IMAGES]
    chosen = (y == 7) | (y == 9)
    return x[chosen].flatten(1) / 255, (y[chosen] == 9).long()


def made_up(num: int = 400, size: int = 30) -> tuple[Tensor, Tensor]:
    """Return two clouds of points of unequal widths, for a short run."""
    y = torch.arange(num) % 2
    x = torch.randn(num, size, generator=seeded(SEED)) * torch.linspace(0.05, 1.5, size)
    return x + 0.6 * y.unsqueeze(1), y


def target_of(x: Tensor, y: Tensor, batch: int) -> Network:
    """Return softmax regression with fixed biases."""
    model = nn.Linear(x.shape[1], 2)
    for value in model.parameters():
        nn.init.zeros_(value)
    return Network(model, "cross_entropy", (x, y), batch_size=batch, scale="mean", frozen="bias")


def forced(x: Tensor) -> Array:
    """Return the directions of the weights whose curvature at w = 0 is large enough, as rows.

    The mean loss depends on the difference of both rows alone; along v in it, (−v, v)/√2 in the
    weights, its curvature at 0 is ½ vᵀ E[x xᵀ] v.
    """
    points = x.double()
    curvature, v = torch.linalg.eigh(points.T @ points / (2 * len(points)))
    chosen = v[:, curvature > LEAST_CURVATURE].T.numpy()
    return np.hstack([-chosen, chosen]) / np.sqrt(2)


def draws_of(
    target: Network, start: list[Tensor], ensemble: Ensemble, size: Size
) -> tuple[Array, int]:
    """Return the weights (W, draws, N) and how often η was lowered."""
    run = thermograd.sample(
        target,
        "baoab",
        walkers=WALKERS,
        steps=size.steps,
        every=size.every,
        seed=SEED,
        temperature=TEMPERATURE,
        step_size=STEP_SIZE,
        friction=FRICTION,
        start=start,
        ensemble=ensemble,
        progress=False,
    )
    weights = run.posterior["weight"]
    lowered = sum(event["kind"] == "quasi_newton" for event in run.events)
    return weights.reshape(*weights.shape[:2], -1).astype(np.float64), lowered


def slowest(draws: Array) -> float:
    """Return the largest IAT, in draws, along the leading directions of the draws' covariance."""
    flat = draws.reshape(-1, draws.shape[2])
    _, _, rows = np.linalg.svd(flat - flat.mean(0), full_matrices=False)
    return max(iat(draws @ direction) for direction in rows[:DIRECTIONS])


def iat(draws: Array) -> float:
    """Return τ = 1 + 2 Σ ρ_k of draws (W, K), the sum up to the first M ≥ 5 τ, as in acor.

    Each walker is compared with its own mean, so that walkers that have not met look no slower
    than they are: τ is at most a fraction of K, and 0.14 K for a random walk.
    """
    num = draws.shape[1]
    centred = draws - draws.mean(axis=1, keepdims=True)
    spectrum = np.abs(np.fft.rfft(centred, n=2 * num, axis=1)) ** 2
    covariance = np.fft.irfft(spectrum, axis=1)[:, :num].mean(axis=0)
    tau = 2 * np.cumsum(covariance / covariance[0]) - 1
    enough = np.flatnonzero(np.arange(num) >= 5 * tau)
    return float(tau[enough[0] if len(enough) else -1])


def numbers(draws: Array, along: Array, size: Size) -> dict[str, float]:
    """Return the slowest IATs in steps, and how far the weights went, over free diffusion."""
    kept = draws[:, draws.shape[1] // 4 :]
    between = (len(kept[0]) - 1) * size.every * STEP_SIZE
    free = 2 * TEMPERATURE / FRICTION * between
    return {
        "iat": size.every * slowest(kept),
        "forced_iat": size.every * slowest(kept @ along.T),
        "travelled": float(np.square(kept[:, -1] - kept[:, 0]).mean()) / free,
    }


def measure(x: Tensor, y: Tensor, batch: int, size: Size) -> Result:
    """Return the slowest IATs without and with preconditioning, and their ratios."""
    target, along = target_of(x, y, batch), forced(x)
    start = descend(
        target,
        target.start(WALKERS),
        method="sgd",
        steps=size.descent,
        learning_rate=0.1,
        generator=seeded(SEED),
    )
    plain = numbers(draws_of(target, start, Ensemble(), size)[0], along, size)
    measured = {f"plain_{key}": value for key, value in plain.items()}
    measured["num_forced"] = len(along)
    for name, ensemble in ensembles(size).items():
        draws, lowered = draws_of(target, start, ensemble, size)
        found = numbers(draws, along, size)
        measured |= {f"{name}_{key}": value for key, value in found.items()}
        measured[f"{name}_gain"] = plain["iat"] / found["iat"]
        measured[f"{name}_forced_gain"] = plain["forced_iat"] / found["forced_iat"]
        measured[f"{name}_lowered"] = lowered
    measured |= _best(measured, size)
    return Result(measured, asdict(size), SEED)


def _best(measured: Mapping[str, float], size: Size) -> dict[str, float]:
    """Return the largest gains of the ensembles of the source."""
    names = [f"eta{eta:g}" for eta in size.etas]
    return {
        "best_gain": max(measured[f"{name}_gain"] for name in names),
        "best_forced_gain": max(measured[f"{name}_forced_gain"] for name in names),
    }


def smoke() -> Result:
    """Run on made-up points for a short time."""
    return measure(*made_up(), 50, Size(600, 150, 10, 100, (100.0,)))


def full() -> Result:
    """Run on the digits; needs MNIST (`thermograd fetch mnist`)."""
    return measure(*digits(), BATCH, Size())
