"""Contract `consistency`: the claims make sense together."""

from ...integrators import Integrator, scalars_of
from .verdict import Verdict

_THERMAL = ("langevin", "adaptive langevin", "overdamped")
_NEEDS_MOMENTA = ("langevin", "adaptive langevin", "hamiltonian")


def problems(integrator: Integrator) -> list[str]:
    """Return a phrase for each claim that cannot be meant."""
    claims, has_momenta = integrator.claims, integrator.has_momenta
    has_thermostat = "xi" in scalars_of(integrator)
    dynamics = claims.dynamics
    of_law = claims.stationary_order is not None or bool(claims.exact_marginals)
    of_form = claims.is_time_reversible or claims.is_symplectic
    rules = {
        f"{dynamics} dynamics without momenta": dynamics in _NEEDS_MOMENTA and not has_momenta,
        f"{dynamics} dynamics with momenta": (
            dynamics in {"overdamped", "gradient flow"} and has_momenta
        ),
        "a stationary law without a thermal dynamics": of_law and dynamics not in _THERMAL,
        "an acceptance test without a thermal dynamics": (
            claims.is_metropolised and dynamics not in _THERMAL
        ),
        "an order without dynamics": claims.weak_order is not None and dynamics is None,
        "an order, marginals or geometry of a method with an acceptance test": (
            claims.is_metropolised and (of_law or of_form or claims.weak_order is not None)
        ),
        "adaptive dynamics without a thermostat variable": (
            dynamics == "adaptive langevin" and not has_thermostat
        ),
        "a thermostat variable in dynamics that have none": (
            has_thermostat and dynamics not in {"adaptive langevin", None}
        ),
        "a symplectic form or Gaussian marginals of a thermostat": (
            has_thermostat and (claims.is_symplectic or bool(claims.exact_marginals))
        ),
        "geometry without momenta": of_form and not has_momenta,
        "geometry without dynamics": of_form and dynamics is None,
        "no claim of gradients": not claims.gradients_per_step,
    }
    return [phrase for phrase, is_broken in rules.items() if is_broken]


def consistency(integrator: Integrator) -> Verdict:
    """Judge whether the claims can be meant."""
    found = problems(integrator)
    claim = integrator.claims.dynamics or "no dynamics"
    measured = "; ".join(found) if found else "claims fit"
    return Verdict("consistency", claim, measured, "claims that fit the dynamics", not found)
