"""Elementary maps, one per file: each advances one part in place, exactly, for any time."""

from typing import cast

from .._registry import FLOWS
from ..state import Flow

__all__ = ["alphabet"]


def alphabet() -> dict[str, Flow]:
    """Return every flow in the package by its letter."""
    flows = [cast(Flow, FLOWS.get(name)) for name in FLOWS.names()]
    return {flow.letter: flow for flow in flows}
