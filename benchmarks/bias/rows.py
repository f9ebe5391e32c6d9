"""The rows of the table: every sampler on every target, measured and judged."""

from collections.abc import Callable, Iterator
from typing import Any

from thermograd.potentials import Harmonic

from . import gaussian, own
from .settings import OBSERVABLES, TARGETS, Settings, exact
from .verdict import describe, judge

Record = dict[str, Any]
Measured = dict[str, tuple[float, float]]
Measure = Callable[[str, str, bool, float, Settings], Measured]


def own_rows(settings: Settings, progress: Callable[[Record], None] | None = None) -> list[Record]:
    """Return the rows of this library's samplers."""
    found: list[Record] = []
    for name, target, is_noisy in own.cells(settings):
        row = own_row(name, target, is_noisy, settings)
        clean = found[-1] if is_noisy else None
        judge(row, clean)
        found.append(row)
        if progress is not None:
            progress(row)
    return found


def own_row(name: str, target: str, is_noisy: bool, settings: Settings) -> Record:
    """Measure one row of this library, and write down what its claims predict."""
    integrator = own.method(name, settings)
    claims = integrator.claims

    def measure(h: float) -> Measured:
        return own.summarise(own.measure(name, target, is_noisy, h, settings))

    row = blank(own.LIBRARY, name, target, is_noisy, integrator.has_momenta, settings)
    row["gradients_per_step"] = own.gradients_per_step(name, settings)
    row["claim"] = None if claims.is_metropolised else claims.stationary_order
    row["exact_marginals"] = sorted(claims.exact_marginals)
    fill(row, measure, settings)
    for observable, values in row["observables"].items():
        if claims.is_metropolised:
            values["predicted"] = [values["exact"]] * len(settings.step_sizes)
        elif isinstance(potential := TARGETS[target], Harmonic):
            sd = settings.noise_sd if is_noisy else 0.0
            values["predicted"] = [
                gaussian.stationary(integrator, potential.spectrum[0], h, sd, settings)[observable]
                for h in row["own_steps"]
            ]
        if is_noisy:
            values["heating"] = [
                _rise(target, settings, observable, settings.heating(h, integrator.has_momenta))
                for h in settings.step_sizes
            ]
    return row


def blank(
    library: str, name: str, target: str, is_noisy: bool, has_momenta: bool, settings: Settings
) -> Record:
    """Return a row without numbers."""
    return {
        "library": library,
        "method": name,
        "target": target,
        "is_noisy": is_noisy,
        "has_momenta": has_momenta,
        "own_steps": [settings.step_size(h, has_momenta) for h in settings.step_sizes],
        "observables": {},
    }


def fill(row: Record, measure: Callable[[float], Measured], settings: Settings) -> None:
    """Measure a row at every step size."""
    columns = [measure(h) for h in settings.step_sizes]
    truth = exact(TARGETS[row["target"]], settings)
    for name in OBSERVABLES:
        if name in columns[0]:
            row["observables"][name] = {
                "exact": truth[name],
                "mean": [column[name][0] for column in columns],
                "error": [column[name][1] for column in columns],
            }
    describe(row)


def _rise(target: str, settings: Settings, observable: str, heating: float) -> float:
    """Return what a small rise of the temperature adds to an average, to first order."""
    small = 1e-3 * settings.temperature
    up, down = (exact(TARGETS[target], settings, step)[observable] for step in (small, -small))
    return heating * (up - down) / (2 * small)


def peer_cells(noisy_too: bool) -> Iterator[tuple[str, bool]]:
    """Yield (target, whether with gradient noise)."""
    for target in TARGETS:
        yield target, False
        if noisy_too:
            yield target, True
