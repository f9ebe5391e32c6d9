"""docs/experiments.md says what the records say; what is off is said in the README."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from thermograd.experiments import Experiment, compare, find

ROOT = Path(__file__).parents[2]
RECORDED = [e for e in find(ROOT / "experiments") if (e.folder / "records.jsonl").is_file()]


def page_script() -> ModuleType:
    path = ROOT / "scripts" / "experiments_page.py"
    spec = importlib.util.spec_from_file_location("experiments_page", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_page_is_what_the_records_say() -> None:
    page = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
    assert page == page_script().render(), "run: python scripts/experiments_page.py"


@pytest.mark.parametrize("experiment", RECORDED, ids=lambda found: found.name)
def test_record_is_as_expected_or_the_readme_says_it_is_off(experiment: Experiment) -> None:
    line = (experiment.folder / "records.jsonl").read_text(encoding="utf-8").splitlines()[-1]
    readme = (experiment.folder / "README.md").read_text(encoding="utf-8")
    rows = compare(experiment.folder, json.loads(line)["measured"])
    assert [
        row.name for row in rows if row.ok is False and f"`{row.name}` is off" not in readme
    ] == []
