"""Stationary laws on Gaussian and quartic targets, from walkers that start in the law."""

import pytest
import torch

import thermograd
from thermograd.noise import seeded
from thermograd.potentials import Harmonic, Quartic
from thermograd.testing import assert_mean

pytestmark = pytest.mark.statistical
T = 0.7


@pytest.mark.parametrize("compile", [False, True])
def test_baoab_keeps_the_variance_of_a_gaussian(compile: bool, seed: int) -> None:
    target = Harmonic((1.7, 0.4))
    run = thermograd.sample(
        target,
        "baoab",
        walkers=64,
        steps=6000,
        every=3,
        seed=seed,
        temperature=T,
        step_size=0.6,
        mass=1.3,
        friction=0.8,
        start=target.sample(64, T, seeded(seed)),
        compile=compile,
        progress=False,
    )
    squares = torch.from_numpy(run.posterior["q"]).double().square().mean(1)  # (W, 2)
    assert_mean(squares[:, 0], T / 1.7, resolves=0.02)
    assert_mean(squares[:, 1], T / 0.4, resolves=0.15)


@pytest.mark.parametrize(
    ("method", "step_size"), [("baoab", 0.15), ("obabo", 0.05), ("mala", 0.2), ("hmc", 0.1)]
)
def test_methods_sample_a_quartic(method: str, step_size: float, seed: int) -> None:
    target = Quartic(1.3, 0.4, 5)
    run = thermograd.sample(
        target,
        method,
        walkers=64,
        steps=3000,
        every=3,
        seed=seed,
        temperature=T,
        step_size=step_size,
        mass=1.3,
        friction=0.8,
        start=target.sample(64, T, seeded(seed)),
        compile=False,
        progress=False,
    )
    q = torch.from_numpy(run.posterior["q"]).double()  # (W, draws, 5)
    law = target.expectations(T)
    assert_mean(q.pow(2).mean((1, 2)), law["q^2"], resolves=0.02)
    assert_mean(q.pow(4).mean((1, 2)), law["q^4"], resolves=0.05)
