"""Runs single steps of a method from given states with given noise.

A state is a row (q, p, ξ …, aux …): d positions, d momenta if the method has them, a value for each
number per walker such as the thermostat variable, d values for each auxiliary. Walkers are the
rows, so one call answers for as many states as wanted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from ...integrators import Integrator, scalars_of
from ...noise import NoiseSource, Tape
from ...potentials.base import Evaluator
from ...sampling.engine import make_part
from ...state import Env, Part
from ...thermostat import Thermostat
from .targets import Target


class Silence:
    """Noise that is 0, and counts how often it was asked for.

    Attributes:
        calls: how many times variates were drawn.
    """

    matched_moments = float("inf")

    def __init__(self) -> None:
        self.calls = 0

    def normal(self, like: Sequence[Tensor]) -> list[Tensor]:
        """Return zeros."""
        self.calls += 1
        return [torch.zeros_like(tensor) for tensor in like]

    def uniform(self, like: Tensor) -> Tensor:
        """Return zeros."""
        return torch.zeros_like(like)

    def state_dict(self) -> dict[str, Tensor]:
        """Return nothing: zeros have no position."""
        return {}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        """Do nothing."""


class Script(Tape):
    """A tape whose uniforms are 0, so that every proposal is taken."""

    def uniform(self, like: Tensor) -> Tensor:
        """Return zeros."""
        return torch.zeros_like(like)


def _thermostat() -> Thermostat:
    return Thermostat(feedback=0.4, driving_noise=0.9, coupling="scaled", initial_xi=0.3)


@dataclass(frozen=True, slots=True)
class Setting:
    """A method on a target at fixed parameters, none of them 1.

    Attributes:
        integrator: the method.
        target: what it runs on.
        friction: γ.
        temperature: T.
        mass: m.
        thermostat: ε, σ and the coupling, for methods with a thermostat variable.
    """

    integrator: Integrator
    target: Target
    friction: float = 0.8
    temperature: float = 0.7
    mass: float = 1.3
    thermostat: Thermostat = field(default_factory=_thermostat)

    @property
    def num_params(self) -> int:
        """The number of coordinates d."""
        return self.target.num_params

    @property
    def num_moving(self) -> int:
        """The length of the (q, p, ξ) part of a state."""
        scalars = scalars_of(self.integrator)
        return self.num_params * (1 + self.integrator.has_momenta) + len(scalars)

    @property
    def num_state(self) -> int:
        """The length of a state."""
        return self.num_moving + self.num_params * len(self.integrator.auxiliaries)

    def without_bath(self) -> "Setting":
        """Return the same at γ = 0 and σ = 0."""
        return replace(self, friction=0.0, thermostat=replace(self.thermostat, driving_noise=0.0))

    def part(self, states: Tensor) -> Part:
        """Make a part whose walkers are at `states`, shape (W, n); every coordinate a tensor."""
        columns = [column.clone() for column in states.split(1, dim=1)]
        d, has_momenta = self.num_params, self.integrator.has_momenta
        part = make_part(
            self.integrator,
            columns[:d],
            friction=self.friction,
            temperature=self.temperature,
            mass=self.mass,
            thermostat=self.thermostat,
        )
        if has_momenta:
            part.p = columns[d : 2 * d]
        for name, column in zip(part.scalars, columns[d * (1 + has_momenta) :], strict=False):
            part.scalars[name] = column.flatten()
        return part

    def ready(self, states: Tensor, noise: NoiseSource) -> tuple[Part, Env]:
        """Return a part at `states`, initialised, and the world for its steps."""
        part, evaluate = self.part(states), Evaluator(self.target.potential)
        self.integrator.init(part, Env(Silence(), evaluate))
        columns = states[:, self.num_moving :].split(1, dim=1)
        for k, name in enumerate(self.integrator.auxiliaries):
            for j, tensor in enumerate(part.aux[name]):
                tensor.copy_(columns[k * self.num_params + j])
        return part, Env(noise, evaluate)

    def step(self, states: Tensor, h: float, noise: NoiseSource) -> Tensor:
        """Return the states after one step."""
        part, env = self.ready(states, noise)
        self.integrator.step(part, h, env)
        return state_of(part)

    def begin(self, states: Tensor, noise: NoiseSource) -> Tensor:
        """Return the states that `init` makes of positions and momenta, shape (W, d or 2d)."""
        part = self.part(states)
        self.integrator.init(part, Env(noise, Evaluator(self.target.potential)))
        return state_of(part)

    def count_draws(self, h: float) -> int:
        """Count how often a step asks for variates."""
        silence = Silence()
        self.step(torch.zeros(1, self.num_state, dtype=torch.float64), h, silence)
        return silence.calls

    def play(self, states: Tensor, h: float, variates: Tensor) -> Tensor:
        """Return the states after one step with the noise `variates`, shape (W, calls · d)."""
        return self.step(states, h, script(variates, self.num_params))


@dataclass(frozen=True, slots=True)
class Affine:
    """A step on a harmonic target, x ← matrix x + noise ξ."""

    matrix: Tensor
    noise: Tensor


def read_step(setting: Setting, h: float) -> Affine:
    """Read the affine step off the method, with basis vectors as walkers."""

    def run(states: Tensor, noise: NoiseSource) -> Tensor:
        return setting.step(states, h, noise)

    return _read(run, setting.num_state, setting.num_params)


def read_start(setting: Setting) -> Affine:
    """Read off what `init` makes of positions and momenta."""
    return _read(setting.begin, setting.num_moving, setting.num_params)


def with_scalars(setting: Setting, states: Tensor) -> Tensor:
    """Append values of the numbers per walker to positions and momenta."""
    missing = setting.num_moving - states.shape[1]
    values = 0.37 * (1 + torch.arange(len(states) * missing, dtype=states.dtype))
    return torch.cat([states, values.reshape(len(states), missing)], dim=1)


def script(variates: Tensor, num_params: int) -> Script:
    """Cut columns of variates, shape (W, calls · d), into a script."""
    entries = [block.split(1, dim=1) for block in variates.split(num_params, dim=1)]
    return Script([list(entry) for entry in entries] if variates.shape[1] else [])


def state_of(part: Part) -> Tensor:
    """Return the states of a part as rows."""
    return torch.cat([t.reshape(t.shape[0], -1) for t in part.variables()], dim=1)


def _read(run: Callable[[Tensor, NoiseSource], Tensor], num_in: int, num_params: int) -> Affine:
    silence = Silence()
    run(torch.zeros(1, num_in, dtype=torch.float64), silence)
    num_noise = silence.calls * num_params
    basis = torch.eye(num_in + num_noise, dtype=torch.float64)
    rows = torch.cat([torch.zeros_like(basis[:1]), basis])
    out = run(rows[:, :num_in], script(rows[:, num_in:], num_params))
    columns = (out[1:] - out[0]).T
    return Affine(columns[:, :num_in], columns[:, num_in:])
