"""What writing costs, whether memory stays flat, and how long resuming takes."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

import thermograd
from thermograd.potentials import Harmonic
from thermograd.sampling import Run, resume

Record = dict[str, Any]
DOUBLES, DRAWS = 10_000, 1000
MILLION = 1_000_000
LENGTHS = (1000, 10_000, 100_000)


def writing(rounds: int, folders: dict[str, Path]) -> list[Record]:
    """Return microseconds per step without and with recording, and of writing the bytes alone."""
    best = dict.fromkeys(("alone", *folders, *(f"raw {name}" for name in folders)), float("inf"))
    for _ in range(rounds):
        works: dict[str, Callable[[], object]] = {"alone": lambda: _run(None, 10**6)}
        for name, folder in folders.items():
            works[name] = lambda folder=folder: _run(folder, 1)
            works[f"raw {name}"] = lambda folder=folder: _raw(folder)
        for name, work in works.items():
            best[name] = min(best[name], _seconds(work))
    alone = best["alone"]
    return [
        {
            "where": name,
            "step": 1e6 * alone / DRAWS,
            "recorded": 1e6 * best[name] / DRAWS,
            "bytes_alone": 1e6 * best[f"raw {name}"] / DRAWS,
            "share": 1 - alone / best[name],
        }
        for name in folders
    ]


def memory(folder: Path) -> Record:
    """Return the resident megabytes on the way of a run of a million steps on disk."""
    path = folder / "memory"
    run = _sample(path, dim=2, steps=MILLION // 10, every=10, compile=True)
    seen = [_megabytes()]
    for _ in range(9):
        run.extend(MILLION // 10, progress=False)
        seen.append(_megabytes())
    run.close()
    shutil.rmtree(path)
    return {"steps": MILLION, "megabytes": seen}


def resuming(folder: Path) -> list[Record]:
    """Return the seconds until a finished run of so many draws stands ready to go on."""
    found: list[Record] = []
    for draws in LENGTHS:
        path = folder / f"resume{draws}"
        _sample(path, dim=2, steps=draws, every=1, compile=draws > LENGTHS[0]).close()
        best = float("inf")
        for _ in range(5):
            began = time.perf_counter()
            run = resume(path, _target(2), progress=False)
            best = min(best, time.perf_counter() - began)
            run.close()
        shutil.rmtree(path)
        found.append({"draws": draws, "seconds": best})
    return found


def _target(dim: int) -> Harmonic:
    return Harmonic(tuple(0.4 + 0.1 * (index % 7) for index in range(dim)))


def _sample(path: Path | None, dim: int, **settings: Any) -> Run:
    return thermograd.sample(
        _target(dim),
        walkers=1,
        seed=3,
        temperature=0.7,
        step_size=0.1,
        start=torch.full((1, dim), 0.3, dtype=torch.float64),
        store=path,
        progress=False,
        **settings,
    )


def _run(folder: Path | None, every: int) -> None:
    path = None if folder is None else Path(tempfile.mkdtemp(dir=folder)) / "run"
    _sample(path, dim=DOUBLES, steps=DRAWS, every=every, compile=False).close()
    if path is not None:
        shutil.rmtree(path.parent)


def _raw(folder: Path) -> None:
    block = bytes(4 << 20)
    with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
        for _ in range(DRAWS * DOUBLES * 8 // len(block)):
            file.write(block)


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
