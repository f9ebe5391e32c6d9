"""Checkpoints: everything a run needs to continue bit for bit, in safetensors plus JSON.

Both files are written under a temporary name, synced and renamed; the JSON comes last and holds
the SHA-256 of the tensors, so a checkpoint without a JSON, or with one that does not match, was
cut short or damaged, and the one before it is used.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import safetensors.torch
from safetensors import SafetensorError
from torch import Tensor

from .._errors import StoreError
from .folder import write_atomically

__all__ = ["Checkpoint", "load_newest", "save"]

KEPT = 2


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A saved state.

    Attributes:
        step: steps done.
        num_draws: draws in the trajectory at that moment.
        tensors: state and streams, by name.
        facts: what is not a tensor.
    """

    step: int
    num_draws: int
    tensors: Mapping[str, Tensor]
    facts: Mapping[str, object]

    @property
    def name(self) -> str:
        """The stem of its files."""
        return f"checkpoint-{self.step:012d}"


def save(folder: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint and delete all but the newest two."""
    tensors = {name: value.contiguous() for name, value in checkpoint.tensors.items()}
    content = safetensors.torch.save(tensors)
    write_atomically(folder / f"{checkpoint.name}.safetensors", content)
    about = {
        "step": checkpoint.step,
        "num_draws": checkpoint.num_draws,
        "facts": dict(checkpoint.facts),
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    write_atomically(folder / f"{checkpoint.name}.json", json.dumps(about).encode())
    kept = {path.stem for path in _found(folder)[-KEPT:]}
    for path in sorted(folder.glob("checkpoint-*")):  # a JSON goes before its tensors
        if path.stem not in kept:  # older ones, and what a kill cut short
            path.unlink()


def load_newest(folder: Path) -> tuple[Checkpoint, list[str]]:
    """Return the newest checkpoint that is whole, and what is wrong with the newer ones.

    Raises:
        StoreError: if none is whole.
    """
    problems: list[str] = []
    for path in reversed(_found(folder)):
        try:
            return _load(path), problems
        except (OSError, ValueError, KeyError, SafetensorError) as error:
            problems.append(f"{path.stem}: {error}")
    said = "; ".join(problems) or "there is none"
    raise StoreError(f"no checkpoint of {folder} can be read ({said})")


def _found(folder: Path) -> list[Path]:
    return sorted(folder.glob("checkpoint-*.json"))


def _load(path: Path) -> Checkpoint:
    about = json.loads(path.read_text(encoding="utf-8"))
    content = path.with_suffix(".safetensors").read_bytes()
    if hashlib.sha256(content).hexdigest() != about["sha256"]:
        raise ValueError("damaged: its SHA-256 is not the one it was written with")
    tensors = safetensors.torch.load(content)
    return Checkpoint(about["step"], about["num_draws"], tensors, about["facts"])
