"""Vectors for token numbers."""

import torch
from torch import Tensor, nn
from torch.nn import functional


class Embedding(nn.Module):
    """A vector for each token, uniform on ±bound at first.

    Args:
        vocabulary: number of tokens.
        width: coordinates of a vector.
        bound: of the initial coordinates.
        generator: source of the initial coordinates.
    """

    def __init__(
        self, vocabulary: int, width: int, bound: float, generator: torch.Generator
    ) -> None:
        super().__init__()
        self.bound = bound
        self.weight = nn.Parameter(torch.empty(vocabulary, width, device=generator.device))
        self.reset_parameters(generator)

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw the vectors anew."""
        nn.init.uniform_(self.weight, -self.bound, self.bound, generator=generator)

    def forward(self, tokens: Tensor) -> Tensor:
        """Map token numbers (B, L) to vectors (B, L, width)."""
        return functional.embedding(tokens, self.weight)
