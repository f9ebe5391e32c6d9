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
    """Return the rows of this library's samplers, judged."""
    found: list[Record] = []
    for name, target, is_noisy in own.cells(settings):
        found.append(own_row(name, target, is_noisy, settings))
        if progress is not None:
            progress(found[-1])
    explain(found, settings)
    return found


def own_row(name: str, target: str, is_noisy: bool, settings: Settings) -> Record:
    """Measure one row of this library."""
    has_momenta = own.method(name, settings).has_momenta

    def measure(h: float) -> Measured:
        return own.summarise(own.measure(name, target, is_noisy, h, settings))

    row = blank(own.LIBRARY, name, target, is_noisy, has_momenta, settings)
    row["gradients_per_step"] = own.gradients_per_step(name, settings)
    fill(row, measure, settings)
    return row


def explain(rows: list[Record], settings: Settings) -> None:
    """Write down what the claims of own rows predict, and judge the rows by it."""
    clean: Record | None = None
    for row in rows:
        _predict(row, settings)
        if not row["is_noisy"]:
            clean = row
        judge(row, clean if row["is_noisy"] else None)


def _predict(row: Record, settings: Settings) -> None:
    """Add what an own row's claims say of it: exact averages, a known law, an order, heating."""
    integrator = own.method(row["method"], settings)
    claims, target, steps = integrator.claims, TARGETS[row["target"]], settings.step_sizes
    row["claim"] = None if claims.is_metropolised else claims.stationary_order
    row["exact_marginals"] = sorted(claims.exact_marginals)
    for name, values in row["observables"].items():
        if row["is_noisy"]:
            values["heating"] = [
                _rise(row["target"], settings, name, settings.heating(h, row["has_momenta"]))
                for h in steps
            ]
        if claims.is_metropolised:
            values["predicted"] = [values["exact"]] * len(steps)
    if not claims.is_metropolised and isinstance(target, Harmonic):
        stiffness, sd = target.spectrum[0], settings.noise_sd if row["is_noisy"] else 0.0
        laws = [
            gaussian.stationary(integrator, stiffness, h, sd, settings) for h in row["own_steps"]
        ]
        keeps = gaussian.keeps_claims(integrator, stiffness, settings)
        for name, values in row["observables"].items():
            values["predicted"] = [law[name] for law in laws]
            values["law_keeps_claims"] = keeps[name]


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
