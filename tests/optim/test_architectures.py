"""AdLaLa trains usual architectures as they come, split by their last layer."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

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


# attention is too stiff for the default step, a rule of thumb for perceptrons
@pytest.mark.parametrize(("make", "lr"), [(Recurrent, 0.15), (Attention, 0.05), (Residual, 0.15)])
def test_loss_falls(make: Callable[[], nn.Module], lr: float) -> None:
    generator = seeded(3)
    with torch.random.fork_rng():
        torch.manual_seed(4)
        model = make()
    x = torch.randn(96, 6, 4, generator=generator)
    y = (x[:, :, 0].sum(1) > 0).long() + (x[:, :, 1].sum(1) > 0).long()
    opt = AdLaLa(model, lr, generator=seeded(5))
    losses: list[float] = []
    for _ in range(400):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        opt.step()
        losses.append(loss.item())
    assert sum(losses[-20:]) < 0.6 * sum(losses[:20])
