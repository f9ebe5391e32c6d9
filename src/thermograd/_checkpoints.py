"""Checkpoints: everything a run needs to continue bit for bit, in safetensors plus JSON.

Both files are written under a temporary name, synced and renamed; the JSON comes last and holds
the SHA-256 of the tensors, so a checkpoint without a JSON, or with one that does not match, was
cut short or damaged, and the one before it is used.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import safetensors.torch
from safetensors import SafetensorError
from torch import Tensor

from ._errors import StoreError

__all__ = ["Checkpoint", "load", "load_newest", "newest_step", "save", "write_atomically"]

KEPT = 2


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A saved state.

    Attributes:
        step: steps done.
        tensors: state and streams, by name.
        facts: what is not a tensor.
    """

    step: int
    tensors: Mapping[str, Tensor]
    facts: Mapping[str, object]

    @property
    def name(self) -> str:
        """The stem of its files."""
        return _name(self.step)


def save(folder: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint and delete all but the newest two."""
    tensors = {name: value.contiguous() for name, value in checkpoint.tensors.items()}
    content = safetensors.torch.save(tensors)
    write_atomically(folder / f"{checkpoint.name}.safetensors", content)
    about = {
        "step": checkpoint.step,
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


def newest_step(folder: Path) -> int:
    """Return the step of the newest checkpoint that is whole, or −1 if there is none."""
    try:
        return load_newest(folder)[0].step
    except StoreError:
        return -1


def load(folder: Path, step: int) -> Checkpoint:
    """Return the checkpoint of a step.

    Raises:
        StoreError: if it is not there or not whole.
    """
    path = folder / f"{_name(step)}.json"
    try:
        return _load(path)
    except (OSError, ValueError, KeyError, SafetensorError) as error:
        raise StoreError(f"{path} cannot be read: {error}") from error


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file under a temporary name, sync it to the disk, and rename it."""
    partial = path.with_name(path.name + ".partial")
    with partial.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)  # so that the new name survives a power failure too
    finally:
        os.close(folder)


def _name(step: int) -> str:
    return f"checkpoint-{step:012d}"


def _found(folder: Path) -> list[Path]:
    return sorted(folder.glob("checkpoint-*.json"))


def _load(path: Path) -> Checkpoint:
    about = json.loads(path.read_text(encoding="utf-8"))
    content = path.with_suffix(".safetensors").read_bytes()
    if hashlib.sha256(content).hexdigest() != about["sha256"]:
        raise ValueError("damaged: its SHA-256 is not the one it was written with")
    tensors = safetensors.torch.load(content)
    return Checkpoint(about["step"], tensors, about["facts"])
