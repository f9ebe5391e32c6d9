"""What a step with orthogonal weights costs, here and in other libraries.

All are steps of gradient descent with momentum 0.9 (the overdamped method has none), handed
gradients in turn from a few random ones, of norm 1 for each matrix (or, "steep", of largest
singular value 1: steps that long need more iterations here). `geotorch`, and the canonical metric
of `geoopt`, make a square matrix of the larger dimension, so they take no part where that is
thousands.
"""

import time
from collections.abc import Callable, Iterable
from itertools import cycle
from typing import Any

import torch
from torch import Tensor, nn

from benchmarks.speed.race import Work, race
from thermograd.geometry import Orthogonal
from thermograd.noise import seeded
from thermograd.optim import OColod, OColud, from_sgd

Shape = tuple[int, int]
LR, MOMENTUM = 0.01, 0.9
LARGEST = 1024  # larger dimension up to which methods with a square matrix of it take part
MOVES = 8  # steps before a residual is read, at least

RESNET_34: tuple[Shape, ...] = (
    (64, 27),
    *[(64, 576)] * 6,
    (128, 576),
    (128, 64),
    *[(128, 1152)] * 7,
    (256, 1152),
    (256, 128),
    *[(256, 2304)] * 11,
    (512, 2304),
    (512, 256),
    *[(512, 4608)] * 5,
    (10, 512),
)
STEEP = "steep"
PROBLEMS: dict[str, tuple[Shape, ...]] = {
    "100 × 100": ((100, 100),),
    "512 × 512": ((512, 512),),
    f"512 × 512, {STEEP}": ((512, 512),),
    "1024 × 256": ((1024, 256),),
    "30,000 × 50": ((30_000, 50),),
    "ResNet-34, CIFAR form, 37 layers": RESNET_34,
}


def rows(rounds: int) -> list[dict[str, Any]]:
    """Return a row for each problem: milliseconds and residuals."""
    return [_row(name, shapes, rounds) for name, shapes in PROBLEMS.items()]


def _row(name: str, shapes: tuple[Shape, ...], rounds: int) -> dict[str, Any]:
    racers = entries(shapes, STEEP in name)
    works = {title: work for title, (work, _) in racers.items()}
    few = min(rounds, 2) if len(shapes) > 1 else rounds
    best = race(works, few, slot=0.02, clock=time.process_time)
    for work in works.values():
        for _ in range(max(0, MOVES - few) if len(shapes) == 1 else 0):
            work()
    off = {title: max(map(_residual, read())) for title, (_, read) in racers.items()}
    milli = {title: 1e3 * seconds for title, seconds in best.items()}
    return {"problem": name, "milliseconds": milli, "residuals": off}


def entries(
    shapes: tuple[Shape, ...], is_steep: bool
) -> dict[str, tuple[Work, Callable[[], Iterable[Tensor]]]]:
    """Return what takes a step, and what returns the matrices, for each method."""
    found = {"o-CoLud": _own(shapes, is_steep, True), "o-CoLod": _own(shapes, is_steep, False)}
    found["SVD projection"] = _svd(shapes, is_steep)
    found["geoopt RiemannianSGD, Euclidean"] = _geoopt(shapes, is_steep, is_canonical=False)
    if max(max(shape) for shape in shapes) <= LARGEST:
        found["geoopt RiemannianSGD, canonical"] = _geoopt(shapes, is_steep, is_canonical=True)
        for map_name in ("expm", "cayley"):
            found[f"geotorch, {map_name}"] = _geotorch(shapes, is_steep, map_name)
    return found


def _start(shape: Shape) -> Tensor:
    q = torch.randn(max(shape), min(shape), generator=seeded(1))
    q = torch.linalg.qr(q)[0]
    return q if shape[0] >= shape[1] else q.mT.contiguous()


def _slopes(shape: Shape, is_steep: bool) -> list[Tensor]:
    draws = [torch.randn(shape, generator=seeded(7 + k)) for k in range(4)]
    largest = shape[0] ** 0.5 + shape[1] ** 0.5  # singular value, about
    return [g / (largest if is_steep else float(g.norm())) for g in draws]


def _fed(params: Iterable[nn.Parameter], step: Work, is_steep: bool) -> Work:
    feeds = [(q, cycle(_slopes((q.shape[0], q.shape[1]), is_steep))) for q in params]

    def work() -> None:
        for param, slopes in feeds:
            param.grad = next(slopes).clone()
        step()

    return work


def _own(shapes: tuple[Shape, ...], is_steep: bool, is_underdamped: bool) -> Any:
    model = nn.ParameterList([_start(shape) for shape in shapes])
    sgd = from_sgd(lr=LR, momentum=MOMENTUM)
    opt = OColud(model, **sgd) if is_underdamped else OColod(model, lr=LR)
    return _fed(model, opt.step, is_steep), lambda: [q.detach() for q in model]


def _svd(shapes: tuple[Shape, ...], is_steep: bool) -> Any:
    params = [nn.Parameter(_start(shape)) for shape in shapes]
    opt = torch.optim.SGD(params, lr=LR, momentum=MOMENTUM)

    def step() -> None:
        opt.step()
        for param in params:
            u, _, vh = torch.linalg.svd(param.detach(), full_matrices=False)
            param.data.copy_(u @ vh)

    return _fed(params, step, is_steep), lambda: [q.detach() for q in params]


def _geoopt(shapes: tuple[Shape, ...], is_steep: bool, is_canonical: bool) -> Any:
    import geoopt

    manifold = geoopt.Stiefel(canonical=is_canonical)
    tall = [_start((max(shape), min(shape))) for shape in shapes]
    params = [geoopt.ManifoldParameter(q, manifold=manifold) for q in tall]
    opt = geoopt.optim.RiemannianSGD(params, lr=LR, momentum=MOMENTUM)
    return _fed(params, opt.step, is_steep), lambda: [q.detach() for q in params]


def _geotorch(shapes: tuple[Shape, ...], is_steep: bool, map_name: str) -> Any:
    import geotorch

    layers = [nn.utils.skip_init(nn.Linear, b, a, bias=False) for a, b in shapes]
    for layer, shape in zip(layers, shapes, strict=True):
        geotorch.orthogonal(layer, "weight", triv=map_name)
        layer.weight = _start(shape)
    opt = torch.optim.SGD([p for m in layers for p in m.parameters()], LR, momentum=MOMENTUM)
    feeds = [cycle(_slopes(shape, is_steep)) for shape in shapes]

    def work() -> None:
        opt.zero_grad()
        for layer, slopes in zip(layers, feeds, strict=True):
            layer.weight.backward(next(slopes))
        opt.step()

    return work, lambda: [layer.weight.detach() for layer in layers]


def _residual(q: Tensor) -> float:
    return float(Orthogonal().distance([q.unsqueeze(0)]))
