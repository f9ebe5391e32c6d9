"""`thermograd list`."""

import typer

from . import _catalogue
from ._console import print_json

REGISTER = """
Add your own
  one file     end it with `INTEGRATOR = ...`, then: thermograd verify my_method.py
  one package  an entry point makes it a name like those above; in its pyproject.toml:

      [project.entry-points."thermograd.integrators"]
      my_method = "my_package.my_method:INTEGRATOR"

  Then `pip install` it, and: thermograd verify my_method"""


def print_list(kind: str, as_json: bool) -> None:
    """Print the members of a kind and, for integrators, how to register another."""
    found = _catalogue.entries(kind)
    if as_json:
        members = [{"name": entry.name, "summary": entry.summary} for entry in found]
        print_json({"kind": kind, "members": members})
        return
    if not found:
        typer.echo(f"There are no {kind} here; they are in the folder `{kind}` of a clone.")
        return
    width = max(len(entry.name) for entry in found)
    for entry in found:
        typer.echo(f"{entry.name:<{width}}  {entry.summary}")
    if kind == "integrators":
        typer.echo(REGISTER)
