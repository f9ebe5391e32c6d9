"""The LSTM language model of the Penn Treebank: two layers of 1500 units."""

import torch

from ._recurrent import LstmModel


def ptb_lstm(
    vocabulary: int = 10_000,
    width: int = 1500,
    layers: int = 2,
    dropout: float = 0.65,
    bound: float = 0.04,
    *,
    generator: torch.Generator,
) -> LstmModel:
    """Return an LSTM over words, (B, L) token numbers to (B, vocabulary, L) logits.

    66,022,000 parameters by default. `advance(tokens, state)` carries the state from one window
    to the next.

    Args:
        vocabulary: number of tokens.
        width: units of a layer and of the embedding; the source's medium size is 650.
        layers: number of them.
        dropout: on what goes from one layer up to the next, as in the source.
        bound: all parameters are uniform on ±bound at first.
        generator: source of the initial parameters.

    References:
        Zaremba, Sutskever and Vinyals (2014), arXiv:1409.2329.
    """
    return LstmModel(vocabulary, width, layers, dropout, bound, True, False, "ptb_lstm", generator)
