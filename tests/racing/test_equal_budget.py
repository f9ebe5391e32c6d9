"""The harness: equal budgets, runs of their own, honest tuning, and bad input."""

import json
import math

import pytest
import torch
from torch import Tensor, nn

from thermograd import models
from thermograd._errors import EvaluationError, ParameterError, UnknownNameError
from thermograd.arrangements import AdLaLa
from thermograd.data.toy import two_clusters
from thermograd.noise import seeded
from thermograd.racing import Entry, Problem, Sighting, equal_budget
from thermograd.racing.equal_budget import points
from thermograd.sampling.streams import stream
from thermograd.thermostat import Thermostat

RUNS, STEPS, BATCH = 3, 7, 5
SGD = Entry("sgd", {"step_size": 0.3})
USELESS, GOOD = 1e-9, 0.7


def problem(start: float = 0.4) -> Problem:
    train, test = (
        two_clusters(40, generator=seeded(number), noise=1.7, dtype=torch.float64)
        for number in (1, 2)
    )
    model = models.perceptron(2, 3, 1, "tanh", generator=seeded(3)).double()
    return Problem("clusters", model, "binary", train, test, BATCH, start)


def by_hand(made: Problem, step_size: float, seed: int) -> list[list[Tensor]]:
    """Train each run by itself with SGD, from the streams of a race."""
    own = stream(seed, "race").initial_seed()
    network = made.network()
    start = made.positions(network, RUNS, stream(own, "start"))
    batches = stream(own, "batches")
    drawn = [network.draw_batch(RUNS, batches) for _ in range(STEPS)]
    x, y = made.train
    found: list[list[Tensor]] = []
    for run in range(RUNS):
        q = [tensor[run].clone().requires_grad_() for tensor in start]
        for batch in drawn:
            hidden = torch.tanh(x[batch[run]] @ q[0].T + q[1])
            logit = (hidden @ q[2].T + q[3]).squeeze(1)
            loss = nn.functional.binary_cross_entropy_with_logits(logit, y[batch[run]].double())
            gradients = torch.autograd.grad(loss, q)
            q = [
                (t - step_size * g).detach().requires_grad_()
                for t, g in zip(q, gradients, strict=True)
            ]
        found.append(q)
    return found


def test_runs_are_trainings_with_their_own_starts_and_batches() -> None:
    race = equal_budget({"SGD": SGD}, problem(), RUNS, gradients=STEPS, seed=4, compile=False)
    standing = race.standings["SGD"]
    expected = by_hand(problem(), 0.3, 4)
    for number, tensor in enumerate(standing.positions):
        torch.testing.assert_close(tensor, torch.stack([run[number] for run in expected]).detach())
    x, y = problem().test
    for run, q in enumerate(expected):
        logit = (torch.tanh(x @ q[0].T + q[1]) @ q[2].T + q[3]).squeeze(1)
        right = ((logit > 0) == (y > 0)).double().mean()
        assert standing.accuracy[run] == pytest.approx(float(right))


def test_curves_end_where_the_budget_does() -> None:
    race = equal_budget({"SGD": SGD}, problem(), RUNS, gradients=17, checkpoints=5, compile=False)
    standing = race.standings["SGD"]
    assert standing.at == (5, 8, 11, 14, 17)
    assert standing.train_loss.shape == standing.test_accuracy.shape == (RUNS, 5)
    assert standing.gradients == 17


def test_every_method_has_the_same_gradients_up_to_the_start() -> None:
    entries = {
        "sgd": SGD,
        "adam": Entry("adam", {"step_size": 0.02}),
        "BAOAB": Entry("BAOAB", {"step_size": 0.1, "friction": 0.6, "temperature": 1e-3}),
        "lol": Entry("lol", {"step_size": 0.1}),
        "own": Entry(AdLaLa(friction=0.7), {"step_size": 0.1}),
    }
    race = equal_budget(entries, problem(), 2, gradients=9, compile=False)
    found = {label: standing.gradients for label, standing in race.standings.items()}
    assert found == {"sgd": 9, "adam": 9, "BAOAB": 10, "lol": 10, "own": 10}
    assert race.standings["own"].method == "AdLaLa"


def test_methods_share_their_starts_and_tuning_has_others() -> None:
    seen: list[Sighting] = []
    entries = {"sgd": SGD, "adam": Entry("adam", {"step_size": 0.02})}
    grid = {"adam": {"step_size": [0.1]}}
    equal_budget(
        entries,
        problem(),
        2,
        gradients=4,
        tune=grid,
        tuning_seeds=2,
        compile=False,
        watch=seen.append,
    )
    first = [s for s in seen if s.step == 0]
    assert [(s.label, s.is_tuning) for s in first] == [
        ("sgd", False),
        ("adam", True),
        ("adam", True),
        ("adam", False),
    ]
    assert torch.equal(first[0].train_loss, first[3].train_loss)
    assert torch.equal(first[1].train_loss, first[2].train_loss)
    assert not torch.isin(first[1].train_loss, first[0].train_loss).any()
    assert [s.step for s in seen if s.label == "sgd"] == [0, 1, 2, 3, 4]


def test_the_best_point_of_the_grid_runs() -> None:
    race = equal_budget(
        {"SGD": Entry("sgd", {"step_size": USELESS})},
        problem(),
        2,
        gradients=60,
        tune={"SGD": {"step_size": [2 * USELESS, GOOD]}},
        tuning_seeds=2,
        compile=False,
    )
    standing = race.standings["SGD"]
    assert [trial.settings["step_size"] for trial in standing.trials] == [
        USELESS,
        2 * USELESS,
        GOOD,
    ]
    best = max(trial.accuracy for trial in standing.trials)
    assert standing.trials[2].accuracy == best > standing.trials[0].accuracy
    assert standing.settings == {"step_size": GOOD}
    assert "best of 3" in race.table()


def test_a_grid_holds_the_settings_of_the_entry() -> None:
    found = points("a", {"a": SGD}, {"step_size": [0.1, 0.3], "mass": [1.3]})
    assert [entry.settings for entry in found] == [
        {"step_size": 0.3},
        {"step_size": 0.1, "mass": 1.3},
        {"step_size": 0.3, "mass": 1.3},
    ]
    assert points("a", {"a": SGD}, {"step_size": [0.1, 0.3]})[0].settings == {"step_size": 0.1}


def test_runs_that_diverge_have_accuracy_zero() -> None:
    entries = {"sgd": SGD, "far": Entry("BAOAB", {"step_size": 1e200})}
    race = equal_budget(entries, problem(), 2, gradients=6, checkpoints=3, compile=False)
    far = race.standings["far"]
    assert far.num_diverged == 2
    assert far.accuracy == (0.0, 0.0)
    assert far.at == race.standings["sgd"].at
    assert race.standings["sgd"].num_diverged == 0
    json.dumps(race.as_data(), allow_nan=False)


def test_a_run_that_diverges_leaves_the_others_alone() -> None:
    entry = Entry("sgd", {"step_size": 1e308})
    race = equal_budget({"far": entry}, problem(), 2, gradients=6, compile=False)
    far = race.standings["far"]
    is_lost = [math.isnan(loss) for loss in far.train_loss[:, -1]]
    assert sorted(is_lost) == [False, True]
    assert far.num_diverged == 1
    assert far.accuracy[is_lost.index(True)] == 0.0
    assert far.accuracy[is_lost.index(False)] > 0.0


def test_one_seed_has_a_record_and_no_interval() -> None:
    entries = {"sgd": SGD, "adam": Entry("adam", {"step_size": 0.02})}
    race = equal_budget(entries, problem(), 1, gradients=2, compile=False)
    assert race.standings["sgd"].sd is None
    assert race.as_data()["comparisons"] == []
    with pytest.raises(ParameterError, match="ask for more seeds"):
        race.compare("sgd", "adam")


def test_comparisons_are_of_every_pair_and_hold_together() -> None:
    entries = {name: Entry(name, {"step_size": 0.1}) for name in ("sgd", "adam", "lol")}
    race = equal_budget(entries, problem(), 3, gradients=12, compile=False)
    pairs = race.comparisons(0.9)
    names = [(pair.first, pair.second) for pair in pairs]
    assert names == [("sgd", "adam"), ("sgd", "lol"), ("adam", "lol")]
    alone = race.compare("sgd", "lol", 0.9)
    assert alone.difference == pytest.approx(
        race.standings["sgd"].mean - race.standings["lol"].mean
    )
    assert pairs[1].high - pairs[1].low >= alone.high - alone.low


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (Entry("adlalla", {"step_size": 0.1}), "'adlala'"),
        (Entry("sgld", {"step_size": 0.1, "temprature": 0.1}), "'temperature'"),
        (Entry("adlala", {"step_size": 0.1, "drivingnoise": 0.1}), "'driving_noise'"),
        (Entry("sgd_momentum", {"step_size": 0.1, "momentun": 0.3}), "'momentum'"),
        (Entry(AdLaLa(), {"step_size": 0.1, "friction": 0.3}), "'friction'"),
    ],
)
def test_unknown_methods_and_settings_have_close_matches(entry: Entry, said: str) -> None:
    with pytest.raises(UnknownNameError, match=said):
        equal_budget({"sgd": SGD, "x": entry}, problem(), 2, gradients=3)


def test_settings_make_the_method() -> None:
    plain = Entry("sgd_momentum", {"step_size": 0.1, "momentum": 0.35}).chosen()
    assert "0.35" in repr(plain.method)
    bath = {"step_size": 0.1, "temperature": 0.2, "feedback": 0.3, "driving_noise": 0.4}
    arguments = Entry("sgnht", bath).chosen().arguments
    assert arguments.get("thermostat") == Thermostat(0.3, 0.4)
    assert arguments.get("temperature") == 0.2
    with pytest.raises(ParameterError, match="needs both feedback"):
        Entry("sgnht", {"step_size": 0.1, "feedback": 0.3}).chosen()


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        ({"seeds": 0}, "seeds"),
        ({"gradients": 0}, "gradients"),
        ({"gradients": 2.5}, "gradients"),
        ({"checkpoints": 0}, "checkpoints"),
        ({"tuning_seeds": 0}, "tuning_seeds"),
        ({"seed": -1}, "seed"),
        ({"methods": {}}, "methods"),
        ({"tune": {"SGD": {}}}, "a grid with a setting"),
        ({"tune": {"SGD": {"step_size": []}}}, "a list with a value"),
        ({"tune": {"SGD": {"step_size": "0.1"}}}, "a list with a value"),
    ],
)
def test_bad_numbers_are_refused(numbers: dict[str, object], said: str) -> None:
    given: dict[str, object] = {"methods": {"SGD": SGD}, "seeds": 2, "gradients": 3, **numbers}
    with pytest.raises(ParameterError, match=said):
        equal_budget(problem=problem(), **given)  # pyright: ignore[reportArgumentType]


def test_a_grid_of_nobody_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'adam'"):
        equal_budget({"adam": SGD}, problem(), 2, gradients=3, tune={"adm": {"step_size": [0.1]}})


def test_an_entry_needs_a_step_size() -> None:
    with pytest.raises(ParameterError, match="step_size"):
        Entry("sgd", {"mass": 1.3})


def test_a_problem_is_one_of_classes() -> None:
    x, y = problem().train
    with pytest.raises(EvaluationError, match="classifier"):
        Problem("line", nn.Identity(), "mse", (x, y), (x, y), None)
    with pytest.raises(ParameterError, match="start"):
        Problem("line", nn.Identity(), "binary", (x, y), (x, y), None, -0.3)
