"""Mixture of isotropic Gaussians: separated modes with known weights.

    U(q) = −log Σ_k w_k N(q; μ_k, s_k² I),   f = −Σ_k r_k(q) (q − μ_k)/s_k²

with r_k the probability that q came from component k. The law at T = 1 is the mixture itself;
at other temperatures its power 1/T, which has no closed form.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from .._checks import is_real, positive, require
from ._quadrature import DECAY, averages
from .analytic import Analytic, standard_normal


@final
@dataclass(frozen=True, slots=True)
class GaussianMixture(Analytic):
    """Mixture of isotropic Gaussians; exp(−U) is normalised.

    Observables: `q`, `q^2`, means over the coordinates, and `component 1`, the probability
    that the point came from the first component: at T = 1 its average is w_1, and it is the
    slow one. Draws exist at T = 1; averages at T = 1, and at any T in one or two dimensions.

    Attributes:
        weights: w_k > 0, with sum 1.
        means: μ_k, each of length d.
        scales: s_k > 0, the standard deviations.
    """

    weights: tuple[float, ...]
    means: tuple[tuple[float, ...], ...]
    scales: tuple[float, ...]

    def __post_init__(self) -> None:
        owner = "GaussianMixture"
        for w in self.weights:
            positive(w, "weights", owner)
        ok = math.isclose(math.fsum(self.weights), 1.0, rel_tol=1e-9)
        require(ok, "weights", owner, "numbers with sum 1", self.weights)
        num, lengths = len(self.weights), {len(mean) for mean in self.means}
        ok = len(self.means) == num and len(lengths) == 1 and 0 not in lengths
        require(ok, "means", owner, f"{num} points of one dimension", self.means)
        finite = all(is_real(value) for mean in self.means for value in mean)
        require(finite, "means", owner, "points with finite coordinates", self.means)
        for s in self.scales:
            positive(s, "scales", owner)
        require(len(self.scales) == num, "scales", owner, f"{num} numbers", self.scales)

    @property
    def num_params(self) -> int:
        return len(self.means[0])

    def _components(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Return log w_k N(x; μ_k, s_k²), shape (W, K), and (x − μ_k)/s_k², (W, K, d)."""
        w, s, d = x.new_tensor(self.weights), x.new_tensor(self.scales), self.num_params
        away = x.unsqueeze(1) - x.new_tensor(self.means)
        pull = away / (s**2).unsqueeze(1)
        norm = w.log() - d * s.log() - 0.5 * d * math.log(2 * math.pi)
        return norm - 0.5 * (away * pull).sum(2), pull

    def _evaluate(self, x: Tensor) -> tuple[Tensor, Tensor]:
        logs, pull = self._components(x)
        f = -(torch.softmax(logs, 1).unsqueeze(2) * pull).sum(1)
        return -torch.logsumexp(logs, 1), f

    def _observe(self, x: Tensor) -> dict[str, Tensor]:
        first = torch.softmax(self._components(x)[0], 1)[:, 0]
        return {"q": x.mean(1), "q^2": x.pow(2).mean(1), "component 1": first}

    def _start(self) -> Sequence[float]:
        return [value + self.scales[0] for value in self.means[0]]

    def _draw(self, num_walkers: int, temperature: float, generator: torch.Generator) -> Tensor:
        require(
            temperature == 1,
            "temperature",
            "GaussianMixture.sample",
            "1: only there is it exact",
            temperature,
        )
        xi = standard_normal(num_walkers, self.num_params, generator)
        k = torch.multinomial(
            xi.new_tensor(self.weights), num_walkers, replacement=True, generator=generator
        )
        return xi.new_tensor(self.means)[k] + xi.new_tensor(self.scales)[k].unsqueeze(1) * xi

    def _expect(self, temperature: float) -> dict[str, float]:
        owner = "GaussianMixture.expectations"
        d = self.num_params
        if d <= 2:
            half = math.sqrt(2 * max(temperature, 1) * DECAY) * max(self.scales)
            columns = zip(*self.means, strict=True)
            box = [(min(column) - half, max(column) + half) for column in columns]
            return averages(self, box, temperature)
        require(temperature == 1, "temperature", owner, f"1 in {d} dimensions", temperature)
        terms = list(zip(self.weights, self.means, self.scales, strict=True))
        return {
            "virial": temperature,
            "q": sum(w * math.fsum(mean) / d for w, mean, _ in terms),
            "q^2": sum(w * (math.fsum(m * m for m in mean) / d + s * s) for w, mean, s in terms),
            "component 1": self.weights[0],
        }
