"""AdLaLa trains usual architectures as they come: its defaults, split by the last layer."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from thermograd.models import char_lstm, resnet18, transformer
from thermograd.noise import seeded
from thermograd.optim import AdLaLa

pytestmark = pytest.mark.training

CLASSES = 3


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.LSTM(4, 16, batch_first=True)
        self.head = nn.Linear(16, CLASSES)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x)[0][:, -1])


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Linear(4, 16)
        layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.0, batch_first=True)
        self.body = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(16, CLASSES)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(self.embed(x)).mean(1))


class Residual(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv1d(4, 16, 3, padding=1)
        self.norm = nn.BatchNorm1d(16)
        self.block = nn.Conv1d(16, 16, 3, padding=1)
        self.head = nn.Linear(16, CLASSES)

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(self.stem(x.transpose(1, 2))).relu()
        return self.head((y + self.block(y).relu()).mean(2))


def in_band(opt: AdLaLa) -> list[bool]:
    verdicts = [reading.kinetic for reading in opt.thermometer(false_alarm=1e-6)]
    return [found is not None and found.verdict == "in band" for found in verdicts]


def train(model: nn.Module, x: Tensor, y: Tensor, num: int) -> tuple[list[float], list[float]]:
    """Return the losses, and how often each part was in band in the last quarter of the run."""
    opt = AdLaLa(model, generator=seeded(5))
    losses: list[float] = []
    seen: list[list[bool]] = []
    for step in range(num):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        opt.step()
        losses.append(loss.item())
        if step >= 0.75 * num and step % 5 == 0:
            seen.append(in_band(opt))
    return losses, [sum(column) / len(seen) for column in zip(*seen, strict=True)]


@pytest.mark.parametrize("make", [Recurrent, Attention, Residual])
def test_loss_falls(make: Callable[[], nn.Module]) -> None:
    generator = seeded(3)
    with torch.random.fork_rng():
        torch.manual_seed(4)
        model = make()
    x = torch.randn(96, 6, 4, generator=generator)
    y = (x[:, :, 0].sum(1) > 0).long() + (x[:, :, 1].sum(1) > 0).long()
    losses, _ = train(model, x, y, 400)
    assert sum(losses[-20:]) < 0.6 * sum(losses[:20])


def images() -> tuple[Tensor, Tensor]:
    """Noise, with the quarter of the image that says the class brighter."""
    x, y = torch.randn(32, 3, 8, 8, generator=seeded(3)), torch.arange(32) % 4
    for k in range(4):
        across, down = 4 * (k // 2), 4 * (k % 2)
        x[y == k, :, across : across + 4, down : down + 4] += 0.7
    return x, y


def text() -> tuple[Tensor, Tensor]:
    """Counting modulo 5 by ones or twos, and what comes next."""
    first = torch.randint(4, (16, 1), generator=seeded(3))
    tokens = (first + torch.arange(9) * (1 + first % 2)) % 5
    return tokens[:, :-1], tokens[:, 1:]


@pytest.mark.parametrize(
    ("make", "data", "num"),
    [
        (lambda: resnet18(4, width=2, generator=seeded(5)), images, 400),
        (lambda: transformer(5, 16, 2, 16, 2, 0.0, generator=seeded(5)), text, 800),
        (lambda: char_lstm(5, 16, generator=seeded(5)), text, 800),
    ],
    ids=["resnet", "transformer", "lstm"],
)
def test_defaults_train_and_keep_the_temperature(
    make: Callable[[], nn.Module], data: Callable[[], tuple[Tensor, Tensor]], num: int
) -> None:
    """Hidden part in band at least 9 times of 10, output part, still warm from the fall, 6."""
    losses, (hidden, output) = train(make(), *data(), num)
    assert sum(losses[-20:]) < 0.02 * sum(losses[:20])
    assert hidden >= 0.9
    assert output >= 0.6
