"""Mean and variance of the predictions of posterior draws.

    mean       (1/S) Σ_s f_s(x)
    variance   spread of f_s(x) over the draws, plus the mean of the noise's own variance if given

References:
    Depeweg, Hernández-Lobato, Doshi-Velez and Udluft (2018), arXiv:1710.07283, section 3.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from ..._checks import positive, require
from ..._errors import NonFiniteError
from ..estimate import Array, Estimate

__all__ = ["PredictiveMoments", "predictive_moments"]


@dataclass(frozen=True, slots=True, eq=False)
class PredictiveMoments:
    """Moments of the posterior predictive law, at every input.

    Attributes:
        mean: its uncertainty is √(spread/n), n effective draws.
        spread: variance over the draws, what more data would reduce; the uncertainty is that of
            a Gaussian, spread √(2/(n − 1)).
        noise: variance of the noise, averaged over the draws; 0 if none was given.
    """

    mean: Estimate[Array]
    spread: Estimate[Array]
    noise: Array

    @property
    def variance(self) -> Array:
        """Variance of an observation: spread and noise."""
        return self.spread.value + self.noise


def predictive_moments(
    outputs: Tensor,
    *,
    noise_variance: Tensor | None = None,
    effective_draws: float | None = None,
) -> PredictiveMoments:
    """Return the moments of predictions over posterior draws.

    Args:
        outputs: of S draws, shape (S, ...), S ≥ 2.
        noise_variance: of the observation given the draw, broadcast to `outputs`.
        effective_draws: what the draws are worth, for the uncertainties; S if not given.
    """
    owner = "predictive_moments"
    ok = outputs.dim() > 0 and len(outputs) > 1
    require(ok, "outputs", owner, "of shape (S, ...), S ≥ 2", tuple(outputs.shape))
    if not bool(torch.isfinite(outputs).all()):
        raise NonFiniteError("the predictions hold NaN or infinity")
    n = (
        float(len(outputs))
        if effective_draws is None
        else positive(effective_draws, "effective_draws", owner)
    )
    require(n > 1, "effective_draws", owner, "above 1", n)
    values = outputs.detach().double().cpu()
    spread = values.var(0).numpy()
    noise = torch.zeros_like(values)
    if noise_variance is not None:
        ok = bool((noise_variance >= 0).all())
        require(ok, "noise_variance", owner, "0 or above", "a number below 0, or NaN")
        noise = noise_variance.detach().double().cpu().expand(values.shape)
    mean = Estimate(values.mean(0).numpy(), (spread / n) ** 0.5, round(n), "output")
    error = spread * (2 / (n - 1)) ** 0.5
    return PredictiveMoments(
        mean, Estimate(spread, error, round(n), "output²"), noise.mean(0).numpy()
    )
