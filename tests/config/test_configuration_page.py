"""docs/configuration.md: its tables are those of the schema, and its files run."""

import re
from pathlib import Path

import pytest

from thermograd.config import from_text, start_run
from thermograd.config.schema import reference
from thermograd.config.training_schema import training_reference

PAGE = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text()
FILES = re.findall(r"```toml title=\"(.*?)\"\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize(
    ("begin", "expected"), [("begin", reference()), ("begin training", training_reference())]
)
def test_reference_is_that_of_the_schema(begin: str, expected: str) -> None:
    written = PAGE.partition(f"<!-- reference: {begin} -->\n")[2].partition("<!-- reference: end")
    assert written[0] == expected, "run scripts/config_reference --write"


@pytest.mark.training
@pytest.mark.parametrize(("name", "text"), FILES, ids=[name for name, _ in FILES])
def test_file_runs(name: str, text: str) -> None:
    config, source = from_text(text, name, {"run.steps": "110"})
    run = start_run(config, source, progress=False)
    assert run.step == 110
    assert run.settings.walkers == config.run.walkers


def test_how_to_file_is_a_configuration() -> None:
    page = (Path(__file__).parents[2] / "docs/how-to/posterior-of-a-network.md").read_text()
    config, _ = from_text(re.findall(r"```toml\n(.*?)```", page, re.DOTALL)[0])
    assert config.data is not None
    assert config.data.name == "german"
