"""The progress of a run: a live bar on a terminal, a line now and then elsewhere."""

import math
import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

__all__ = ["Display"]

LINE_SECONDS = 10.0
REFRESH_SECONDS = 0.2


class Display:
    """Shows how a run goes, on stderr.

    Args:
        is_shown: whether anything is written at all.
        done: steps done before.
        total: steps to do in all.
    """

    def __init__(self, is_shown: bool, done: int, total: int) -> None:
        self._console = Console(stderr=True, quiet=not is_shown, highlight=False)
        self._done, self._first, self._total = done, done, total
        self._began = time.monotonic()
        is_live = is_shown and self._console.is_terminal
        self._next = 0.0 if is_live else self._began + LINE_SECONDS
        self._bar = (
            Progress(
                BarColumn(bar_width=24),
                MofNCompleteColumn(),
                TextColumn("{task.description}"),
                console=self._console,
                auto_refresh=False,
                transient=True,
            )
            if is_live
            else None
        )
        self._task = self._bar.add_task("", total=total) if self._bar is not None else None

    def __enter__(self) -> "Display":
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
        if kind is None and self._done > self._first:
            self.say(f"{self._done} of {self._total} steps, {self._rate()}")

    @property
    def is_due(self) -> bool:
        """Whether it is time to show something."""
        return time.monotonic() >= self._next

    def say(self, text: str) -> None:
        """Write a line."""
        self._console.print(text, markup=False, soft_wrap=True)

    def show(self, done: int, temperature: float, worst: str) -> None:
        """Show the state of the run.

        Args:
            done: steps done.
            temperature: kinetic temperature at present; NaN if there is none.
            worst: the walker of the highest energy, in words.
        """
        self._done = done
        parts = [self._rate(), f"{_clock(self._seconds_left())} left"]
        if not math.isnan(temperature):
            parts.append(f"T {temperature:.3g}")
        text = ", ".join([*parts, worst])
        now = time.monotonic()
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=done, description=text, refresh=True)
            self._next = now + REFRESH_SECONDS
        else:
            self.say(f"{done} of {self._total} steps, {text}")
            self._next = now + LINE_SECONDS

    def finish(self, done: int) -> None:
        """Note how far the run came."""
        self._done = done

    def _speed(self) -> float:
        elapsed = time.monotonic() - self._began
        return (self._done - self._first) / elapsed if elapsed > 0 else 0.0

    def _rate(self) -> str:
        return f"{self._speed():,.0f} steps/s"

    def _seconds_left(self) -> float:
        speed = self._speed()
        return (self._total - self._done) / speed if speed > 0 else math.inf


def _clock(seconds: float) -> str:
    if not math.isfinite(seconds):
        return "?"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
