"""Figures 4.1 to 4.3, Tables 4.1 and 4.5: two noisy spirals, a wide perceptron, bounded weights."""

from collections.abc import Mapping
from dataclasses import asdict, replace

import numpy as np
import torch
from torch import Tensor
from training import Method, Size, problem, train
from vlaar_common.own_data import OwnData

from thermograd.diagnostics.boundary import PredictionGrid, contour_curvature, level_set_curvature
from thermograd.experiments import Result
from thermograd.state import Params

SEED = 11
METHODS = {
    "sgd": Method(),
    "sgd_wd": Method(decay=1e-4),
    "c_sgd": Method(is_bounded=True),
    "sgld": Method(temperature=5e-5),
    "c_sgld": Method(temperature=5e-5, is_bounded=True),
}
SCAN = (0.0, 1e-6, 5e-6, 1e-5, 5e-5, 1e-4, 5e-4)
SHORT_SCAN = (0.0, 1e-5, 5e-5, 1e-4)
EDGE = 1.25  # half the side of the square on which boundaries are looked at


def smoke(seed: int = SEED) -> Result:
    """Train a narrow network by all methods for a moment."""
    size = Size(runs=2, epochs=3, hidden=30, looks=1)
    measured = _table(METHODS, size, seed, resolution=25, compile=False)
    return Result(measured, asdict(size), seed)


def full(seed: int = SEED, size: str = "short") -> Result:
    """Train by the five methods, and for a shorter time by C-SGLD at several temperatures.

    Args:
        seed: of points, starts, batches and noise.
        size: "short", or "paper" for 100 runs of 10,000 epochs and grids of 1000 × 1000.
    """
    is_paper = size == "paper"
    chosen = Size(runs=100, epochs=10_000) if is_paper else Size(epochs=4000)
    short = chosen if is_paper else replace(chosen, epochs=1000, looks=5)
    resolution = 1000 if is_paper else 300
    measured = _table(METHODS, chosen, seed, resolution)
    scan = SCAN if is_paper else SHORT_SCAN
    others = {"scan_sgd": Method()}
    others |= {f"scan_{t:g}": Method(t, is_bounded=True) for t in scan}
    measured |= _table(others, short, seed, resolution)
    config = {**asdict(chosen), "scan_epochs": short.epochs, "resolution": resolution}
    return Result({**measured, **comparisons(measured)}, config, seed)


def comparisons(measured: Mapping[str, float]) -> dict[str, float]:
    """Return what the source's claims are about."""
    return {
        "accuracy_gain": measured["c_sgld_percent"] - measured["sgd_percent"],
        "late_accuracy_gain": measured["c_sgld_late_percent"] - measured["sgd_late_percent"],
        "c_sgd_loss_ratio": measured["c_sgd_loss"] / measured["sgd_loss"],
        "c_sgld_loss_ratio": measured["c_sgld_loss"] / measured["sgd_loss"],
        "curvature_ratio": measured["c_sgld_curvature"] / measured["sgd_curvature"],
        "noise_gain": measured["scan_5e-05_percent"] - measured["scan_0_percent"],
        "noise_curvature_ratio": measured["scan_5e-05_curvature"] / measured["scan_0_curvature"],
        "hotter_gain": measured["scan_0.0001_percent"] - measured["scan_5e-05_percent"],
    }


def _table(
    methods: Mapping[str, Method], size: Size, seed: int, resolution: int, compile: bool = True
) -> dict[str, float]:
    measured: dict[str, float] = {}
    for name, method in methods.items():
        looks = train(method, size, seed, compile)
        measured |= scores(name, looks, size, seed)
        measured |= boundary(name, problem(size, seed), looks[-1], resolution)
    return measured


def scores(name: str, looks: list[Params], size: Size, seed: int) -> dict[str, float]:
    """Return what a method's runs achieve, at the end and on the way."""
    target = problem(size, seed)
    rows = [target.scores(q) for q in looks]
    measured: dict[str, float] = {}
    for number, (loss, percent) in enumerate(rows, 1):
        epoch = number * size.epochs // len(rows)
        measured[f"{name}_loss_epoch{epoch}"] = float(loss.mean())
        measured[f"{name}_percent_epoch{epoch}"] = float(percent.mean())
    loss, percent = rows[-1]
    q = dict(zip(target.names, looks[-1], strict=True))
    measured |= {
        f"{name}_loss": float(loss.mean()),
        f"{name}_percent": float(percent.mean()),
        f"{name}_percent_sd": float(percent.std()),
        f"{name}_late_percent": _late([percent for _, percent in rows]),
        f"{name}_late_loss": _late([loss for loss, _ in rows]),
        f"{name}_train_percent": float(target.train_percent(looks[-1]).mean()),
        f"{name}_largest_first": float(q["0.weight"].abs().max()),
        f"{name}_largest_last": float(q["2.weight"].abs().max()),
    }
    return measured


def _late(values: list[Tensor]) -> float:
    """Return the mean over runs and over the last quarter of the looks."""
    return float(torch.stack(values[-max(1, len(values) // 4) :]).mean())


def boundary(name: str, target: OwnData, q: Params, resolution: int) -> dict[str, float]:
    """Return the curvature of the decision boundary, pooled over all points of all runs.

    By (4.60) along the contour; and from derivatives on the grid, the median, which does not hang
    on single points.
    """
    x = np.linspace(-EDGE, EDGE, resolution)
    points = torch.from_numpy(np.stack(np.meshgrid(x, x), -1).reshape(-1, 2)).float()
    bent: list[np.ndarray[tuple[int, ...], np.dtype[np.float64]]] = []
    medians: list[float] = []
    for run in range(len(q[0])):
        own = [tensor[run : run + 1] for tensor in q]
        grid = PredictionGrid(x, x, _logits(target, own, points).reshape(resolution, resolution))
        if grid.values.min() < 0 < grid.values.max():
            bent.append(contour_curvature(grid, 0.0).values)
            medians.append(level_set_curvature(grid, 0.0).median)
    if not bent:
        return {}
    pooled = np.concatenate(bent)
    return {
        f"{name}_curvature": float(pooled.mean()),
        f"{name}_curvature_sd": float(pooled.std()),
        f"{name}_curvature_max": float(pooled.max()),
        f"{name}_curvature_median": float(np.median(pooled)),
        f"{name}_level_set_median": float(np.mean(medians)),
    }


def _logits(
    target: OwnData, q: Params, points: Tensor
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    rows = [target.network.predict(q, part)[0, :, 0] for part in points.split(20_000)]
    return torch.cat(rows).double().numpy()
