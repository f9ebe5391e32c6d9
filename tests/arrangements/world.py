"""A perceptron as a target and as a module, and walkers of an arrangement on it."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from thermograd.arrangements import Arranged, LayerWise
from thermograd.models import perceptron
from thermograd.noise import seeded
from thermograd.potentials import Network
from thermograd.potentials.base import Evaluator
from thermograd.sampling.engine import make_part
from thermograd.state import Env, Params, Part

H = 0.13
STIFFNESS = (1.7, 0.6)


def model() -> nn.Module:
    return perceptron(2, 5, 1, generator=seeded(0)).double()


def data() -> tuple[Tensor, Tensor]:
    x = torch.randn(30, 2, generator=seeded(1), dtype=torch.float64)
    return x, (x[:, :1] * x[:, 1:] > 0).double()


def network(batch_size: int | None = None) -> Network:
    return Network(model(), "binary", data(), batch_size=batch_size, scale="mean")


def loss(module: nn.Module) -> Tensor:
    x, y = data()
    return nn.functional.binary_cross_entropy_with_logits(module(x), y)


class Counted:
    """Standard normal numbers in the order asked for, whatever their shapes."""

    matched_moments = float("inf")

    def __init__(self, seed: int) -> None:
        self.generator = seeded(seed)

    def normal(self, like: Sequence[Tensor]) -> Params:
        return [
            torch.stack(
                [torch.randn((), generator=self.generator, dtype=x.dtype) for _ in range(x.numel())]
            ).reshape(x.shape)
            for x in like
        ]

    def uniform(self, like: Tensor) -> Tensor:
        return torch.zeros_like(like)

    def state_dict(self) -> dict[str, Tensor]:
        return {}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        pass


def bound(method: LayerWise) -> Arranged:
    named = list(model().named_parameters())
    return method.arrange(named).bind([name for name, _ in named])


def ready(method: Arranged, seed: int) -> tuple[Part, Env]:
    """Return one walker at the model's parameters with momenta at rest."""
    start = [x.detach().unsqueeze(0).clone() for x in model().parameters()]
    part = make_part(method, start)
    env = Env(Counted(seed), Evaluator(network()))
    method.init(part, env)
    return part, env


def to_force(method: Arranged, num: int, seed: int) -> Params:
    """Run whole steps, then the next one up to its force, where an optimizer stands."""
    part, env = ready(method, seed)
    for _ in range(num - 1):
        method.step(part, H, env)
    pieces = method.parts(part)
    for share, piece in zip(method.shares, pieces, strict=True):
        move = share.method.step if share.is_whole else share.method.before
        move(piece, H, env)
    return [x[0] for x in part.q]


class Pair:
    """U = ½ k₁ a² + ½ k₂ b² of two tensors."""

    names = ("a", "b")

    def force(self, q: Params, batch: object = None, *, out: Params) -> Tensor:
        for x, k, f in zip(q, STIFFNESS, out, strict=True):
            f.copy_(-k * x)
        return torch.stack(
            [k * x.square().flatten(1).sum(1) / 2 for x, k in zip(q, STIFFNESS, strict=True)]
        ).sum(0)
