"""A bar on the terminal for what takes more than two seconds; nothing elsewhere."""

import time
from collections.abc import Iterable, Iterator, Sized
from types import TracebackType
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

PATIENCE = 2.0  # seconds
Item = TypeVar("Item")


class Meter:
    """Counts what is done, and shows it once it has taken two seconds.

    Args:
        what: is being done.
        total: how often; None if nobody knows.
        console: where to; the terminal of stderr if not given.
    """

    def __init__(self, what: str, total: int | None = None, console: Console | None = None) -> None:
        self._what, self._total, self._done = what, total, 0
        self._console = Console(stderr=True) if console is None else console
        self._began = time.monotonic()
        self._bar: Progress | None = None
        self._task = None

    def __enter__(self) -> "Meter":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def tick(self, by: int = 1) -> None:
        """Note that something was done."""
        self._done += by
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self._done)
        elif self._console.is_terminal and time.monotonic() - self._began > PATIENCE:
            columns = (TextColumn("{task.description}"), BarColumn(bar_width=24))
            self._bar = Progress(
                *columns,
                MofNCompleteColumn(),
                TimeElapsedColumn(),
                console=self._console,
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task(self._what, total=self._total, completed=self._done)


def track(items: Iterable[Item], what: str) -> Iterator[Item]:
    """Yield the items, with a meter over them."""
    total = len(items) if isinstance(items, Sized) else None
    with Meter(what, total) as meter:
        for item in items:
            yield item
            meter.tick()
