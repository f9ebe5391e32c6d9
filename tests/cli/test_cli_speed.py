"""`--help` and `list` are quick and import no torch."""

import sys
import time
from collections.abc import Callable

import pytest
from command import fresh

WATCHED = """
import sys
from thermograd.cli import main
try:
    main(prog_name="thermograd")
except SystemExit as done:
    heavy = {"torch", "numpy", "matplotlib", "rich"} & set(sys.modules)
    sys.exit(f"imported {sorted(heavy)}" if heavy else done.code)
"""
BOUND_SECONDS = 1.5  # the aim is 0.3 on an idle machine; a loaded one must not turn this red


@pytest.mark.parametrize("words", [["--help"], ["list"], ["list", "potentials"], ["cite", "oba"]])
def test_light_commands_import_nothing_heavy(words: list[str]) -> None:
    said = fresh(*words, program=WATCHED)
    assert (said.code, said.err) == (0, "")


def test_help_is_quick(record_property: Callable[[str, object], None]) -> None:
    seconds = min(timed("--help") for _ in range(5))
    record_property("help_seconds", seconds)
    assert seconds < BOUND_SECONDS, f"thermograd --help: best of 5 is {seconds:.3f} s"
    sys.stdout.write(f"thermograd --help: best of 5 is {seconds:.3f} s\n")


def timed(*words: str) -> float:
    start = time.perf_counter()
    assert fresh(*words).code == 0
    return time.perf_counter() - start
