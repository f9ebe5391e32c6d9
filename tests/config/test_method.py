"""Methods of parts, and geometries, in a configuration."""

from pathlib import Path

import pytest

from thermograd._errors import ThermogradError
from thermograd.arrangements import PartMethod
from thermograd.config import continue_run, from_text, start_run
from thermograd.geometry import Circle
from thermograd.thermostat import Thermostat

NETWORK = """
[model]
name = "mlp"
options = { sizes = [2, 3, 2], activation = "tanh" }
scale = "mean"

[data]
toy = "moons"
options = { num_points = 20, noise = 0.2 }
batch_size = 5

[loss]
name = "cross_entropy"
"""
RUN = """[run]
walkers = 2
steps = 6
step_size = 0.1
"""
METHOD = """
[method]
name = "AdLaLa"
friction = 0.7
"""
PARTS = """
[partition]
name = "last"

[parts.rest]
method = "BAEFEAB"
temperature = 0.02
thermostat = { feedback = 0.3, driving_noise = 0.05 }

[parts.last]
method = "adam"
temperature = 0.0
"""
CIRCLE = """
[geometry."0.weight"]
name = "Circle"
radius = 2.3
"""


def test_a_published_arrangement_by_name() -> None:
    config, source = from_text(RUN + METHOD + NETWORK)
    run = start_run(config, source, progress=False)
    assert run.settings.arrangement is not None
    parts = dict(run.settings.arrangement.specs())
    assert parts["last"] == PartMethod("BAOAB", friction=0.7, temperature=1e-4)
    assert run.settings.temperature == 1e-4


def test_parts_and_geometry() -> None:
    config, source = from_text(RUN + PARTS + CIRCLE + NETWORK)
    run = start_run(config, source, progress=False)
    assert run.settings.arrangement is not None
    parts = dict(run.settings.arrangement.specs())
    assert parts["rest"].thermostat == Thermostat(0.3, 0.05)
    assert run.settings.geometry == ((Circle(2.3), ("0.weight",)),)


@pytest.mark.parametrize("method", [METHOD, PARTS])
def test_run_folder_resumes_and_is_a_configuration(method: str, tmp_path: Path) -> None:
    config, source = from_text(RUN + method + CIRCLE + NETWORK)
    start_run(config, source, tmp_path / "run", progress=False).close()
    longer = continue_run(tmp_path / "run", more=4, progress=False)
    config, source = from_text(RUN + method + CIRCLE + NETWORK, changes={"run.steps": "10"})
    whole = start_run(config, source, progress=False)
    for name, draws in whole.posterior.items():
        assert (longer.posterior[name] == draws).all()
    longer.close()
    config, source = from_text((tmp_path / "run" / "run.toml").read_text())
    again = start_run(config, source, progress=False)
    for name, draws in whole.posterior.items():
        assert (again.posterior[name] == draws).all()


@pytest.mark.parametrize(
    ("text", "changes", "said"),
    [
        (METHOD, {"method.frction": "1"}, "Did you mean 'friction'"),
        (METHOD, {"method.name": "adlal"}, "Did you mean 'adlala'"),
        (METHOD, {"method.partition": "last"}, "table of their own"),
        (METHOD, {"run.method": "baoab"}, "a 'method' in .run. and a .method."),
        (METHOD, {"parts.last.method": "baoab"}, r"\[parts\] needs a \[partition\]"),
        (PARTS, {"method.name": "lol"}, "cannot stand beside"),
        (PARTS, {"parts.last.frction": "1"}, "Did you mean 'friction'"),
        (PARTS, {"parts.lats.method": "baoab"}, "no part is called 'lats'"),
        (PARTS, {"partition.name": "lats"}, "Did you mean 'last'"),
        (PARTS, {"parts.last.method": "ABOBA"}, "cannot serve both"),
        (PARTS, {"parts.rest.thermostat.feedback": "0"}, "above 0"),
        (CIRCLE, {"run.temperature": "1", "geometry.x.name": "Circl"}, "Did you mean 'Circle'"),
        (CIRCLE, {}, "needs 'temperature'"),
        ("[partition]\nname = 'last'\n", {}, r"needs \[parts"),
    ],
)
def test_bad_tables(text: str, changes: dict[str, str], said: str) -> None:
    with pytest.raises(ThermogradError, match=said):
        start_run(*from_text(RUN + text + NETWORK, changes=changes), progress=False)
