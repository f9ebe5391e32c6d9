"""LSTM language models in plain tensor operations, which torch.func.vmap batches over parameters.

    i, f, o = σ(W x + V h + b),   g = tanh(W x + V h + b),   c ← f c + i g,   h ← o tanh c

W, V and b of the four are stacked in the order i, f, g, o. torch.nn.LSTM has a second bias, which
adds to the first, and no rule for vmap.
"""

import math
from collections.abc import Sequence
from typing import TypeAlias

import torch
from torch import Tensor, nn

from .._checks import positive_int
from ._embedding import Embedding
from ._layers import dropout as dropout_of
from ._layers import linear

State: TypeAlias = Sequence[tuple[Tensor, Tensor]]


class LstmLayer(nn.Module):
    """One layer, run along a text.

    Args:
        inputs: coordinates of an input, or of a one-hot token.
        width: hidden units.
        bound: initial parameters are uniform on ±bound.
        is_one_hot: whether inputs are token numbers.
        generator: source of the initial parameters.
    """

    def __init__(
        self, inputs: int, width: int, bound: float, is_one_hot: bool, generator: torch.Generator
    ) -> None:
        super().__init__()
        self.bound, self.is_one_hot = bound, is_one_hot
        device = generator.device
        self.input_weight = nn.Parameter(torch.empty(4 * width, inputs, device=device))
        self.hidden_weight = nn.Parameter(torch.empty(4 * width, width, device=device))
        self.bias = nn.Parameter(torch.empty(4 * width, device=device))
        self.reset_parameters(generator)

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw all parameters anew."""
        for parameter in (self.input_weight, self.hidden_weight, self.bias):
            nn.init.uniform_(parameter, -self.bound, self.bound, generator=generator)

    def forward(self, x: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Map (B, L, inputs), or tokens (B, L), to (B, L, width) and the last h and c."""
        if self.is_one_hot:
            driven = nn.functional.embedding(x, self.input_weight.T) + self.bias
        else:
            driven = nn.functional.linear(x, self.input_weight, self.bias)
        outputs: list[Tensor] = []
        recurrent = self.hidden_weight.T
        for now in driven.unbind(1):
            i, f, g, o = (now + h @ recurrent).chunk(4, -1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
            outputs.append(h)
        return torch.stack(outputs, 1), h, c


class LstmModel(nn.Module):
    """Layers of LSTM between an embedding, or one-hot tokens, and a linear layer.

    Args:
        vocabulary: number of tokens.
        width: units of a layer and of the embedding.
        layers: number of them.
        dropout: on what goes from one layer up to the next.
        bound: initial parameters are uniform on ±bound; None is 1/√width.
        has_embedding: whether tokens have vectors; else they are one-hot.
        has_learned_start: whether h and c before the first token are parameters; else they are 0.
        owner: name in messages.
        generator: source of the initial parameters.
    """

    def __init__(
        self,
        vocabulary: int,
        width: int,
        layers: int,
        dropout: float,
        bound: float | None,
        has_embedding: bool,
        has_learned_start: bool,
        owner: str,
        generator: torch.Generator,
    ) -> None:
        for name, value in (("vocabulary", vocabulary), ("width", width), ("layers", layers)):
            positive_int(value, name, owner)
        super().__init__()
        self.width = width
        used = 1 / math.sqrt(width) if bound is None else bound
        self.embedding = Embedding(vocabulary, width, used, generator) if has_embedding else None
        self.dropout = dropout_of(dropout, owner)
        self.layers = nn.ModuleList()
        for number in range(layers):
            is_one_hot = number == 0 and not has_embedding
            inputs = vocabulary if is_one_hot else width
            self.layers.append(LstmLayer(inputs, width, used, is_one_hot, generator))
        self.start = LearnedStart(layers, width, used, generator) if has_learned_start else None
        self.output = linear(width, vocabulary, generator)
        if bound is not None:
            nn.init.uniform_(self.output.weight, -used, used, generator=generator)
            nn.init.uniform_(self.output.bias, -used, used, generator=generator)

    def forward(self, tokens: Tensor) -> Tensor:
        """Map token numbers (B, L) to logits of the token after each, (B, vocabulary, L)."""
        return self.advance(tokens)[0]

    def advance(self, tokens: Tensor, state: State | None = None) -> tuple[Tensor, State]:
        """Go on from a state: return logits (B, vocabulary, L) and the state after the last token.

        Args:
            tokens: (B, L), B texts.
            state: h and c of each layer, (B, width) each; None is before the first token. Detach
                it to end the backward pass at the last window.
        """
        current = self._first_state(tokens) if state is None else state
        x = tokens if self.embedding is None else self.dropout(self.embedding(tokens))
        after: list[tuple[Tensor, Tensor]] = []
        for layer, before in zip(self.layers, current, strict=True):
            x, h, c = layer(x, *before)
            x = self.dropout(x)
            after.append((h, c))
        return self.output(x).transpose(1, 2), after

    def _first_state(self, tokens: Tensor) -> State:
        if self.start is not None:
            rows = self.start.value.unsqueeze(2).expand(-1, -1, len(tokens), -1)
            return [(row[0], row[1]) for row in rows.unbind(0)]
        zeros = self.output.weight.new_zeros(len(tokens), self.width)
        return [(zeros, zeros) for _ in self.layers]


class LearnedStart(nn.Module):
    """h and c of each layer before the first token, as parameters of shape (layers, 2, width)."""

    def __init__(self, layers: int, width: int, bound: float, generator: torch.Generator) -> None:
        super().__init__()
        self.bound = bound
        self.value = nn.Parameter(torch.empty(layers, 2, width, device=generator.device))
        self.reset_parameters(generator)

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw the start anew."""
        nn.init.uniform_(self.value, -self.bound, self.bound, generator=generator)
