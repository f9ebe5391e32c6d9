"""The contracts find false claims of every kind, too bold and too modest."""

import math
from dataclasses import dataclass, replace
from typing import Any

import pytest

from thermograd._errors import ClaimError
from thermograd._foreach import add_
from thermograd.integrators import Claims, Integrator, Limit, Update, from_word, get
from thermograd.integrators._metropolis import Snapshot, accept, energy_of
from thermograd.integrators.hmc import HMC
from thermograd.integrators.mala import MALA
from thermograd.state import Env, Part
from thermograd.testing import verify


def false(integrator: Integrator) -> set[str]:
    """Return the contracts that call a claim false."""
    return {verdict.contract for verdict in verify(integrator, "planted") if not verdict.ok}


def claiming(name: str, **changes: Any) -> Integrator:
    """Return a word of the registry with other claims."""
    method = get(name)
    return replace(method, claims=replace(method.claims, **changes))  # type: ignore[type-var]


TOO_BOLD: list[tuple[str, dict[str, Any], str]] = [
    ("baoa", {"weak_order": 2}, "weak_order"),
    ("baoa", {"weak_order": 2}, "local_order"),
    ("oba", {"stationary_order": 2}, "stationary_order"),
    ("baoab", {"weak_order": 3}, "weak_order"),
    ("baoab", {"stationary_order": 4}, "stationary_order"),
    ("baoab", {"exact_marginals": frozenset({"q", "p"})}, "exact_marginals"),
    ("obabo", {"exact_marginals": frozenset({"q"})}, "exact_marginals"),
    ("baoa", {"is_time_reversible": True}, "reversibility"),
    ("euler_maruyama", {"weak_order": 2}, "local_order"),
    ("gradient_descent", {"weak_order": 2}, "weak_order"),
    ("sgd_momentum", {"dynamics": "hamiltonian", "weak_order": 1}, "weak_order"),
    ("velocity_verlet", {"dynamics": "langevin"}, "weak_order"),
    ("velocity_verlet", {"dynamics": "langevin", "stationary_order": 2}, "stationary_order"),
    (
        "baoab",
        {"dynamics": "hamiltonian", "stationary_order": None, "exact_marginals": frozenset()},
        "weak_order",
    ),
    ("leimkuhler_matthews", {"weak_order": 2}, "weak_order"),
]
TOO_MODEST: list[tuple[str, dict[str, Any], str]] = [
    ("baoab", {"weak_order": 1}, "weak_order"),
    ("baoab", {"weak_order": None}, "local_order"),
    ("baoab", {"stationary_order": 1}, "stationary_order"),
    ("gla2", {"stationary_order": None}, "stationary_order"),
    ("baoa", {"exact_marginals": frozenset({"q"})}, "exact_marginals"),
    ("leimkuhler_matthews", {"exact_marginals": frozenset()}, "exact_marginals"),
    ("baoab", {"is_time_reversible": False}, "reversibility"),
    ("oba", {"is_symplectic": False}, "symplecticity"),
    ("velocity_verlet", {"weak_order": 1}, "weak_order"),
]


@pytest.mark.parametrize(("name", "changes", "contract"), TOO_BOLD)
def test_too_bold(name: str, changes: dict[str, Any], contract: str) -> None:
    assert contract in false(claiming(name, **changes))


@pytest.mark.parametrize(("name", "changes", "contract"), TOO_MODEST)
def test_too_modest(name: str, changes: dict[str, Any], contract: str) -> None:
    assert contract in false(claiming(name, **changes))


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("euler_maruyama", {"is_symplectic": True}),
        ("euler_maruyama", {"dynamics": "langevin"}),
        ("baoab", {"dynamics": "overdamped"}),
        ("velocity_verlet", {"stationary_order": 2}),
        ("gradient_descent", {"exact_marginals": frozenset({"q"})}),
        ("sgd_momentum", {"weak_order": 1}),
        ("sgd_momentum", {"is_metropolised": True}),
        ("baoab", {"is_metropolised": True}),
        ("euler_maruyama", {"gradients_per_step": {}}),
    ],
)
def test_claims_that_do_not_fit_together(name: str, changes: dict[str, Any]) -> None:
    assert false(claiming(name, **changes)) == {"consistency"}


@pytest.mark.parametrize("counted", [{None: 2}, {None: 1, "fast": 4}, {"slow": 1}])
def test_wrong_number_of_gradients(counted: dict[str | None, int]) -> None:
    assert false(claiming("euler_maruyama", gradients_per_step=counted)) == {"gradients_per_step"}


@pytest.mark.parametrize(
    "changes",
    [
        {"temperature": 1.0},
        {"step_size": lambda h, g: h * h / 2},
        {"method": "leimkuhler_matthews"},
    ],
)
def test_wrong_limit_at_infinite_friction(changes: dict[str, Any]) -> None:
    true = get("oba").claims.limits[-1]
    assert false(claiming("oba", limits=(replace(true, **changes),))) == {"limits"}


@pytest.mark.parametrize(
    "changes",
    [
        {"options": lambda h, g: {"momentum": h * math.exp(-g * h)}},  # as printed
        {"options": lambda h, g: {"momentum": 0.5}},
        {"step_size": lambda h, g: h},
        {"method": "sgd_momentum_ii"},
    ],
)
def test_wrong_limit_at_temperature_0(changes: dict[str, Any]) -> None:
    true = get("oba").claims.limits[0]
    assert false(claiming("oba", limits=(replace(true, **changes),))) == {"limits"}


def test_a_limit_that_has_no_stationary_law() -> None:
    limit = Limit("friction = ∞", "euler_maruyama", "it walks freely", lambda h, g: h * h)
    assert false(claiming("abo", limits=(limit,))) == {"limits"}


def test_an_optimizer_that_draws_nothing_must_come_down() -> None:
    assert false(from_word("BAB", Claims())) == {"descent"}


def test_an_optimizer_must_not_draw() -> None:
    assert false(from_word("BAOAB", Claims())) == {"descent"}


def uphill(part: Part, h: float, env: Env) -> None:
    add_(part.q, part.force.tensors, -h)


def test_an_optimizer_must_not_climb() -> None:
    assert false(Update(uphill, Claims())) == {"descent"}


def mixing(part: Part, h: float, env: Env) -> None:
    add_(part.q, part.force.tensors, h * float(part.q[0].abs().mean()) / part.mass)


def test_walkers_must_not_know_of_each_other() -> None:
    claims = Claims(dynamics="gradient flow")
    assert "walkers" in false(Update(mixing, claims))


def remembering(part: Part, h: float, env: Env) -> None:
    add_(part.q, part.force.tensors, part.records.get("h", h) / part.mass)  # type: ignore[operator]
    part.records["h"] = h  # type: ignore[assignment]


def test_a_step_must_not_keep_a_coefficient() -> None:
    claims = Claims(dynamics="gradient flow", weak_order=1)
    assert "restart" in false(Update(remembering, claims))


@dataclass(frozen=True, slots=True)
class Shifted(Update):
    """An update whose cycle runs the step size of the step before."""

    def cycle(self, part: Part, h_old: float, h_new: float, env: Env) -> None:
        self.step(part, h_old, env)


def test_a_cycle_must_run_the_new_step_size() -> None:
    true = get("gradient_descent")
    assert isinstance(true, Update)
    assert false(Shifted(true.update, true.claims)) == {"cut"}


@dataclass(frozen=True, slots=True)
class Careless(MALA):
    """MALA that forgets the density of its proposal."""

    def step(self, part: Part, h: float, env: Env) -> None:
        old = Snapshot.of(part, env, "careless")
        add_(part.q, part.force.tensors, h / part.mass)
        size = math.sqrt(2 * part.temperature * h / part.mass)
        add_(part.q, env.noise.normal(part.q), size)
        env.evaluate(part)
        accept(part, old, (old.energy - energy_of(part)) / part.temperature, env)


@dataclass(frozen=True, slots=True)
class Hasty(HMC):
    """HMC that ends in a drift it does not undo."""

    def _path(self, part: Part, h: float, env: Env) -> None:
        for _ in range(self.path_steps):
            add_(part.p, part.force.tensors, h)
            add_(part.q, part.p, h / part.mass)
            env.evaluate(part)


@dataclass(frozen=True, slots=True)
class Astray(HMC):
    """HMC whose reversible path is not that of the target's mechanics."""

    def _path(self, part: Part, h: float, env: Env) -> None:
        for _ in range(self.path_steps):
            add_(part.q, part.p, h / 2)
            part.mark_moved()
            env.evaluate(part)
            add_(part.p, part.force.tensors, h)
            add_(part.q, part.p, h / 2)
        part.mark_moved()


@dataclass(frozen=True, slots=True)
class Forgetful(MALA):
    """MALA that leaves the force of a refused proposal behind."""

    def step(self, part: Part, h: float, env: Env) -> None:
        MALA.step(self, part, h, env)
        proposed = [tensor + 0.1 for tensor in part.force.tensors]
        part.force.tensors[:] = proposed


@pytest.mark.parametrize("method", [Careless(), Hasty(), Forgetful()])
def test_false_acceptance(method: Integrator) -> None:
    assert "metropolised" in false(method)


def test_a_path_must_follow_its_dynamics() -> None:
    verdicts = verify(Astray(path_steps=9), "astray")
    said = {verdict.claim for verdict in verdicts if not verdict.ok}
    assert "path follows its dynamics" in said


@pytest.mark.parametrize("name", ["baoab", "gla2"])
def test_acceptance_that_never_refuses(name: str) -> None:
    claims = Claims(dynamics="langevin", is_metropolised=True)
    method = get(name)
    changed = replace(method, claims=claims)  # type: ignore[type-var]
    assert false(changed) == {"metropolised"}


def test_acceptance_that_is_not_claimed() -> None:
    assert {"weak_order", "stationary_order"} <= false(MALA(claims=Claims(dynamics="overdamped")))


def breaking(part: Part, h: float, env: Env) -> None:
    raise ZeroDivisionError("half a thought")


def test_a_method_that_fails_to_run_is_named() -> None:
    with pytest.raises(ClaimError, match="planted fails to run: ZeroDivisionError: half a thought"):
        verify(Update(breaking, Claims()), "planted")
