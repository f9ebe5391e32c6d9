"""Diagnostics of a run by name: rows for a table, and numbers for a file.

    temperature    of each position, at the end of the run
    correlation    autocorrelation times, effective draws, R-hat
    weights        largest weight, drift and share near zero, of each tensor
    curvature      extreme eigenvalues and trace of the Hessian at the last draw
    noise          covariance of the gradients of single examples at the last draw
    landscape      the mean loss, or U, in the plane in which the draws spread most
    prediction     scores of rows that were held out

The last four build the target again; all but landscape need a network over data.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import torch

from .._checks import unknown_name
from .._errors import ParameterError, ThermogradError
from ..diagnostics import curvature, weights
from ..diagnostics.estimate import Estimate
from ..diagnostics.noise import gradient_diversity, gradient_noise
from ..diagnostics.objective import Objective
from ..potentials import Network
from ..sampling.streams import stream
from .correlation import correlation_table
from .landscape import landscape_of
from .prediction import prediction_of
from .record import RunRecord
from .subject import Absent, Subject, network_of, rebuild
from .verdict import temperatures

__all__ = ["DIAGNOSTICS", "Diagnosis", "Measured", "diagnose"]

EIGENPAIRS = 5
PROBES = 32


@dataclass(frozen=True, slots=True)
class Measured:
    """A number that a diagnostic gives.

    Attributes:
        name: of the number.
        value: NaN where there is none.
        uncertainty: NaN where it is not known.
        unit: in words; "1" for a pure number.
        says: what is to be added in words.
    """

    name: str
    value: float
    uncertainty: float = math.nan
    unit: str = "1"
    says: str = ""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What one diagnostic found.

    Attributes:
        name: of the diagnostic.
        rows: the numbers.
        reason: why there are none; empty where there are.
        arrays: what is too much for a table, as plain lists.
    """

    name: str
    rows: tuple[Measured, ...] = ()
    reason: str = ""
    arrays: Mapping[str, object] | None = None


Target: TypeAlias = Subject | Absent
Make: TypeAlias = Callable[[RunRecord, Target], Diagnosis | Absent]


def diagnose(record: RunRecord, what: Sequence[str]) -> list[Diagnosis]:
    """Return what the named diagnostics find in a run, in the order of the names.

    Args:
        record: the run.
        what: names, of `DIAGNOSTICS`; for an unknown one the error lists the close ones.
    """
    if not what:
        raise ParameterError(f"name what to measure, of {', '.join(DIAGNOSTICS)}")
    for name in what:
        if name not in DIAGNOSTICS:
            raise unknown_name("diagnostic", name, DIAGNOSTICS)
    needs = any(name in NEED_TARGET for name in what)
    target = rebuild(record) if needs else Absent("")
    found: list[Diagnosis] = []
    for name in dict.fromkeys(what):
        try:
            made = DIAGNOSTICS[name](record, target)
        except ThermogradError as error:
            made = Absent(str(error))
        found.append(Diagnosis(name, reason=made.reason) if isinstance(made, Absent) else made)
    return found


def _of(name: str, estimate: Estimate[float], says: str = "") -> Measured:
    return Measured(name, estimate.value, estimate.uncertainty, estimate.unit, says)


def _temperature(record: RunRecord, target: Target) -> Diagnosis | Absent:
    rows = [
        Measured(
            f"{entry.kind}, {entry.name}",
            entry.value,
            unit="energy",
            says=f"band {entry.low:.4g} to {entry.high:.4g}" if math.isfinite(entry.low) else "",
        )
        for entry in temperatures(record)
    ]
    if not rows:
        return Absent("none was measured: that needs T > 0 and a run that has got to its end")
    return Diagnosis("temperature", tuple(rows))


def _correlation(record: RunRecord, target: Target) -> Diagnosis | Absent:
    rows: list[Measured] = []
    for row in correlation_table(record):
        is_known = math.isfinite(row.time)
        said = f"{row.effective:,.0f} effective draws" if is_known else row.says
        if is_known and "do not agree" in row.says:
            said += "; the two windows do not agree"
        said = f"R-hat {row.r_hat:.4g}; {said}"
        rows.append(Measured(row.name, row.time, row.time_error, "draws", said))
    return Diagnosis("correlation", tuple(rows))


def _weights(record: RunRecord, target: Target) -> Diagnosis | Absent:
    first, last = (
        {name: torch.from_numpy(array[:, at].copy()) for name, array in record.positions.items()}
        for at in (0, -1)
    )
    if not last:
        return Absent("no position was recorded; --set run.params='[\"*\"]' records them all")
    largest, moved = weights.largest_weights(last), weights.drift_by_tensor(first, last)
    near = weights.weight_histogram(last).near_zero
    rows = [_of(f"largest |w|, {name}", value) for name, value in largest.items()]
    rows += [_of(f"drift since the first draw, {name}", value) for name, value in moved.items()]
    rows.append(_of("share of |w| below 0.001", near))
    return Diagnosis("weights", tuple(rows))


def _objective(record: RunRecord, target: Target) -> Objective | Absent:
    """Return the mean loss at the last draw of the first walker that counts."""
    network = network_of(record, target)
    if not isinstance(network, Network):
        return network
    walker = record.chains[0]
    q = [
        torch.from_numpy(record.posterior[name][walker : walker + 1, -1].copy())
        for name in network.names
    ]
    return Objective.of(network, q)


def _curvature(record: RunRecord, target: Target) -> Diagnosis | Absent:
    objective = _objective(record, target)
    if isinstance(objective, Absent):
        return objective
    hessian = curvature.hessian_operator(objective)
    num = min(2 * EIGENPAIRS, objective.num_params - 1)
    if num < 2:
        return Absent("a network of 2 parameters or fewer has no extremes to look for")
    generator = stream(int(str(record.run["seed"])), "diagnose")
    values = curvature.extreme_eigenpairs(hessian, num, "both", generator=generator).values
    total = curvature.trace(hessian, num_probes=PROBES, generator=generator)
    pairs = zip(values.value, values.uncertainty, strict=True)
    rows = [
        Measured(f"eigenvalue {place} of the extremes", float(value), float(error), values.unit)
        for place, (value, error) in enumerate(pairs, 1)
    ]
    return Diagnosis("curvature", (*rows, _of("trace", total)))


def _noise(record: RunRecord, target: Target) -> Diagnosis | Absent:
    objective = _objective(record, target)
    if isinstance(objective, Absent):
        return objective
    spread = gradient_noise(objective)
    rows = (
        _of("trace of the covariance", spread.trace),
        Measured("rank", spread.rank, says=f"of {spread.num_params} parameters"),
        _of("gradient diversity", gradient_diversity(objective).diversity),
    )
    return Diagnosis("noise", rows)


def _landscape(record: RunRecord, target: Target) -> Diagnosis | Absent:
    found = landscape_of(record, target)
    if isinstance(found, Absent):
        return found
    loss = found.surface.loss
    middle = loss.value[loss.value.shape[0] // 2, loss.value.shape[1] // 2]
    rows = [
        Measured("lowest", float(loss.value.min()), unit=loss.unit, says=found.about),
        Measured("highest", float(loss.value.max()), unit=loss.unit),
        Measured("at the mean of the draws", float(middle), unit=loss.unit),
    ]
    rows += [
        Measured(f"variance along direction {place}", share, says="share of that of the draws")
        for place, share in enumerate(found.shares, 1)
    ]
    arrays = {
        "x": found.surface.x.tolist(),
        "y": found.surface.y.tolist(),
        "loss": loss.value.tolist(),
        "draws": found.draws.coordinates.tolist(),
    }
    return Diagnosis("landscape", tuple(rows), arrays=arrays)


def _prediction(record: RunRecord, target: Target) -> Diagnosis | Absent:
    found = prediction_of(record, target)
    if isinstance(found, Absent):
        return found
    rows = tuple(
        Measured(score.name, score.averaged, score.error, says=f"one draw alone {score.single:.4g}")
        for score in found.scores
    )
    return Diagnosis("prediction", rows)


DIAGNOSTICS: Mapping[str, Make] = {
    "temperature": _temperature,
    "correlation": _correlation,
    "weights": _weights,
    "curvature": _curvature,
    "noise": _noise,
    "landscape": _landscape,
    "prediction": _prediction,
}
NEED_TARGET = ("curvature", "noise", "landscape", "prediction")
