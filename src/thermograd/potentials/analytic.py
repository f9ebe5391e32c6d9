"""Analytic targets: potentials with a closed-form gradient, known moments and a known law.

A target reads its coordinates from any list of walker-first tensors, in order: one tensor
(W, d), or several whose sizes per walker add up to d.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import torch
from torch import Tensor

from .._checks import positive, positive_int, require
from ..state import Params
from .base import Batch


def flatten(q: Params, num_params: int, owner: str) -> Tensor:
    """Return the coordinates of `q` as one tensor (W, d); a view where `q` is one tensor."""
    parts = [tensor.reshape(tensor.shape[0], -1) for tensor in q]
    x = parts[0] if len(parts) == 1 else torch.cat(parts, dim=1)
    ok = x.shape[1] == num_params
    constraint = f"walker-first tensors with {num_params} coordinates in all"
    require(ok, "q", owner, constraint, [tuple(tensor.shape) for tensor in q])
    return x


def write_(out: Params, x: Tensor) -> None:
    """Copy the columns of `x`, shape (W, d), into the tensors of `out`, in order."""
    sizes = [tensor[0].numel() for tensor in out]
    for tensor, columns in zip(out, x.split(sizes, dim=1), strict=True):
        tensor.copy_(columns.reshape(tensor.shape))


def standard_normal(num_walkers: int, num_params: int, generator: torch.Generator) -> Tensor:
    """Draw N(0, I) in float64, shape (W, d), on the generator's device."""
    return torch.randn(
        (num_walkers, num_params),
        generator=generator,
        dtype=torch.float64,
        device=generator.device,
    )


class Analytic(ABC):
    """A potential U known in closed form; subclasses are final and give the formulas.

    `observables` and `expectations` share their names, so that averaging the one can be
    compared with the other. Two are common to all targets: `energy` is U (Φ for a force with
    a current), `virial` is q·∇U/d, whose average is T by equipartition.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def num_params(self) -> int:
        """The number of coordinates d."""

    @abstractmethod
    def _evaluate(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return U, shape (W,), and the force, shape (W, d), at `x`, shape (W, d)."""

    @abstractmethod
    def _observe(self, x: Tensor) -> dict[str, Tensor]:
        """Return the target's own observables at `x`, each (W,)."""

    @abstractmethod
    def _start(self) -> Sequence[float]:
        """Return a point in the bulk where no component of the force vanishes."""

    @abstractmethod
    def _draw(self, num_walkers: int, temperature: float, generator: torch.Generator) -> Tensor:
        """Draw independent points from exp(−U/T), shape (W, d), float64."""

    @abstractmethod
    def _expect(self, temperature: float) -> dict[str, float]:
        """Return the known averages under exp(−U/T), by name of observable."""

    def energy(self, q: Params) -> Tensor:
        """Return U per walker, shape (W,)."""
        return self._evaluate(flatten(q, self.num_params, type(self).__name__))[0]

    def force(self, q: Params, batch: Batch = None, *, out: Params) -> Tensor:
        """Write −∇U(q) into `out` and return U per walker, shape (W,)."""
        energy, force = self._evaluate(flatten(q, self.num_params, type(self).__name__))
        write_(out, force)
        return energy

    def observables(self, q: Params) -> dict[str, Tensor]:
        """Return the observables per walker, each (W,), by name."""
        x = flatten(q, self.num_params, type(self).__name__)
        energy, force = self._evaluate(x)
        virial = -(x * force).sum(1) / self.num_params
        return {"energy": energy, "virial": virial, **self._observe(x)}

    def expectations(self, temperature: float) -> dict[str, float]:
        """Return the known averages under exp(−U/T), by name of observable.

        Args:
            temperature: T > 0, in the units of U.
        """
        owner = f"{type(self).__name__}.expectations"
        return self._expect(positive(temperature, "temperature", owner))

    def start(
        self,
        num_walkers: int,
        dtype: torch.dtype = torch.float32,
        device: torch.device | str = "cpu",
    ) -> Params:
        """Return one tensor (W, d) with every walker at the same point of the bulk."""
        positive_int(num_walkers, "num_walkers", f"{type(self).__name__}.start")
        point = torch.tensor(tuple(self._start()), dtype=dtype, device=device)
        return [point.repeat(num_walkers, 1)]

    def sample(
        self,
        num_walkers: int,
        temperature: float,
        generator: torch.Generator,
        dtype: torch.dtype = torch.float32,
    ) -> Params:
        """Draw independent walkers from exp(−U/T), without a Markov chain.

        Args:
            num_walkers: W > 0.
            temperature: T > 0, in the units of U.
            generator: source of the draws; its device is that of the result.
            dtype: of the result; the draws themselves are float64.

        Returns:
            One tensor, shape (W, d).
        """
        owner = f"{type(self).__name__}.sample"
        positive_int(num_walkers, "num_walkers", owner)
        positive(temperature, "temperature", owner)
        return [self._draw(num_walkers, temperature, generator).to(dtype)]
