"""Language models: torch's own layers as literal twins, causality, texts in windows."""

import math

import pytest
import torch
from torch import Tensor, nn

from thermograd.models import build, char_lstm, ptb_lstm, transformer
from thermograd.noise import seeded

V = 11
SMALL: dict[str, dict[str, object]] = {
    "char_lstm": {"width": 6, "layers": 2},
    "ptb_lstm": {"width": 6},
    "transformer": {"width": 8, "hidden": 6},
}


def tokens(batch: int, length: int) -> Tensor:
    return torch.randint(V, (batch, length), generator=seeded(4))


@pytest.mark.parametrize("name", SMALL)
def test_logits_look_at_no_later_token(name: str) -> None:
    model = build(name, generator=seeded(3), vocabulary=V, **SMALL[name]).double().eval()
    text = tokens(3, 7)
    changed = text.clone()
    changed[:, 4] = (text[:, 4] + 1) % V
    before, after = model(text), model(changed)
    assert before.shape == (3, V, 7)
    assert torch.equal(before[:, :, :4], after[:, :, :4])
    assert not torch.equal(before[:, :, 4:], after[:, :, 4:])


def test_transformer_is_torchs_encoder() -> None:
    model = transformer(V, 8, 2, 6, 2, generator=seeded(3)).double().eval()
    with torch.random.fork_rng():
        twin = nn.TransformerEncoderLayer(8, 2, 6, batch_first=True).double().eval()
    text = tokens(3, 7)
    x = model.embedding.weight[text] * math.sqrt(8)
    for place in range(7):
        for i in range(4):
            angle = place / 10_000 ** (2 * i / 8)
            x[:, place, 2 * i] += math.sin(angle)
            x[:, place, 2 * i + 1] += math.cos(angle)
    future = nn.Transformer.generate_square_subsequent_mask(7, dtype=torch.float64)
    names = {"attention_in.": "self_attn.in_proj_", "attention_out": "self_attn.out_proj"}
    for layer in model.layers:
        values = layer.state_dict()
        for own, theirs in names.items():
            values = {key.replace(own, theirs): value for key, value in values.items()}
        twin.load_state_dict(values)
        x = twin(x, src_mask=future)
    expected = x @ model.output.weight.T + model.output.bias
    torch.testing.assert_close(model(text), expected.transpose(1, 2))


@pytest.mark.parametrize("has_embedding", [True, False])
def test_lstm_is_torchs(has_embedding: bool) -> None:
    make = ptb_lstm if has_embedding else char_lstm
    model = make(V, 6, 2, 0.0, generator=seeded(3)).double()
    with torch.random.fork_rng():
        twin = nn.LSTM(6 if has_embedding else V, 6, 2, batch_first=True).double()
    for number, layer in enumerate(model.layers):
        for own, theirs in (("input_weight", "ih"), ("hidden_weight", "hh")):
            getattr(twin, f"weight_{theirs}_l{number}").data.copy_(layer.get_parameter(own))
        twin.get_parameter(f"bias_ih_l{number}").data.copy_(layer.get_parameter("bias"))
        twin.get_parameter(f"bias_hh_l{number}").data.zero_()
    text = tokens(3, 7)
    if model.embedding is not None:
        outputs, _ = twin(model.embedding.weight[text])
    else:
        assert model.start is not None
        h, c = (model.start.value[:, k].unsqueeze(1).expand(2, 3, 6) for k in (0, 1))
        one_hot = nn.functional.one_hot(text, V).double()
        outputs, _ = twin(one_hot, (h.contiguous(), c.contiguous()))
    expected = outputs @ model.output.weight.T + model.output.bias
    torch.testing.assert_close(model(text), expected.transpose(1, 2))


@pytest.mark.parametrize("name", ["char_lstm", "ptb_lstm"])
def test_text_in_windows_is_the_whole_text(name: str) -> None:
    make = char_lstm if name == "char_lstm" else ptb_lstm
    model = make(V, 6, generator=seeded(3)).double().eval()
    text = tokens(3, 9)
    first, state = model.advance(text[:, :4])
    second, _ = model.advance(text[:, 4:], state)
    torch.testing.assert_close(torch.cat([first, second], 2), model(text))


def test_lstm_of_the_penn_treebank_starts_as_published() -> None:
    model = ptb_lstm(V, 60, generator=seeded(3))
    for parameter in model.parameters():
        assert float(parameter.detach().abs().max()) <= 0.04
        assert float(parameter.detach().abs().mean()) == pytest.approx(0.02, rel=0.4)
