"""State is one momentum per parameter, and a step needs no second copy of anything."""

import subprocess
import sys

import pytest

PARAMS = 8_000_000
MEGABYTES = PARAMS * 4 / 2**20

SCRIPT = """
import resource, sys, torch
from pathlib import Path
from torch import nn
from thermograd.noise import seeded
from thermograd.optim import Langevin, SGLD

torch.set_num_threads(1)

def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20

def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024

word, noise, num = sys.argv[1], sys.argv[2], int(sys.argv[3])
warm = nn.Parameter(torch.ones(300_000))
big = nn.Parameter(torch.ones(num))
def make(q):
    if word == "sgld":
        return SGLD([q], 0.1, temperature=0.2, noise=noise, generator=seeded(1))
    return Langevin([q], 0.1, friction=0.3, temperature=0.2, word=word, noise=noise,
                    generator=seeded(1))
for q in (warm, big):
    q.grad = torch.ones_like(q)
make(warm).step()
opt = make(big)
before = resident()
Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
for _ in range(3):
    opt.step()
print(resident() - before, peak() - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("noise", ["gaussian", "three_point"])
@pytest.mark.parametrize(("word", "copies"), [("BAOAB", 1), ("OBABO", 1), ("sgld", 0)])
def test_step_keeps_momenta_only_and_needs_little_more(word: str, copies: int, noise: str) -> None:
    arguments = [sys.executable, "-c", SCRIPT, word, noise, str(PARAMS)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    kept, peak = (float(number) for number in done.stdout.split())
    slack = 0.3 * MEGABYTES
    assert copies * MEGABYTES - slack < kept < copies * MEGABYTES + slack
    assert peak < copies * MEGABYTES + slack
