"""AdLaLa and LOL against tuned SGD, SGD with momentum, Adam and SGLD, with equal budgets."""

from collections.abc import Callable
from dataclasses import dataclass

from vlaar_ch3_common.problems import numbers, trigonometric

from thermograd.experiments import Result
from thermograd.racing import (
    Entry,
    Grid,
    Problem,
    Race,
    Setting,
    Standing,
    Trial,
    equal_budget,
    spiral,
)
from thermograd.sampling.stepping import Compile

RUNS, TUNING_RUNS, SEED = 20, 5, 0
PARTITIONED, BASELINES = ("adlala", "lol"), ("sgd", "sgd_momentum", "adam", "sgld")
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Task:
    """A problem, and AdLaLa's settings that are printed for it.

    Attributes:
        make: the problem, from a seed.
        adlala: printed settings.
        gradients: of each run.
    """

    make: Callable[[int], Problem]
    adlala: dict[str, Setting]
    gradients: int


TASKS = {
    "spiral4": Task(
        lambda seed: spiral(
            4.0, 100, 1000, test_points=1000, batch_size=20, start="reset", seed=seed
        ),
        {"step_size": 0.25, "friction": 0.1, "driving_noise": 0.01, "feedback": 0.05},
        40_000,
    ),
    "trig6": Task(
        lambda seed: trigonometric(6.0, seed=seed),
        {"step_size": 0.2, "friction": 10.0, "driving_noise": 0.001, "feedback": 0.1},
        30_000,
    ),
    "trig10": Task(
        lambda seed: trigonometric(10.0, batch_size=20, seed=seed),
        {"step_size": 0.1, "friction": 5.0, "driving_noise": 0.001, "feedback": 0.1},
        30_000,
    ),
}


def entries(task: Task) -> dict[str, Entry]:
    """Return the printed settings; of the methods without any, a usual one."""
    hot: dict[str, Setting] = {"temperature": 1e-4, "output_temperature": 1e-4}
    return {
        "sgd": Entry("sgd", {"step_size": 0.1}),
        "sgd_momentum": Entry("sgd_momentum", {"step_size": 0.05, "momentum": 0.9}),
        "adam": Entry("adam", {"step_size": 0.005}),
        "sgld": Entry("sgld", {"step_size": 0.1, "temperature": 0.01**2 / 2}),
        "lol": Entry("lol", {"step_size": 0.1, "friction": 0.01, "temperature": 1e-3}),
        "adlala": Entry("adlala", {**task.adlala, **hot, "initial_xi": 0.1}),
    }


def grids(key: str) -> dict[str, Grid]:
    """Return the values to try for each method; fewer on the trigonometric data, and no SGD.

    The setting of an entry is tried even if it is no point of its grid.
    """
    if key == "spiral4":
        return {
            "sgd": {"step_size": [0.05, 0.1, 0.2, 0.4]},
            "sgd_momentum": {"step_size": [0.02, 0.05, 0.1], "momentum": [0.9, 0.97]},
            "adam": {"step_size": [0.001, 0.002, 0.005, 0.01, 0.02, 0.05]},
            "sgld": {"step_size": [0.1, 0.2, 0.4], "temperature": [0.005**2 / 2, 0.01**2 / 2]},
            "lol": {"step_size": [0.1, 0.25], "friction": [0.01, 1.0], "temperature": [1e-3, 1e-5]},
            "adlala": {
                "step_size": [0.1, 0.25],
                "friction": [0.1, 5.0],
                "driving_noise": [0.01, 0.04],
            },
        }
    return {
        "sgd_momentum": {"step_size": [0.02, 0.05, 0.1], "momentum": [0.9]},
        "adam": {"step_size": [0.002, 0.005, 0.01, 0.02]},
        "sgld": {"step_size": [0.1, 0.2, 0.4]},
        "lol": {"step_size": [0.1, 0.25], "temperature": [1e-3, 1e-5]},
        "adlala": {"step_size": [0.1, 0.25], "friction": [0.5, 5.0]},
    }


def variants(key: str, adlala: Entry) -> dict[str, Entry]:
    """Return changes of one thing at a time to tuned settings of AdLaLa."""
    noise, friction = (float(adlala.settings[name] or 0) for name in ("driving_noise", "friction"))
    changes: dict[str, dict[str, Setting]] = {
        "plain": {"coupling": "plain"},
        "per_tensor": {"thermostat_per": "tensor"},
        "noise_times3": {"driving_noise": 3 * noise},
        "friction_over5": {"friction": friction / 5},
    }
    if key == "spiral4":
        changes |= {
            "bacdedcab": {"word": "BACDEDCAB"},
            "cold_output": {"output_temperature": 1e-8},
            "noise_over3": {"driving_noise": noise / 3},
            "friction_times5": {"friction": 5 * friction},
        }
    if key == "trig10":
        h = float(adlala.settings["step_size"] or 0)
        per_tensor: dict[str, Setting] = {"thermostat_per": "tensor"}
        more_friction: dict[str, Setting] = {"friction": 5 * friction}
        hot: dict[str, Setting] = {"temperature": 1e-3}
        changes |= {
            "friction_times5": more_friction,
            "step_over2": {"step_size": h / 2},
            "per_tensor_friction_times5": per_tensor | more_friction,
            "per_tensor_step_times2": per_tensor | more_friction | {"step_size": 2 * h},
            "hot": hot,
            "per_tensor_hot": per_tensor | hot,
            "per_tensor_hot_cold_output": per_tensor | hot | {"output_temperature": 1e-8},
        }
    return {label: adlala.with_settings(change) for label, change in changes.items()}


def verdicts(race: Race, key: str) -> dict[str, float]:
    """Return the differences from every baseline; all intervals hold together."""
    measured: dict[str, float] = {}
    baselines = [label for label in race.standings if label in BASELINES]
    num_pairs = len(PARTITIONED) * len(baselines)
    best = max(baselines, key=lambda label: race.standings[label].mean)
    for label in PARTITIONED:
        for other in baselines:
            found = race.compare(label, other, CONFIDENCE, num_pairs)
            names = [f"{label}_minus_{other}", *([f"{label}_minus_best"] if other == best else [])]
            for name in names:
                measured[f"{key}_{name}"] = 100 * found.difference
                measured[f"{key}_{name}_low"] = 100 * found.low
                measured[f"{key}_{name}_high"] = 100 * found.high
    return measured


def measure(
    key: str, runs: int, tuning_runs: int, gradients: int, compile: Compile, seed: int
) -> tuple[dict[str, float], dict[str, object]]:
    """Return the numbers of one problem, and its settings."""
    task = TASKS[key]
    problem = task.make(seed)
    race = equal_budget(
        {label: entry for label, entry in entries(task).items() if label in grids(key)},
        problem,
        runs,
        gradients=gradients,
        tune=grids(key) if tuning_runs else {},
        tuning_seeds=max(1, tuning_runs),
        checkpoints=20,
        seed=seed,
        compile=compile,
    )
    measured = verdicts(race, key)
    for label, found in race.standings.items():
        measured |= numbers(found, f"{key}_{label}") | to_ninety(found, f"{key}_{label}")
        measured |= trials(found, f"{key}_{label}")
    times = [measured.get(f"{key}_{label}_gradients_to_90") for label in ("adam", "adlala")]
    if times[0] is not None and times[1] is not None:
        measured[f"{key}_adam_over_adlala_to_90"] = times[0] / times[1]
    settings = {label: dict(found.settings) for label, found in race.standings.items()}
    if key == "spiral4" or measured[f"{key}_adlala_minus_best_low"] <= 0:  # what would make it win?
        scan = equal_budget(
            variants(key, Entry("adlala", settings["adlala"])),
            problem,
            runs,
            gradients=gradients,
            checkpoints=20,
            seed=seed + 1,
            compile=compile,
        )
        for label, found in scan.standings.items():
            measured |= numbers(found, f"{key}_adlala_{label}")
    return measured, {"tuned": settings}


def to_ninety(found: Standing, key: str) -> dict[str, float]:
    """Return the gradients after which the mean accuracy is 90% first, if it ever is."""
    means = found.test_accuracy.mean(0)
    reached = [at for at, mean in zip(found.at, means, strict=True) if mean >= 0.9]
    return {f"{key}_gradients_to_90": float(reached[0])} if reached else {}


def trials(found: Standing, key: str) -> dict[str, float]:
    """Return the accuracy at each point of the grid, in percent."""
    return {
        f"{key}_trial_{'_'.join(f'{value:g}' for value in said(trial))}": 100 * trial.accuracy
        for trial in found.trials
    }


def said(trial: Trial) -> list[float]:
    """Return the numbers among the settings of a trial."""
    return [value for value in trial.settings.values() if isinstance(value, (int, float))]


def smoke() -> Result:
    """Take a few steps, eagerly and without tuning."""
    measured, _ = measure("trig6", 2, 0, 8, False, SEED)
    return Result(measured, {"runs": 2}, SEED)


def full(seed: int = SEED) -> Result:
    """Tune and race on every problem."""
    parts = {
        key: measure(key, RUNS, TUNING_RUNS, task.gradients, True, seed)
        for key, task in TASKS.items()
    }
    return together(parts, seed)


def together(
    parts: dict[str, tuple[dict[str, float], dict[str, object]]], seed: int = SEED
) -> Result:
    """Return one result of all problems."""
    measured = {name: value for found, _ in parts.values() for name, value in found.items()}
    config = {
        "runs": RUNS,
        "tuning_runs": TUNING_RUNS,
        "gradients": {key: TASKS[key].gradients for key in parts},
        **{key: settings for key, (_, settings) in parts.items()},
    }
    return Result(measured, config, seed)
