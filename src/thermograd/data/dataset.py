"""Data in memory: images and tables as `Dataset`, text as `Corpus`."""

from dataclasses import dataclass, replace
from typing import final

import torch
from torch import Tensor

from .._checks import require

__all__ = ["Corpus", "Dataset"]


@final
@dataclass(frozen=True, slots=True, eq=False)
class Dataset:
    """Examples to train on and to test with.

    Attributes:
        name: of the set.
        x: inputs, shape (N, ...): images as uint8 of shape (N, channels, height, width), tables
            as float64 of shape (N, features).
        y: int64 class numbers from 0, or float64 targets; shape (N,).
        x_test: as `x`; no rows if the set has no split of its own.
        y_test: as `y`.
        features: names of the columns of a table, as its file gives them; may be empty.
        classes: names of the classes; empty for regression.
    """

    name: str
    x: Tensor
    y: Tensor
    x_test: Tensor
    y_test: Tensor
    features: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()

    def normalised(self, dtype: torch.dtype = torch.float32) -> "Dataset":
        """Return the set with inputs of mean 0 and standard deviation 1.

        Both are those of the training inputs, one pair for each column of a table or channel of
        an image; a column that never varies becomes 0. Real targets take `dtype` and are
        otherwise left alone.
        """
        shape = (1, -1, *(1,) * (self.x.dim() - 2))
        mean, sd = (value.view(shape).to(dtype) for value in _moments(self.x))
        y, y_test = self.y, self.y_test
        if y.is_floating_point():
            y, y_test = y.to(dtype), y_test.to(dtype)
        x, x_test = ((part.to(dtype) - mean).div_(sd) for part in (self.x, self.x_test))
        return replace(self, x=x, y=y, x_test=x_test, y_test=y_test)

    def split(self, num_test: int, generator: torch.Generator) -> "Dataset":
        """Return the set with `num_test` of its training rows, chosen at random, to test with."""
        num = len(self.x)
        require(0 < num_test < num, "num_test", "split", f"between 0 and {num}", num_test)
        order = torch.randperm(num, generator=generator)
        test, train = order[:num_test], order[num_test:]
        parts = {"x": self.x[train], "y": self.y[train]}
        return replace(self, **parts, x_test=self.x[test], y_test=self.y[test])


@final
@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """Text as token numbers, int64, in the order of the text.

    Attributes:
        name: of the set.
        train: tokens to train on.
        valid: tokens to choose settings with.
        test: tokens to test with; none for tiny Shakespeare.
        vocabulary: the token that each number stands for.
    """

    name: str
    train: Tensor
    valid: Tensor
    test: Tensor
    vocabulary: tuple[str, ...]


def _moments(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return mean and standard deviation over all axes but the second, float64."""
    if x.dtype == torch.uint8:
        values = torch.arange(256, dtype=torch.float64)
        channels = (channel.reshape(-1) for channel in x.unbind(1))
        counts = torch.stack([torch.bincount(c, minlength=256).double() for c in channels])
        share = counts / counts.sum(1, keepdim=True)
        mean = share @ values
        variance = (share * (values - mean.unsqueeze(1)).square()).sum(1)
    else:
        flat = x.double().transpose(0, 1).flatten(1)
        mean, variance = flat.mean(1), flat.var(1, correction=0)
    sd = variance.sqrt()
    return mean, torch.where(sd > 0, sd, 1.0)
