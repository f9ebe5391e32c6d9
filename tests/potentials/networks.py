"""Small networks and data for the tests of potentials.Network, all in float64."""

import torch
from torch import Tensor, nn

from thermograd.models import mlp
from thermograd.noise import seeded
from thermograd.potentials import Network

NUM_DATA = 7


def inputs(num_data: int = NUM_DATA, size: int = 3) -> Tensor:
    return torch.randn((num_data, size), generator=seeded(11), dtype=torch.float64)


def numbers(*shape: int) -> Tensor:
    return torch.randn(shape, generator=seeded(12), dtype=torch.float64)


def labels(classes: int, num_data: int = NUM_DATA) -> Tensor:
    return (5 * torch.arange(num_data) + 3) % classes


def perceptron(outputs: int = 2, inputs: int = 3) -> nn.Sequential:
    return mlp((inputs, 4, outputs), "tanh", generator=seeded(14)).double()


def affine(outputs: int, seed: int) -> nn.Linear:
    layer = mlp((3, outputs), generator=seeded(seed)).double()[0]
    assert isinstance(layer, nn.Linear)
    return layer


def scattered(network: Network, num_walkers: int = 3) -> list[Tensor]:
    return network.start(num_walkers, seeded(15), init="jitter", spread=0.6)


def evaluate(
    network: Network, q: list[Tensor], batch: Tensor | None = None
) -> tuple[Tensor, list[Tensor]]:
    out = [torch.full_like(tensor, torch.nan) for tensor in q]
    return network.force(q, batch, out=out), out


def assert_same(
    got: tuple[Tensor, list[Tensor]], expected: tuple[Tensor, list[Tensor]], tolerance: float
) -> None:
    """Assert that energies and forces agree, relative to the largest of each."""
    pairs = zip([got[0], *got[1]], [expected[0], *expected[1]], strict=True)
    for one, other in pairs:
        size = float(other.abs().max())
        torch.testing.assert_close(one, other, rtol=0, atol=tolerance * max(size, 0.1))
