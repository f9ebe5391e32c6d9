"""HMC: momenta drawn afresh, a Hamiltonian path, an acceptance test; exact on every target.

One step of K substeps of size h:

    p ~ N(0, mT I)
    K times   B½ A B½              (order = 2)
    K times   AB, or K times BA    (order = 1; every walker draws one, with probability ½)
    keep the end with probability min(1, exp(−ΔH/T)), else go back to the start and its p

With `randomised`, K is drawn from 1 … 2·path_steps − 1 at every step, the same for all walkers.
Costs K gradients. The first order is symplectic Euler, whose adjoint is the other letter order;
drawing between the two is what makes the test exact. Needs the whole of U, no minibatch.

References:
    Duane, Kennedy, Pendleton and Roweth (1987), doi:10.1016/0370-2693(87)91197-X.
    Mackenzie (1989), doi:10.1016/0370-2693(89)91212-4, for the randomised path.
"""

from dataclasses import dataclass

from torch import Tensor

from .._checks import one_of, positive_int
from .._foreach import choose_, clone, decay_add_, dot
from ..claims import Claims
from ..flows.drift import Drift
from ..flows.kick import Kick
from ..state import Env, Part, thermal_noise
from ._metropolis import Snapshot, accept, energy_of


@dataclass(frozen=True, slots=True)
class HMC:
    """Hamiltonian Monte Carlo.

    Attributes:
        path_steps: K, or the middle of its range when randomised.
        randomised: whether K is drawn at every step.
        order: of the path: 2 for velocity Verlet, 1 for symplectic Euler.
    """

    path_steps: int = 10
    randomised: bool = False
    order: int = 2

    def __post_init__(self) -> None:
        positive_int(self.path_steps, "path_steps", "HMC")
        one_of(str(self.order), ("1", "2"), "order", "HMC")

    @property
    def claims(self) -> Claims:
        """Exact law; on average path_steps gradients a step."""
        return Claims(
            dynamics="langevin", is_metropolised=True, gradients_per_step={None: self.path_steps}
        )

    @property
    def has_momenta(self) -> bool:
        """Momenta are state only within a step."""
        return True

    @property
    def auxiliaries(self) -> tuple[str, ...]:
        """Nothing beside positions and momenta."""
        return ()

    def init(self, part: Part, env: Env) -> None:
        """Do nothing: the first step evaluates the force."""

    def step(self, part: Part, h: float, env: Env) -> None:
        """Advance `part` by one path and its acceptance test."""
        size, xi = thermal_noise(part, part.mass, part.p, env)
        decay_add_(part.p, xi, 0.0, size)
        part.geometry.project_tangent(part)
        old = Snapshot.of(part, env, "hmc")
        start = old.energy + _kinetic(part)
        self._path(part, h, env)
        if not part.force.is_fresh:
            env.evaluate(part)
        end = energy_of(part) + _kinetic(part)
        accept(part, old, (start - end) / part.temperature, env)

    def _path(self, part: Part, h: float, env: Env) -> None:
        num = self.path_steps
        if self.randomised:
            draw = env.noise.uniform(part.q[0].new_empty(1))[0]
            num = 1 + int(float(draw) * (2 * num - 1))
        drift, kick = Drift(), Kick()
        if self.order == 2:
            for k in range(num):
                kick(part, h / 2 if k == 0 else h, env)
                drift(part, h, env)
            kick(part, h / 2, env)
            return
        # neither letter order is exact alone, so a draw shared by all walkers would tie them
        # (W, 1): the contracts tell a choice of path from the decision by its shape
        drifts_first = env.noise.uniform(energy_of(part).unsqueeze(1)) < 0.5
        _kick_some(part, ~drifts_first, h, env)
        for k in range(num):
            if k > 0:
                kick(part, h, env)
            drift(part, h, env)
        _kick_some(part, drifts_first, h, env)


def _kick_some(part: Part, which: Tensor, h: float, env: Env) -> None:
    """Kick the walkers where `which`, shape (W, 1), is true."""
    p = clone(part.p)
    Kick()(part, h, env)
    choose_(which, part.p, p)


def _kinetic(part: Part) -> Tensor:
    return dot(part.p, part.p) / (2 * part.mass)


MAKE = HMC
INTEGRATOR = HMC()
