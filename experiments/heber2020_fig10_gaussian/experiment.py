"""Integrated autocorrelation times of quasi-Newton walkers on a Gaussian, after Figure 10."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray

import thermograd
from thermograd.ensembles import Ensemble, QuasiNewton
from thermograd.experiments import Result
from thermograd.noise import seeded
from thermograd.potentials import CorrelatedGaussian
from thermograd.sampling.observables import projection

Reading = Literal["precision", "covariance"]

STEP_SIZE, FRICTION, TEMPERATURE, ETA = 0.125, 1.0, 1.0, 10.0
SEED = 0
ENSEMBLES = {
    "": QuasiNewton(eta=ETA, every=1000),
    "_now": QuasiNewton(eta=ETA, every=1000, memory=1),
    "_now_shrunk": QuasiNewton(eta=ETA, every=1000, memory=1, shrinkage="ledoit-wolf"),
}


@dataclass(frozen=True)
class Case:
    """A run: which matrix, how many walkers, whether they precondition each other."""

    reading: Reading
    size: int
    walkers: int
    ensemble: Ensemble
    steps: int


def target_of(reading: Reading, size: int) -> tuple[CorrelatedGaussian, torch.Tensor]:
    """Return the Gaussian and its principal directions, as rows.

    C has eigenvalues equispaced in [1, 100]. As precision: U = wᵀCw, as printed; as covariance:
    U = ½ wᵀC⁻¹w, whose law is N(0, C).
    """
    spectrum = torch.linspace(1, 100, size, dtype=torch.float64)
    curvatures = 2 * spectrum if reading == "precision" else 1 / spectrum
    target = CorrelatedGaussian.from_spectrum(curvatures.tolist(), seeded(SEED))
    matrix = torch.tensor(target.precision, dtype=torch.float64)
    return target, torch.linalg.eigh(matrix).eigenvectors.T


@dataclass(frozen=True)
class Found:
    """What a run gave.

    Attributes:
        iats: along every principal direction, in steps.
        variance_error: the largest |variance/exact − 1| over the directions.
        lowered: updates at which η was lowered.
    """

    iats: NDArray[np.float64]
    variance_error: float
    lowered: int


def run_of(case: Case) -> Found:
    """Run a case."""
    target, directions = target_of(case.reading, case.size)
    run = thermograd.sample(
        target,
        "baoab",
        walkers=case.walkers,
        steps=case.steps + case.steps // 10,
        burn_in=case.steps // 10,
        params=(),
        seed=SEED,
        temperature=TEMPERATURE,
        step_size=STEP_SIZE,
        friction=FRICTION,
        start=target.sample(case.walkers, TEMPERATURE, seeded(SEED + 1)),
        ensemble=case.ensemble,
        observables=[projection(directions, "principal")],
        compile=False,
        progress=False,
    )
    draws = run.posterior["principal"]  # (W, draws, n)
    columns = [draws[:, :, k].astype(np.float64) for k in range(case.size)]
    exact = TEMPERATURE / np.linalg.eigvalsh(np.array(target.precision))
    variances = np.array([np.square(column).mean() for column in columns])
    lowered = sum(event["kind"] == "quasi_newton" for event in run.events)
    error = float(np.abs(variances / exact - 1).max())
    return Found(np.array([iat(column) for column in columns]), error, lowered)


def iat(draws: NDArray[np.float64]) -> float:
    """Return τ = 1 + 2 Σ ρ_k of draws (W, K) with mean 0, averaged over the walkers.

    The sum ends at the first M ≥ 5 τ, as in acor, but not before the friction has damped what
    oscillates (e⁻¹⁰ at M = 20/γh). The summary of a run cuts at the first negative pair, which is
    meant for reversible chains; Langevin dynamics with little friction is none.
    """
    num = draws.shape[1]
    spectrum = np.abs(np.fft.rfft(draws, n=2 * num, axis=1)) ** 2
    covariance = np.fft.irfft(spectrum, axis=1)[:, : num // 2].mean(axis=0)
    rho = covariance / (num - np.arange(num // 2))
    tau = 2 * np.cumsum(rho / rho[0]) - 1
    first = min(round(20 / (FRICTION * STEP_SIZE)), num // 4)
    window = np.arange(num // 2)
    enough = np.flatnonzero((window >= first) & (window >= 5 * tau))
    return float(tau[enough[0] if len(enough) else -1])


def numbers(key: str, found: Found) -> dict[str, float]:
    """Return the slowest IAT, those along the directions 1, 2, 4, 8, … of many, and the error."""
    size = len(found.iats)
    shown = [2**k for k in range(size.bit_length()) if 2**k <= size] if size > 4 else []
    return {
        f"{key}_iat": float(found.iats.max()),
        **{f"{key}_iat_{number}": float(found.iats[number - 1]) for number in shown},
        f"{key}_variance_error": found.variance_error,
    }


def measure(cases: tuple[tuple[int, int], ...], steps: int) -> Result:
    """Return the slowest IATs of cases (size, walkers), and their ratios to independent walkers."""
    measured: dict[str, float] = {}
    readings: tuple[Reading, ...] = ("precision", "covariance")
    for reading in readings:
        for size in sorted({size for size, _ in cases}):
            plain = run_of(Case(reading, size, 16, Ensemble(), steps))
            measured |= numbers(f"{reading}_n{size}_plain", plain)
        for size, walkers in cases:
            plain_iat = measured[f"{reading}_n{size}_plain_iat"]
            for label, ensemble in ENSEMBLES.items():
                found = run_of(Case(reading, size, walkers, ensemble, steps))
                key = f"{reading}_n{size}_w{walkers}{label}"
                measured |= numbers(key, found)
                measured[f"{key}_gain"] = plain_iat / float(found.iats.max())
                measured[f"{key}_lowered"] = found.lowered
    return Result(measured, {"cases": [list(case) for case in cases], "steps": steps}, SEED)


def smoke() -> Result:
    """Run the smallest case for a short time."""
    return measure(((4, 16),), 2500)


def full() -> Result:
    """Run for the 50,000 steps of the source."""
    return measure(((4, 16), (16, 16), (64, 8), (64, 16)), 50_000)
