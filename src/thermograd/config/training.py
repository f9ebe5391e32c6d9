"""Trains what a configuration describes: all replicas here, or this process's under torchrun.

training.toml         the configuration, resolved
replica-*/checkpoint-*  where each replica continues, the newest two
master.safetensors    the master's parameters and buffers, at the end
report.json           what `thermograd run` prints
"""

import hashlib
import json
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import safetensors.torch
import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from .._checkpoints import write_atomically
from .._errors import ParameterError
from ..data.dataset import Dataset
from ..optim import ElasticSGD, Parle
from ..potentials.likelihoods import Classifier, Likelihood
from ..replicas import DataParallel, Transport, local, recompute_statistics, split
from ..replicas.distributed import is_launched, processes
from ..sampling.settings import toml_text
from ..sampling.streams import stream
from ..training import Account, Batches, Member, train
from ..training.member import drawing_from
from ._dataset import read_data
from .reading import Source
from .target import at, build_model, loss_of
from .training_schema import Train, Training, scope_of

__all__ = ["Outcome", "start_training"]

CHUNK = 1000  # rows that are evaluated at once
NOT_IDENTITY = ("steps", "epochs", "timeout", "save_every", "bucket")  # a continuation may differ


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a training run came to.

    Attributes:
        steps: gradients of each replica.
        begun: the step it continued from, or 0.
        test_error: share of the test data that the master gets wrong; None without classes or
            test data.
        test_loss: the master's mean loss on the test data; None without.
        train_loss: on the training data.
        account: of replica 0.
    """

    steps: int
    begun: int
    test_error: float | None
    test_loss: float | None
    train_loss: float
    account: Account

    def as_data(self) -> dict[str, object]:
        """Return everything by name."""
        names = ("steps", "begun", "test_error", "test_loss", "train_loss")
        found: dict[str, object] = {name: getattr(self, name) for name in names}
        return {**found, "communication": self.account.as_data()}


def start_training(config: Training, source: Source, store: Path) -> Outcome | None:
    """Train, from the last coupling point in a folder if there is one.

    Args:
        config: the configuration.
        source: where its keys come from, for messages.
        store: the folder, which all processes see.

    Returns:
        what came of it; None in processes that do not have replica 0.
    """
    table = config.train
    compress = None if table.compress == "none" else table.compress
    with _threads(table.threads):
        if not is_launched():
            return _trained(config, source, store, local(table.replicas, compress))
        with processes(
            order=table.order, timeout=table.timeout, compress=compress, bucket=table.bucket
        ) as end:
            if end.size != table.replicas:
                said = f"there are {end.size} processes for {table.replicas} replicas; torchrun "
                raise source.error(("train", "replicas"), said + "starts one for each")
            return _trained(config, source, store, [end])


def _trained(
    config: Training, source: Source, store: Path, ends: Sequence[Transport]
) -> Outcome | None:
    table = config.train
    with at(source, "data"):
        data = read_data(config.data, getattr(torch, config.model.dtype))
    with at(source, "loss"):
        loss = loss_of(config.loss)
    members = _members(config, source, data, loss, ends)
    steps = table.steps or (table.epochs or 0) * members[0].batches.per_epoch
    every = 1 if table.rule == "data_parallel" else table.inner_steps
    if ends[0].rank == 0:
        _make(store, config)
    begun = train(
        members,
        steps,
        lr=lambda step: _lr(table, step),
        store=store if table.save_every else None,
        save_every=max(1, every * table.save_every),
        identity=_digest(config, NOT_IDENTITY),
        terms=_digest(config, ()),
    )
    if ends[0].rank != 0:
        return None
    return _outcome(members[0], data, loss, table, store, (steps, begun, every))


def _members(
    config: Training, source: Source, data: Dataset, loss: Likelihood, ends: Sequence[Transport]
) -> list[Member]:
    table, num, target = config.train, len(data.x), data.y
    shares = [torch.arange(num)] * ends[0].size
    if table.share < 1:
        with at(source, "train", "share"):
            generator = stream(table.seed, "shares")
            shares = split(num, ends[0].size, table.share, generator=generator)
    members: list[Member] = []
    for end in ends:
        with drawing_from(stream(config.model.seed or 0, "model")):
            model = build_model(config.model, source, config.origin.folder)
        with at(source, "loss"), torch.no_grad():
            target = loss.prepare(model.eval()(data.x[:2]), data.y)
        model.train()
        batches = Batches(
            shares[end.rank], config.data.batch_size or num, seed=table.seed, rank=end.rank
        )
        with at(source, "train"):
            optimizer = _optimizer(table, model, end)
        member = Member(
            model,
            optimizer,
            end=end,
            loss=lambda prediction, y: loss.losses(prediction, y).mean(),
            data=(data.x, target),
            batches=batches,
            seed=table.seed,
        )
        members.append(member)
    return members


def _optimizer(table: Train, model: nn.Module, end: Transport) -> Optimizer | DataParallel:
    params = list(model.parameters())
    if table.rule == "data_parallel":
        nesterov = table.momentum > 0
        sgd = torch.optim.SGD(params, table.lr, momentum=table.momentum, nesterov=nesterov)
        return DataParallel(sgd, end)
    generator = stream(table.seed, f"noise of replica {end.rank}")
    if table.rule == "elastic":
        return ElasticSGD(
            params,
            table.lr,
            replica=end,
            coupling=scope_of(table.coupling),
            inner=table.inner,
            inner_momentum=table.inner_momentum,
            temperature=table.temperature,
            friction=table.friction,
            exchange_every=table.inner_steps,
            on_lost=table.on_lost,
            generator=generator,
        )
    return Parle(
        params,
        table.lr,
        replica=end,
        inner_lr=table.inner_lr,
        scope=scope_of(table.scope),
        coupling=scope_of(table.coupling),
        inner_steps=table.inner_steps,
        averaging=table.averaging,
        momentum=table.momentum,
        inner=table.inner,
        inner_momentum=table.inner_momentum,
        temperature=table.temperature,
        friction=table.friction,
        on_lost=table.on_lost,
        generator=generator,
    )


def _lr(table: Train, step: int) -> float:
    return table.lr * table.lr_drop_factor ** sum(step >= drop for drop in table.lr_drop_steps)


def _outcome(
    member: Member,
    data: Dataset,
    loss: Likelihood,
    table: Train,
    store: Path,
    counts: tuple[int, int, int],
) -> Outcome:
    """Test the master, and write it and the report down."""
    steps, begun, every = counts
    account = member.account(steps, every)
    model, optimizer = member.model, member.optimizer
    if isinstance(optimizer, (Parle, ElasticSGD)):
        optimizer.sync("master")
    if table.statistics == "recompute":
        recompute_statistics(model, data.x.split(CHUNK))
    train_loss, _ = _tested(model, loss, data.x, data.y)
    has_test = len(data.x_test) > 0
    test = _tested(model, loss, data.x_test, data.y_test) if has_test else (None, None)
    found = Outcome(steps, begun, test[1], test[0], train_loss, account)
    tensors = {name: value.contiguous() for name, value in model.state_dict().items()}
    write_atomically(store / "master.safetensors", safetensors.torch.save(tensors))
    report = json.dumps(found.as_data(), indent=1) + "\n"
    write_atomically(store / "report.json", report.encode())
    return found


def _tested(model: nn.Module, loss: Likelihood, x: Tensor, y: Tensor) -> tuple[float, float | None]:
    """Return the mean loss and the share of wrong answers, if there are classes."""
    model.eval()
    with torch.no_grad():
        prediction = torch.cat([model(rows) for rows in x.split(CHUNK)])
    target = loss.prepare(prediction, y)
    mean = float(loss.losses(prediction, target).double().mean())
    if not isinstance(loss, Classifier):
        return mean, None
    return mean, 1.0 - float(loss.correct(prediction, target).double().mean())


def _make(store: Path, config: Training) -> None:
    """Make the folder, and say there what it is of."""
    try:
        store.mkdir(parents=True, exist_ok=True)
        path = store / "training.toml"
        if not path.exists():
            write_atomically(path, toml_text(config.to_tables()).encode())
    except OSError as error:
        raise ParameterError(f"the folder {store} cannot be written: {error.strerror}") from error


def _digest(config: Training, without: Sequence[str]) -> str:
    """Return what tells this configuration from others, but for some keys of `[train]`."""
    tables = config.model_dump(exclude={"train": set(without), "origin": True})
    text = json.dumps(tables, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


@contextmanager
def _threads(num: int) -> Generator[None]:
    """Compute with a number of threads, and go back to what it was."""
    before = torch.get_num_threads()
    torch.set_num_threads(num)
    try:
        yield
    finally:
        torch.set_num_threads(before)
