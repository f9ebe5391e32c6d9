"""Integrated autocorrelation times of quasi-Newton walkers on MNIST's 7 and 9, after Figure 11."""

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
SEED = 0


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


def draws_of(
    target: Network, start: list[Tensor], ensemble: Ensemble, steps: int, every: int
) -> tuple[NDArray[np.float64], int]:
    """Return the weights (W, draws, N) and how often η was lowered."""
    run = thermograd.sample(
        target,
        "baoab",
        walkers=WALKERS,
        steps=steps,
        every=every,
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


def slowest(draws: NDArray[np.float64]) -> float:
    """Return the largest IAT, in draws, along the leading directions of the draws' covariance."""
    kept = draws[:, draws.shape[1] // 4 :]
    flat = kept.reshape(-1, kept.shape[2])
    flat = flat - flat.mean(0)
    _, _, rows = np.linalg.svd(flat[:: max(1, len(flat) // 4000)], full_matrices=False)
    return max(iat(kept @ direction) for direction in rows[:DIRECTIONS])


def iat(draws: NDArray[np.float64]) -> float:
    """Return τ = 1 + 2 Σ ρ_k of draws (W, K), the sum up to the first M ≥ 5 τ, as in acor.

    Each walker is compared with its own mean, so that walkers that have not met look no slower
    than they are: τ is at most a fraction of K.
    """
    num = draws.shape[1]
    centred = draws - draws.mean(axis=1, keepdims=True)
    spectrum = np.abs(np.fft.rfft(centred, n=2 * num, axis=1)) ** 2
    covariance = np.fft.irfft(spectrum, axis=1)[:, :num].mean(axis=0)
    tau = 2 * np.cumsum(covariance / covariance[0]) - 1
    enough = np.flatnonzero(np.arange(num) >= 5 * tau)
    return float(tau[enough[0] if len(enough) else -1])


def measure(
    target: Network, etas: tuple[float, ...], steps: int, update: int, every: int, descent: int
) -> Result:
    """Return the slowest IAT in steps without and with preconditioning."""
    start = descend(
        target,
        target.start(WALKERS),
        method="sgd",
        steps=descent,
        learning_rate=0.1,
        generator=seeded(SEED),
    )
    plain, _ = draws_of(target, start, Ensemble(), steps, every)
    measured = {"plain_iat": every * slowest(plain)}
    for eta in etas:
        ensemble = QuasiNewton(eta=eta, every=update)
        found, lowered = draws_of(target, start, ensemble, steps, every)
        measured[f"eta{eta:g}_iat"] = every * slowest(found)
        measured[f"eta{eta:g}_gain"] = measured["plain_iat"] / measured[f"eta{eta:g}_iat"]
        measured[f"eta{eta:g}_lowered"] = lowered
    measured["best_gain"] = max(measured[f"eta{eta:g}_gain"] for eta in etas)
    config = {"etas": list(etas), "steps": steps, "update": update, "every": every}
    return Result(measured, config, SEED)


def smoke() -> Result:
    """Run on made-up points for a short time."""
    return measure(target_of(*made_up(), 50), (100.0,), 2000, 500, 20, 200)


def full() -> Result:
    """Run on the digits; needs MNIST (`thermograd fetch mnist`)."""
    return measure(target_of(*digits(), BATCH), (100.0, 10_000.0), 100_000, 10_000, 100, 5000)
