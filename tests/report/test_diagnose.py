"""Landscape, prediction and diagnostics of a run, against closed forms and the target itself."""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from thermograd._errors import ParameterError, UnknownNameError
from thermograd.potentials import Network
from thermograd.report.diagnose import DIAGNOSTICS, Diagnosis, diagnose
from thermograd.report.landscape import Landscape, landscape_of
from thermograd.report.prediction import Prediction, prediction_of
from thermograd.report.record import RunRecord, read_record
from thermograd.report.subject import Absent, Subject, rebuild

from .runs import NETWORK, PLANE, WELL, made

REGRESSION: Mapping[str, str] = {
    "loss": '{ name = "gaussian", sd = 0.6 }',
    "model.options": '{ sizes = [2, 5, 1], activation = "tanh" }',
    "run.observables": "[]",
}


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> RunRecord:
    return read_record(made(NETWORK, tmp_path_factory.mktemp("runs") / "network"))


@pytest.fixture(scope="module")
def plane(tmp_path_factory: pytest.TempPathFactory) -> RunRecord:
    return read_record(made(PLANE, tmp_path_factory.mktemp("runs") / "plane"))


def by_name(found: Diagnosis) -> dict[str, float]:
    return {row.name: row.value for row in found.rows}


def test_plane_of_a_round_well_is_its_closed_form(plane: RunRecord) -> None:
    """U = ½k|c + a d₁ + b d₂|², whose part odd in a and b drops out of the mean over the grid."""
    found = landscape_of(plane, resolution=9)
    assert isinstance(found, Landscape)
    centre = plane.posterior["q"].astype(float).mean(axis=(0, 1))
    a, b = np.meshgrid(found.surface.x, found.surface.y)
    expected = 0.5 * 1.7 * (centre @ centre + np.mean(a**2 + b**2))
    assert found.surface.loss.value.mean() == pytest.approx(expected, rel=1e-6)
    assert sum(found.shares) == pytest.approx(1.0, rel=1e-9)
    reach = np.abs(found.draws.coordinates)
    assert (reach <= [found.surface.x[-1], found.surface.y[-1]]).all()


def test_well_of_one_coordinate_is_a_line(tmp_path: Path) -> None:
    record = read_record(made(WELL, tmp_path / "well"))
    found = landscape_of(record)
    assert isinstance(found, Landscape)
    assert found.surface.loss.value.shape == (1, 200)
    subject = rebuild(record)
    assert isinstance(subject, Subject)
    draws = found.draws.coordinates[:, 0] + float(record.posterior["q"].mean(dtype=float))
    x = np.concatenate([draws, 2 * record.posterior["q"].mean(dtype=float) - draws])
    out = torch.empty(len(x), 1, dtype=torch.float64)
    energy = subject.target.force([torch.from_numpy(x).reshape(-1, 1)], out=[out]).numpy()
    gap = np.abs(energy.reshape(2, -1) - found.heights).min(axis=0)  # the direction has no sign
    assert gap.max() < 0.02 * np.ptp(energy)


def test_landscape_of_a_network_is_its_mean_loss(network: RunRecord) -> None:
    found, subject = landscape_of(network, resolution=5), rebuild(network)
    assert isinstance(found, Landscape)
    assert isinstance(subject, Subject)
    target = subject.target
    assert isinstance(target, Network)
    centre = [
        torch.from_numpy(network.posterior[name].mean(axis=(0, 1), dtype=float))
        .float()
        .unsqueeze(0)
        for name in target.names
    ]
    expected = float(target.mean_loss(centre)[0])
    assert found.surface.loss.value[2, 2] == pytest.approx(expected, rel=1e-5)


def test_scores_are_those_of_the_averaged_draws(network: RunRecord) -> None:
    found, subject = prediction_of(network), rebuild(network)
    assert isinstance(found, Prediction)
    assert isinstance(subject, Subject)
    assert isinstance(subject.target, Network)
    from thermograd.config import load_data

    data = load_data(subject.config, subject.source)
    draws = [
        torch.from_numpy(network.posterior[name][:, 99::-4].copy()).flatten(0, 1)
        for name in subject.target.names
    ]
    p = torch.softmax(subject.target.predict(draws, data.x_test).double(), -1)
    rows = torch.arange(20)
    nll = {score.name: score for score in found.scores}["negative log likelihood"]
    assert nll.averaged == pytest.approx(
        float(-p.mean(0)[rows, data.y_test].log().mean()), rel=1e-9
    )
    assert nll.single == pytest.approx(float(-p[:, rows, data.y_test].log().mean()), rel=1e-9)
    assert (found.num_rows, found.num_draws) == (20, 75)


def test_scores_of_a_regression(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text(
        "a,b,y\n" + "".join(f"{i % 7},{i % 5},{(i % 7) * 0.3}\n" for i in range(40))
    )
    text = NETWORK.replace('toy = "moons"', f'file = "{tmp_path}/table.csv"')
    text = text.replace("options = { num_points = 60, noise = 0.2 }\n", "")
    record = read_record(made(text, tmp_path / "run", REGRESSION))
    found = prediction_of(record)
    assert isinstance(found, Prediction)
    scores = {score.name: score.averaged for score in found.scores}
    constant = math.log(0.6) + 0.5 * math.log(2 * math.pi)
    assert scores["negative log likelihood"] > constant  # the least that a Gaussian can have
    assert scores["root mean squared error"] > 0
    assert found.reliability is None


def test_unknown_diagnostic_lists_close_ones(network: RunRecord) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'curvature'"):
        diagnose(network, ["curvture"])
    with pytest.raises(ParameterError, match="name what to measure"):
        diagnose(network, [])


def test_every_diagnostic_measures_a_network(network: RunRecord) -> None:
    before = {name: array.copy() for name, array in network.posterior.items()}
    found = diagnose(network, list(DIAGNOSTICS))
    assert [one.name for one in found] == list(DIAGNOSTICS)
    assert [one.reason for one in found] == [""] * len(found)
    assert all(np.array_equal(before[name], network.posterior[name]) for name in before)
    largest = by_name(found[list(DIAGNOSTICS).index("weights")])["largest |w|, 0.weight"]
    last = network.posterior["0.weight"][:, -1]
    assert largest == pytest.approx(float(np.abs(last).max()), rel=1e-6)


def test_what_cannot_be_measured_says_why(plane: RunRecord, network: RunRecord) -> None:
    (curvature,) = diagnose(plane, ["curvature"])
    assert curvature.reason == "Harmonic is no network over data"
    biases = {name: array for name, array in network.posterior.items() if "bias" in name}
    (landscape,) = diagnose(replace(network, posterior=biases), ["landscape"])
    assert "--set run.params" in landscape.reason
    tables = {**network.tables, "data": {**network.tables["data"], "seed": 6}}
    other = rebuild(replace(network, tables=tables))
    assert isinstance(other, Absent)
    assert "another one by now" in other.reason


def test_without_held_out_rows_there_are_no_scores(tmp_path: Path) -> None:
    record = read_record(made(NETWORK, tmp_path / "run", {"data.num_test": "0"}))
    found = prediction_of(record)
    assert isinstance(found, Absent)
    assert "data.num_test" in found.reason
