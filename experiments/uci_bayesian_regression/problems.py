"""Bayesian regressions on tables of the UCI repository, and on generated ones.

Linear:   y = Xw + b + N(0, s²), columns and y standardised, prior N(0, 1) on every coefficient
Logistic: P(y = 1) = 1/(1 + exp(−Xw − b)), columns standardised, prior N(0, 1.5²)
"""

import hashlib
from dataclasses import dataclass

import torch
from torch import Tensor

from thermograd.data import load
from thermograd.models import mlp
from thermograd.noise import seeded
from thermograd.potentials import Network, likelihoods, priors

__all__ = ["LINEAR_PRIOR", "LOGISTIC_PRIOR", "Table", "generated", "linear", "logistic", "read"]

LINEAR_PRIOR = 1.0
LOGISTIC_PRIOR = 1.5


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A table as the regressions use it.

    Attributes:
        name: of the set.
        x: standardised columns, (N, d) float64.
        y: standardised targets, or 0 and 1; (N,) float64.
    """

    name: str
    x: Tensor
    y: Tensor

    @property
    def sha256(self) -> str:
        """Hash of the numbers, x then y, rounded to nine decimals."""
        both = torch.cat([self.x.flatten(), self.y])
        rounded = (both * 1e9).round().to(torch.int64)
        return hashlib.sha256(rounded.numpy().astype("<i8").tobytes()).hexdigest()


def read(name: str) -> Table:
    """Return a table of the data folder; where it is missing, the error says how to fetch it."""
    data = load(name).normalised(torch.float64)
    y = data.y.double()
    if not data.classes:
        y = (y - y.mean()) / y.std(correction=0)
    return Table(name, data.x, y)


def generated(kind: str, num_data: int, num_columns: int, seed: int) -> Table:
    """Draw a table: normal columns, coefficients from the prior, y from the likelihood."""
    generator = seeded(seed)
    x = torch.randn(num_data, num_columns, generator=generator, dtype=torch.float64)
    w = torch.randn(num_columns, generator=generator, dtype=torch.float64)
    if kind == "linear":
        noise = torch.randn(num_data, generator=generator, dtype=torch.float64)
        return Table("generated", x, x @ w + 0.6 * noise)
    chance = torch.rand(num_data, generator=generator, dtype=torch.float64)
    return Table("generated", x, (chance < torch.sigmoid(x @ w + 0.3)).double())


def linear(table: Table) -> tuple[Network, Tensor, Tensor]:
    """Return the target, and mean and covariance of its posterior in closed form, (w, b).

    The noise's standard deviation is that of the residuals of least squares.
    """
    design = _design(table)
    least = torch.linalg.lstsq(design, table.y.unsqueeze(1)).solution[:, 0]
    residual = table.y - design @ least
    sd = float((residual.square().sum() / (len(table.y) - design.shape[1])).sqrt())
    precision = design.T @ design / sd**2
    precision += torch.eye(len(precision), dtype=torch.float64) / LINEAR_PRIOR**2
    covariance = torch.linalg.inv(precision)
    mean = covariance @ (design.T @ table.y) / sd**2
    return _network(table, likelihoods.Gaussian(sd), LINEAR_PRIOR), mean, covariance


def logistic(table: Table) -> Network:
    """Return the target."""
    return _network(table, likelihoods.Bernoulli(), LOGISTIC_PRIOR)


def _network(table: Table, loss: likelihoods.Likelihood, prior_sd: float) -> Network:
    model = mlp((table.x.shape[1], 1), generator=seeded(0)).double()
    return Network(model, loss, (table.x, table.y), prior=priors.Gaussian(prior_sd))


def _design(table: Table) -> Tensor:
    """Return the columns and one of ones."""
    return torch.cat([table.x, torch.ones_like(table.x[:, :1])], dim=1)
