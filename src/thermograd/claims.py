"""What a method claims about itself. Each claim has a contract in `thermograd.testing`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Dynamics: TypeAlias = Literal[
    "langevin", "adaptive langevin", "hamiltonian", "overdamped", "gradient flow"
]
Where: TypeAlias = Literal["temperature = 0", "friction = ∞"]


@dataclass(frozen=True, slots=True)
class Limit:
    """At an extreme of its parameters, a method is another method.

    Attributes:
        at: the extreme.
        method: the other method's registry name.
        says: the correspondence in words and formulas.
        step_size: step size of the other method, from (h, γ).
        temperature: temperature of the other method divided by this one's.
        options: fields of the other method, from (h, γ).
    """

    at: Where
    method: str
    says: str
    step_size: Callable[[float, float], float]
    temperature: float = 1.0
    options: Callable[[float, float], Mapping[str, float]] = lambda h, g: {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """Properties of a method, as data.

    Attributes:
        dynamics: the continuous dynamics it discretises; None if it claims none.
        weak_order: order of its moments at a fixed time; None if it claims none.
        stationary_order: order in h of the bias of its stationary law.
        exact_marginals: which of "q" and "p" have the exact variance on a Gaussian target, at
            the end of a step and at any stable step size.
        is_metropolised: whether its stationary law is exact on every target.
        is_time_reversible: whether, at γ = 0 (σ = 0 in adaptive Langevin dynamics), flipping the
            momenta (and ξ) runs it backwards.
        is_symplectic: whether, at γ = 0, it preserves the symplectic form.
        gradients_per_step: evaluations per step, by term of the potential; None is the whole.
        limits: methods it becomes.
        is_experimental: whether it is young; same tests, flagged in lists.
    """

    dynamics: Dynamics | None = None
    weak_order: int | None = None
    stationary_order: int | None = None
    exact_marginals: frozenset[str] = frozenset()
    is_metropolised: bool = False
    is_time_reversible: bool = False
    is_symplectic: bool = False
    gradients_per_step: Mapping[str | None, int] = field(default_factory=lambda: {None: 1})
    limits: tuple[Limit, ...] = ()
    is_experimental: bool = False
