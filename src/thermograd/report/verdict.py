"""Is it sampling what was asked? The answers that a run logged, and what its draws add.

A check says one of three things: it found something, it found nothing, or it was not asked, which
is said with the reason.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ..sampling.checks import MIN_WALKERS
from .record import Event, RunRecord

__all__ = ["Finding", "Temperature", "overall", "temperatures", "verdict"]

Status: TypeAlias = Literal["fine", "remark", "open"]

RHAT_LIMIT = 1.05
FEW_DRAWS = 100.0  # effective, over all walkers
NOT_FACTS = ("time", "step", "kind", "says", "hint")

AT_START: Mapping[str, str] = {
    "frozen": "a force acts on every position",
    "curvature": "the step size is below the limit of stability, as far as the start shows",
}
AT_END: Mapping[str, str] = {
    "heating": "the noise of the batches, if any, adds less than 5% to T",
    "collapse": "the walkers are as far apart as one of them moves",
    "stuck": "every walker moves",
}
MEASURED: Mapping[str, str] = {
    "kinetic_temperature": "the momenta are as hot as asked, within their band or to 5%",
    "configurational_temperature": "forces and curvatures show the temperature asked for",
}
JUDGED_BY_SPREAD = ("configurational_temperature",)
UNMEASURED: Mapping[str, str] = {
    "kinetic_temperature": "not measured: it needs momenta and T > 0",
    "configurational_temperature": "not measured: it needs all the data at each step, T > 0, one "
    "temperature for all walkers, and no constraint",
}
COLD = "not asked at T = 0"
FEW_WALKERS = "measured, not judged: that takes {} walkers, to know its error"
UNFINISHED = "asked at the end of a run; this one has not got there"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check says.

    Attributes:
        check: its name.
        status: "fine", "remark" or "open".
        says: in words.
        hint: what to do; empty if there is nothing.
    """

    check: str
    status: Status
    says: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Temperature:
    """A temperature measured at the end of a run.

    Attributes:
        kind: "kinetic" or "configurational".
        name: of the positions.
        value: what was measured.
        low: end of the band in which it should be; NaN if there is none.
        high: the other end.
    """

    kind: str
    name: str
    value: float
    low: float
    high: float


def verdict(record: RunRecord) -> list[Finding]:
    """Return what every check says about a run, remarks first."""
    latest = {str(event.get("kind")): event for event in record.events}
    found = [_lost(record), *_from_summary(record)]
    why_not = COLD if record.is_cold else "" if record.is_finished else UNFINISHED
    for kind, said in AT_START.items():
        found.append(_asked(latest.get(kind), kind, said, ""))
    for kind, said in AT_END.items():
        found.append(_asked(latest.get(kind), kind, said, why_not))
    for kind, said in MEASURED.items():
        event = latest.get(kind)
        open_ = (why_not or UNMEASURED[kind]) if event is None else ""
        if event is not None and kind in JUDGED_BY_SPREAD and len(record.chains) < MIN_WALKERS:
            open_ = FEW_WALKERS.format(MIN_WALKERS)
        found.append(_asked(event, kind, said, open_))
    order = ("remark", "open", "fine")
    return sorted(found, key=lambda finding: order.index(finding.status))


def overall(findings: Sequence[Finding], record: RunRecord) -> Finding:
    """Return the verdict in one sentence."""
    remarks = sum(finding.status == "remark" for finding in findings)
    far = f"{record.steps_done:,} of {record.steps_asked:,} steps"
    if remarks:
        thing = "one check has" if remarks == 1 else f"{remarks} checks have"
        return Finding("verdict", "remark", f"{thing} something to say, after {far}")
    if not record.is_finished:
        return Finding("verdict", "open", f"not finished: {far}; nothing speaks against it so far")
    asked = sum(finding.status == "fine" for finding in findings)
    return Finding("verdict", "fine", f"nothing speaks against it: {asked} checks, {far}")


def temperatures(record: RunRecord) -> list[Temperature]:
    """Return the temperatures that the run measured of each position, the latest ones."""
    latest = {str(event.get("kind")): event for event in record.events}
    found: list[Temperature] = []
    for name, value in _facts(latest.get("kinetic_temperature")).items():
        if isinstance(value, (list, tuple)) and len(value) == 3:
            number, low, high = (float(entry) for entry in value)
            found.append(Temperature("kinetic", name, number, low, high))
    for name, value in _facts(latest.get("configurational_temperature")).items():
        if isinstance(value, (int, float)):
            nan = math.nan
            found.append(Temperature("configurational", name, float(value), nan, nan))
    return found


def _facts(event: Event | None) -> dict[str, object]:
    return {key: value for key, value in (event or {}).items() if key not in NOT_FACTS}


def _spaced(kind: str) -> str:
    return kind.replace("_", " ")


def _asked(event: Event | None, kind: str, said: str, why_not: str) -> Finding:
    """Return the remark of an event; without one what is well, or why nobody knows."""
    if event is not None and "says" in event:
        return Finding(_spaced(kind), "remark", str(event["says"]), str(event.get("hint", "")))
    return Finding(_spaced(kind), "open" if why_not else "fine", why_not or said)


def _lost(record: RunRecord) -> Finding:
    lost = [event for event in record.events if event.get("kind") == "diverged"]
    if not lost:
        return Finding("divergence", "fine", "no walker diverged")
    said = f"{len(lost)} of {record.num_walkers} walkers diverged and are left out"
    return Finding("divergence", "remark", said, str(lost[-1].get("hint", "")))


def _from_summary(record: RunRecord) -> list[Finding]:
    """Judge R-hat, effective draws and averages that theory knows."""
    lines = [line for line in record.summary.lines if math.isfinite(line.mean)]
    found: list[Finding] = []
    met = [line for line in lines if math.isfinite(line.r_hat)]
    if met:
        worst = max(met, key=lambda line: line.r_hat)
        said = f"largest R-hat {worst.r_hat:.3f}, of {worst.name}"
        if worst.r_hat > RHAT_LIMIT:
            hint = f"Above {RHAT_LIMIT} the walkers do not agree yet: run longer."
            found.append(Finding("agreement", "remark", said, hint))
        else:
            found.append(Finding("agreement", "fine", said))
    known = [line for line in lines if math.isfinite(line.ess)]
    if known:
        worst = min(known, key=lambda line: line.ess)
        said = f"fewest effective draws {worst.ess:.0f}, of {worst.name}"
        is_few = worst.ess < FEW_DRAWS
        hint = f"Below {FEW_DRAWS:.0f} errors are rough: run longer." if is_few else ""
        found.append(Finding("effective draws", "remark" if is_few else "fine", said, hint))
    for line in lines:
        if line.expected is not None and line.verdict.startswith("off"):
            said = f"⟨{line.name}⟩ = {line.mean:.4g}, expected {line.expected:.4g}: {line.verdict}"
            hint = "The step size is too large, the run too short, or batches heat it."
            found.append(Finding("averages", "remark", said, hint))
    return found
