"""What a run records: named arrays (chain, draw, ...), in memory or in a zarr store.

Draws are gathered in buffers of a few megabytes and written chunk by chunk, so memory does not
grow with the length of a stored run. A thread writes a full chunk while the next one fills; `flush`
waits for it, so what a checkpoint counts on has been written before. The store has the groups
`posterior` and `sample_stats` and names its dimensions, so
`xarray.open_datatree(path, engine="zarr")` reads it.
"""

import warnings
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeAlias, cast

import numpy as np
import zarr
from numpy.typing import NDArray
from torch import Tensor

__all__ = ["Key", "MemoryStore", "Store", "Trajectory", "ZarrStore", "chunk_length", "sweep"]

Array: TypeAlias = NDArray[np.generic]
ZArray: TypeAlias = "zarr.Array[Any]"
Key: TypeAlias = tuple[str, str]  # group and name

BUFFER_BYTES = 1 << 22
MAX_CHUNK = 1024


class Store(Protocol):
    """Where arrays (W, draws, ...) are kept.

    Attributes:
        is_slow: whether writing is worth a thread.
    """

    is_slow: bool

    def write(self, key: Key, start: int, rows: Array) -> None:
        """Put `rows`, (W, n, ...), behind the first `start` draws."""
        ...

    def read(self, key: Key, num_draws: int) -> Array:
        """Return the first draws of an array."""
        ...

    def cut(self, num_draws: int) -> None:
        """Drop every draw but the first ones."""
        ...

    def names(self) -> list[Key]:
        """Return what there is."""
        ...

    def seal(self) -> None:
        """Make what is written readable by others."""
        ...


class MemoryStore:
    """Arrays as lists of blocks."""

    is_slow = False

    def __init__(self) -> None:
        self._blocks: dict[Key, list[Array]] = {}

    def write(self, key: Key, start: int, rows: Array) -> None:
        self._blocks.setdefault(key, []).append(rows.copy())

    def read(self, key: Key, num_draws: int) -> Array:
        blocks = self._blocks[key]
        if len(blocks) > 1:
            blocks[:] = [np.concatenate(blocks, axis=1)]
        return blocks[0][:, :num_draws]

    def cut(self, num_draws: int) -> None:
        for key in self._blocks:
            self._blocks[key] = [self.read(key, num_draws)]

    def names(self) -> list[Key]:
        return list(self._blocks)

    def seal(self) -> None:
        pass


class ZarrStore:
    """Arrays in a zarr 3 store on disk.

    Args:
        path: the store.
        chunks: draws in a chunk, by array, for arrays it has to make.
    """

    is_slow = True

    def __init__(self, path: Path, chunks: Mapping[Key, int]) -> None:
        self._chunks = chunks
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about a write that is under way just now
            self._root = zarr.open_group(path, mode="a", use_consolidated=False)
            self._arrays: dict[Key, ZArray] = {
                (group, name): cast(ZArray, self._root[f"{group}/{name}"])
                for group in self._root.group_keys()
                for name in cast(zarr.Group, self._root[group]).array_keys()
            }

    def write(self, key: Key, start: int, rows: Array) -> None:
        array = self._arrays.get(key)
        if array is None:
            array = self._arrays[key] = self._make(key, rows)
        stop = start + rows.shape[1]
        if array.shape[1] < stop:
            array.resize((array.shape[0], stop, *array.shape[2:]))
        array[:, start:stop] = rows

    def _make(self, key: Key, rows: Array) -> ZArray:
        group, name = key
        width, inner = rows.shape[0], rows.shape[2:]
        dims = ("chain", "draw", *(f"{name}_dim_{axis}" for axis in range(len(inner))))
        return self._root.require_group(group).create_array(
            name,
            shape=(width, 0, *inner),
            chunks=(width, self._chunks[key], *inner),
            dtype=rows.dtype,
            compressors=None,  # the last digits of a random walk do not compress
            dimension_names=dims,
        )

    def read(self, key: Key, num_draws: int) -> Array:
        return np.asarray(self._arrays[key][:, :num_draws])

    def cut(self, num_draws: int) -> None:
        for array in self._arrays.values():
            if array.shape[1] > num_draws:
                array.resize((array.shape[0], num_draws, *array.shape[2:]))

    def names(self) -> list[Key]:
        return sorted(self._arrays)

    def seal(self) -> None:
        with warnings.catch_warnings():
            # zarr warns that its specification has not settled this; readers of version 3 do it
            warnings.simplefilter("ignore")
            zarr.consolidate_metadata(self._root.store)

    @property
    def num_draws(self) -> int:
        """Draws that every array has."""
        return min((array.shape[1] for array in self._arrays.values()), default=0)


@dataclass(slots=True)
class Trajectory:
    """The recorded draws of a run.

    Attributes:
        store: where they are kept.
        chunks: draws in a chunk, by array.
        num_draws: draws recorded, those in the buffer included.
    """

    store: Store
    chunks: Mapping[Key, int]
    num_draws: int = 0
    _buffers: dict[Key, Array] = field(default_factory=dict[Key, Array])
    _spare: dict[Key, Array] = field(default_factory=dict[Key, Array])
    _written: dict[Key, int] = field(default_factory=dict[Key, int])
    _pending: dict[Key, Future[None]] = field(default_factory=dict[Key, "Future[None]"])
    _thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))

    def append(self, row: Mapping[Key, Tensor]) -> None:
        """Record a draw: for each array a tensor (W, ...)."""
        for key, value in row.items():
            source = value.detach().cpu().numpy()
            size = self.chunks[key]
            if key not in self._buffers:
                shape = (source.shape[0], size, *source.shape[1:])
                self._buffers[key] = np.empty(shape, source.dtype)
                self._spare[key] = np.empty(shape if self.store.is_slow else 0, source.dtype)
            self._buffers[key][:, self.num_draws % size] = source
            if (self.num_draws + 1) % size == 0:
                self._write(key, self.num_draws + 1)
                if self.store.is_slow:
                    self._buffers[key], self._spare[key] = self._spare[key], self._buffers[key]
        self.num_draws += 1

    def flush(self) -> None:
        """Write what is in the buffers."""
        for key in self._buffers:
            self._write(key, self.num_draws)
        for key in self._buffers:
            self._wait(key)
        self.store.seal()

    def settle(self) -> None:
        """Wait until no write is under way, whatever became of it."""
        for pending in self._pending.values():
            pending.exception()

    def cut(self, num_draws: int) -> None:
        """Go back to the first draws."""
        self.store.cut(num_draws)
        self.num_draws = num_draws
        self._written = dict.fromkeys(self.store.names(), num_draws)

    def read(self) -> dict[Key, Array]:
        """Return every array, (W, draws, ...)."""
        self.flush()
        return {key: self.store.read(key, self.num_draws) for key in self.store.names()}

    def _write(self, key: Key, stop: int) -> None:
        start, size = self._written.get(key, 0), self.chunks[key]
        if stop == start:
            return
        offset = start % size
        rows = self._buffers[key][:, offset : offset + stop - start]
        self._wait(key)  # after which the spare buffer is free
        if self.store.is_slow:
            self._pending[key] = self._thread.submit(self.store.write, key, start, rows)
        else:
            self.store.write(key, start, rows)
        self._written[key] = stop

    def _wait(self, key: Key) -> None:
        """Wait for the write that is under way, and raise what went wrong in it."""
        if (pending := self._pending.pop(key, None)) is not None:
            pending.result()


def sweep(path: Path) -> None:
    """Delete the writes to a store that a kill cut short; nobody else may be writing."""
    for level in ("*", "*/*", "*/*/*"):  # not among the chunks, of which there may be many
        for stray in path.glob(f"{level}.partial"):
            stray.unlink()


def chunk_length(row_bytes: int) -> int:
    """Return how many draws of `row_bytes` a chunk holds."""
    return max(1, min(MAX_CHUNK, BUFFER_BYTES // max(row_bytes, 1)))
