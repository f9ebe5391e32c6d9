"""Runs the command line, in this process or in a fresh one."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from thermograd.cli import main

SOURCE = Path(__file__).parents[2] / "src"
PROGRAM = "from thermograd.cli import main; main()"

BAOAB_AGAIN = '''"""MINE: kick, drift, bath, drift, kick.

References:
    Nobody (2031), A word of my own.
"""
from thermograd.integrators import Claims, from_word

claims = Claims(dynamics="langevin", weak_order=2, stationary_order=2,
                exact_marginals=frozenset({"q"}), is_time_reversible=True, is_symplectic=True)
INTEGRATOR = from_word("BAOAB", claims)
'''


@dataclass(frozen=True, slots=True)
class Said:
    """What a command said, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """The output read as JSON."""
        return json.loads(self.out)


def thermograd(*words: str) -> Said:
    """Run a command in this process."""
    done = CliRunner().invoke(main, list(words), prog_name="thermograd")
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return Said(done.exit_code, done.stdout, done.stderr)


def fresh(*words: str, program: str = PROGRAM, source: Path = SOURCE) -> Said:
    """Run a command in a fresh interpreter, on the package in `source`."""
    environment = {**os.environ, "PYTHONPATH": str(source)}
    done = subprocess.run(
        [sys.executable, "-c", program, *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        env=environment,
    )
    return Said(done.returncode, done.stdout, done.stderr)
