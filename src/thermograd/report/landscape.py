"""The landscape around the draws of a run: a plane through their mean, in which they spread most.

    f(θ̄ + a d₁ + b d₂),   d₁, d₂ the leading eigenvectors of the covariance of the draws

f is the mean loss over the data, without a prior, for a network (at most 2,000 examples), and U
for an analytic target, of which one coordinate gives a line. Where the positions have names, the
draws are in the order of the target's.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from ..diagnostics.correlation import covariance_directions
from ..diagnostics.estimate import Array, Estimate
from ..diagnostics.landscape import Projection, Surface, loss_surface, project_path
from ..diagnostics.objective import Objective
from ..potentials import Network
from ..potentials.analytic import Analytic
from .record import RunRecord
from .subject import PARTIAL, Absent, Subject, rebuild

__all__ = ["Landscape", "landscape_of"]

RESOLUTION = 25
MOST_EXAMPLES = 2000
MOST_ROWS = 4000
MEMORY = 1 << 28
MOST_DRAWS = 400
MARGIN = 1.15  # beyond the outermost draw shown


@dataclass(frozen=True, slots=True, eq=False)
class Landscape:
    """A surface with the draws in it.

    Attributes:
        surface: on the plane; a single row for a target of one coordinate.
        draws: some draws, in the plane's coordinates; for one coordinate the second is 0.
        heights: f at the draws' places in the plane, read off the surface.
        shares: of the draws' variance along the two directions.
        about: what f is.
    """

    surface: Surface
    draws: Projection
    heights: Array
    shares: tuple[float, ...]
    about: str


def landscape_of(
    record: RunRecord, subject: Subject | Absent | None = None, *, resolution: int = RESOLUTION
) -> Landscape | Absent:
    """Return the landscape around a run's draws, or why there is none.

    Args:
        record: the run.
        subject: its target, if it has been built again already.
        resolution: points along each side.
    """
    found = rebuild(record) if subject is None else subject
    if isinstance(found, Absent):
        return found
    if not record.has_all_positions:
        return Absent(PARTIAL)
    target = found.target
    names = list(target.names) if isinstance(target, Network) else list(record.positions)
    flat = _some_draws(record, names)
    if not len(flat) or not bool((flat.reshape(-1, flat.shape[2]).std(axis=0) > 0).any()):
        return Absent("the draws do not move, so they have no directions")
    num = min(2, flat.shape[2])
    spread = covariance_directions(flat, num)
    if num == 1 and isinstance(target, Network):
        return Absent("a network of one parameter spans no plane")
    total = float(flat.reshape(-1, flat.shape[2]).var(axis=0, ddof=1).sum())
    shares = tuple(float(value) / total for value in spread.variances.value)
    centre, vectors = torch.from_numpy(spread.mean), torch.from_numpy(spread.vectors)
    every = max(1, flat.shape[0] * flat.shape[1] // MOST_DRAWS)
    some = torch.from_numpy(np.concatenate(list(flat))[::every])
    path = project_path(some, centre, vectors)
    if isinstance(target, Network):
        surface, about = _of_network(target, centre, vectors, path, resolution)
    elif isinstance(target, Analytic):
        surface, about = _of_analytic(target, centre, vectors, path, resolution)
    else:
        return Absent(f"{type(target).__name__} does not say its energy away from a run")
    if num == 1:
        path = Projection(np.pad(path.coordinates, ((0, 0), (0, 1))), path.off_plane)
    return Landscape(surface, path, _heights(surface, path), shares, about)


def _some_draws(record: RunRecord, names: Sequence[str]) -> Array:
    """Return draws spread evenly over the run, (W, K, d), as many as fit into memory."""
    positions = record.positions
    num_walkers, num_draws = positions[names[0]].shape[:2]
    width = sum(positions[name].shape[2] for name in names)
    rows = max(2 * num_walkers, min(MOST_ROWS, MEMORY // (24 * width)))
    every = max(1, -(-num_walkers * num_draws // rows))
    thin = [positions[name][:, ::every].astype(np.float64) for name in names]
    flat = np.concatenate(thin, axis=2)
    return flat[np.isfinite(flat).all(axis=(1, 2))]


def _widths(path: Projection) -> tuple[float, ...]:
    reach = np.abs(path.coordinates).max(axis=0)
    return tuple(float(MARGIN * max(size, 1e-12)) for size in reach)


def _of_network(
    target: Network, centre: torch.Tensor, vectors: torch.Tensor, path: Projection, resolution: int
) -> tuple[Surface, str]:
    about = f"mean loss over {target.num_data:,} examples"
    x, y = target.data
    if len(x) > MOST_EXAMPLES and target.likelihood is not None:
        about = f"mean loss of the first {MOST_EXAMPLES:,} of {target.num_data:,} examples"
        rows = (x[:MOST_EXAMPLES], y[:MOST_EXAMPLES])
        target = Network(target.model, target.likelihood, rows, frozen=target.frozen)
    objective = Objective.of(target, target.start(1))
    widths = _widths(path)
    surface = loss_surface(
        objective,
        vectors.to(objective.point),
        origin=centre.to(objective.point),
        width=(widths[0], widths[1]),
        resolution=resolution,
    )
    return surface, about


def _of_analytic(
    target: Analytic, centre: torch.Tensor, vectors: torch.Tensor, path: Projection, resolution: int
) -> tuple[Surface, str]:
    widths = _widths(path)
    x = np.linspace(-widths[0], widths[0], resolution if len(vectors) > 1 else 8 * resolution)
    y = np.linspace(-widths[1], widths[1], resolution) if len(vectors) > 1 else np.zeros(1)
    grid = torch.from_numpy(np.stack(np.meshgrid(x, y), -1).reshape(-1, 2)[:, : len(vectors)])
    energy = target.energy([centre + grid @ vectors]).numpy().reshape(len(y), len(x))
    labels = ("first direction", "second direction")
    return Surface(x, y, Estimate(energy, np.zeros_like(energy), 1, "energy"), labels), "U"


def _heights(surface: Surface, path: Projection) -> Array:
    """Return the surface at the draws, bilinearly between its points."""
    values = surface.loss.value

    def place(grid: Array, at: Array) -> tuple[np.ndarray, Array]:
        if len(grid) == 1:
            return np.zeros(len(at), dtype=int), np.zeros(len(at))
        where = np.clip((at - grid[0]) / (grid[1] - grid[0]), 0, len(grid) - 1 - 1e-9)
        return where.astype(int), where % 1

    (i, s), (j, t) = (
        place(grid, path.coordinates[:, axis]) for axis, grid in enumerate((surface.x, surface.y))
    )
    right, up = np.minimum(i + 1, len(surface.x) - 1), np.minimum(j + 1, len(surface.y) - 1)
    low = (1 - s) * values[j, i] + s * values[j, right]
    high = (1 - s) * values[up, i] + s * values[up, right]
    return (1 - t) * low + t * high
