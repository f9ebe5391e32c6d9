"""Runs without Python: a TOML file, checked, becomes a target and a run, and is kept with it."""

from .held_out import held_out_scores
from .launch import continue_run, start_run
from .reading import Source, from_text, is_training, read, read_training, training_from_text
from .schema import Config
from .target import build_target, load_data
from .training import Outcome, start_training
from .training_schema import Training

__all__ = [
    "Config",
    "Outcome",
    "Source",
    "Training",
    "build_target",
    "continue_run",
    "from_text",
    "held_out_scores",
    "is_training",
    "load_data",
    "read",
    "read_training",
    "start_run",
    "start_training",
    "training_from_text",
]
