"""`thermograd verify`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import typer

from .._errors import ParameterError
from . import _catalogue
from ._console import coloured, print_json, progress, table
from ._show import as_data
from ._subject import Subject, subject

if TYPE_CHECKING:
    from ..claims import Claims
    from ..integrators import Integrator
    from ..testing import Verdict


@dataclass(frozen=True, slots=True)
class Report:
    """A method, its claims and what the contracts say of them.

    A word claims nothing by itself; its claims are discovered.
    """

    name: str
    claims: "Claims"
    verdicts: "list[Verdict]"
    is_discovered: bool = False

    @property
    def false(self) -> int:
        """How many claims are false."""
        return sum(not verdict.ok for verdict in self.verdicts)


def run_verify(name: str | None, every: bool, as_json: bool) -> bool:
    """Run the contracts and print what they say.

    Args:
        name: a registered name, a file or a word.
        every: whether to check the whole registry instead.
        as_json: whether to print JSON.

    Returns:
        whether every claim is true.

    Raises:
        ParameterError: unless exactly one of `name` and `every` is given.
    """
    if (name is None) != every:
        raise ParameterError("give the name of a method, a file.py or a WORD; or --all")
    reports = _verify_all() if name is None else [_verify(subject(name))]
    if as_json:
        print_json({"methods": [_as_data(report) for report in reports], "ok": _all_true(reports)})
    elif every:
        _print_table(reports)
    else:
        _print_report(reports[0])
    return _all_true(reports)


def _verify(found: Subject) -> Report:
    if found.is_geometry:
        return _verify_geometry(found)
    if not found.is_method:
        article = "an" if found.kind == "arrangement" else "a"
        raise ParameterError(
            f"{found.name!r} is {article} {found.kind}; contracts are for integrators "
            "(thermograd list integrators) and geometries"
        )
    from ..testing import verify
    from ._discover import discover

    integrator = cast("Integrator", found.integrator())
    if found.kind == "word":
        return Report(found.name, *discover(found.name), is_discovered=True)
    return Report(found.name, integrator.claims, verify(integrator, found.name))


def _verify_geometry(found: Subject) -> Report:
    from ..claims import Claims
    from ..geometry import Example
    from ..testing import verify_geometry

    example = found.geometry()
    if not isinstance(example, Example):
        raise ParameterError(
            f"GEOMETRY of {found.name} must be an Example: the geometry and shapes of tensors to "
            f"try it on; got {example!r}"
        )
    return Report(found.name, Claims(), verify_geometry(example, found.name))


def _verify_all() -> list[Report]:
    names = [*_catalogue.names("integrators"), *_catalogue.names("geometries")]
    reports: list[Report] = []
    with progress(len(names), "verify", lines=False) as advance:
        for name in names:
            advance(0, name)
            reports.append(_verify(subject(name)))
            advance(1)
    return reports


def _all_true(reports: Sequence[Report]) -> bool:
    return all(report.false == 0 for report in reports)


def _print_report(report: Report) -> None:
    rows = [
        (
            v.contract,
            v.claim,
            v.measured if v.ok else f"{v.measured}, not {v.expected}",
            "true" if v.ok else "FALSE",
        )
        for v in report.verdicts
    ]
    lines = table(("contract", "claim", "measured", "verdict"), rows)
    for line in lines[:2]:
        typer.echo(line)
    for line, verdict in zip(lines[2:], report.verdicts, strict=True):
        head, _, word = line.rpartition(" ")
        typer.echo(f"{head} {coloured(word, verdict.ok)}")
    typer.echo(f"\n{_conclusion(report)}")
    if report.is_discovered:
        from ._discover import spelled

        typer.echo("A word claims nothing by itself; this is what holds of it:\n")
        typer.echo(spelled(report.claims))


def _print_table(reports: Sequence[Report]) -> None:
    rows = [
        (report.name, str(len(report.verdicts)), str(report.false) if report.false else "–")
        for report in reports
    ]
    for line in table(("method", "checked", "false"), rows, right=" rr"):
        typer.echo(line)
    typer.echo()
    for report in reports:
        if report.false:
            typer.echo(f"{_conclusion(report)}; see: thermograd verify {report.name}")
    checked = sum(len(report.verdicts) for report in reports)
    false = sum(report.false for report in reports)
    said = f"{len(reports)} methods and geometries, {checked} checks: "
    typer.echo(said + coloured(f"{false} false" if false else "all claims true", false == 0))


def _conclusion(report: Report) -> str:
    count = len(report.verdicts)
    if report.false == 0:
        return f"{report.name}: {coloured('every claim is true', True)} ({count} checked)"
    return f"{report.name}: {coloured(f'{report.false} of {count} checks failed', False)}"


def _as_data(report: Report) -> dict[str, object]:
    verdicts = [
        {
            "contract": v.contract,
            "claim": v.claim,
            "measured": v.measured,
            "expected": v.expected,
            "ok": v.ok,
        }
        for v in report.verdicts
    ]
    return {
        "name": report.name,
        "claims": as_data(report.claims),
        "ok": report.false == 0,
        "verdicts": verdicts,
    }
