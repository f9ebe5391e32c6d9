"""The Markdown of the bias table, written from the record of a run."""

from collections.abc import Iterator
from typing import Any

from .settings import OBSERVABLES

Record = dict[str, Any]

INTRO = """<!-- written by `make bias`; do not edit -->

# The bias table

[How to read it](bias.md). Measured on {date} in {seconds} s with {versions}; {cpu}, {cores} cores,
{threads} thread. T = {temperature:g}, γ = {friction:g}, m = {mass:g}; {walkers:,} walkers,
{gradients:,} gradients each after {burn_in:,} for the approach; seed {seed}; gradient noise of
standard deviation {noise_sd:g} where there is some; Hamiltonian paths of {path_steps} steps.

| target | potential of a coordinate |
|---|---|
"""

SUMMARY = """
## {target}{noise}

The relative bias that is largest in size among the averages, in percent, with its standard error;
and, of the average that is worst at the largest step, the slope in the method's own step size.

| sampler | {columns} | slope | {last} |
|---|{rules}---:|---|
"""

DETAILS = """
## Details: {target}{noise}

Relative bias in percent, with its standard error; its slope; what an extrapolation leaves of it as
the step size goes to 0.

| sampler | average | {columns} | slope | h → 0 |
|---|---|{rules}---:|---:|
"""


def render(result: Record) -> str:
    """Return docs/bias-table.md."""
    parts = [_intro(result)]
    for template, lines in ((SUMMARY, _summary_lines), (DETAILS, _detail_lines)):
        for target in result["targets"]:
            for is_noisy in (False, True):
                rows = [
                    row
                    for row in result["rows"]
                    if row["target"] == target and row["is_noisy"] == is_noisy
                ]
                parts.append(_head(template, target, is_noisy, result["settings"]))
                parts.extend(f"| {' | '.join(line)} |\n" for row in rows for line in lines(row))
    return "".join(parts)


def explanation(row: Record) -> str:
    """Say why an own row has the numbers it has; what a peer's row tends to, otherwise."""
    if "is_explained" not in row:
        return _tendency(row)
    if row["claim"] is None:
        said = "exact: metropolised"
    elif row["target"] == "Gaussian":
        exact = [f"⟨{name}²⟩" for name in row["exact_marginals"] if not row["is_noisy"]]
        order = _order(row["claim"])
        said = f"{' and '.join(exact)} exact, else {order}" if exact else order
        said = "all exact" if len(exact) == len(row["observables"]) - 1 > 0 else said
        said += ", on the known law" if not row["is_noisy"] else ""
        said = "heating, on the known law" if row["is_noisy"] else said
    elif row["is_noisy"]:
        said = "as without noise, and heating"
    else:
        said = _order(row["claim"])
    return said if row["is_explained"] else f"**off its claim** ({said})"


def _order(order: int) -> str:
    return "O(h)" if order == 1 else "O(h²)"


def _tendency(row: Record) -> str:
    """Say where the bias of ⟨q²⟩ goes as the step size goes to 0."""
    limit = row["observables"]["q2"]["limit"]
    if None in row["observables"]["q2"]["mean"]:
        return "diverged"
    if limit is None:
        return "too far off to extrapolate"
    value, error = limit
    return f"{100 * value:+.1f} ± {100 * error:.1f} % as h → 0"


def _intro(result: Record) -> str:
    head = INTRO.format(
        date=result["date"],
        seconds=result["seconds"],
        versions=", ".join(f"{name} {version}" for name, version in result["versions"].items()),
        cpu=result["machine"]["cpu"],
        cores=result["machine"]["cores"],
        threads=result["machine"]["threads"],
        **{key: value for key, value in result["settings"].items() if key != "step_sizes"},
    )
    return head + "".join(f"| {name} | `{text}` |\n" for name, text in result["targets"].items())


def _head(template: str, target: str, is_noisy: bool, settings: Record) -> str:
    columns = [f"h = {h:g}" for h in settings["step_sizes"]]
    return template.format(
        target=target,
        noise=", gradient noise" if is_noisy else "",
        columns=" | ".join(columns),
        rules="---:|" * len(columns),
        last="explained by",
    )


def _name(row: Record) -> str:
    own = "is_explained" in row
    return f"**{row['method']}**" if own else f"{row['library']} {row['method']}"


def _relative(values: Record) -> Iterator[tuple[float, float] | None]:
    exact = values["exact"]
    for mean, error in zip(values["mean"], values["error"], strict=True):
        yield None if mean is None else ((mean - exact) / exact, error / exact)


def _summary_lines(row: Record) -> Iterator[list[str]]:
    every = [list(_relative(values)) for values in row["observables"].values()]
    cells = [_cell(_worst(column)) for column in zip(*every, strict=True)]
    yield [_name(row), *cells, _worst_slope(row), explanation(row)]


def _detail_lines(row: Record) -> Iterator[list[str]]:
    for name, values in row["observables"].items():
        limit = "–" if values["limit"] is None else _cell(values["limit"])
        cells = [_cell(pair) for pair in _relative(values)]
        yield [_name(row), OBSERVABLES[name], *cells, _slope(values["slope"]), limit]


def _worst(pairs: tuple[tuple[float, float] | None, ...]) -> tuple[float, float] | None:
    known = [pair for pair in pairs if pair is not None]
    return max(known, key=lambda pair: abs(pair[0])) if len(known) == len(pairs) else None


def _worst_slope(row: Record) -> str:
    """Return the slope of the average that is worst at the largest step, and its name."""
    last = {name: [*_relative(values)][-1] for name, values in row["observables"].items()}
    known = {name: abs(pair[0]) for name, pair in last.items() if pair is not None}
    worst = max(known, key=lambda name: known[name], default=None)
    found = None if worst is None else row["observables"][worst]["slope"]
    return "–" if worst is None or found is None else f"{_slope(found)} {OBSERVABLES[worst]}"


def _cell(pair: Any) -> str:
    return "diverged" if pair is None else f"{100 * pair[0]:+.2f} ± {100 * pair[1]:.2f}"


def _slope(pair: Any) -> str:
    return "–" if pair is None else f"{pair[0]:.2f} ± {pair[1]:.2f}"
