"""What a run steps in: its method, its target and its streams of random numbers."""

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch
from torch import Tensor

from ..geometry import Flat, Hidden, Manifold
from ..integrators import Integrator
from ..noise import NoiseSource
from ..potentials.base import Batch, Evaluator, Minibatched, Potential
from .fingerprint import attributes
from .on_manifold import OnManifold

__all__ = ["World", "minibatched"]


@dataclass(slots=True)
class World:
    """What a run steps in.

    The streams are those of the run and any generator that the target, or a potential in it,
    has among its attributes (as `NoisyForce` has).

    Attributes:
        integrator: the method, as it runs in its ensemble.
        target: U of the positions.
        potential: U of the coordinates that are moved; the same in flat space.
        noise: the run's stream of variates.
        batches: generator of the batches; None where the target takes none.
        evaluate: the counting evaluator that eager steps use.
        method: the method without its ensemble.
        geometry: the manifold.
    """

    integrator: Integrator
    target: Potential
    potential: Potential
    noise: NoiseSource
    batches: torch.Generator | None
    evaluate: Evaluator
    method: Integrator
    geometry: Manifold
    _own: list[torch.Generator] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._own = list(_generators(self.target))

    @classmethod
    def make(
        cls,
        integrator: Integrator,
        target: Potential,
        noise: NoiseSource,
        batches: torch.Generator,
        num_walkers: int,
        *,
        method: Integrator | None = None,
        geometry: Manifold | None = None,
    ) -> "World":
        """Make the world of a run; the batches are used if the target is minibatched."""
        manifold = geometry if geometry is not None else Flat()
        is_hidden = isinstance(manifold, Hidden)
        potential = OnManifold(target, manifold) if is_hidden else target
        batched = minibatched(target)
        kept = batches if batched is not None else None

        def draw() -> Batch:
            return None if batched is None else batched.draw_batch(num_walkers, batches)

        evaluate = Evaluator(potential, draw if batched is not None else None)
        own = method if method is not None else integrator
        return cls(integrator, target, potential, noise, kept, evaluate, own, manifold)

    def save(self) -> dict[str, Tensor]:
        """Return the positions of the streams."""
        state = {f"noise.{name}": value for name, value in self.noise.state_dict().items()}
        if self.batches is not None:
            state["batches"] = self.batches.get_state()
        for number, generator in enumerate(self._own):
            state[f"target.{number}"] = generator.get_state()
        return state

    def load(self, state: dict[str, Tensor]) -> None:
        """Put the streams where `save` found them."""
        noise = {name[6:]: value for name, value in state.items() if name.startswith("noise.")}
        self.noise.load_state_dict(noise)
        if self.batches is not None:
            self.batches.set_state(state["batches"].cpu())
        for number, generator in enumerate(self._own):
            generator.set_state(state[f"target.{number}"].cpu())

    @contextmanager
    def aside(self) -> Generator[None]:
        """Put the streams back afterwards, so that what is looked at changes no walker."""
        streams = self.save()
        try:
            yield
        finally:
            self.load(streams)


def minibatched(potential: Potential) -> Minibatched | None:
    """Return the target if its forces come from batches, else None."""
    if isinstance(potential, Minibatched) and getattr(potential, "batch_size", 1) is not None:
        return potential
    return None


def _generators(value: object) -> Iterator[torch.Generator]:
    """Yield the generators among the attributes of a potential and of those in it."""
    for attribute in attributes(value).values():
        nested = list(attribute.values()) if isinstance(attribute, Mapping) else [attribute]
        for entry in nested:
            if isinstance(entry, torch.Generator):
                yield entry
            elif isinstance(entry, Potential):
                yield from _generators(entry)
