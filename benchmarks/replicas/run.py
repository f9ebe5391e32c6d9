"""Measure Parle on LeNet with two ranks, and exchanges: python -m benchmarks.replicas.run.

Generated 28×28 images, batches of 64, L = 25, a thread for each rank, gloo over loopback. One and
two ranks come in turns; the best round of each counts. Then exchanges of LeNet's size and of 100
numbers among 2, 4 and 8 processes: α and β of the cost model are fitted to 2 processes, and its
prediction for the others stands beside what was measured: as for processes with a core each, and
times n/cores where there are fewer. Writes results.json.
"""

import argparse
import datetime
import json
import os
import socket
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.multiprocessing as mp
from torch import nn

from thermograd.models import build
from thermograd.noise import seeded
from thermograd.optim import Parle
from thermograd.replicas import Transport, local
from thermograd.replicas.cost import Link, exchange_seconds, share
from thermograd.replicas.distributed import processes
from thermograd.training import Batches, Member, train

from ..speed.run import machine, versions

FOLDER = Path(__file__).parent
INNER_STEPS = 25
BATCH = 64
COUNTS = (2, 4, 8)
FEW = 100
SIZES = (16, 1024)
SENT = ("bytes", "messages", "model bytes", "parameters")


def training(end: Transport, steps: int) -> dict[str, float]:
    """Train LeNet for some steps after a round; return gradients a second and what was sent."""
    model = build("lenet_bn", generator=seeded(3))
    x, y = torch.randn(640, 1, 28, 28, generator=seeded(1)), torch.arange(640) % 10
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # one replica is Entropy-SGD, as it should be here
        opt = Parle(
            model.parameters(), 0.1, replica=end, inner_lr=0.1, scope=1e2, coupling=1.0,
            inner_steps=INNER_STEPS,
        )  # fmt: skip
    member = Member(
        model,
        opt,
        end=end,
        loss=nn.functional.cross_entropy,
        data=(x, y),
        batches=Batches(torch.arange(640), BATCH, seed=0, rank=end.rank),
    )
    train([member], INNER_STEPS, lr=lambda _: 0.1)  # the first exchanges connect the processes
    waited, start = end.ledger.seconds, time.perf_counter()
    for step in range(INNER_STEPS, INNER_STEPS + steps):
        member.gradient(step)
        member.update()
    seconds = time.perf_counter() - start
    communication = end.ledger.seconds - waited
    num_params = sum(q.numel() for q in model.parameters())
    return {
        "gradients a second": steps / seconds,
        "share of communication": communication / seconds,
        "bytes": end.ledger.bytes,
        "messages": end.ledger.messages,
        "model bytes": end.ledger.model(num_params, 4, INNER_STEPS, INNER_STEPS + steps),
        "parameters": num_params,
    }


def exchange(end: Transport, steps: int) -> dict[str, float]:
    """Return the best seconds of an exchange of LeNet's size and of few numbers."""
    found: dict[str, float] = {}
    for name, num in (("lenet", 131_220), ("few", FEW)):
        times: list[float] = []
        for _ in range(steps):
            end.barrier()
            start = time.perf_counter()
            end.post(torch.ones(num)).wait()
            times.append(time.perf_counter() - start)
        found[name] = min(times)
    return found


Work = Callable[[Transport, int], dict[str, float]]


def _process(rank: int, size: int, port: int, folder: str, work: Work, steps: int) -> None:
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(size))
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.set_num_threads(1)
    with processes(timeout=60.0) as end:
        found = work(end, steps)
    (Path(folder) / f"{rank}.json").write_text(json.dumps(found))


def among(size: int, work: Work, steps: int) -> list[dict[str, float]]:
    """Return what each of some processes measured; one stays in this process."""
    if size == 1:
        return [work(local(1)[0], steps)]
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(_process, args=(size, port, folder, work, steps), nprocs=size)  # pyright: ignore[reportPrivateImportUsage]
        return [json.loads((Path(folder) / f"{rank}.json").read_text()) for rank in range(size)]


def parle(rounds: int, steps: int) -> dict[str, Any]:
    """Return the throughput of two ranks beside one, and the share of communication."""
    one, two, shares, sent = 0.0, 0.0, list[float](), dict[str, float]()
    for _ in range(rounds):
        one = max(one, among(1, training, steps)[0]["gradients a second"])
        ranks = among(2, training, steps)
        two = max(two, sum(rank["gradients a second"] for rank in ranks))
        shares.append(max(rank["share of communication"] for rank in ranks))
        sent = {name: ranks[0][name] for name in SENT}
    return {
        "L": INNER_STEPS,
        "batch": BATCH,
        "steps": steps,
        "gradients a second, 1 rank": one,
        "gradients a second, 2 ranks": two,
        "throughput ratio": two / one,
        "share of communication": min(shares),
        "shares": shares,
        **sent,
    }


def cost(gradient_seconds: float, steps: int) -> dict[str, Any]:
    """Return measured and predicted seconds of exchanges, and predictions beyond."""
    measured = {n: _slowest(among(n, exchange, steps)) for n in COUNTS}
    few, lenet = measured[2]["few"], measured[2]["lenet"]
    per_byte = max(0.0, (lenet - few) / (4 * (131_220 - FEW)))
    link = Link(max(0.0, few - 4 * FEW * per_byte), per_byte)
    checked = [
        {
            "processes": n,
            "numbers": num,
            "measured": measured[n][name],
            "predicted": seconds,
            "predicted, cores shared": seconds * max(1.0, n / (os.cpu_count() or 1)),
        }
        for n in COUNTS
        for name, num in (("lenet", 131_220), ("few", FEW))
        for seconds in [exchange_seconds(link, n, 4 * num, "gather")]
    ]
    beyond = [
        {
            "replicas": n,
            "pattern": pattern,
            "bytes of a number": itemsize,
            "seconds": seconds,
            "share": share(seconds, gradient_seconds, INNER_STEPS),
        }
        for n in SIZES
        for pattern in ("tree", "ring", "gather")
        for itemsize in (4, 2)
        for seconds in [exchange_seconds(link, n, itemsize * 131_220, pattern)]
    ]
    return {
        "latency": link.latency,
        "per_byte": link.per_byte,
        "checked": checked,
        "beyond": beyond,
    }


def _slowest(ranks: list[dict[str, float]]) -> dict[str, float]:
    return {name: max(rank[name] for rank in ranks) for name in ranks[0]}


def main() -> None:
    """Measure and write it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--out", type=Path, default=FOLDER / "results.json")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    found = parle(chosen.rounds, chosen.steps)
    result: dict[str, Any] = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": machine(),
        "versions": versions(peers=()),
        "parle": found,
        "cost": cost(1 / found["gradients a second, 1 rank"], max(5, chosen.steps // 4)),
    }
    chosen.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"2 ranks: {found['throughput ratio']:.2f} × one (bar 1.9)")
    print(f"communication: {100 * found['share of communication']:.2f}% of time (bar 2%)")
    for row in result["cost"]["checked"]:
        print(
            f"{row['processes']} processes, {row['numbers']:>7,} numbers: "
            f"{1e3 * row['measured']:.3g} ms, model {1e3 * row['predicted']:.3g} ms, "
            f"cores shared {1e3 * row['predicted, cores shared']:.3g} ms"
        )


if __name__ == "__main__":
    main()
