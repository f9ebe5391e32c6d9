"""Times functions against each other in one run: in turns, best of many rounds."""

import time
from collections.abc import Callable

Work = Callable[[], object]


def race(
    entries: dict[str, Work],
    rounds: int = 30,
    slot: float = 0.05,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """Return the best time of each entry in seconds.

    The entries run in turns, so that a busy moment of the machine hurts all of them, and each
    keeps its best round, which is the least disturbed one.

    Args:
        entries: what to time, by name.
        rounds: how often each is timed.
        slot: about how long one timing lasts; short calls are repeated to fill it.
        clock: what tells the time; `time.process_time` does not count what other processes take.

    Returns:
        seconds per call, by name.
    """
    repeats: dict[str, int] = {}
    for name, work in entries.items():
        work()
        repeats[name] = max(1, int(slot / max(_timed(work, 1, clock), 1e-7)))
    best = dict.fromkeys(entries, float("inf"))
    for _ in range(rounds):
        for name, work in entries.items():
            best[name] = min(best[name], _timed(work, repeats[name], clock))
    return best


def _timed(work: Work, repeats: int, clock: Callable[[], float]) -> float:
    start = clock()
    for _ in range(repeats):
        work()
    return (clock() - start) / repeats
