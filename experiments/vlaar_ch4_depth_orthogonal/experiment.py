"""Figures 4.4, 4.5 and 4.8: orthogonal hidden layers in perceptrons of many depths, on spirals."""

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass

import torch
from torch import Tensor, nn
from vlaar_common.own_data import OwnData, Spiral

import thermograd
from thermograd.experiments import Result
from thermograd.geometry import Orthogonal
from thermograd.models import mlp
from thermograd.noise import seeded
from thermograd.regularisers import orthogonal_penalty
from thermograd.state import Params

SEED = 44
SPIRAL = Spiral(turns=4, scale=2.0, noise=0.02, num_train=500, num_test=1000, batch=25)
STEPS_PER_EPOCH = 20
METHODS = ("sgd", "sgd_orthogonal", "penalty", "o_colod")


@dataclass(frozen=True, slots=True)
class Size:
    """How much is run.

    Attributes:
        depths: numbers of hidden layers.
        runs: of each method, each with its own start and its own points.
        epochs: of 20 steps.
        hidden: units of a hidden layer.
        step_size: h.
        strength: λ of the penalty.
        temperature: of o-CoLod.
    """

    depths: tuple[int, ...] = (4,)
    runs: int = 5
    epochs: int = 600
    hidden: int = 50
    step_size: float = 0.1
    strength: float = 0.05
    temperature: float = 0.0


class Penalised:
    """A target with λ Σ_l |W_lᵀ W_l − I|² added, over its square weights.

    Args:
        target: to which it is added.
        strength: λ.
    """

    def __init__(self, target: OwnData, strength: float) -> None:
        self.target, self.strength = target, strength
        self.names, self.batch_size = target.names, target.batch_size

    def force(self, q: Params, batch: object = None, *, out: Params) -> Tensor:
        """Write −∇U(q) into `out` and return U per walker."""
        energy = self.target.force(q, batch, out=out)
        for x, f in zip(q, out, strict=True):
            if x.dim() == 3 and x.shape[1] == x.shape[2]:
                off = x.mT @ x - torch.eye(x.shape[2])
                energy = energy + self.strength * off.square().sum((1, 2))
                f.sub_(x @ off, alpha=4 * self.strength)
        return energy

    def draw_batch(self, num_walkers: int, generator: torch.Generator) -> Tensor:
        """Draw indices of examples, shape (W, B)."""
        return self.target.draw_batch(num_walkers, generator)


def smoke(seed: int = SEED) -> Result:
    """Train small networks for a moment, and compare the penalty with autograd's."""
    size = Size(depths=(3,), runs=2, epochs=2, hidden=16)
    measured = _measure(size, seed)
    return Result({**measured, "penalty_gap": _penalty_gap(seed)}, asdict(size), seed)


def full(seed: int = SEED, size: str = "short") -> Result:
    """Train at every depth.

    Args:
        seed: of points, starts and batches.
        size: "short", or "paper" for 1 to 8 layers of 100 units, 10 runs and more epochs.
    """
    paper = Size(depths=tuple(range(1, 9)), runs=10, epochs=4000, hidden=100)
    chosen = paper if size == "paper" else Size()
    measured = _measure(chosen, seed)
    return Result({**measured, **gains(measured, chosen.depths[-1])}, asdict(chosen), seed)


def gains(measured: Mapping[str, float], depth: int) -> dict[str, float]:
    """Return how much more accurate o-CoLod is at a depth, in percentage points."""
    hard = measured[f"percent_o_colod_depth{depth}"]
    return {
        "gain_over_sgd": hard - measured[f"percent_sgd_depth{depth}"],
        "gain_over_orthogonal_start": hard - measured[f"percent_sgd_orthogonal_depth{depth}"],
        "gain_over_penalty": hard - measured[f"percent_penalty_depth{depth}"],
    }


def train(method: str, depth: int, size: Size, seed: int) -> tuple[OwnData, Params]:
    """Return the problem and the positions of all runs after training."""
    model = mlp((2, *[size.hidden] * depth, 1), generator=seeded(seed))
    target = OwnData(model, SPIRAL, size.runs, seed)
    inner = [name for name in target.names if _is_inner(name, depth)]
    q = target.network.start(size.runs, seeded(seed + depth), init="reset")
    if method in ("sgd_orthogonal", "o_colod"):
        generator = seeded(seed + 100 + depth)
        for name, x in zip(target.names, q, strict=True):
            if name in inner:
                for own in x:
                    nn.init.orthogonal_(own, generator=generator)
    is_hard = method == "o_colod" and inner
    run = thermograd.sample(
        Penalised(target, size.strength) if method == "penalty" else target,
        "euler_maruyama",
        walkers=size.runs,
        steps=size.epochs * STEPS_PER_EPOCH,
        every=size.epochs * STEPS_PER_EPOCH,
        seed=seed,
        temperature=size.temperature if method == "o_colod" else 0.0,
        step_size=size.step_size,
        start=q,
        geometry=dict.fromkeys(inner, Orthogonal()) if is_hard else None,
        progress=False,
    )
    return target, run.part.q


def _measure(size: Size, seed: int) -> dict[str, float]:
    measured: dict[str, float] = {}
    for depth in size.depths:
        for method in METHODS:
            began = time.process_time()
            target, q = train(method, depth, size, seed)
            loss, percent = target.scores(q)
            key = f"{method}_depth{depth}"
            measured[f"loss_{key}"] = float(loss.nan_to_num(1e6).mean())
            measured[f"percent_{key}"] = float(percent.mean())
            measured[f"sd_{key}"] = float(percent.std())
            measured[f"seconds_{key}"] = time.process_time() - began
    return measured


def _penalty_gap(seed: int) -> float:
    """Return how far the penalty's force is from autograd's, and its energy from the function's."""
    model = mlp((2, 6, 6, 1), generator=seeded(seed))
    target = OwnData(model, SPIRAL, 1, seed)
    q = [parameter.detach().unsqueeze(0).clone() for parameter in model.parameters()]
    batch = target.draw_batch(1, seeded(seed))
    bare, soft = ([torch.zeros_like(x) for x in q] for _ in range(2))
    more = Penalised(target, 0.3).force(q, batch, out=soft) - target.force(q, batch, out=bare)
    penalty = orthogonal_penalty(model, 0.3, "2.weight")
    penalty.backward()
    gap = float((more - penalty.detach()).abs().max())
    for parameter, a, b in zip(model.parameters(), soft, bare, strict=True):
        gradient = parameter.grad if parameter.grad is not None else torch.zeros_like(parameter)
        gap = max(gap, float((a - b + gradient).abs().max()))
    return gap


def _is_inner(name: str, depth: int) -> bool:
    """Tell whether a parameter is the weight of a layer between two hidden layers."""
    layer, _, kind = name.partition(".")
    return kind == "weight" and 0 < int(layer) < 2 * depth
