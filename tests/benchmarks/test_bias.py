"""The bias table at a small size, and the table in the repository.

False alarm: 1e-6 for each average of each row, some 240 of them. Resolution: see `RESOLVES`.
"""

import copy
import dataclasses
import json
import math
from typing import Any

import pytest
from benchmarks.bias import own
from benchmarks.bias.gaussian import keeps_claims, stationary
from benchmarks.bias.rows import explain, own_row, own_rows
from benchmarks.bias.run import DOCS, FOLDER
from benchmarks.bias.settings import TARGETS, Settings
from benchmarks.bias.table import render
from benchmarks.bias.verdict import FALSE_ALARM, fit, judge, slope

from thermograd.integrators import Claims, Update, from_word
from thermograd.integrators.euler_maruyama import euler_maruyama
from thermograd.potentials import Harmonic
from thermograd.state import Env, Part

SMALL = Settings(
    step_sizes=(0.24, 0.31, 0.4, 0.52),
    gradients=160,
    burn_in=80,
    walkers=2048,
    temperature=0.7,
    friction=1.6,
    mass=1.3,
    noise_sd=0.8,
)
RESOLVES = 0.12  # a relative bias of ⟨q²⟩ this large at the largest step is 5 standard errors
STANDARD_ERRORS = 5.0

METROPOLISED = ("mala", "hmc", "hmc_first_order", "hmc_randomised")

Record = dict[str, Any]


@pytest.fixture(scope="module")
def rows(seed: int) -> list[Record]:
    return own_rows(dataclasses.replace(SMALL, seed=seed))


@pytest.fixture(scope="module")
def committed() -> Record:
    return json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))


@pytest.mark.statistical
@pytest.mark.parametrize("name", own.samplers())
def test_claims_explain_what_a_method_samples(name: str, rows: list[Record]) -> None:
    mine = [row for row in rows if row["method"] == name]
    assert len(mine) in (len(TARGETS), 2 * len(TARGETS))
    for row in mine:
        for observable, values in row["observables"].items():
            where = (row["target"], row["is_noisy"], observable, values)
            assert values["is_explained"], where
        q2 = row["observables"]["q2"]
        assert STANDARD_ERRORS * q2["error"][-1] < RESOLVES * q2["exact"]


@pytest.mark.statistical
@pytest.mark.parametrize("name", ["baoab", "sgld", "mala"])
def test_a_temperature_off_by_a_tenth_is_seen(name: str, rows: list[Record]) -> None:
    row = next(row for row in rows if row["method"] == name and row["target"] == "Gaussian")
    wrong = copy.deepcopy(row)
    for values in wrong["observables"].values():
        values["mean"] = [0.9 * mean for mean in values["mean"]]
    judge(wrong)
    assert not wrong["is_explained"]


def test_order_one_is_not_explained_by_order_two() -> None:
    steps, errors = [0.12, 0.18, 0.28, 0.45], [1e-3] * 4
    values = {"exact": 0.7, "mean": [0.7 + 0.3 * h for h in steps], "error": errors}
    row = {"observables": {"q2": values}, "own_steps": steps, "claim": 2}
    judge(row)
    assert not row["is_explained"]
    row["claim"] = 1
    judge(row)
    assert row["is_explained"]


def test_fit_and_slope_find_what_was_put_in() -> None:
    steps, errors = [0.12, 0.18, 0.28, 0.45], [2e-3] * 4
    found, _, residuals = fit(steps, [0.3 * h - 0.7 * h**3 for h in steps], errors, (1, 3))
    assert found == pytest.approx([0.3, -0.7], abs=1e-12)
    assert residuals == pytest.approx([0.0] * 4, abs=1e-14)
    power = slope(steps, [0.4 * h**1.7 for h in steps], errors)
    assert power is not None
    assert power[0] == pytest.approx(1.7, abs=1e-6)
    assert slope(steps, [1e-4] * 4, errors) is None


@pytest.mark.parametrize("h", [0.2, 0.5])
def test_known_law_agrees_with_closed_forms(h: float) -> None:
    k, m, t = 2.3, SMALL.mass, SMALL.temperature
    s = h * h * k / (4 * m)
    baoab = stationary(own.method("baoab", SMALL), k, h, 0.0, SMALL)
    assert baoab["q2"] == pytest.approx(t / k, rel=1e-12)
    assert baoab["p2"] == pytest.approx(m * t * (1 - s), rel=1e-12)
    obabo = stationary(own.method("obabo", SMALL), k, h, 0.0, SMALL)
    assert obabo["q2"] == pytest.approx(t / k / (1 - s), rel=1e-12)
    assert obabo["p2"] == pytest.approx(m * t, rel=1e-12)
    sd = 0.6
    sgld = stationary(own.method("sgld", SMALL), k, h, sd, SMALL)
    hot = t + h * sd**2 / (2 * m)
    assert sgld["q2"] == pytest.approx(hot / k / (1 - h * k / (2 * m)), rel=1e-12)


@pytest.mark.parametrize("name", [n for n in own.samplers() if n not in METROPOLISED])
def test_known_law_keeps_the_claims(name: str) -> None:
    assert all(keeps_claims(own.method(name, SMALL), 2.3, SMALL).values())


@pytest.mark.parametrize(
    "claims",
    [Claims(stationary_order=3), Claims(stationary_order=2, exact_marginals=frozenset({"p"}))],
)
def test_known_law_does_not_keep_a_false_claim(claims: Claims) -> None:
    assert not keeps_claims(from_word("BAOAB", claims), 2.3, SMALL)["p2"]


def test_half_the_temperature_is_not_explained() -> None:
    def cold(part: Part, h: float, env: Env) -> None:
        part.temperature /= 2
        euler_maruyama(part, h, env)
        part.temperature *= 2

    claims = Claims(dynamics="overdamped", stationary_order=1)
    assert all(keeps_claims(Update(euler_maruyama, claims), 2.3, SMALL).values())
    assert not any(keeps_claims(Update(cold, claims), 2.3, SMALL).values())


def test_a_row_carries_what_it_is_judged_by() -> None:
    tiny = Settings(gradients=4, burn_in=0, walkers=32, mass=1.3)
    row = own_row("baoab", "Gaussian", True, tiny)
    explain([row], tiny)
    sd, step = tiny.noise_sd, tiny.step_sizes[-1]
    potential = TARGETS["Gaussian"]
    assert isinstance(potential, Harmonic)
    rise = step * sd**2 / (2 * tiny.friction * tiny.mass) / potential.spectrum[0]
    assert row["observables"]["q2"]["heating"][-1] == pytest.approx(rise, rel=1e-9)
    assert len(row["observables"]["q2"]["predicted"]) == len(tiny.step_sizes)


def test_committed_table_covers_the_registry(committed: Record) -> None:
    found = {
        (row["method"], row["target"], row["is_noisy"])
        for row in committed["rows"]
        if row["library"] == own.LIBRARY
    }
    assert found == set(own.cells(SMALL))


def test_committed_table_has_every_own_row_explained(committed: Record) -> None:
    rows = [row for row in committed["rows"] if row["library"] == own.LIBRARY]
    assert [row["method"] for row in rows if not row["is_explained"]] == []
    for row in rows:
        for values in row["observables"].values():
            assert values["probability"] >= FALSE_ALARM
            assert all(math.isfinite(number) for number in values["mean"] + values["error"])


def test_committed_table_has_the_peers(committed: Record) -> None:
    libraries = {row["library"] for row in committed["rows"]}
    assert libraries == {own.LIBRARY, "posteriors", "blackjax", "geoopt"}
    assert libraries <= set(committed["versions"])


def test_page_is_what_the_record_says(committed: Record) -> None:
    assert (DOCS / "bias-table.md").read_text(encoding="utf-8") == render(committed)
