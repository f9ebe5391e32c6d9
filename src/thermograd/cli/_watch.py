"""`thermograd watch`: a run's state as its folder tells it, again and again."""

import contextlib
import math
import time
from pathlib import Path

import numpy as np
import typer

from .._errors import StoreError
from ..report.record import RunRecord, read_record
from ..report.traces import traces
from ._console import table

BLOCKS = "▁▂▃▄▅▆▇█"
WIDTH = 40
LAST_EVENTS = 6
WAITING = "waiting for draws of {}: a run writes them every 30 seconds or so"


def run_watch(folder: Path, seconds: float, is_once: bool) -> None:
    """Show a run until it has finished or Ctrl-C; once without a terminal, or if asked to."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    console = Console()
    if is_once or not console.is_terminal:
        typer.echo(screen(read_record(folder)))
        return
    with (
        contextlib.suppress(KeyboardInterrupt),
        Live(Text(WAITING.format(folder)), console=console, auto_refresh=False) as live,
    ):
        is_finished = False
        while not is_finished:
            record = _read(folder)
            if record is not None:
                live.update(Text(screen(record)), refresh=True)
                is_finished = record.is_finished
            time.sleep(0 if is_finished else seconds)


def _read(folder: Path) -> RunRecord | None:
    """Read a run that another process writes to; None while it has too little to show."""
    if not (folder / "run.toml").is_file():
        read_record(folder)  # says that there is no run
    try:
        return read_record(folder)
    except StoreError:
        return None


def screen(record: RunRecord) -> str:
    """Return what there is to see of a run, as lines of text."""
    done = record.steps_done / record.steps_asked
    filled = round(WIDTH * min(1.0, done))
    run = record.run
    lines = [
        f"{record.name}: {run['method']} on {record.target['kind']}, T = {run['temperature']}",
        f"{'█' * filled}{'░' * (WIDTH - filled)} {record.steps_done:,} of "
        f"{record.steps_asked:,} steps, {len(record.chains)} of {record.num_walkers} walkers",
        "",
    ]
    rows = [
        (trace.name, f"{trace.mean[-1]:.5g}", f"{trace.mean.mean():.5g}", spark(trace.mean))
        for trace in traces(record)
    ]
    lines += table(("", "now", "average", "over the steps"), rows, "lrrl")
    said = [event for event in record.events if "says" in event][-LAST_EVENTS:]
    if said:
        lines += ["", *(f"step {event.get('step')}: {event['says']}" for event in said)]
    return "\n".join(lines)


def spark(values: np.ndarray) -> str:
    """Return numbers as a line of blocks, lowest to highest."""
    blocks = np.array_split(values, min(WIDTH, len(values)))
    means = np.array([block.mean() for block in blocks])
    low, high = float(means.min()), float(means.max())
    if not high > low or not math.isfinite(high - low):
        return BLOCKS[0] * len(means)
    places = np.round((means - low) / (high - low) * (len(BLOCKS) - 1)).astype(int)
    return "".join(BLOCKS[place] for place in places)
