"""A linear network with a Gaussian prior: the posterior of Bayesian linear regression, exactly.

With weights w ~ N(0, s²I), noise of standard deviation σ and X the N × k inputs, the posterior is
N(A⁻¹Xᵀy/σ², A⁻¹) with A = XᵀX/σ² + I/s², and U at its mean is minus the log evidence of the data
minus the log normalisation of that Gaussian.
"""

import math

import pytest
import torch
from torch import Tensor, nn

from thermograd.noise import ThreePoint, seeded
from thermograd.potentials import Network, likelihoods, priors
from thermograd.sampling.engine import simulate
from thermograd.testing import assert_mean

from .networks import evaluate, inputs, numbers

NOISE_SD, PRIOR_SD, NUM_DATA, NUM_INPUTS = 0.6, 1.7, 20, 3


def problem(scale: str = "sum") -> tuple[Network, Tensor, Tensor]:
    """Return the network, and the mean and precision A of the posterior."""
    x = inputs(NUM_DATA, NUM_INPUTS)
    y = x @ torch.tensor([0.4, -2.0, 0.9], dtype=torch.float64) + 0.6 * numbers(NUM_DATA)
    model = nn.utils.skip_init(nn.Linear, NUM_INPUTS, 1, bias=False, dtype=torch.float64)
    with torch.no_grad():
        model.get_parameter("weight").fill_(0.3)
    network = Network(
        model,
        likelihoods.Gaussian(NOISE_SD),
        (x, y),
        priors.Gaussian(PRIOR_SD),
        batch_size=5,
        scale=scale,  # pyright: ignore[reportArgumentType]
    )
    precision = x.T @ x / NOISE_SD**2 + torch.eye(3, dtype=torch.float64) / PRIOR_SD**2
    return network, torch.linalg.solve(precision, x.T @ y / NOISE_SD**2), precision


@pytest.mark.parametrize(("scale", "factor"), [("sum", 1.0), ("mean", 1 / NUM_DATA)])
def test_potential_is_that_of_the_posterior(scale: str, factor: float) -> None:
    network, mean, precision = problem(scale)
    w = numbers(4, 1, NUM_INPUTS)
    energy, force = evaluate(network, [w])
    at_mean, force_at_mean = evaluate(network, [mean.reshape(1, 1, -1)])
    from_mean = (w - mean).squeeze(1)
    expected = factor * 0.5 * torch.einsum("wi,ij,wj->w", from_mean, precision, from_mean)
    torch.testing.assert_close(energy - at_mean, expected, rtol=1e-12, atol=0)
    torch.testing.assert_close(
        force[0].squeeze(1), -factor * from_mean @ precision, rtol=1e-12, atol=1e-12
    )
    assert float(force_at_mean[0].abs().max()) < 1e-12


def test_minimum_holds_the_evidence() -> None:
    network, mean, precision = problem()
    x, y = network._x, network._y.squeeze(1)  # pyright: ignore[reportPrivateUsage]
    marginal = PRIOR_SD**2 * x @ x.T + NOISE_SD**2 * torch.eye(NUM_DATA, dtype=torch.float64)
    log_evidence = -0.5 * (
        y @ torch.linalg.solve(marginal, y)
        + torch.logdet(marginal)
        + NUM_DATA * math.log(2 * math.pi)
    )
    log_density_at_mean = 0.5 * (torch.logdet(precision) - NUM_INPUTS * math.log(2 * math.pi))
    energy, _ = evaluate(network, [mean.reshape(1, 1, -1)])
    torch.testing.assert_close(energy[0], -(log_evidence + log_density_at_mean), rtol=1e-12, atol=0)


@pytest.mark.statistical
@pytest.mark.parametrize(("scale", "temperature"), [("sum", 1.0), ("mean", 1 / NUM_DATA)])
def test_sampling_at_the_stated_temperature_gives_the_posterior(
    scale: str, temperature: float, seed: int
) -> None:
    """BAOAB is exact in position on a quadratic potential, so only the sampling error is left."""
    network, mean, precision = problem(scale)
    stiffness = float(torch.linalg.eigvalsh(precision).max()) * temperature
    run = simulate(
        network,
        "BAOAB",
        network.start(64),
        steps=1500,
        burn_in=150,
        step_size=1.0 / math.sqrt(stiffness),
        noise=ThreePoint(seeded(seed)),
        friction=math.sqrt(stiffness),
        temperature=temperature,
        observe=lambda part: {"w": part.q[0][:, 0, 1], "u": (part.q[0][:, 0, 1] - mean[1]) ** 2},
    )
    variance = float(torch.linalg.inv(precision)[1, 1])
    assert_mean(run.mean["w"], float(mean[1]), resolves=0.2 * math.sqrt(variance))
    assert_mean(run.mean["u"], variance, resolves=0.15 * variance)
