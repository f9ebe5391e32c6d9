"""Text in batches: every token is predicted once, from the one before it, in order."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from thermograd import data
from thermograd._errors import DataError, ParameterError
from thermograd.data.windows import examples, streams, windows
from thermograd.models import char_lstm, ptb_lstm
from thermograd.noise import seeded


def test_streams_are_the_text_in_equal_parts() -> None:
    assert streams(torch.arange(11), 3).tolist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]


def test_windows_follow_one_another() -> None:
    found = list(windows(streams(torch.arange(14), 2), 4))
    assert [x.tolist() for x, _ in found] == [[[0, 1, 2, 3], [7, 8, 9, 10]], [[4, 5], [11, 12]]]
    for x, y in found:
        assert torch.equal(y, x + 1)


def test_examples_predict_each_token_once() -> None:
    x, y = examples(torch.arange(12), 4)
    assert x.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert torch.equal(y, x + 1)
    assert len(examples(torch.arange(13), 4)[0]) == 3


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: streams(torch.arange(5), 3), DataError, "5 tokens; this takes at least 6"),
        (lambda: streams(torch.arange(5), 0), ParameterError, "'batch_size' of streams"),
        (lambda: examples(torch.arange(5), 5), DataError, "5 tokens; this takes at least 6"),
        (lambda: examples(torch.ones(5), 2), ParameterError, "torch.float32 of shape"),
        (lambda: list(windows(torch.ones(2, 3), 0)), ParameterError, "'length' of windows"),
    ],
)
def test_bad_input_is_refused(
    make: Callable[[], object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make()


TEXT = "the cat sat on the mat and the dog sat on the cat \n" * 12


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "input.txt").write_text(TEXT)
    for part in ("train", "valid", "test"):
        (tmp_path / f"ptb.{part}.txt").write_text(TEXT)
    return tmp_path


@pytest.mark.training
@pytest.mark.parametrize("name", ["shakespeare", "ptb"])
def test_language_model_learns_a_text(name: str, folder: Path) -> None:
    """A loop over windows with the state carried on; valid text is nearly certain afterwards."""
    text = data.load_text(name, to=folder)
    size = len(text.vocabulary)
    if name == "shakespeare":
        model = char_lstm(size, 24, generator=seeded(3))
    else:
        model = ptb_lstm(size, 16, 1, 0.0, 0.1, generator=seeded(3))
    opt = torch.optim.Adam(model.parameters(), lr=0.03)
    for _ in range(12):
        state = None
        for x, y in windows(streams(text.train, 4), 20):
            logits, state = model.advance(x, state)
            state = [(h.detach(), c.detach()) for h, c in state]
            opt.zero_grad()
            nn.functional.cross_entropy(logits, y).backward()
            opt.step()
    losses: list[Tensor] = []
    state = None
    for x, y in windows(streams(text.valid, 1), 20):
        logits, state = model.advance(x, state)
        losses.append(nn.functional.cross_entropy(logits, y).detach())
    assert float(torch.stack(losses).mean().exp()) < 0.25 * size
