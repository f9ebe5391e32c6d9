"""Under DistributedDataParallel all gradients are asked for: prune=False."""

import os
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel

from thermograd.optim import MultirateSGD

from .problems import network, steps
from .test_ddp import RANKS, free_port

STEPS = 5


def train(rank: int, port: int, folder: str) -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=RANKS)
    model, x, y = network(1)
    replica = DistributedDataParallel(model)
    opt = MultirateSGD(model, 0.05, k=3, prune=False)
    share = slice(rank, None, RANKS)
    steps(opt, lambda: ((replica(x[share]) - y[share]) ** 2).mean(), STEPS)
    flat = torch.cat([param.detach().flatten() for param in model.parameters()])
    torch.save(flat, Path(folder) / f"{rank}.pt")
    dist.barrier()  # a rank that leaves early can bring the other down
    dist.destroy_process_group()


@pytest.mark.replicas
def test_replicas_train_as_one_process_on_all_data(tmp_path: Path) -> None:
    mp.spawn(train, args=(free_port(), str(tmp_path)), nprocs=RANKS)  # pyright: ignore[reportPrivateImportUsage]
    ends = [torch.load(tmp_path / f"{rank}.pt", weights_only=True) for rank in range(RANKS)]
    model, x, y = network(1)
    opt = MultirateSGD(model, 0.05, k=3)
    steps(opt, lambda: ((model(x) - y) ** 2).mean(), STEPS)
    alone = torch.cat([param.detach().flatten() for param in model.parameters()])
    assert torch.equal(*ends)
    torch.testing.assert_close(ends[0], alone, rtol=1e-5, atol=1e-6)
