"""Contracts on acceptance tests, `metropolised`: exact on every target, without a sample.

The probability of acceptance is found by bisecting the uniform that decides. Then, pointwise:

without momenta   it is min(1, π(y) k(x|y) / π(x) k(y|x)), with the Gaussian k(·|x) read off the
                  proposals from x, and with the drift and diffusion of the dynamics for small h
with momenta      the path from (x, p) goes back from (y, −p'), for a choice of path that is as
                  likely; it preserves volume, and follows (p/m, f) for small h; the probability
                  is min(1, exp(−ΔH/T))
either            a refused walker stays where it was, with the force and energy that belong there
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ...integrators import Integrator
from ...potentials.base import Evaluator
from ...state import Env, Part
from .probe import Setting, Silence
from .targets import coupled_quartic
from .verdict import Verdict, holds

_STEP = 0.25
_TOLERANCE = 1e-10


class Cast(Silence):
    """One draw of given variates, a given choice of path and given uniforms for the decision.

    Args:
        variates: for the one call of `normal`, shape (W, d), W > 1.
        choices: for the uniforms that are not one a walker, in order.
        decision: for the acceptance test, shape (W,).
    """

    def __init__(self, variates: Tensor, choices: Sequence[float], decision: Tensor) -> None:
        super().__init__()
        self.variates, self.choices, self.decision = variates, list(choices), decision
        self.asked = 0

    def normal(self, like: Sequence[Tensor]) -> list[Tensor]:
        """Return the variates."""
        self.calls += 1
        return list(self.variates.split(1, dim=1))[: len(like)]

    def uniform(self, like: Tensor) -> Tensor:
        """Return the decision, or the next choice."""
        if like.shape == self.decision.shape:
            return self.decision
        self.asked += 1
        chosen = self.choices[self.asked - 1] if self.asked <= len(self.choices) else 0.25
        return torch.full_like(like, chosen)


@dataclass(frozen=True, slots=True)
class Test:
    """A Metropolis method from fixed points with fixed variates.

    Attributes:
        setting: the method and its target.
        h: the step size.
    """

    setting: Setting
    h: float = _STEP

    def run(
        self, x: Tensor, xi: Tensor, choices: Sequence[float], decision: Tensor | None = None
    ) -> Part:
        """Return the part after one step; without a `decision` every proposal is taken."""
        states = torch.cat([x, torch.zeros_like(x)], 1)[:, : self.setting.num_moving]
        part = self.setting.part(states)
        sure = torch.zeros(len(x), dtype=x.dtype)
        noise = Cast(xi, choices, sure if decision is None else decision)
        env = Env(noise, Evaluator(self.setting.target.potential))
        self.setting.integrator.init(part, env)
        self.setting.integrator.step(part, self.h, env)
        return part

    def proposal(self, x: Tensor, xi: Tensor, choices: Sequence[float]) -> tuple[Tensor, Tensor]:
        """Return positions and momenta at the end of the proposed move."""
        part = self.run(x, xi, choices)
        return torch.cat(part.q, 1), torch.cat(part.p, 1) if part.p else x.new_zeros(x.shape)

    def probability(self, x: Tensor, xi: Tensor, choices: Sequence[float]) -> Tensor:
        """Return the probability that the move is kept, found by bisection."""
        low, high = torch.zeros(len(x), dtype=x.dtype), torch.ones(len(x), dtype=x.dtype)
        for _ in range(42):
            middle = (low + high) / 2
            kept = (torch.cat(self.run(x, xi, choices, middle).q, 1) != x).any(1)
            low, high = torch.where(kept, middle, low), torch.where(kept, high, middle)
        return (low + high) / 2

    def energy(self, q: Tensor) -> Tensor:
        """Return U per walker."""
        return self.setting.target.potential.force([q], out=[torch.empty_like(q)])


def metropolised(integrator: Integrator) -> list[Verdict]:
    """Judge the claim of an exact law."""
    test = Test(Setting(integrator, coupled_quartic()))
    if test.setting.count_draws(_STEP) != 1:
        return [Verdict("metropolised", "yes", "not one draw a step", "one draw a step", False)]
    x, xi = _points(test.setting.num_params)
    verdicts = _with_momenta(test, x, xi) if integrator.has_momenta else _without(test, x, xi)
    return [*verdicts, holds("metropolised", "refusal undoes", _refusal(test, x, xi), 1e-14)]


def _points(d: int) -> tuple[Tensor, Tensor]:
    spread = torch.sin(2.4 * torch.arange(1, 24 * d + 1, dtype=torch.float64)).reshape(12, 2 * d)
    return 1.3 * spread[:, :d], 1.7 * spread[:, d:]


def _without(test: Test, x: Tensor, xi: Tensor) -> list[Verdict]:
    y, _ = test.proposal(x, xi, ())
    heat = test.setting.temperature
    ratio = (test.energy(x) - test.energy(y)) / heat
    ratio = ratio + _log_density(test, x, y) - _log_density(test, y, x)
    error = float((test.probability(x, xi, ()) - ratio.clamp(max=0).exp()).abs().max())
    small = Test(test.setting, 1e-6)
    mean, spread = _kernel(small, x)
    f = torch.empty_like(x)
    test.setting.target.potential.force([x], out=[f])
    drift = (mean - x) / small.h - f / test.setting.mass
    exact = 2 * heat / test.setting.mass * torch.eye(x.shape[1], dtype=x.dtype)
    diffusion = spread @ spread.mT / small.h - exact
    off = max(float(drift.abs().max()), float(diffusion.abs().max()))
    return [
        holds("metropolised", "acceptance is Metropolis's", error, _TOLERANCE),
        holds("metropolised", "proposes by its dynamics", off, 1e-5),
    ]


def _kernel(test: Test, x: Tensor) -> tuple[Tensor, Tensor]:
    """Return mean (W, d) and factor (W, d, d) of the Gaussian proposal from x."""
    mean, _ = test.proposal(x, torch.zeros_like(x), ())
    eye = torch.eye(x.shape[1], dtype=x.dtype)
    columns = [test.proposal(x, row.expand_as(x), ())[0] - mean for row in eye]
    return mean, torch.stack(columns, dim=2)


def _log_density(test: Test, y: Tensor, x: Tensor) -> Tensor:
    """Return log k(y|x), up to a constant."""
    mean, factor = _kernel(test, x)
    variates = torch.linalg.solve(factor, (y - mean).unsqueeze(2)).squeeze(2)
    return -variates.square().sum(1) / 2 - torch.linalg.det(factor).abs().log()


def _with_momenta(test: Test, x: Tensor, xi: Tensor) -> list[Verdict]:
    setting = test.setting
    size = math.sqrt(setting.mass * setting.temperature)
    paths = _paths(test, x, xi)
    returns, errors, volumes, strays, partners = 0.0, 0.0, 0.0, 0.0, list[int]()
    for path in paths:
        y, p = test.proposal(x, xi, path)
        gaps = [float((test.proposal(y, -p / size, back)[0] - x).abs().max()) for back in paths]
        partners.append(min(range(len(paths)), key=gaps.__getitem__))
        returns = max(returns, min(gaps))
        kinetic = (p.square().sum(1) / (2 * setting.mass)) / setting.temperature
        change = kinetic - xi.square().sum(1) / 2
        change = change + (test.energy(y) - test.energy(x)) / setting.temperature
        wanted = (-change).clamp(max=0).exp()
        found = test.probability(x, xi, path)
        errors = max(errors, float((found - wanted).abs().max()))
        volumes = max(volumes, _volume_defect(test, x[:1], xi[:1], path))
        strays = max(strays, _stray(Test(setting, 1e-6), x, xi, path))
    fair = 0.0 if sorted(partners) == list(range(len(paths))) else math.inf
    return [
        holds("metropolised", "path goes back", max(returns, fair), _TOLERANCE),
        holds("metropolised", "path preserves volume", volumes, 1e-8),
        holds("metropolised", "path follows its dynamics", strays, 1e-4),
        holds("metropolised", "acceptance is exp(−ΔH/T)", errors, _TOLERANCE),
    ]


def _stray(test: Test, x: Tensor, xi: Tensor, path: Sequence[float]) -> float:
    """Return how far a short path of K steps is from K h (p/m, f), relative to K h, K ≥ 1."""
    setting = test.setting
    p = math.sqrt(setting.mass * setting.temperature) * xi
    f = torch.empty_like(x)
    setting.target.potential.force([x], out=[f])
    y, end = test.proposal(x, xi, path)
    moved = torch.cat([y - x, end - p], 1) / test.h
    along = torch.cat([p / setting.mass, f], 1)
    num = max(round(float((moved * along).sum() / along.square().sum())), 1)
    return float((moved / num - along).abs().max())


def _paths(test: Test, x: Tensor, xi: Tensor) -> list[tuple[float, ...]]:
    """Return the choices of path that differ, each as likely as the others."""
    noise = Cast(xi, (), torch.zeros(len(x), dtype=x.dtype))
    part = test.setting.part(torch.cat([x, torch.zeros_like(x)], 1))
    env = Env(noise, Evaluator(test.setting.target.potential))
    test.setting.integrator.step(part, test.h, env)
    return list(itertools.product((0.25, 0.75), repeat=noise.asked))


def _volume_defect(test: Test, x: Tensor, xi: Tensor, path: Sequence[float]) -> float:
    """Return | |det| − 1 | of (x, ξ) ↦ (y, p'/√(mT)), by central differences."""
    d = x.shape[1]
    eye = torch.eye(2 * d, dtype=x.dtype)
    point = torch.cat([x, xi], 1)
    size = math.sqrt(test.setting.mass * test.setting.temperature)

    def move(states: Tensor) -> Tensor:
        y, p = test.proposal(states[:, :d], states[:, d:], path)
        return torch.cat([y, p / size], 1)

    def slope(width: float) -> Tensor:
        return (move(point + width * eye) - move(point - width * eye)) / (2 * width)

    jacobian = (4 * slope(5e-4) - slope(1e-3)) / 3
    return abs(abs(float(torch.linalg.det(jacobian))) - 1.0)


def _refusal(test: Test, x: Tensor, xi: Tensor) -> float:
    """Refuse who may be refused; return how wrong position, force and energy are then."""
    probability = test.probability(x, xi, ())
    refused = probability < 1 - 1e-8
    if not refused.any():
        return math.inf
    part = test.run(x, xi, (), torch.where(refused, probability + 1e-9, 0.0))
    y, _ = test.proposal(x, xi, ())
    q = torch.cat(part.q, 1)
    gaps = [q - torch.where(refused.unsqueeze(1), x, y)]
    if part.force.is_fresh:
        f = torch.empty_like(q)
        energy = test.setting.target.potential.force([q], out=[f])
        gaps.append(torch.cat(part.force.tensors, 1) * part.force.scale - f)
        gaps.append(part.energy - energy if part.energy is not None else energy * math.inf)
    return max(float(gap.abs().max()) for gap in gaps)
