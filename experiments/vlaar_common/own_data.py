"""Runs side by side, each a walker with training points of its own."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from thermograd.data.toy import spirals
from thermograd.noise import seeded
from thermograd.potentials import Network
from thermograd.potentials.priors import Gaussian
from thermograd.state import Params

Data = tuple[Tensor, Tensor]


@dataclass(frozen=True, slots=True)
class Spiral:
    """Two spirals and how they are learned.

    Attributes:
        turns: of each.
        scale: outer radius.
        noise: of each coordinate.
        num_train: points of a run.
        num_test: points that all runs are judged on.
        batch: points in a step.
    """

    turns: float
    scale: float
    noise: float
    num_train: int
    num_test: int
    batch: int

    def draw(self, num: int, seed: int) -> Data:
        """Return points and labels as floats (N, 1)."""
        x, y = spirals(
            num, generator=seeded(seed), turns=self.turns, scale=self.scale, noise=self.noise
        )
        return x, y.to(x.dtype).unsqueeze(1)


class OwnData:
    """The mean loss of a network, with other training points for every walker.

    A batch is drawn, with replacement, from the points of its walker.

    Args:
        model: the network.
        spiral: what the points are drawn from.
        runs: walkers.
        seed: of the points.
        decay: λ of a weight decay ½λ|θ|² on all parameters.
    """

    def __init__(
        self, model: nn.Module, spiral: Spiral, runs: int, seed: int, decay: float = 0.0
    ) -> None:
        sets = [spiral.draw(spiral.num_train, 1000 * seed + run) for run in range(runs)]
        data = torch.cat([x for x, _ in sets]), torch.cat([y for _, y in sets])
        prior = Gaussian((len(data[0]) * decay) ** -0.5) if decay else None
        self.network = Network(model, "binary", data, prior, batch_size=spiral.batch, scale="mean")
        self.names = self.network.names
        self.batch_size = spiral.batch
        self.num_train = spiral.num_train
        self.sets = sets
        self.test = spiral.draw(spiral.num_test, 1000 * seed + 999)

    def force(self, q: Params, batch: object = None, *, out: Params) -> Tensor:
        """Write −∇U(q) into `out` and return U per walker."""
        assert isinstance(batch, Tensor)
        return self.network.force(q, batch, out=out)

    def draw_batch(self, num_walkers: int, generator: torch.Generator) -> Tensor:
        """Draw indices of examples, shape (W, B)."""
        drawn = torch.randint(self.num_train, (num_walkers, self.batch_size), generator=generator)
        return drawn + self.num_train * torch.arange(num_walkers).unsqueeze(1)

    def scores(self, q: Params) -> tuple[Tensor, Tensor]:
        """Return test loss and test accuracy in percent of every walker."""
        loss = self.network.mean_loss(q, self.test)
        return loss, 100 * self.network.accuracy(q, self.test)

    def train_percent(self, q: Params) -> Tensor:
        """Return the accuracy of every walker on its own training points, in percent."""
        shares = [
            self.network.accuracy([x[run : run + 1] for x in q], data)
            for run, data in enumerate(self.sets)
        ]
        return 100 * torch.cat(shares)
