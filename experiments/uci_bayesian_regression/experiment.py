"""Posteriors of linear and logistic regression, against the closed form and against NUTS."""

import json
import math
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from problems import generated, linear, logistic, read
from torch import Tensor

import thermograd
from thermograd.experiments import Result
from thermograd.integrators import Integrator
from thermograd.integrators.hmc import HMC
from thermograd.potentials import Network

SEED = 6
LINEAR, LOGISTIC = ("yacht", "concrete"), ("pima", "german")
METHODS: dict[str, str | Integrator] = {"baoab": "baoab", "hmc": HMC(12, randomised=True)}


@dataclass(frozen=True, slots=True)
class Size:
    """How much is run.

    Attributes:
        walkers: W.
        steps: of BAOAB, the burn-in included; HMC makes a tenth.
        burn_in: of BAOAB.
    """

    walkers: int = 64
    steps: int = 6_000
    burn_in: int = 1_000


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """What is known of a posterior.

    Attributes:
        mean: of every parameter.
        sd: likewise.
        mean_error: how uncertain the means are; 0 in closed form.
        sd_error: likewise.
        covariance: from which step sizes are taken; the closed form's, or Laplace's.
    """

    mean: Tensor
    sd: Tensor
    mean_error: Tensor
    sd_error: Tensor
    covariance: Tensor


def smoke(seed: int = SEED) -> Result:
    """Sample a generated linear regression, whose posterior is known in closed form."""
    target, mean, covariance = linear(generated("linear", 90, 3, seed))
    size = Size(walkers=32, steps=500, burn_in=100)
    measured = _measure("generated", target, _closed_form(mean, covariance), size, seed)
    return Result(measured, asdict(size), seed)


def full(seed: int = SEED) -> Result:
    """Sample four real tables; needs `thermograd fetch uci`."""
    stored = json.loads(Path(__file__).with_name("reference.json").read_text(encoding="utf-8"))
    size, measured = Size(), dict[str, float]()
    for name in LINEAR:
        target, mean, covariance = linear(read(name))
        measured |= _measure(name, target, _closed_form(mean, covariance), size, seed)
    for name in LOGISTIC:
        table, entry = read(name), stored["tables"][name]
        if table.sha256 != entry["data_sha256"]:
            raise ValueError(f"{name} is not the table that reference.json was made from")
        target = logistic(table)
        values = {
            key: torch.tensor(entry[key], dtype=torch.float64)
            for key in ("mean", "mean_error", "sd", "sd_error")
        }
        reference = Reference(**values, covariance=_laplace(target, values["mean"]))
        measured |= _measure(name, target, reference, size, seed)
    return Result(measured, {**asdict(size), "methods": list(METHODS)}, seed)


def _closed_form(mean: Tensor, covariance: Tensor) -> Reference:
    nothing = torch.zeros_like(mean)
    return Reference(mean, covariance.diagonal().sqrt(), nothing, nothing, covariance)


def _laplace(target: Network, mean: Tensor, eps: float = 1e-4) -> Tensor:
    """Return the inverse Hessian at the mean, from differences of forces."""
    d = len(mean)
    shift = eps * torch.eye(d, dtype=torch.float64)
    rows = torch.cat([mean + shift, mean - shift])
    out = [torch.empty(2 * d, 1, d - 1).double(), torch.empty(2 * d, 1).double()]
    target.force([rows[:, None, :-1], rows[:, -1:]], out=out)
    force = torch.cat([tensor.flatten(1) for tensor in out], dim=1)
    hessian = (force[d:] - force[:d]) / (2 * eps)
    return torch.linalg.inv((hessian + hessian.T) / 2)


def _measure(
    name: str, target: Network, reference: Reference, size: Size, seed: int
) -> dict[str, float]:
    measured: dict[str, float] = {}
    for method in METHODS:
        draws = _draws(target, method, reference, size, seed)
        found = _deviations(draws, reference)
        measured |= {f"{key}_{name}_{method}": value for key, value in found.items()}
    return measured


def _draws(target: Network, method: str, reference: Reference, size: Size, seed: int) -> Tensor:
    """Return draws of every parameter, (W, draws, d).

    The step is two thirds of the shortest time scale, 1/ω of the stiffest direction; the friction
    is 1/(the longest).
    """
    scales = torch.linalg.eigvalsh(reference.covariance).sqrt()
    shortest, longest = float(scales[0]), float(scales[-1])
    share = 10 if method == "hmc" else 1
    run = thermograd.sample(
        target,
        METHODS[method],
        walkers=size.walkers,
        steps=size.steps // share,
        burn_in=size.burn_in // share,
        every=10 // share,
        seed=seed,
        temperature=1.0,
        step_size=2 * shortest / 3,
        friction=1 / longest,
        compile=False,
        progress=False,
    )
    posterior = [torch.from_numpy(run.posterior[key]).flatten(2) for key in target.names]
    return torch.cat(posterior, dim=2)


def _deviations(draws: Tensor, reference: Reference) -> dict[str, float]:
    """Return the largest z-scores and the worst relative deviations of means and sds."""
    gap = draws - reference.mean
    mean, mean_error = _over_walkers(gap.mean(1))
    variance, variance_error = _over_walkers(gap.square().mean(1))
    sd = variance.sqrt()
    sd_error = (variance_error / (2 * sd)).hypot(reference.sd_error)
    ratio = sd / reference.sd
    return {
        "z_mean": float((mean / mean_error.hypot(reference.mean_error)).abs().max()),
        "z_sd": float(((sd - reference.sd) / sd_error).abs().max()),
        "gap_mean": float((mean / reference.sd).abs().max()),
        "lowest_sd_ratio": float(ratio.min()),
        "highest_sd_ratio": float(ratio.max()),
        "error_sd_ratio": float((sd_error / reference.sd).max()),
    }


def _over_walkers(values: Tensor) -> tuple[Tensor, Tensor]:
    return values.mean(0), values.std(0) / math.sqrt(len(values))
