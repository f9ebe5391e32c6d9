"""Every built-in model as a walker-axis target: batched over parameters, reset per walker."""

import pytest
import torch
from torch import Tensor, nn

from thermograd import models
from thermograd.models import build
from thermograd.noise import seeded
from thermograd.potentials import Network

NARROW: dict[str, tuple[dict[str, object], tuple[int, ...]]] = {
    "all_cnn": ({"width": 2}, (3, 8, 8)),
    "all_cnn_bn": ({"width": 2}, (3, 8, 8)),
    "char_lstm": ({"vocabulary": 5, "width": 4}, (7,)),
    "lenet": ({}, (1, 28, 28)),
    "lenet_bn": ({"widths": (2, 3), "hidden": 4}, (1, 28, 28)),
    "mlp": ({"sizes": (3, 4, 5)}, (3,)),
    "mnistfc": ({"inputs": 12, "hidden": 4}, (3, 4)),
    "perceptron": ({"outputs": 5, "hidden": 4}, (2,)),
    "ptb_lstm": ({"vocabulary": 5, "width": 4}, (7,)),
    "resnet18": ({"width": 2}, (3, 8, 8)),
    "resnet34": ({"width": 1}, (3, 8, 8)),
    "small_cnn": ({"width": 2, "size": 8}, (3, 8, 8)),
    "small_lenet": ({"widths": (2, 3), "hidden": 4}, (1, 28, 28)),
    "transformer": ({"vocabulary": 5, "width": 8, "hidden": 4}, (7,)),
    "vgg11": ({"width": 1}, (3, 32, 32)),
    "wide_resnet": ({"depth": 10, "widen": 1}, (3, 8, 8)),
}
LANGUAGE = ("char_lstm", "ptb_lstm", "transformer")


def data(name: str) -> tuple[Tensor, Tensor]:
    shape = NARROW[name][1]
    if name in LANGUAGE:
        x = torch.randint(5, (6, *shape), generator=seeded(4))
        return x, (3 * x + 1) % 5
    return torch.randn(6, *shape, generator=seeded(4)), torch.arange(6) % 5


def made(name: str) -> nn.Module:
    options = NARROW[name][0]
    classes = {} if name in (*LANGUAGE, "mlp", "perceptron") else {"classes": 5}
    return build(name, generator=seeded(3), **options, **classes).eval()


@pytest.mark.parametrize("name", models.names())
def test_walkers_go_through_together_and_apart_alike(name: str) -> None:
    network = Network(made(name), "cross_entropy", data(name), batch_size=4)
    assert network.is_vectorized
    q = network.start(2, seeded(5), init="reset")
    assert not torch.equal(q[0][0], q[0][1])
    batch = network.draw_batch(2, seeded(6))
    force = [torch.empty_like(tensor) for tensor in q]
    energy = network.force(q, batch, out=force)
    for walker in range(2):
        rows = slice(walker, walker + 1)
        alone = [torch.empty_like(tensor[rows]) for tensor in q]
        own = network.force([tensor[rows] for tensor in q], batch[rows], out=alone)
        torch.testing.assert_close(own, energy[rows])
        for one, both in zip(alone, force, strict=True):
            scale = float(both.abs().max())
            torch.testing.assert_close(one, both[rows], atol=1e-4 * scale + 1e-6, rtol=1e-3)


class TorchLstm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.LSTM(3, 4, batch_first=True)
        self.head = nn.Linear(4, 5)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x)[0][:, -1])


def test_torchs_lstm_is_evaluated_one_walker_after_the_other() -> None:
    with torch.random.fork_rng():
        model = TorchLstm()
    x = torch.randn(6, 7, 3, generator=seeded(4))
    network = Network(model, "cross_entropy", (x, torch.arange(6) % 5))
    assert not network.is_vectorized
    q = network.start(2)
    force = [torch.empty_like(tensor) for tensor in q]
    assert network.force(q, out=force).shape == (2,)


def test_running_statistics_are_shared_and_stay() -> None:
    model = made("resnet18").train()
    for _ in range(3):
        model(data("resnet18")[0] * 2.7)
    before = {name: value.clone() for name, value in model.named_buffers()}
    network = Network(model, "cross_entropy", data("resnet18"))
    q = network.start(2, seeded(5), init="jitter")
    network.force(q, out=[torch.empty_like(tensor) for tensor in q])
    expected = model.eval()(data("resnet18")[0])
    torch.testing.assert_close(network.predict(network.start(1), data("resnet18")[0])[0], expected)
    for name, value in model.named_buffers():
        assert torch.equal(value, before[name])
