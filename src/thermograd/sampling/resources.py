"""What a run needs of memory and disk, said before it starts."""

import os
import shutil
from pathlib import Path

import torch

from .._errors import OutOfMemoryError, StoreError
from ..state import Part
from .state_tensors import state_tensors

__all__ = ["announce_size", "require_memory"]

ANNOUNCED_BYTES = 1e9
GIGA = 1e9


def require_memory(part: Part, recorded_bytes: int) -> None:
    """Refuse a run whose walkers do not fit.

    Counts the state, a draw of noise and two copies made when a step is compiled; activations
    of a network come on top.

    Args:
        part: the state.
        recorded_bytes: what recording keeps in memory.

    Raises:
        OutOfMemoryError: if that is more than is free.
    """
    width, device = part.q[0].shape[0], part.q[0].device
    one = sum(q.element_size() * q[0].numel() for q in part.q)
    have = sum(t.element_size() * t.numel() for t in state_tensors(part).values())
    buffers = 3 * round(have / (one * width)) + 1
    needed = buffers * one * width - have + recorded_bytes
    free = _free_bytes(device)
    if needed <= free:
        return
    num_params = sum(q[0].numel() for q in part.q)
    fit = max(0, int((free - recorded_bytes) / (buffers * one)))
    raise OutOfMemoryError(
        f"needs {(needed + have) / GIGA:.1f} GB for {width} walkers × {num_params:,} parameters × "
        f"{buffers} buffers and {recorded_bytes / GIGA:.1f} GB of draws, and {free / GIGA:.1f} GB "
        f"are free; at most {fit} walkers fit"
    )


def announce_size(store: Path | None, num_draws: int, row_bytes: int) -> str:
    """Return what to say of the size of a trajectory; nothing if it is small.

    Raises:
        StoreError: if the disk has no room for it.
    """
    total = num_draws * row_bytes
    if store is not None:
        free = shutil.disk_usage(store).free
        if total > free:
            raise StoreError(
                f"the trajectory takes {total / GIGA:.3g} GB ({num_draws:,} draws of "
                f"{row_bytes:,} bytes) and {store} has {free / GIGA:.3g} GB free; record less "
                "with `every` or `params`"
            )
    if total < ANNOUNCED_BYTES:
        return ""
    where = f"in {store}" if store is not None else "in memory"
    return f"The trajectory will take {total / GIGA:.3g} GB {where}: {num_draws:,} draws."


def _free_bytes(device: torch.device) -> float:
    if device.type == "cuda":
        return float(torch.cuda.mem_get_info(device)[0])
    meminfo = Path("/proc/meminfo")
    if meminfo.exists():
        for line in meminfo.read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return 1024.0 * float(line.split()[1])
    return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
