"""Replicas in processes of their own end bitwise where replicas in one process end."""

import os
import socket
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn

from thermograd import _errors as errors
from thermograd.noise import seeded
from thermograd.optim import ElasticSGD, Parle
from thermograd.replicas import DataParallel, Level, local
from thermograd.replicas.distributed import distributed, tree

from .problems import parameters, run, set_gradient

pytestmark = pytest.mark.replicas

STEPS = 11
COMMON: dict[str, Any] = {"coupling": 0.6}
INNER: dict[str, Any] = {"inner_lr": 0.07, "scope": 1.7, "inner_steps": 4, "temperature": 0.3}


def parle(q: nn.Parameter, rank: int, end: Any, **more: Any) -> Parle:
    return Parle([q], 0.35, replica=end, generator=seeded(rank), **INNER, **COMMON, **more)


def elastic(q: nn.Parameter, rank: int, end: Any) -> ElasticSGD:
    return ElasticSGD([q], 0.05, replica=end, exchange_every=2, **COMMON)


def work(rank: int, size: int, port: int, folder: str) -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=size)
    ends: dict[str, torch.Tensor] = {}
    for name, make in (("parle", parle), ("elastic", elastic)):
        q = parameters(size)[rank]
        opt = make(q, rank, distributed())
        run([q], [opt], STEPS)
        with opt.sync("master"):
            ends[name + " master"] = q.detach().clone()
        ends[name] = q.detach().clone()
    q = parameters(size)[rank]
    below, above = tree(size // 2)
    run([q], [parle(q, rank, below, above=[Level(above, coupling=1.9)])], STEPS)
    ends["tree"] = q.detach().clone()
    q = parameters(size)[0]
    end = distributed("any")
    baseline = DataParallel(torch.optim.SGD([q], lr=0.1), end)
    for _ in range(STEPS):
        set_gradient(q)
        q.grad = (1.0 + rank) * (torch.zeros_like(q) if q.grad is None else q.grad)
        baseline.step()
    ends["data parallel"] = q.detach().clone()
    assert end.gather([0.3 + rank]) == [[0.3 + k] for k in range(size)]
    end.barrier()
    assert (end.rank, end.size) == (rank, size)
    assert end.ledger.messages == STEPS + 1
    torch.save(ends, Path(folder) / f"{rank}.pt")
    dist.barrier()  # a rank that leaves early can bring the others down
    dist.destroy_process_group()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


Ends = list[dict[str, torch.Tensor]]


@pytest.fixture(scope="module", params=[2, pytest.param(4, marks=pytest.mark.long)])
def distributed_ends(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Ends:
    """Where each rank ended, by name of what it ran."""
    size, folder = request.param, tmp_path_factory.mktemp("ranks")
    mp.spawn(work, args=(size, free_port(), str(folder)), nprocs=size)  # pyright: ignore[reportPrivateImportUsage]
    return [torch.load(folder / f"{rank}.pt", weights_only=True) for rank in range(size)]


@pytest.mark.parametrize("name", ["parle", "elastic"])
def test_distributed_is_local_bit_for_bit(name: str, distributed_ends: Ends) -> None:
    make, size = {"parle": parle, "elastic": elastic}[name], len(distributed_ends)
    qs = parameters(size)
    opts = [make(q, rank, end) for rank, (q, end) in enumerate(zip(qs, local(size), strict=True))]
    run(qs, opts, STEPS)
    for q, opt, ends in zip(qs, opts, distributed_ends, strict=True):
        assert torch.equal(q.detach(), ends[name])
        with opt.sync("master"):
            assert torch.equal(q.detach(), ends[name + " master"])


def test_tree_is_local_bit_for_bit(distributed_ends: Ends) -> None:
    size = len(distributed_ends)
    width = size // 2
    groups, across = [local(width) for _ in range(2)], [local(2) for _ in range(width)]
    qs = parameters(size)
    opts = [
        parle(
            q,
            rank,
            groups[rank // width][rank % width],
            above=[Level(across[rank % width][rank // width], coupling=1.9)],
        )
        for rank, q in enumerate(qs)
    ]
    run(qs, opts, STEPS)
    for q, ends in zip(qs, distributed_ends, strict=True):
        assert torch.equal(q.detach(), ends["tree"])


def test_data_parallel_ranks_take_the_same_steps(distributed_ends: Ends) -> None:
    first = distributed_ends[0]["data parallel"]
    for ends in distributed_ends[1:]:
        assert torch.equal(first, ends["data parallel"])
    (q,), size = parameters(1), len(distributed_ends)
    opt = torch.optim.SGD([q], lr=0.1)
    for _ in range(STEPS):
        set_gradient(q)
        q.grad = (1 + size) / 2 * (torch.zeros_like(q) if q.grad is None else q.grad)
        opt.step()
    torch.testing.assert_close(q.detach(), first, rtol=1e-12, atol=1e-13)


def test_missing_process_group_is_said() -> None:
    with pytest.raises(errors.EvaluationError, match="start with torchrun"):
        distributed()
    with pytest.raises(errors.EvaluationError, match="start with torchrun"):
        tree(2)
