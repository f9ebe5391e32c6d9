"""Local entropy f_γ of a minimum, whose negative is its width.

    f_γ(θ) = −T ln E exp(−f(θ + z)/T),  z ~ N(0, γT)

    local     f − (γ/2) gᵀ(1 + γH)⁻¹g + (T/2) Σ_i ln(1 + γλ_i)        exact for a quadratic f
    sampled   the same expectation over draws of z

f_γ → f as γ → 0, which the definition without the Gaussian's constant does not; the source prints
the logarithm of its quadratic approximation without the factor ½ and the ln. The robust width is
the largest γ up to which f_γ − f stays within ε.

References:
    Chaudhari (2018), doctoral thesis, UCLA, (4.11), definition 4.20 and (4.38).
"""

import math

import numpy as np
import torch
from torch.func import vmap

from ..._checks import is_int, non_negative, positive, require
from ..._errors import ConvergenceError
from .._progress import track
from ..estimate import Array, Estimate
from ..objective import Objective

__all__ = ["local_entropy", "robust_width", "sampled_local_entropy"]

FARTHEST = 1e12


def local_entropy(
    eigenvalues: Array,
    *,
    scope: float,
    temperature: float,
    loss: float = 0.0,
    gradient: Array | None = None,
) -> Estimate[float]:
    """Return f_γ in the quadratic approximation from a full spectrum; the width is its negative.

    Args:
        eigenvalues: λ of the Hessian, shape (d,); 1 + γλ must be positive.
        scope: γ > 0, parameter² per unit of loss.
        temperature: T > 0, in units of the loss.
        loss: f at the point.
        gradient: in the coordinates of the eigenvectors, shape (d,); 0 at a minimum.
    """
    positive(scope, "scope", "local_entropy")
    positive(temperature, "temperature", "local_entropy")
    lowest = float(eigenvalues.min())
    ok = 1 + scope * lowest > 0
    limit = f"below {-1 / lowest:.6g}, where 1 + γ min λ vanishes" if lowest < 0 else "smaller"
    require(ok, "scope", "local_entropy", limit, scope)
    value = loss + 0.5 * temperature * float(np.log1p(scope * eigenvalues).sum())
    if gradient is not None:
        value -= 0.5 * scope * float((gradient**2 / (1 + scope * eigenvalues)).sum())
    return Estimate(value, 0.0, len(eigenvalues), "loss")


def sampled_local_entropy(
    objective: Objective,
    *,
    scope: float,
    temperature: float,
    num_samples: int = 256,
    generator: torch.Generator,
) -> Estimate[float]:
    """Return f_γ at the objective's point from draws around it, with its standard error.

    The error is that of the delta method and holds while no few draws carry the average; it is
    refused when fewer than 10 effective draws are left, as with a wide scope in many dimensions.

    Args:
        objective: the mean loss at a point.
        scope: γ > 0.
        temperature: T > 0.
        num_samples: draws, at least 16.
        generator: draws them.

    Raises:
        ConvergenceError: if the weights are too uneven.
    """
    owner = "sampled_local_entropy"
    scale = math.sqrt(positive(scope, "scope", owner) * positive(temperature, "temperature", owner))
    ok = is_int(num_samples) and num_samples > 15
    require(ok, "num_samples", owner, "an integer above 15", num_samples)
    losses = torch.zeros(num_samples, dtype=torch.float64)
    block = 8
    state = generator.get_state()
    for x, y in track(list(objective.pieces(float(block))), "local entropy"):
        generator.set_state(state)  # the same draws for every piece of the data
        for start in range(0, num_samples, block):
            rows = min(block, num_samples - start)
            noise = torch.empty(rows, objective.num_params, dtype=objective.point.dtype)
            noise.normal_(generator=generator)
            near = objective.point + scale * noise.to(objective.point.device)
            found = vmap(objective.losses, in_dims=(0, None, None))(near, x, y).detach()
            losses[start : start + rows] += found.double().sum(1).cpu() / objective.num_data
    exponent = -losses / temperature
    weights = torch.softmax(exponent, 0)
    effective = 1 / float((weights**2).sum())
    if effective < 10:
        raise ConvergenceError(
            f"of {num_samples} draws only {effective:.1f} carry the average: take a smaller scope, "
            "a larger temperature, or local_entropy"
        )
    value = -temperature * float(torch.logsumexp(exponent, 0) - math.log(num_samples))
    error = temperature * math.sqrt(max(0.0, 1 / effective - 1 / num_samples))
    return Estimate(value, error, num_samples, "loss")


def robust_width(eigenvalues: Array, *, tolerance: float, temperature: float) -> Estimate[float]:
    """Return the largest γ with f_γ − f ≤ ε at a minimum, in the quadratic approximation.

    Args:
        eigenvalues: λ ≥ 0 of the Hessian, shape (d,).
        tolerance: ε ≥ 0, in units of the loss.
        temperature: T > 0.

    Returns:
        γ, infinite for a flat spectrum; the uncertainty is that of the bisection.
    """
    positive(temperature, "temperature", "robust_width")
    non_negative(tolerance, "tolerance", "robust_width")
    ok = bool((eigenvalues >= 0).all())
    require(ok, "eigenvalues", "robust_width", "0 or above, as at a minimum", "one below 0")

    def rise(scope: float) -> float:
        return 0.5 * temperature * float(np.log1p(scope * eigenvalues).sum())

    low, high = 0.0, 1.0
    while rise(high) <= tolerance:
        low, high = high, 2 * high
        if high > FARTHEST:
            return Estimate(math.inf, 0.0, len(eigenvalues), "parameter²/loss")
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if rise(middle) <= tolerance else (low, middle)
    return Estimate(low, high - low, len(eigenvalues), "parameter²/loss")
