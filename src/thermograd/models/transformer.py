"""A small transformer language model: what comes next, from the tokens so far."""

import math

import torch
from torch import Tensor, nn

from .._checks import positive_int, require
from ._embedding import Embedding
from ._layers import dropout as dropout_of
from ._layers import linear


class EncoderLayer(nn.Module):
    """Causal self-attention and two linear layers, each added to its input and then normalised.

    Attention is written out, so that torch.func.vmap can batch it over parameters.
    """

    def __init__(
        self, width: int, heads: int, hidden: int, dropout: float, generator: torch.Generator
    ) -> None:
        super().__init__()
        self.heads = heads
        self.attention_in = linear(width, 3 * width, generator)
        self.attention_out = linear(width, width, generator)
        self.norm1 = nn.LayerNorm(width, device=generator.device)
        self.linear1 = linear(width, hidden, generator)
        self.linear2 = linear(hidden, width, generator)
        self.norm2 = nn.LayerNorm(width, device=generator.device)
        self.dropout = dropout_of(dropout, "transformer")

    def forward(self, x: Tensor, future: Tensor) -> Tensor:
        """Map (B, L, width) to the same shape; `future` is true where attention may not look."""
        x = self.norm1(x + self.dropout(self._attend(x, future)))
        inner = self.linear2(self.dropout(self.linear1(x).relu()))
        return self.norm2(x + self.dropout(inner))

    def _attend(self, x: Tensor, future: Tensor) -> Tensor:
        batch, length, width = x.shape
        shape = (batch, length, 3, self.heads, width // self.heads)
        query, key, value = self.attention_in(x).view(shape).permute(2, 0, 3, 1, 4).unbind(0)
        scores = query @ key.transpose(-2, -1) / math.sqrt(width // self.heads)
        share = self.dropout(scores.masked_fill(future, -math.inf).softmax(-1))
        return self.attention_out((share @ value).transpose(1, 2).reshape(x.shape))


class Transformer(nn.Module):
    """Embedding and sines for the position, encoder layers, a linear layer to the vocabulary.

    Args:
        vocabulary: number of tokens.
        width: of the embedding.
        heads: of the attention.
        hidden: units of the feed-forward part.
        layers: number of encoder layers.
        dropout: wherever there is any.
        generator: source of the initial parameters.
    """

    def __init__(
        self,
        vocabulary: int,
        width: int,
        heads: int,
        hidden: int,
        layers: int,
        dropout: float,
        generator: torch.Generator,
    ) -> None:
        sizes = {"vocabulary": vocabulary, "width": width, "heads": heads, "hidden": hidden}
        for name, value in {**sizes, "layers": layers}.items():
            positive_int(value, name, "transformer")
        is_whole = width % (2 * heads) == 0
        require(is_whole, "width", "transformer", "a multiple of twice the heads", width)
        super().__init__()
        self.embedding = Embedding(vocabulary, width, 0.1, generator)
        self.dropout = dropout_of(dropout, "transformer")
        self.layers = nn.ModuleList(
            EncoderLayer(width, heads, hidden, dropout, generator) for _ in range(layers)
        )
        self.output = linear(width, vocabulary, generator)

    def forward(self, tokens: Tensor) -> Tensor:
        """Map token numbers (B, L) to logits of the token after each, (B, vocabulary, L)."""
        x = self.embedding(tokens)
        length, width = x.shape[-2:]
        x = self.dropout(x * math.sqrt(width) + _sines(length, width, x))
        future = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        for layer in self.layers:
            x = layer(x, future)
        return self.output(x).transpose(1, 2)


def transformer(
    vocabulary: int = 10_000,
    width: int = 200,
    heads: int = 2,
    hidden: int = 200,
    layers: int = 2,
    dropout: float = 0.2,
    *,
    generator: torch.Generator,
) -> Transformer:
    """Return a transformer language model, (B, L) token numbers to (B, vocabulary, L) logits.

    The source gives layers, heads and hidden units; width and dropout are those of PyTorch's
    example of a word-level language model. 4,494,000 parameters by default, of which 484,000 in
    the two layers.

    Args:
        vocabulary: number of tokens; 10,000 in the Penn Treebank.
        width: of the embedding, a multiple of twice the heads.
        heads: of the attention.
        hidden: units of the feed-forward part of a layer.
        layers: number of encoder layers.
        dropout: on the embedding, the attention and both parts of a layer.
        generator: source of the initial parameters, uniform on ±1/√(inputs of a unit), of the
            embedding on ±0.1.

    References:
        Vlaar (2022), thesis, University of Edinburgh, section 4.5.
        Vaswani et al. (2017), arXiv:1706.03762.
    """
    return Transformer(vocabulary, width, heads, hidden, layers, dropout, generator)


def _sines(length: int, width: int, like: Tensor) -> Tensor:
    """Return sine and cosine of position · 10000^(−2i/width) in coordinates 2i and 2i + 1."""
    position = torch.arange(length, device=like.device, dtype=like.dtype).unsqueeze(1)
    even = torch.arange(0, width, 2, device=like.device, dtype=like.dtype)
    angle = position * torch.exp(even * (-math.log(10_000.0) / width))
    return torch.stack([angle.sin(), angle.cos()], 2).flatten(1)
