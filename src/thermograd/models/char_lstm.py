"""An LSTM over characters, small enough for its whole Hessian."""

import torch

from ._recurrent import LstmModel


def char_lstm(
    vocabulary: int = 96,
    width: int = 48,
    layers: int = 1,
    dropout: float = 0.0,
    learned_start: bool = True,
    *,
    generator: torch.Generator,
) -> LstmModel:
    """Return an LSTM over one-hot characters, (B, L) token numbers to (B, vocabulary, L) logits.

    32,640 parameters by default. Vocabulary 87, width 128, two layers and no learned start make
    the one trained on War and Peace, of 253,399. `advance(tokens, state)` carries the state from
    one window to the next.

    Args:
        vocabulary: number of characters.
        width: units of a layer.
        layers: number of them.
        dropout: on what goes from one layer up to the next.
        learned_start: whether h and c before the first character are parameters; else they are 0.
        generator: source of the initial parameters, uniform on ±1/√width.

    References:
        Chaudhari (2018), thesis, University of California, Los Angeles, section 3.3.
    """
    return LstmModel(
        vocabulary, width, layers, dropout, None, False, learned_start, "char_lstm", generator
    )
