"""Integrated autocorrelation times of quasi-Newton walkers on MNIST's 7 and 9, after Figure 11."""

import math
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
from thermograd.potentials.priors import Gaussian, Prior

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
    """

    steps: int
    update: int
    every: int


@dataclass(frozen=True)
class Plan:
    """What is run.

    Attributes:
        descent: steps of SGD before.
        etas: η of the printed problem.
        printed: size of its runs.
        confined: size of the runs with a prior.
    """

    descent: int = 5000
    etas: tuple[float, ...] = (10.0, 10_000.0)
    printed: Size = Size(50_000, 10_000, 100)
    confined: Size = Size(12_000, 1500, 20)


def ensembles(eta: float, update: int) -> dict[str, Ensemble]:
    """Return the ensembles of the confined problem by name."""
    return {
        "now": QuasiNewton(eta, update, memory=1),
        "memory": QuasiNewton(eta, update),
        "shrunk": QuasiNewton(eta, update, shrinkage="ledoit-wolf"),
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


def target_of(x: Tensor, y: Tensor, batch: int, prior: Prior | None = None) -> Network:
    """Return softmax regression with fixed biases."""
    model = nn.Linear(x.shape[1], 2)
    for value in model.parameters():
        nn.init.zeros_(value)
    return Network(
        model, "cross_entropy", (x, y), prior, batch_size=batch, scale="mean", frozen="bias"
    )


def confining(num_data: int) -> Gaussian:
    """Return the prior that alone gives every weight the sd ½ at this temperature."""
    return Gaussian(0.5 / math.sqrt(TEMPERATURE * num_data))


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
    flat = flat - flat.mean(0)
    _, columns = np.linalg.eigh(flat.T @ flat)
    along = draws @ columns[:, -DIRECTIONS:]
    return max(iat(along[:, :, k]) for k in range(along.shape[2]))


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


def printed(target: Network, start: list[Tensor], along: Array, plan: Plan) -> dict[str, float]:
    """Return the slowest IATs of the printed problem, in steps, and how far the weights went."""
    size = plan.printed
    each: dict[str, Ensemble] = {"plain": Ensemble()}
    each |= {f"eta{eta:g}": QuasiNewton(eta, size.update, memory=1) for eta in plan.etas}
    measured: dict[str, float] = {}
    for name, ensemble in each.items():
        draws, measured[f"{name}_lowered"] = draws_of(target, start, ensemble, size)
        kept = draws[:, draws.shape[1] // 4 :]
        free = 2 * TEMPERATURE / FRICTION * (len(kept[0]) - 1) * size.every * STEP_SIZE
        measured[f"{name}_iat"] = size.every * slowest(kept)
        measured[f"{name}_forced_iat"] = size.every * slowest(kept @ along.T)
        measured[f"{name}_travelled"] = float(np.square(kept[:, -1] - kept[:, 0]).mean()) / free
    names = [name for name in each if name != "plain"]
    for name in names:
        for kind in ("iat", "forced_iat"):
            gain = measured[f"plain_{kind}"] / measured[f"{name}_{kind}"]
            measured[f"{name}_{kind.replace('iat', 'gain')}"] = gain
    measured["best_gain"] = max(measured[f"{name}_gain"] for name in names)
    return measured


def confined(target: Network, start: list[Tensor], plan: Plan) -> dict[str, float]:
    """Return the slowest IATs with a confining prior, in steps, and the potential's average."""
    size, measured = plan.confined, dict[str, float]()
    each = {"plain": Ensemble(), **ensembles(max(plan.etas), size.update)}
    for name, ensemble in each.items():
        draws, lowered = draws_of(target, start, ensemble, size)
        kept = draws[:, draws.shape[1] // 4 :]
        measured[f"confined_{name}_iat"] = size.every * slowest(kept)
        measured[f"confined_{name}_square"] = float(np.square(kept).mean())
        measured[f"confined_{name}_lowered"] = lowered
        gain = measured["confined_plain_iat"] / measured[f"confined_{name}_iat"]
        measured[f"confined_{name}_gain"] = gain
    return measured


def measure(x: Tensor, y: Tensor, batch: int, plan: Plan) -> Result:
    """Return the slowest IATs without and with preconditioning, and their ratios."""
    target, along = target_of(x, y, batch), forced(x)
    start = descend(
        target,
        target.start(WALKERS),
        method="sgd",
        steps=plan.descent,
        learning_rate=0.1,
        generator=seeded(SEED),
    )
    measured = {"num_forced": float(len(along)), **printed(target, start, along, plan)}
    measured |= confined(target_of(x, y, batch, confining(len(x))), start, plan)
    return Result(measured, asdict(plan), SEED)


def smoke() -> Result:
    """Run on made-up points for a short time."""
    return measure(*made_up(), 50, Plan(100, (100.0,), Size(600, 150, 10), Size(600, 150, 10)))


def full() -> Result:
    """Run on the digits; needs MNIST (`thermograd fetch mnist`)."""
    return measure(*digits(), BATCH, Plan())
