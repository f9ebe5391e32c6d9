"""One replica in training: its model, optimizer, batches, and what a checkpoint of it holds."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, final

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from .. import _checkpoints
from .._checkpoints import Checkpoint
from .._errors import StoreError
from ..replicas import DataParallel, Ledger, Transport
from ..sampling.streams import stream
from .account import Account
from .batches import Batches
from .packing import pack, unpack

__all__ = ["Member", "drawing_from"]

Loss = Callable[[Tensor, Tensor], Tensor]


@final
class Member:
    """One replica in training.

    Args:
        model: of this replica, in train mode.
        optimizer: of this replica: `Parle`, `ElasticSGD`, or any in `DataParallel`.
        end: this replica's end of a transport.
        loss: of predictions and targets, a scalar.
        data: inputs and targets, all of them.
        batches: of indices into the data.
        seed: of what the model draws, such as dropout.
    """

    def __init__(
        self,
        model: nn.Module,
        optimizer: Optimizer | DataParallel,
        *,
        end: Transport,
        loss: Loss,
        data: tuple[Tensor, Tensor],
        batches: Batches,
        seed: int = 0,
    ) -> None:
        self.model, self.end, self.batches = model, end, batches
        self._optimizer, self._loss, self._data, self._seed = optimizer, loss, data, seed
        self._compute_seconds = 0.0
        self._before = Ledger()

    @property
    def optimizer(self) -> Optimizer:
        """The optimizer, taken out of `DataParallel`."""
        found = self._optimizer
        return found.optimizer if isinstance(found, DataParallel) else found

    def set_lr(self, lr: float) -> None:
        """Set the learning rate of all groups."""
        for group in self.optimizer.param_groups:
            group["lr"] = lr

    def gradient(self, step: int) -> None:
        """Compute the gradient of a step's batch, and hand it over if that is the rule."""
        with self._computing():
            rows = self.batches.at(step)
            x, y = (part[rows] for part in self._data)
            self.optimizer.zero_grad()
            with drawing_from(stream(self._seed, f"model of replica {self.end.rank}, step {step}")):
                self._loss(self.model(x), y).backward()
            if isinstance(self._optimizer, DataParallel):
                self._optimizer.post()

    def update(self) -> None:
        """Take the optimizer's step."""
        with self._computing():
            self._optimizer.step()

    @contextmanager
    def _computing(self) -> Generator[None]:
        """Count the time of a block, but for what the transport spends of it."""
        start, waited = time.perf_counter(), self.end.ledger.seconds
        yield
        waited = self.end.ledger.seconds - waited
        self._compute_seconds += time.perf_counter() - start - waited

    def account(self, steps: int, every: int) -> Account:
        """Return what was spent on communication.

        Args:
            steps: done in all.
            every: L, steps between two exchanges.
        """
        params = list(self.model.parameters())
        num, itemsize = sum(q.numel() for q in params), params[0].element_size()
        spent, before = self.end.ledger, self._before
        return Account(
            spent.bytes + before.bytes,
            spent.messages + before.messages,
            spent.seconds + before.seconds,
            self._compute_seconds,
            Ledger.model(num, itemsize, every, steps),
        )

    def folder(self, store: Path) -> Path:
        """Return where this replica's checkpoints are."""
        return store / f"replica-{self.end.rank}"

    def save(self, store: Path, step: int, identity: str) -> None:
        """Write a checkpoint; waits for exchanges under way, and for all replicas to be here.

        So no replica writes one before all have the one before, and the newest of any two are at
        most one apart; as each keeps two, the older one is everywhere.
        """
        self.end.barrier()
        state = self.optimizer.state_dict()
        del state["param_groups"]  # a continuation makes them anew from its settings
        tensors: dict[str, Tensor] = {}
        facts: dict[str, object] = {"identity": identity}
        facts["optimizer"] = pack(state, "optimizer", tensors)
        facts["model"] = pack(self.model.state_dict(), "model", tensors)
        spent = self.account(step, 1)
        facts["spent"] = [spent.bytes, spent.messages, spent.seconds, self._compute_seconds]
        self.folder(store).mkdir(parents=True, exist_ok=True)
        _checkpoints.save(self.folder(store), Checkpoint(step, tensors, facts))

    def load(self, store: Path, step: int, identity: str) -> None:
        """Continue from the checkpoint of a step.

        Raises:
            StoreError: if it is of another run.
        """
        found = _checkpoints.load(self.folder(store), step)
        if found.facts["identity"] != identity:
            raise StoreError(
                f"{store} holds a training run with other settings; choose another folder, or "
                "give the settings that its training.toml has"
            )
        state: dict[str, Any] = unpack(found.facts["optimizer"], found.tensors)
        groups = self.optimizer.state_dict()["param_groups"]
        self.optimizer.load_state_dict({**state, "param_groups": groups})
        self.model.load_state_dict(unpack(found.facts["model"], found.tensors))
        spent: Any = found.facts["spent"]
        self._before = Ledger(spent[0], spent[1], spent[2])
        self._compute_seconds = float(spent[3])


@contextmanager
def drawing_from(generator: torch.Generator) -> Generator[None]:
    """Let what draws from torch's global CPU generator draw from a stream, and put it back."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.set_state(generator.get_state())
        yield
