"""Averages and draws under exp(−U/T) in one or two dimensions, by the trapezoidal rule.

On a smooth density that has decayed at both ends of the interval the trapezoidal rule
converges faster than any power of the spacing, so doubling the nodes until nothing moves
gives rounding accuracy. A grid that misses narrow modes can stand still too; what it cannot do
is give the virial its known average T, so that is asked for as well.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from .._errors import EvaluationError
from .analytic import Analytic

Interval = tuple[float, float]

DECAY = 80.0  # exp(−80) is 2e-35: what lies outside the interval does not show in float64
TOLERANCE = 1e-12


def interval(energy: Callable[[Tensor], Tensor], reach: float, temperature: float) -> Interval:
    """Return (−L, L), L ≥ `reach`, with U at both ends 80 T above its minimum inside.

    Args:
        energy: U of one coordinate, element-wise; confining and convex beyond `reach`.
        reach: a half-width that contains the wells.
        temperature: T > 0.
    """
    half = reach
    for _ in range(400):
        values = energy(torch.linspace(-half, half, 2001, dtype=torch.float64))
        lowest_end = torch.minimum(values[0], values[-1])
        if float(lowest_end - values.min()) > DECAY * temperature:
            return -half, half
        half *= 1.25
    raise EvaluationError(f"no interval around 0 holds exp(-U/T) at temperature {temperature!r}")


def averages(target: Analytic, box: Sequence[Interval], temperature: float) -> dict[str, float]:
    """Return the averages of all observables of `target` under exp(−energy/T).

    Args:
        target: a potential in one or two dimensions.
        box: per coordinate, an interval outside which the density is negligible.
        temperature: T > 0.

    Raises:
        EvaluationError: if refining the grid to its limit does not settle the averages.
    """
    num_nodes, limit = (513, 2**20) if len(box) == 1 else (129, 2**11)
    old = _averages_on_grid(target, box, temperature, num_nodes)
    while num_nodes < limit:
        num_nodes = 2 * num_nodes - 1
        new = _averages_on_grid(target, box, temperature, num_nodes)
        if _is_settled(old, new, temperature):
            return new
        old = new
    raise EvaluationError(
        f"the averages of {target!r} at temperature {temperature!r} do not settle on a grid of "
        f"{num_nodes} nodes per coordinate: the density is too narrow for its interval"
    )


def _is_settled(old: dict[str, float], new: dict[str, float], temperature: float) -> bool:
    still = all(abs(new[name] - old[name]) <= TOLERANCE * (1 + abs(new[name])) for name in new)
    return still and abs(new["virial"] - temperature) <= 1e-9 * temperature


def _averages_on_grid(
    target: Analytic, box: Sequence[Interval], temperature: float, num_nodes: int
) -> dict[str, float]:
    axes = [torch.linspace(low, high, num_nodes, dtype=torch.float64) for low, high in box]
    x = torch.stack([axis.reshape(-1) for axis in torch.meshgrid(*axes, indexing="ij")], dim=1)
    values = target.observables([x])
    energy = values["energy"]
    weights = torch.exp((energy.min() - energy) / temperature)
    weights /= weights.sum()
    return {name: float(weights @ value) for name, value in values.items()}


def draw(
    energy: Callable[[Tensor], Tensor],
    bounds: Interval,
    temperature: float,
    shape: tuple[int, int],
    generator: torch.Generator,
) -> Tensor:
    """Draw independent coordinates from exp(−U/T) by inverting its distribution function.

    The density is replaced by its linear interpolant between 2¹⁵ + 1 nodes and that law is
    inverted exactly; it differs from that of the target by less than 1e-8 on a quartic, far
    below what samples can resolve.
    """
    device = generator.device
    nodes = torch.linspace(*bounds, 2**15 + 1, dtype=torch.float64, device=device)
    values = energy(nodes)
    density = torch.exp((values.min() - values) / temperature)
    cells = (density[1:] + density[:-1]) / 2
    law = torch.cat([cells.new_zeros(1), torch.cumsum(cells, 0)])
    u = torch.rand(shape, generator=generator, dtype=torch.float64, device=device) * law[-1]
    cell = (torch.searchsorted(law, u, right=True) - 1).clamp(0, cells.numel() - 1)
    left, right, rest = density[cell], density[cell + 1], u - law[cell]
    root = torch.sqrt((left**2 + 2 * (right - left) * rest).clamp_min(0))
    share = 2 * rest / (left + root).clamp_min(torch.finfo(torch.float64).tiny)
    return nodes[cell] + share * (nodes[1] - nodes[0])
