"""Table 5.1, first row: test errors of LeNet on MNIST after equal effective epochs."""

import contextlib
import copy
import statistics
import time
from collections import defaultdict
from dataclasses import asdict, dataclass

import torch
from methods import METHODS, Method, Setting
from torch import Tensor, nn
from vlaar_ch5_common.training import Data, percent, summarised

from thermograd.data import load
from thermograd.experiments import Result
from thermograd.models import lenet_bn
from thermograd.noise import seeded
from thermograd.optim import ElasticSGD, EntropySGD, Parle
from thermograd.replicas import Ledger, local, recompute_statistics

SEED = 0


@dataclass(frozen=True)
class Run:
    """What one run of a method gave.

    Attributes:
        errors: percent on the test set, by effective epochs; the master's, if there is one.
        train_error: at the end.
        seconds: of the processor, for each replica, without evaluation, by effective epochs.
        ledger: what the first replica sent.
    """

    errors: dict[int, float]
    train_error: float
    seconds: dict[int, float]
    ledger: Ledger


def smoke(seed: int = SEED) -> Result:
    """Train on clouds around ten points."""
    generator = seeded(seed)
    centres = torch.randn(10, 1, 28, 28, generator=generator)
    y = torch.randint(10, (64,), generator=generator)
    x = centres[y] + torch.randn(64, 1, 28, 28, generator=generator)
    small = Setting(64, 64, 16, epochs=4, evaluate_every=4, inner_steps=4, seeds=1)
    return _measure((x, y), (x, y), small, seed)


def full(seed: int = SEED) -> Result:
    """Train on the first 2,500 images of MNIST; needs `thermograd fetch mnist`."""
    digits, at = load("mnist").normalised(), Setting()
    train_on = (digits.x[: at.images], digits.y[: at.images])
    test_on = (digits.x_test[: at.test_images], digits.y_test[: at.test_images])
    return _measure(train_on, test_on, at, seed)


def _measure(data: Data, test: Data, at: Setting, seed: int) -> Result:
    rows: dict[str, list[float]] = defaultdict(list)
    for number in range(at.seeds):
        for name, method in METHODS.items():
            run = _train(method, data, test, at, 100 * seed + number)
            for epoch, error in run.errors.items():
                rows[f"{name}_percent_epoch{epoch}"].append(error)
                rows[f"{name}_seconds_epoch{epoch}"].append(run.seconds[epoch])
            rows[f"{name}_percent"].append(run.errors[at.epochs])
            rows[f"{name}_train_percent"].append(run.train_error)
            rows[f"{name}_bytes"].append(run.ledger.bytes)
            rows[f"{name}_messages"].append(run.ledger.messages)
            rows[f"{name}_exchange_seconds"].append(run.ledger.seconds)
    return Result({**summarised(rows), **_summary(rows, at)}, asdict(at), seed)


def _summary(rows: dict[str, list[float]], at: Setting) -> dict[str, float]:
    """Return differences of errors with their standard errors, over the same seeds; and bytes."""
    found: dict[str, float] = {}
    for ours, theirs in (("parle", "elastic_sgd"), ("parle", "sgd"), ("entropy_sgd", "sgd")):
        pairs = zip(rows[f"{ours}_percent"], rows[f"{theirs}_percent"], strict=True)
        gaps = [a - b for a, b in pairs]
        found[f"{ours}_minus_{theirs}"] = statistics.fmean(gaps)
        if len(gaps) > 1:
            found[f"{ours}_minus_{theirs}_error"] = statistics.stdev(gaps) / len(gaps) ** 0.5
    size = sum(q.numel() for q in lenet_bn(generator=seeded(0)).parameters())
    steps = at.epochs * at.batches
    found["data_parallel_bytes"] = Ledger.model(size, 4, 1, steps) / 2  # sent, not received
    found["parle_share_of_exchange"] = statistics.fmean(
        a / b
        for a, b in zip(
            rows["parle_exchange_seconds"], rows[f"parle_seconds_epoch{at.epochs}"], strict=True
        )
    )
    return found


def _train(method: Method, data: Data, test: Data, at: Setting, seed: int) -> Run:
    """Train replicas in turn, with batches of their own; their start is the same."""
    first = lenet_bn(dropout=at.dropout, generator=seeded(seed))
    ends = local(at.replicas if method.is_coupled else 1)
    models = [copy.deepcopy(first).train() for _ in ends]
    opts = [method.make(model, end, at) for model, end in zip(models, ends, strict=True)]
    orders = [seeded(1000 * (seed + 1) + end.rank) for end in ends]
    errors: dict[int, float] = {}
    seconds: dict[int, float] = {}
    spent, step, drop = 0.0, 0, round(at.drop_at * at.epochs * at.batches)
    with torch.random.fork_rng():
        torch.manual_seed(seed)  # of dropout
        for epoch in range(1, at.epochs + 1):
            batches = [_batches(len(data[0]), at, order) for order in orders]
            began = time.process_time()
            for turn in zip(*batches, strict=True):
                if step == drop:
                    for group in (group for opt in opts for group in opt.param_groups):
                        group["lr"] *= 0.1
                for model, opt, batch in zip(models, opts, turn, strict=True):
                    opt.zero_grad()
                    nn.functional.cross_entropy(model(data[0][batch]), data[1][batch]).backward()
                    opt.step()
                step += 1
            spent += time.process_time() - began
            if epoch % at.evaluate_every == 0:
                seconds[epoch] = spent / len(models)
                errors[epoch] = _error(models[0], opts[0], data[0], test, at)
                models[0].train()
    return Run(errors, _error(models[0], opts[0], data[0], data, at), seconds, ends[0].ledger)


def _batches(num: int, at: Setting, generator: torch.Generator) -> list[Tensor]:
    order = torch.randperm(num, generator=generator)[: at.batches * at.batch_size]
    return list(order.split(at.batch_size))


def _error(
    model: nn.Module, opt: torch.optim.Optimizer, inputs: Tensor, data: Data, at: Setting
) -> float:
    """Return the error in percent where the method says it is, with fitting statistics."""
    with _at_its_point(opt):
        scored = copy.deepcopy(model)
    if not isinstance(opt, torch.optim.SGD):
        recompute_statistics(scored, inputs[:2000].split(500))
    return 100.0 - percent(scored, data)


def _at_its_point(opt: torch.optim.Optimizer) -> contextlib.AbstractContextManager[object]:
    if isinstance(opt, ElasticSGD | Parle):
        return opt.sync("master")
    return opt.sync() if isinstance(opt, EntropySGD) else contextlib.nullcontext()
