"""Under DistributedDataParallel, equal seeds keep the replicas equal, bitwise."""

import os
import socket
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel

from thermograd.noise import seeded
from thermograd.optim import Langevin

from .problems import network

RANKS = 2


def train(rank: int, port: int, folder: str, seeds: tuple[int, int]) -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=RANKS)
    model, x, y = network(1)
    replica = DistributedDataParallel(model)
    opt = Langevin(
        replica.parameters(), 0.05, friction=0.7, temperature=1e-2, generator=seeded(seeds[rank])
    )
    share = slice(rank, None, RANKS)
    for _ in range(5):
        opt.zero_grad()
        ((replica(x[share]) - y[share]) ** 2).mean().backward()
        opt.step()
    flat = torch.cat([param.detach().flatten() for param in model.parameters()])
    torch.save(flat, Path(folder) / f"{rank}.pt")
    dist.barrier()  # a rank that leaves early can bring the other down
    dist.destroy_process_group()


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


@pytest.mark.replicas
@pytest.mark.parametrize(("seeds", "equal"), [((3, 3), True), ((3, 4), False)])
def test_replicas_stay_equal_when_their_noise_is(
    tmp_path: Path, seeds: tuple[int, int], equal: bool
) -> None:
    mp.spawn(train, args=(free_port(), str(tmp_path), seeds), nprocs=RANKS)  # pyright: ignore[reportPrivateImportUsage]
    ends = [torch.load(tmp_path / f"{rank}.pt", weights_only=True) for rank in range(RANKS)]
    assert torch.equal(*ends) is equal
