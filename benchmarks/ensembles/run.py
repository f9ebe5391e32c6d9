"""Time a BAOAB step without and with quasi-Newton factors: python -m benchmarks.ensembles.run.

- softmax regression with 1,568 weights and batches of 550, 8 walkers, as on MNIST's 7 and 9, eager
  and compiled;
- N coordinates without a force: what the factors cost a walker-step, over N.
"""

import time

import torch
from torch import Tensor, nn

from thermograd.ensembles import Ensemble, QuasiNewton
from thermograd.integrators import get
from thermograd.noise import Gaussian, seeded
from thermograd.potentials import Network
from thermograd.potentials.base import Potential
from thermograd.sampling.engine import draw_momenta, make_part
from thermograd.sampling.stepping import choose
from thermograd.sampling.world import World
from thermograd.state import Env, Params

WALKERS, REPEATS, STEPS = 8, 12, 4
SIZES = (1_000, 10_000, 100_000, 1_000_000)


class Free:
    """No force at all."""

    def force(self, q: Params, batch: object = None, *, out: Params) -> Tensor:
        """Write zeros into `out`."""
        for f in out:
            f.zero_()
        return q[0].new_zeros(len(q[0]))


def seconds(
    ensemble: Ensemble,
    target: Potential,
    q: Params,
    *,
    is_compiled: bool = False,
) -> float:
    """Return the processor time of a step, the best of several."""
    method = ensemble.wrap(get("baoab"))
    part = make_part(method, q, friction=10.0, temperature=0.1)
    ensemble.begin(part)
    world = World.make(method, target, Gaussian(seeded(2)), seeded(3), WALKERS)
    env = Env(world.noise, world.evaluate)
    draw_momenta(part, env)
    method.step(part, 0.125, env)
    step = choose(is_compiled, part, world, 0.125, STEPS).step
    best = float("inf")
    for _ in range(REPEATS):
        began = time.process_time()
        for _ in range(STEPS):
            step(0.125)
        best = min(best, (time.process_time() - began) / STEPS)
    return best


def main() -> None:
    """Print both tables."""
    torch.set_num_threads(1)
    coupled = QuasiNewton(eta=10.0, factor="low-rank")
    x = torch.rand(11_168, 784, generator=seeded(1))
    y = torch.arange(11_168) % 2
    model = nn.Linear(784, 2)
    nn.init.zeros_(model.weight)
    target = Network(model, "cross_entropy", (x, y), batch_size=550, scale="mean", frozen="bias")
    start = [torch.zeros(WALKERS, 2, 784)]
    for is_compiled in (False, True):
        times = [
            seconds(ensemble, target, start, is_compiled=is_compiled)
            for ensemble in (Ensemble(), coupled)
        ]
        how = "compiled" if is_compiled else "eager"
        ratio = times[1] / times[0]
        print(f"1,568 weights, {how}: {times[0]:.4g} s, {times[1]:.4g} s, ratio {ratio:.3f}")
    for size in SIZES:
        q = [torch.zeros(WALKERS, size)]
        times = [seconds(ensemble, Free(), q) for ensemble in (Ensemble(), coupled)]
        each = (times[1] - times[0]) / WALKERS / size
        print(f"N = {size:>9,}: {each * 1e9:.3g} ns a coordinate")


if __name__ == "__main__":
    main()
