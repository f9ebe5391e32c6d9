"""The samplers of `geoopt` on flat space, driven as its documentation says.

They have no temperature, so T goes into the density exp(−U/T), and times scale by √T: epsilon is
h√T for RHMC, 2δT for RSGLD, and (h√T)² for SGRHMC with alpha = γh, the parameters of the paper
it implements. SGRHMC draws its velocity afresh every n_steps + 1 gradients, at a size of its own
choice, so it also runs with a long n_steps. RHMC accepts or refuses all its coordinates at once, so
it runs as separate chains.
"""

import importlib.metadata
from typing import Any

import numpy as np
import torch
from torch import Tensor

from thermograd.noise import seeded

from .own import summarise
from .rows import Measured, Record, blank, fill, peer_cells
from .settings import TARGETS, Settings

LIBRARY = "geoopt"
LONG = "SGRHMC, n_steps = 99"
METHODS = {"RSGLD": False, "SGRHMC": True, LONG: True, "RHMC": True}
CHAINS, WIDTH = 32, 16  # of RHMC


def version() -> str:
    """Return the version that runs."""
    return importlib.metadata.version(LIBRARY)


def rows(settings: Settings, progress: Any = None) -> list[Record]:
    """Return the rows of its samplers."""
    found: list[Record] = []
    for name, has_momenta in METHODS.items():
        for target, is_noisy in peer_cells(noisy_too=name != "RHMC"):
            row = blank(LIBRARY, name, target, is_noisy, has_momenta, settings)
            row["gradients_per_step"] = _cost(name, settings)
            fill(row, lambda h, row=row: measure(row, h, settings), settings)
            found.append(row)
            if progress is not None:
                progress(row)
    return found


def measure(row: Record, h: float, settings: Settings) -> Measured:
    """Run one cell."""
    label = (LIBRARY, row["method"], row["target"], row["is_noisy"], h)
    generator, seed = seeded(settings.seed_of(*label)), settings.seed_of(*label, "global")
    torch.manual_seed(seed)  # its noise comes from global generators
    np.random.seed(seed % 2**32)  # noqa: NPY002
    if row["method"] != "RHMC":
        return summarise(_chain(row, h, settings, settings.walkers, generator))
    chains = [_chain(row, h, settings, WIDTH, generator) for _ in range(CHAINS)]
    return summarise({k: torch.stack([chain[k].mean() for chain in chains]) for k in chains[0]})


def _cost(name: str, settings: Settings) -> int:
    return {"RSGLD": 1, LONG: 100}.get(name, settings.path_steps + 1)


def _sampler(row: Record, h: float, settings: Settings, q: Tensor) -> Any:
    from geoopt import samplers

    step = h * settings.temperature**0.5
    if row["method"] == "RSGLD":
        own_step = settings.step_size(h, has_momenta=False)
        return samplers.RSGLD([q], epsilon=2 * own_step * settings.temperature)
    if row["method"] == "RHMC":
        return samplers.RHMC([q], epsilon=step, n_steps=settings.path_steps)
    num, alpha = row["gradients_per_step"] - 1, settings.friction * h
    return samplers.SGRHMC([q], epsilon=step**2, n_steps=num, alpha=alpha)


def _chain(
    row: Record, h: float, settings: Settings, width: int, generator: torch.Generator
) -> dict[str, Tensor]:
    """Return the time averages of every coordinate of one sampler, each (width,)."""
    target, sd = TARGETS[row["target"]], settings.noise_sd if row["is_noisy"] else 0.0
    q = target.sample(width, settings.temperature, generator)[0].requires_grad_()
    sampler = _sampler(row, h, settings, q)
    xi = torch.zeros(width, 1)

    def closure() -> Tensor:
        if sd:
            xi.normal_(generator=generator)
        energy = target.energy([q]).sum() - (sd * xi * q).sum()
        return -energy / settings.temperature

    cost = row["gradients_per_step"]
    num, burn_in = -(-settings.gradients // cost), -(-settings.burn_in // cost)
    q2_sum, q4_sum = torch.zeros(2, width, dtype=torch.float64)
    for step in range(burn_in + num):
        sampler.step(closure)
        if step >= burn_in:
            q2 = q.detach()[:, 0].square().double()
            q2_sum += q2
            q4_sum += q2.square()
    return {"q2": q2_sum / num, "q4": q4_sum / num}
