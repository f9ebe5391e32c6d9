"""The loop: gradients of all replicas here, their steps, and a checkpoint at coupling points.

Replicas in one process come in turn, all gradients before all steps, so that the loop is the same
for one replica in each of many processes; then the numbers are the same too.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from .. import _checkpoints
from .._checks import positive_int
from ..replicas.handshake import Handshake
from .member import Member

__all__ = ["train"]


def train(
    members: Sequence[Member],
    steps: int,
    *,
    lr: Callable[[int], float],
    store: Path | None = None,
    save_every: int = 1,
    identity: str = "",
    terms: str = "",
) -> int:
    """Train replicas from the last coupling point that all of them have, or from the start.

    Args:
        members: the replicas of this process: all, or one of those in as many processes.
        steps: gradients of each replica, in all.
        lr: the learning rate by steps.
        store: folder of the checkpoints; None keeps none.
        save_every: steps between two checkpoints; there is one after the last step too.
        identity: text that a checkpoint must have been saved with.
        terms: text that must be the same for all replicas.

    Returns:
        the step it began at, above 0 if it continued.
    """
    positive_int(steps, "steps", "train")
    positive_int(save_every, "save_every", "train")
    begun = _agree(members, store, terms)
    if store is not None and begun > 0:
        for member in members:
            member.load(store, begun, identity)
    for step in range(begun, steps):
        for member in members:
            member.set_lr(lr(step))
            member.gradient(step)
        for member in members:
            member.update()
        done = step + 1
        if store is not None and (done % save_every == 0 or done == steps):
            for member in members:
                member.save(store, done, identity)
    return begun


def _agree(members: Sequence[Member], store: Path | None, terms: str) -> int:
    """Compare the replicas, and return the newest step that all of them have a checkpoint of."""
    greetings = [
        Handshake(
            member.end,
            list(member.model.parameters()),
            data_order=member.batches.data_order,
            terms=terms,
            step=0 if store is None else _checkpoints.newest_step(member.folder(store)),
        )
        for member in members
    ]
    return max(0, min(min(greeting.check()) for greeting in greetings))
