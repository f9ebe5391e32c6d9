"""Test accuracy on the two-turn spiral of six methods at published settings, after Figure 3.8."""

from statistics import fmean

from thermograd.experiments import Result
from thermograd.racing import Entry, Race, equal_budget, published, spiral
from thermograd.sampling.stepping import Compile

RUNS, GRADIENTS = 100, 10_000
SEED = 0
STARTS = {"normal": 0.01, "default": "reset"}


def entries() -> dict[str, Entry]:
    """Return the published entries, with AdLaLa at both frictions of the figure."""
    found = published()
    adlala = found.pop("AdLaLa")
    return {
        **{name.lower(): entry for name, entry in found.items()},
        "adlala": adlala,
        "adlala_friction10": adlala.with_settings({"friction": 10.0}),
    }


def numbers(race: Race, start: str) -> dict[str, float]:
    """Return mean, standard deviation and worst accuracy of each method, in percent."""
    measured: dict[str, float] = {}
    for label, found in race.standings.items():
        key = f"{label}_{start}"
        measured[f"{key}_percent"] = 100 * found.mean
        measured[f"{key}_sd"] = 100 * (found.sd or 0.0)
        measured[f"{key}_worst"] = 100 * found.worst
        measured[f"{key}_diverged"] = found.num_diverged
    return measured


def measure(runs: int, gradients: int, compile: Compile, seed: int) -> Result:
    """Return the numbers from both starts."""
    measured: dict[str, float] = {}
    seconds: list[float] = []
    for start, chosen in STARTS.items():
        problem = spiral(start="reset" if chosen == "reset" else float(chosen), seed=seed)
        race = equal_budget(
            entries(), problem, runs, gradients=gradients, seed=seed, compile=compile
        )
        measured |= numbers(race, start)
        seconds += [found.seconds for found in race.standings.values()]
    measured["seconds_per_method"] = fmean(seconds)
    config = {
        "runs": runs,
        "gradients": gradients,
        "settings": {label: dict(entry.settings) for label, entry in entries().items()},
    }
    return Result(measured, config, seed)


def smoke(seed: int = SEED) -> Result:
    """Take a few steps, eagerly."""
    return measure(2, 20, False, seed)


def full(seed: int = SEED) -> Result:
    """Train 100 runs of each method from each start."""
    return measure(RUNS, GRADIENTS, True, seed)
