"""The samplers of `posteriors`, driven as its documentation says.

All coordinates are one parameter tensor; the targets are separable, so each coordinate is a walker
of its own, except that `sgnht` has one thermostat for all of them. Its lr is h for methods with
momenta and δ without, alpha is γ, sigma² is m; `temperature` is T.
"""

import importlib.metadata
from typing import Any

import torch
from torch import Tensor

from thermograd.noise import seeded

from .own import summarise
from .rows import Measured, Record, blank, fill, peer_cells
from .settings import TARGETS, Settings

LIBRARY = "posteriors"
METHODS = {"baoa": True, "sghmc": True, "sgnht": True, "sgld": False}


def version() -> str:
    """Return the version that runs."""
    return importlib.metadata.version(LIBRARY)


def rows(settings: Settings, progress: Any = None) -> list[Record]:
    """Return the rows of its samplers."""
    found: list[Record] = []
    for name, has_momenta in METHODS.items():
        for target, is_noisy in peer_cells(noisy_too=True):
            row = blank(LIBRARY, name, target, is_noisy, has_momenta, settings)
            row["gradients_per_step"] = 1
            fill(row, lambda h, row=row: measure(row, h, settings), settings)
            found.append(row)
            if progress is not None:
                progress(row)
    return found


def measure(row: Record, h: float, settings: Settings) -> Measured:
    """Run one cell."""
    from posteriors import sgmcmc

    target, sd = TARGETS[row["target"]], settings.noise_sd if row["is_noisy"] else 0.0
    label = (LIBRARY, row["method"], row["target"], row["is_noisy"], h)
    generator, seed = seeded(settings.seed_of(*label)), settings.seed_of(*label, "global")
    torch.manual_seed(seed)  # its noise comes from torch's global generator
    q = target.sample(settings.walkers, settings.temperature, generator)[0]

    def log_posterior(params: dict[str, Tensor], batch: Tensor) -> tuple[Tensor, Tensor]:
        x = params["q"]
        return (sd * batch * x).sum() - target.energy([x]).sum(), x.new_zeros(())

    options: dict[str, Any] = {"lr": settings.step_size(h, row["has_momenta"])}
    if row["has_momenta"]:
        options["alpha"] = settings.friction
        start = torch.empty_like(q).normal_(generator=generator) * settings.temperature**0.5
        options["momenta"] = {"q": start}
    builder = getattr(sgmcmc, row["method"])
    transform = builder.build(log_posterior, temperature=settings.temperature, **options)
    state = transform.init({"q": q})
    sums: dict[str, Tensor] = {}
    xi = torch.zeros_like(q)
    for step in range(settings.burn_in + settings.gradients):
        if sd:
            xi.normal_(generator=generator)
        state, _ = transform.update(state, xi)
        if step >= settings.burn_in:
            q2 = state.params["q"][:, 0].square()
            values = {"q2": q2, "q4": q2.square()}
            if row["has_momenta"]:
                values["p2"] = state.momenta["q"][:, 0].square()
            for key, value in values.items():
                sums[key] = sums.get(key, 0.0) + value.double()
    return summarise({key: value / settings.gradients for key, value in sums.items()})
