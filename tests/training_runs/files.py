"""Configurations of small training runs."""

from pathlib import Path
from typing import Any

import safetensors.torch
from torch import Tensor

from thermograd.config import Outcome, start_training, training_from_text

REST = """
[model]
name = "mlp"
options = { sizes = [2, 7, 2], activation = "tanh" }

[data]
toy = "spirals"
options = { num_points = 90, turns = 1.0 }
num_test = 30
batch_size = 7

[loss]
name = "cross_entropy"
"""
PARLE = """
[train]
replicas = 2
steps = 23
lr = 0.3
lr_drop_steps = [14]
inner_lr = 0.2
inner_steps = 4
scope = { kind = "Geometric", start = 30.0, factor = 0.97, floor = 1.0 }
coupling = 0.7
temperature = 1e-4
share = 0.75
"""
ELASTIC = """
[train]
rule = "elastic"
replicas = 2
steps = 23
lr = 0.2
inner_steps = 3
coupling = 0.7
"""
DATA_PARALLEL = """
[train]
rule = "data_parallel"
replicas = 2
epochs = 2
lr = 0.2
"""
RULES = {"parle": PARLE, "elastic": ELASTIC, "data_parallel": DATA_PARALLEL}
NUM_PARAMS = 2 * 7 + 7 + 7 * 2 + 2


def trained(table: str, folder: Path, rest: str = REST, **changes: Any) -> Outcome | None:
    """Train with some keys of [train] changed, in a folder."""
    changed = {f"train.{key}": str(value) for key, value in changes.items()}
    config, source = training_from_text(table + rest, "train.toml", changed)
    return start_training(config, source, folder)


def master(folder: Path) -> dict[str, Tensor]:
    return safetensors.torch.load_file(folder / "master.safetensors")
