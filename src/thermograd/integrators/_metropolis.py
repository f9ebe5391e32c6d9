"""The acceptance test that MALA and HMC share, one decision per walker."""

from dataclasses import dataclass

from torch import Tensor

from .._checks import require
from .._errors import EvaluationError
from .._foreach import choose_, clone
from ..state import Env, Params, Part


@dataclass(slots=True)
class Snapshot:
    """Where a part was, with the force and the energy there."""

    q: Params
    p: Params
    f: Params
    energy: Tensor  # (W,)

    @classmethod
    def of(cls, part: Part, env: Env, owner: str) -> "Snapshot":
        """Copy the state, the force and the energy of `part`, evaluating what is stale."""
        require(not part.is_cold, "temperature", owner, "above 0", part.temperature)
        if not part.force.is_fresh or part.energy is None:
            env.evaluate(part)
        return cls(clone(part.q), clone(part.p), clone(part.force.tensors), energy_of(part).clone())


def energy_of(part: Part) -> Tensor:
    """Return U per walker at the last evaluation.

    Raises:
        EvaluationError: if whoever evaluates the force does not say the energy.
    """
    if part.energy is None:
        raise EvaluationError("an acceptance test needs U, and the target returned none")
    return part.energy


def accept(part: Part, old: Snapshot, log_ratio: Tensor, env: Env) -> None:
    """Keep each walker's move with probability min(1, exp(log_ratio)), else put it back.

    A move to where U is NaN or infinite is refused. The probability is left in
    `part.records["acceptance"]`.
    """
    probability = log_ratio.clamp(max=0.0).exp().nan_to_num(nan=0.0)
    keep = env.noise.uniform(probability) < probability
    choose_(keep, part.q, old.q)
    choose_(keep, part.p, old.p)
    choose_(keep, part.force.tensors, old.f)
    part.energy = energy_of(part).where(keep, old.energy)
    part.records["acceptance"] = probability
    part.mark_moved()
    part.force.is_fresh = True
