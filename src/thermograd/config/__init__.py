"""Runs without Python: a TOML file, checked, becomes a target and a run, and is kept with it."""

from .held_out import held_out_scores
from .launch import continue_run, start_run
from .reading import Source, from_text, read
from .schema import Config
from .target import build_target, load_data

__all__ = [
    "Config",
    "Source",
    "build_target",
    "continue_run",
    "from_text",
    "held_out_scores",
    "load_data",
    "read",
    "start_run",
]
