"""Figure 4: error of average virial and kinetic energy of a perceptron on two clusters."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass

import torch
from clusters import Problem, laws, make_problem
from heber2020_common.fits import slope
from torch import Tensor

from thermograd.experiments import Result
from thermograd.integrators import get
from thermograd.noise import Gaussian, seeded
from thermograd.potentials import Network
from thermograd.potentials.base import Batch, Potential
from thermograd.sampling.engine import simulate
from thermograd.state import Params, Part

SEED = 4
TEMPERATURE, FRICTION = 0.1, 10.0  # β = 10
ORDER_ONE = tuple(2 ** (-k / 2) for k in (10, 11, 12, 13, 14))
ORDER_TWO = tuple(2 ** (-k / 2) for k in (6, 7, 8, 9, 10))
STEP_SIZES = {"gla1": ORDER_ONE, "gla2": ORDER_TWO, "baoab": ORDER_TWO, "sgld": ORDER_TWO}
CONTROLS = {"gla1": "baoab", "gla2": "baoab", "sgld": "leimkuhler_matthews"}
RELAXATIONS = 6


@dataclass(frozen=True, slots=True)
class Size:
    """How much is run.

    Attributes:
        methods: names.
        num_sizes: how many of a method's step sizes, from the largest.
        walkers: W.
        steps: averaged over, per walker.
        on_network: whether the loss is evaluated from the data, not from H and θ*.
    """

    methods: tuple[str, ...] = ("gla1", "gla2", "baoab", "sgld")
    num_sizes: int = 5
    walkers: int = 4096
    steps: int = 4000
    on_network: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Quadratic:
    """U = ½(θ − θ*)ᵀH(θ − θ*), in the two tensors of the perceptron."""

    problem: Problem

    def force(self, q: Params, batch: Batch = None, *, out: Params) -> Tensor:
        theta = torch.cat([tensor.flatten(1) for tensor in q], dim=1) - self.problem.minimum
        slopes = theta @ self.problem.hessian
        torch.neg(slopes[:, :2].unsqueeze(1), out=out[0])
        torch.neg(slopes[:, 2:], out=out[1])
        return 0.5 * (theta * slopes).sum(1)


def smoke(seed: int = SEED) -> Result:
    """Run the perceptron itself, one step size of BAOAB and GLA2 each."""
    return _run(Size(("gla2", "baoab"), 1, walkers=32, steps=150, on_network=True), seed)


def full(seed: int = SEED) -> Result:
    """Run all methods and step sizes, each for 16 million steps in all."""
    return _run(Size(), seed)


def _run(size: Size, seed: int) -> Result:
    problem = make_problem(seed)
    target = problem.network if size.on_network else Quadratic(problem)
    measured = {"force_gap": problem.force_gap()}
    cell_seed, largest = 100 * seed, 0.0
    for method in size.methods:
        step_sizes = STEP_SIZES[method][: size.num_sizes]
        curves: dict[str, list[tuple[float, float, float]]] = {}
        for h in step_sizes:
            cell_seed += 1
            expected = laws(method, problem.hessian, own_step(method, h), FRICTION, TEMPERATURE)
            for name, (bias, error) in _cell(target, problem, method, h, size, cell_seed).items():
                curves.setdefault(name, []).append((h, bias, error))
                cell = f"{name}_{method}_h{h:.5f}"
                measured |= {f"bias_{cell}": bias, f"error_{cell}": error}
                measured[f"law_{cell}"] = expected[name]
                largest = max(largest, abs(bias - expected[name]) / error)
        measured |= _summaries(method, curves)
    settings = {**asdict(size), "temperature": TEMPERATURE, "friction": FRICTION}
    return Result({**measured, "largest_z": largest}, settings, seed)


def own_step(method: str, h: float) -> float:
    """Return a method's own step: h, or h²/2 without momenta, as BAOAB's at high friction."""
    return h * h / 2 if method == "sgld" else h


def _cell(
    target: Potential | Network, problem: Problem, method: str, h: float, size: Size, seed: int
) -> dict[str, tuple[float, float]]:
    """Return bias and standard error of each average.

    The virial of a control, run on the same draws and exact on average, is subtracted.
    """
    step = own_step(method, h)
    mean = _averages(target, problem, method, step, size, seed)
    if control := CONTROLS.get(method):
        known = 1 + laws(control, problem.hessian, step, FRICTION, TEMPERATURE)["virial"]
        twin = _averages(target, problem, control, step, size, seed)
        mean["virial"] = mean["virial"] - twin["virial"] + known
    return {
        name: (float(values.mean()) - 1, float(values.std()) / math.sqrt(size.walkers))
        for name, values in mean.items()
    }


def _averages(
    target: Potential | Network, problem: Problem, method: str, step: float, size: Size, seed: int
) -> dict[str, Tensor]:
    """Return virial and kinetic energy of every walker, relative to their exact averages."""
    softest = float(torch.linalg.eigvalsh(problem.hessian)[0])
    has_momenta = get(method).has_momenta
    rate = 2 * softest / FRICTION if has_momenta else 2 * softest

    def observe(part: Part) -> Mapping[str, Tensor]:
        theta = torch.cat([tensor.flatten(1) for tensor in part.q], dim=1)
        slopes = (theta - problem.minimum) @ problem.hessian
        found = {"virial": (theta * slopes).sum(1) / (3 * TEMPERATURE)}
        if part.p:
            momenta = torch.cat([tensor.flatten(1) for tensor in part.p], dim=1)
            found["kinetic"] = momenta.square().sum(1) / (3 * TEMPERATURE)
        return found

    return simulate(
        target,
        method,
        _start(problem, size.walkers, seed),
        steps=size.steps,
        burn_in=math.ceil(RELAXATIONS / (rate * step)),
        step_size=step,
        noise=Gaussian(seeded(seed)),
        friction=FRICTION,
        temperature=TEMPERATURE,
        observe=observe,
    ).mean


def _start(problem: Problem, walkers: int, seed: int) -> Params:
    """Draw from exp(−U/T)."""
    xi = torch.randn(walkers, 3, generator=seeded(10_000 + seed), dtype=torch.float64)
    root = torch.linalg.cholesky(TEMPERATURE * torch.linalg.inv(problem.hessian))
    theta = problem.minimum + xi @ root.T
    return [theta[:, None, :2].contiguous(), theta[:, 2:].contiguous()]


def _summaries(
    method: str, curves: Mapping[str, list[tuple[float, float, float]]]
) -> dict[str, float]:
    """Return the slopes, and how far BAOAB's virial is from exact."""
    found: dict[str, float] = {}
    for name, points in curves.items():
        value, error = slope(*zip(*points, strict=True))
        if value == value:
            found |= {f"slope_{name}_{method}": value, f"slope_error_{name}_{method}": error}
    if method == "baoab":
        found["largest_z_virial_baoab"] = max(abs(b) / e for _, b, e in curves["virial"])
    return found
