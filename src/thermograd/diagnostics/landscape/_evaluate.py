"""Mean loss at many points of an affine family θ(a) = θ₀ + Σ_i a_i d_i, in few operations.

What a layer computes is affine in its own parameters. So where the model is a Sequential whose
first layer with parameters is linear or a convolution, that layer is evaluated on the data once for
θ₀ and once for each direction, and a point costs sums of the outcomes and the layers behind. The
data go in pieces that leave a layer's outcomes in the cache. Where that is all the data, points go
several at a time (`torch.func.vmap`) up to the same size, which saves the cost of calling the
operations; beyond, and with convolutions, which vmap makes slower, one point goes at a time.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.func import functional_call, vmap

from ..._errors import NonFiniteError
from .._progress import Meter
from ..estimate import Array, Estimate
from ..objective import Objective

Named = dict[str, Tensor]
CONVOLUTIONS = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
AFFINE = (nn.Linear, *CONVOLUTIONS)
CACHE = 1 << 21  # bytes of a layer's outcomes at a time
TOGETHER = 64  # points at a time, where the data are few


@dataclass(frozen=True, slots=True)
class Family:
    """Points θ(a) = origin + Σ_i a_i directions_i.

    Attributes:
        origin: parameters, and buffers where they vary, by name.
        directions: likewise; a name that is missing does not vary along that one.
    """

    origin: Named
    directions: tuple[Named, ...]

    def at(self, coordinates: Tensor, names: Sequence[str]) -> Named:
        """Return the tensors of these names at one point, coordinates of shape (i,)."""
        found: Named = {}
        for name in names:
            value = self.origin[name]
            for a, direction in zip(coordinates, self.directions, strict=True):
                if name in direction:
                    value = value + a * direction[name]
            found[name] = value
        return found


def mean_losses(objective: Objective, family: Family, coordinates: Tensor) -> Estimate[Array]:
    """Return the mean loss at points of a family, with its standard error over the examples.

    Args:
        objective: model, loss and data.
        family: of parameters.
        coordinates: a, shape (G, i).
    """
    coordinates = coordinates.to(objective.point)
    sums = torch.zeros(2, len(coordinates), dtype=torch.float64)
    head, tail = _cut(objective, family)
    names = [name for name in family.origin if name in _names(tail)]
    x, y = objective.network.data
    rows, together = _sizes(objective, head, tail)

    def one(a: Tensor, known: Tensor, target: Tensor) -> Tensor:
        hidden = known[0]
        for share, outcome in zip(a, known[1:], strict=False):
            hidden = torch.addcmul(hidden, share, outcome)
        prediction = functional_call(tail, family.at(a, names), (hidden,))
        return objective.network.losses(prediction, target)

    many = vmap(one, in_dims=(0, None, None))
    with Meter("loss over points", len(x)) as meter, torch.no_grad():
        for start in range(0, len(x), rows):
            target = y[start : start + rows]
            known = _known(head, family, x[start : start + rows])
            for first in range(0, len(coordinates), together):
                part = coordinates[first : first + together]
                alone = len(part) == 1
                found = one(part[0], known, target)[None] if alone else many(part, known, target)
                sums[0, first : first + together] += found.double().sum(1).cpu()
                sums[1, first : first + together] += found.double().square().sum(1).cpu()
            meter.tick(len(target))
    mean = sums[0] / len(x)
    variance = (sums[1] / len(x) - mean**2).clamp_min(0) / max(len(x) - 1, 1)
    if bool(torch.isnan(mean).any()):
        raise NonFiniteError("the loss is NaN at some of the points")
    return Estimate(mean.numpy(), variance.sqrt().numpy(), len(x), "loss")


def _known(head: nn.Sequential | None, family: Family, x: Tensor) -> Tensor:
    """Return the head's outcome at the origin and along each direction, (1 + i, B, ...)."""
    if head is None:
        return x.unsqueeze(0)
    origin = {name: family.origin[name] for name in _names(head) if name in family.origin}
    found = [functional_call(head, origin, (x,))]
    for direction in family.directions:
        turned = {
            name: direction.get(name, torch.zeros_like(value))
            for name, value in head.named_parameters()
        }
        found.append(functional_call(head, turned, (x,)))
    return torch.stack(found)


def _cut(objective: Objective, family: Family) -> tuple[nn.Sequential | None, nn.Module]:
    """Return the model up to its first layer with parameters, if that is affine, and the rest."""
    model = objective.network.model
    tensors = [*model.named_parameters(remove_duplicate=False), *model.named_buffers()]
    is_tied = len({id(tensor) for _, tensor in tensors}) < len(tensors)
    if type(model) is not nn.Sequential or is_tied:
        return None, model
    children = list(model.named_children())
    for number, (name, child) in enumerate(children):
        if any(True for _ in child.parameters()) or any(True for _ in child.buffers()):
            varies = any(f"{name}." in known for known in family.origin)
            if not isinstance(child, AFFINE) or not varies:
                return None, model
            cut = number + 1
            head, tail = OrderedDict(children[:cut]), OrderedDict(children[cut:])
            return nn.Sequential(head).eval(), nn.Sequential(tail).eval()
    return None, model


def _sizes(objective: Objective, head: nn.Sequential | None, tail: nn.Module) -> tuple[int, int]:
    """Return how many examples, and how many points, are evaluated at a time."""
    each = max(1, objective.network.bytes_per_example)
    rows = max(1, objective.memory // (2 * each))
    if head is not None:
        with torch.no_grad():
            outcome = head(objective.network.data[0][:1])
        each = outcome.numel() * outcome.element_size()
        rows = min(rows, max(64, CACHE // each))
    rows = min(rows, objective.num_data)
    convolves = any(isinstance(module, CONVOLUTIONS) for module in tail.modules())
    can_batch = objective.network.is_vectorized and not convolves
    return rows, min(TOGETHER, max(1, CACHE // (rows * each))) if can_batch else 1


def _names(module: nn.Module) -> set[str]:
    return {name for name, _ in [*module.named_parameters(), *module.named_buffers()]}
