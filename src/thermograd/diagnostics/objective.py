"""What a diagnostic looks at: the mean loss of a model over data, near one point.

    f(θ) = (1/N) Σ_n loss(model(x_n; θ), y_n)

θ is a flat vector of the trainable parameters, in the model's order. The model is copied and
evaluated as `model.eval()` would be, so batch normalisation uses its running statistics and
nothing of the user's changes; a model with active dropout, one that draws random numbers and data
that change when they are read again are refused. A prior is no part of f: its curvature is added by
hand.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import final

import torch
from torch import Tensor, nn

from .._checks import is_int, positive_int, require
from .._errors import OutOfMemoryError, ParameterError
from ..potentials import Network
from ..state import Params

__all__ = ["Objective"]

MEMORY = 1 << 28


@final
class Objective:
    """The mean loss f and its derivatives at a point, computed in pieces that fit into memory.

    Args:
        model: maps inputs (B, ...) to predictions (B, ...), each example by itself.
        loss: a name, a likelihood, or a function of (prediction, target), as in `Network`.
        data: (inputs, targets) as tensors or arrays, or a Dataset of pairs.
        frozen: names of parameters that do not count, or patterns such as "features.*".
        memory: bytes that a computation may use beside the vectors it returns.

    Attributes:
        network: the copy of the model with its loss and data.
        names: of the parameters, in the order of θ.
        point: θ where the model stands, shape (d,).
        memory: bytes.
    """

    def __init__(
        self,
        model: nn.Module,
        loss: str | Callable[[Tensor, Tensor], Tensor],
        data: object,
        *,
        frozen: str | Iterable[str] = (),
        memory: int = MEMORY,
    ) -> None:
        _refuse_restless(data)
        network = Network(model, loss, data, frozen=frozen)  # pyright: ignore[reportArgumentType]
        self._set(network, [tensor[0] for tensor in network.start(1)], memory)

    @classmethod
    def of(
        cls, network: Network, q: Params, walker: int = 0, *, memory: int = MEMORY
    ) -> "Objective":
        """Return the objective of a sampler's target at one walker.

        Args:
            network: the target.
            q: positions, each (W, ...).
            walker: which of them.
            memory: bytes, as above.
        """
        network.check(q)
        ok = is_int(walker) and 0 <= walker < q[0].shape[0]
        require(ok, "walker", "Objective.of", f"from 0 to {q[0].shape[0] - 1}", walker)
        self = cls.__new__(cls)
        self._set(network, [tensor[walker] for tensor in q], memory)
        return self

    def _set(self, network: Network, tensors: Params, memory: int) -> None:
        self.memory = positive_int(memory, "memory", "Objective")
        self.network, self.names = network, network.names
        self._shapes = [tensor.shape for tensor in tensors]
        self._sizes = [tensor.numel() for tensor in tensors]
        self.point = torch.cat([tensor.detach().reshape(-1) for tensor in tensors]).clone()

    @property
    def num_params(self) -> int:
        """Length of θ, d."""
        return len(self.point)

    @property
    def num_data(self) -> int:
        """Examples, N."""
        return len(self.network.data[0])

    @property
    def sizes(self) -> list[int]:
        """Entries of θ that belong to each name."""
        return list(self._sizes)

    def named(self, theta: Tensor) -> dict[str, Tensor]:
        """Return the parts of a vector θ by the parameter's name, in their shapes."""
        parts = theta.split(self._sizes)
        shaped = [part.view(shape) for part, shape in zip(parts, self._shapes, strict=True)]
        return dict(zip(self.names, shaped, strict=True))

    def flat(self, source: nn.Module) -> Tensor:
        """Return the parameters of another model of the same form as a vector θ."""
        found = dict(source.named_parameters())
        for name, shape in zip(self.names, self._shapes, strict=True):
            got = tuple(found[name].shape) if name in found else None
            ok = got == tuple(shape)
            require(ok, "model", "Objective.flat", f"with {name!r} of shape {tuple(shape)}", got)
        return torch.cat([found[name].detach().reshape(-1) for name in self.names]).to(self.point)

    def check(self, theta: Tensor, name: str, owner: str) -> Tensor:
        """Return a vector in the dtype of θ, after checking its length and that it is finite."""
        ok = theta.shape == self.point.shape and bool(torch.isfinite(theta).all())
        require(ok, name, owner, f"finite, of shape ({self.num_params},)", tuple(theta.shape))
        return theta.detach().to(self.point)

    def outputs(self, theta: Tensor, x: Tensor) -> Tensor:
        """Return the predictions at θ, shape (B, ...)."""
        return self.network.outputs(self.named(theta), x)

    def losses(self, theta: Tensor, x: Tensor, y: Tensor) -> Tensor:
        """Return the loss of every example at θ, shape (B,)."""
        return self.network.losses(self.outputs(theta, x), y)

    def pieces(self, copies: float = 1.0, extra: int = 0) -> Iterator[tuple[Tensor, Tensor]]:
        """Yield the data in pieces that fit into memory.

        Args:
            copies: how many times the activations of an example are held at a time.
            extra: further bytes for every example.
        """
        x, y = self.network.data
        each = int(copies * self.network.bytes_per_example) + extra + 1
        if each > self.memory:
            raise OutOfMemoryError(
                f"one example takes {each:,} bytes and the memory allowed is {self.memory:,}; "
                "allow more"
            )
        rows = max(1, self.memory // each)
        for start in range(0, len(x), rows):
            yield x[start : start + rows], y[start : start + rows]


def _refuse_restless(data: object) -> None:
    """Refuse a Dataset whose first example changes when it is read again."""
    if isinstance(data, (tuple, list)) or not hasattr(data, "__getitem__"):
        return
    with torch.random.fork_rng(devices=[]):
        first, second = (_example(data) for _ in range(2))
    same = all(torch.equal(a, b) for a, b in zip(first, second, strict=True))
    if not same:
        raise ParameterError(
            "the data change when they are read again (a random augmentation?): derivatives would "
            "be of another function each time. Hand over fixed tensors."
        )


def _example(data: object) -> list[Tensor]:
    return [torch.as_tensor(entry) for entry in data[0]]  # pyright: ignore[reportIndexIssue]
