"""What a run steps in: its method, its target and its streams of random numbers."""

from dataclasses import dataclass

import torch
from torch import Tensor

from ..integrators import Integrator
from ..noise import NoiseSource
from ..potentials.base import Evaluator, Minibatched, Potential

__all__ = ["World", "minibatched"]


@dataclass(slots=True)
class World:
    """What a run steps in.

    Attributes:
        integrator: the method.
        potential: the target.
        noise: the run's stream of variates.
        batches: generator of the batches; None where the target takes none.
        evaluate: the counting evaluator that eager steps use.
    """

    integrator: Integrator
    potential: Potential
    noise: NoiseSource
    batches: torch.Generator | None
    evaluate: Evaluator

    @classmethod
    def make(
        cls,
        integrator: Integrator,
        potential: Potential,
        noise: NoiseSource,
        batches: torch.Generator,
        num_walkers: int,
    ) -> "World":
        """Make the world of a run; the batches are used if the target is minibatched."""
        target = minibatched(potential)
        if target is None:
            return cls(integrator, potential, noise, None, Evaluator(potential))

        def draw() -> Tensor:
            return target.draw_batch(num_walkers, batches)

        return cls(integrator, potential, noise, batches, Evaluator(potential, draw))

    def save(self) -> dict[str, Tensor]:
        """Return the positions of the streams."""
        state = {f"noise.{name}": value for name, value in self.noise.state_dict().items()}
        if self.batches is not None:
            state["batches"] = self.batches.get_state()
        return state

    def load(self, state: dict[str, Tensor]) -> None:
        """Put the streams where `save` found them."""
        noise = {name[6:]: value for name, value in state.items() if name.startswith("noise.")}
        self.noise.load_state_dict(noise)
        if self.batches is not None:
            self.batches.set_state(state["batches"].cpu())


def minibatched(potential: Potential) -> Minibatched | None:
    """Return the target if its forces come from batches, else None."""
    if isinstance(potential, Minibatched) and getattr(potential, "batch_size", 1) is not None:
        return potential
    return None
