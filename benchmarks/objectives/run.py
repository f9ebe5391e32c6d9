"""Time a step of Entropy-SGD beside torch's SGD with momentum: python -m benchmarks.objectives.run.

Both with Nesterov's momentum, on the same tensors, in turns; the outer step, every 20 calls, and
the average are in the time. Writes results.json.
"""

import argparse
import datetime
import json
from pathlib import Path
from typing import Any

import torch
from torch import nn

from thermograd.noise import seeded
from thermograd.optim import EntropySGD

from ..speed.race import Work, race
from ..speed.run import machine, versions

FOLDER = Path(__file__).parent
SIZES = (10_000, 1_000_000, 10_000_000)
TENSORS = (1, 60)


def rows(rounds: int) -> list[dict[str, Any]]:
    """Return a row for each size and number of tensors: microseconds, and ratios to SGD."""
    return [_row(size, tensors, rounds) for size in SIZES for tensors in TENSORS]


def _row(size: int, tensors: int, rounds: int) -> dict[str, Any]:
    best = race(_entries(size, tensors), rounds)
    micro = {name: 1e6 * seconds for name, seconds in best.items()}
    ours = micro["EntropySGD"]
    ratios = {name: ours / micro[name] for name in micro if name != "EntropySGD"}
    return {"parameters": size, "tensors": tensors, "microseconds": micro, "ratio to": ratios}


def _entries(size: int, tensors: int) -> dict[str, Work]:
    def params() -> list[nn.Parameter]:
        made = [nn.Parameter(torch.zeros(size // tensors)) for _ in range(tensors)]
        for k, param in enumerate(made):
            param.grad = 1e-3 * torch.randn(param.shape, generator=seeded(k))
        return made

    def sgd(**how: Any) -> Work:
        return torch.optim.SGD(params(), lr=1e-3, momentum=0.9, nesterov=True, **how).step

    return {
        "SGD": sgd(),
        "SGD foreach": sgd(foreach=True),
        "SGD fused": sgd(fused=True),
        "EntropySGD": EntropySGD(params(), inner_lr=1e-3, scope=1e2).step,
    }


def main() -> None:
    """Run the race and write it down."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--out", type=Path, default=FOLDER / "results.json")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    result: dict[str, Any] = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": machine(),
        "rounds": chosen.rounds,
        "versions": versions(peers=()),
        "step": rows(chosen.rounds),
    }
    chosen.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    for row in result["step"]:
        ratios = ", ".join(f"{name} {ratio:.2f}" for name, ratio in row["ratio to"].items())
        print(f"{row['parameters']:>10,} in {row['tensors']:>2}: ratio to {ratios}")


if __name__ == "__main__":
    main()
