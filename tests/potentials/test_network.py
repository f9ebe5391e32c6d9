"""Network against a literal twin, over batches, chunks, walkers, tied and frozen parameters."""

import itertools
import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from thermograd.models import small_cnn
from thermograd.noise import seeded
from thermograd.potentials import Minibatched, Network, Potential, likelihoods, priors

from ..reference import network as literal
from .networks import affine, assert_same, evaluate, inputs, labels, numbers, perceptron, scattered

ROUNDING = 3e-14
PRIOR = priors.PerParameter({"*.bias": priors.Gaussian(0.7), "*": priors.Laplace(0.3)})


def gaussian_energy(value: Tensor) -> Tensor:
    return value**2 / (2 * 0.7**2) + math.log(0.7) + 0.5 * math.log(2 * math.pi)


def laplace_energy(value: Tensor) -> Tensor:
    return value.abs() / 0.3 + math.log(2 * 0.3)


LITERAL_PRIOR = {
    "0.weight": laplace_energy,
    "0.bias": gaussian_energy,
    "2.weight": laplace_energy,
    "2.bias": gaussian_energy,
}
LOSSES = {
    "cross_entropy": ("cross_entropy", literal.cross_entropy, labels(2)),
    "binary": ("binary", literal.binary, (numbers(7, 2) > 0).double()),
    "mse": ("mse", literal.mse, numbers(7, 2)),
    "gaussian": (likelihoods.Gaussian(0.4), literal.gaussian(0.4), numbers(7, 2)),
    "mean function": (nn.MSELoss(), literal.mse, numbers(7, 2)),
    "per-example function": (
        lambda f, y: ((f - y) ** 2).mean(1),
        literal.mse,
        numbers(7, 2),
    ),
}


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("scale", ["sum", "mean"])
@pytest.mark.parametrize("has_batch", [False, True], ids=["all data", "batch"])
def test_network_is_its_literal_twin(name: str, scale: str, has_batch: bool) -> None:
    loss, loss_of_one, y = LOSSES[name]
    model, x = perceptron(), inputs()
    network = Network(model, loss, (x, y), PRIOR, batch_size=5, scale=scale)  # pyright: ignore[reportArgumentType]
    q = scattered(network)
    batch = network.draw_batch(3, seeded(16)) if has_batch else None
    factor = 1 / len(x) if scale == "mean" else 1.0
    twin = literal.Twin(model, network.names, loss_of_one, LITERAL_PRIOR, factor)
    assert_same(evaluate(network, q, batch), twin.evaluate(q, x, y, batch), ROUNDING)


def test_convolutional_network_is_its_literal_twin() -> None:
    model = small_cnn(3, channels=2, size=4, width=2, activation="tanh", generator=seeded(17))
    x, y = numbers(5, 2, 4, 4), labels(3, 5)
    network = Network(model.double(), "cross_entropy", (x, y))
    q = scattered(network)
    twin = literal.Twin(model, network.names, literal.cross_entropy, {})
    assert_same(evaluate(network, q), twin.evaluate(q, x, y), ROUNDING)


def test_network_is_a_minibatched_potential() -> None:
    network = Network(perceptron(), "mse", (inputs(), numbers(7, 2)), batch_size=3)
    assert isinstance(network, Potential)
    assert isinstance(network, Minibatched)


@pytest.mark.parametrize("batch_size", [1, 2, 3])
def test_minibatch_force_is_unbiased_over_all_batches(batch_size: int) -> None:
    network = Network(perceptron(), "mse", (inputs(4), numbers(4, 2)), PRIOR, batch_size)
    q = scattered(network, 1)
    batches = torch.tensor(list(itertools.product(range(4), repeat=batch_size)))
    many = [tensor.repeat(len(batches), *[1] * (tensor.dim() - 1)) for tensor in q]
    energy, force = evaluate(network, many, batches)
    average = energy.mean(0, keepdim=True), [f.mean(0, keepdim=True) for f in force]
    assert_same(average, evaluate(network, q), ROUNDING)


@pytest.mark.statistical
def test_batches_are_drawn_uniformly_with_replacement() -> None:
    network = Network(perceptron(), "mse", (inputs(), numbers(7, 2)), batch_size=5)
    drawn = network.draw_batch(20_000, seeded(18))
    assert drawn.shape == (20_000, 5)
    counts = torch.bincount(drawn.flatten(), minlength=7).double()
    statistic = float(((counts - counts.mean()) ** 2).sum() / counts.mean())
    assert statistic < 39.0  # χ² with 6 degrees of freedom exceeds it with probability 7e-7
    assert bool((drawn.sort(1).values.diff(dim=1) == 0).any())


def test_draw_repeats_with_its_generator() -> None:
    network = Network(perceptron(), "mse", (inputs(), numbers(7, 2)), batch_size=5)
    assert torch.equal(network.draw_batch(4, seeded(3)), network.draw_batch(4, seeded(3)))


@pytest.mark.parametrize("has_batch", [False, True], ids=["all data", "batch"])
@pytest.mark.parametrize(("chunk", "data_chunk"), [(2, "auto"), ("auto", 3), (1, 1), (3, 2)])
def test_pieces_do_not_change_the_force(chunk: int, data_chunk: int, has_batch: bool) -> None:
    x, y = inputs(), numbers(7, 2)
    whole = Network(perceptron(), "mse", (x, y), PRIOR, 5)
    pieces = Network(perceptron(), "mse", (x, y), PRIOR, 5, chunk=chunk, data_chunk=data_chunk)
    q = scattered(whole, 5)
    batch = whole.draw_batch(5, seeded(16)) if has_batch else None
    assert_same(evaluate(pieces, q, batch), evaluate(whole, q, batch), ROUNDING)


def test_pieces_are_no_larger_than_asked() -> None:
    sizes: list[tuple[int, ...]] = []

    def loss(prediction: Tensor, target: Tensor) -> Tensor:
        sizes.append(tuple(prediction.shape))
        return ((prediction - target) ** 2).mean(1)

    network = Network(perceptron(), loss, (inputs(), numbers(7, 2)), chunk=2, data_chunk=3)
    q = scattered(network, 5)
    sizes.clear()
    evaluate(network, q)
    assert sizes == 3 * [(3, 2), (3, 2), (1, 2)]  # under vmap a function sees one walker's shape


def test_automatic_pieces_follow_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thermograd.potentials._evaluation.WORKING_MEMORY", 2000)
    x, y = inputs(), numbers(7, 2)
    calls: list[int] = []

    def loss(prediction: Tensor, target: Tensor) -> Tensor:
        calls.append(len(target))
        return ((prediction - target) ** 2).mean(1)

    network = Network(perceptron(), loss, (x, y))
    whole = Network(perceptron(), "mse", (x, y), chunk=5, data_chunk=7)
    q = scattered(network, 5)
    calls.clear()
    assert_same(evaluate(network, q), evaluate(whole, q), ROUNDING)
    assert len(calls) > 1


def test_walker_of_many_is_the_walker_alone() -> None:
    network = Network(perceptron(), "mse", (inputs(), numbers(7, 2)), PRIOR, 5)
    q, batch = scattered(network, 4), network.draw_batch(4, seeded(16))
    energy, force = evaluate(network, q, batch)
    alone = evaluate(network, [tensor[2:3] for tensor in q], batch[2:3])
    assert_same((energy[2:3], [f[2:3] for f in force]), alone, ROUNDING)


def test_walker_that_diverged_leaves_the_others_alone() -> None:
    network = Network(perceptron(), "mse", (inputs(), numbers(7, 2)))
    q = scattered(network, 3)
    expected, force = evaluate(network, q)
    q[0][1] = torch.nan
    energy, disturbed = evaluate(network, q)
    assert torch.isnan(energy).tolist() == [False, True, False]
    torch.testing.assert_close(energy[::2], expected[::2])
    torch.testing.assert_close(disturbed[1][::2], force[1][::2])


@pytest.mark.parametrize("has_batch", [False, True], ids=["all data", "batch"])
@pytest.mark.parametrize("num_walkers", [1, 3])
def test_compiled_force_is_the_eager_one(has_batch: bool, num_walkers: int) -> None:
    network = Network(perceptron(), "cross_entropy", (inputs(), labels(2)), PRIOR, 5)
    q = scattered(network, num_walkers)
    batch = network.draw_batch(num_walkers, seeded(16)) if has_batch else None
    out = [torch.full_like(tensor, torch.nan) for tensor in q]
    compiled: Callable[..., Tensor] = torch.compile(
        network.force, fullgraph=True, backend="aot_eager"
    )
    energy = compiled(q, batch, out=out)
    assert_same((energy, out), evaluate(network, q, batch), ROUNDING)


class Tied(nn.Module):
    """A linear autoencoder whose decoder is the transposed encoder, held under two names."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = affine(3, 19)
        self.decoder = affine(3, 20)
        self.decoder.weight = self.encoder.weight

    def forward(self, x: Tensor) -> Tensor:
        return self.decoder(torch.tanh(self.encoder(x)))


def test_tied_weights_move_as_one() -> None:
    x, y = inputs(), numbers(7, 3)
    network = Network(Tied(), "mse", (x, y))
    assert network.names == ("encoder.weight", "encoder.bias", "decoder.bias")
    assert network.num_params == 15
    q = scattered(network)

    def explicit(weight: Tensor, first: Tensor, second: Tensor) -> Tensor:
        hidden = torch.tanh(x @ weight.T + first)
        return ((hidden @ weight.T + second - y) ** 2).mean(1).sum()

    energy, force = evaluate(network, q)
    for walker in range(3):
        leaves = [tensor[walker].clone().requires_grad_() for tensor in q]
        value = explicit(*leaves)
        gradients = torch.autograd.grad(value, leaves)
        torch.testing.assert_close(energy[walker], value.detach(), rtol=1e-13, atol=0)
        for f, gradient in zip(force, gradients, strict=True):
            torch.testing.assert_close(f[walker], -gradient, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("frozen", ["encoder.weight", "decoder.weight", ["*coder.weight"]])
def test_tied_weight_is_frozen_by_either_name(frozen: str | list[str]) -> None:
    network = Network(Tied(), "mse", (inputs(), numbers(7, 3)), frozen=frozen)
    assert network.names == ("encoder.bias", "decoder.bias")
    assert network.frozen == ("encoder.weight",)


@pytest.mark.parametrize("frozen", [("0.weight", "2.bias"), ["0.w*", "2.b*"]])
def test_frozen_parameters_keep_the_values_of_the_model(frozen: list[str]) -> None:
    model, x, y = perceptron(), inputs(), numbers(7, 2)
    network = Network(model, "mse", (x, y), frozen=frozen)
    assert network.names == ("0.bias", "2.weight")
    assert network.frozen == ("0.weight", "2.bias")
    q = scattered(network)
    twin = literal.Twin(model, network.names, literal.mse, {})
    assert_same(evaluate(network, q), twin.evaluate(q, x, y), ROUNDING)


def test_parameters_without_gradient_are_frozen_and_named() -> None:
    model = perceptron()
    model[0].requires_grad_(False)
    network = Network(model, "mse", (inputs(), numbers(7, 2)))
    assert network.names == ("2.weight", "2.bias")
    assert "frozen: 0.weight, 0.bias" in network.describe()


def test_later_changes_to_the_model_are_not_seen() -> None:
    model = perceptron()
    network = Network(model, "mse", (inputs(), numbers(7, 2)), frozen="2.*")
    q = scattered(network)
    before = evaluate(network, q)
    with torch.no_grad():
        model.get_parameter("2.weight").zero_()
    assert_same(evaluate(network, q), before, 0.0)


def test_model_is_left_as_it_was() -> None:
    model = perceptron()
    Network(model, "mse", (inputs(), numbers(7, 2)))
    assert model.training
    assert all(p.requires_grad and p.grad is None for p in model.parameters())


def test_batch_norm_uses_its_running_statistics_and_keeps_them() -> None:
    norm = nn.BatchNorm1d(4).double()
    norm.running_mean = numbers(4)
    norm.running_var = numbers(4).exp()
    first, act, last = perceptron()
    model = nn.Sequential(first, norm, act, last)
    x, y = inputs(), numbers(7, 2)
    network = Network(model, "mse", (x, y), batch_size=2)
    q = scattered(network)
    twin = literal.Twin(model, network.names, literal.mse, {})
    expected = twin.evaluate(q, x, y)
    assert_same(evaluate(network, q), expected, ROUNDING)
    evaluate(network, q, network.draw_batch(3, seeded(16)))
    assert_same(evaluate(network, q), expected, ROUNDING)
    assert norm.training


@pytest.mark.parametrize("is_eval", [True, False], ids=["eval", "p = 0"])
def test_dropout_that_is_off_changes_nothing(is_eval: bool) -> None:
    data = inputs(), numbers(7, 2)
    dropout = nn.Dropout(0.4 if is_eval else 0.0)
    with_dropout = nn.Sequential(*perceptron(), dropout)
    network = Network(with_dropout.eval() if is_eval else with_dropout, "mse", data)
    plain = Network(perceptron(), "mse", data)
    q = scattered(plain)
    assert_same(evaluate(network, q), evaluate(plain, q), 0.0)


@pytest.mark.usefixtures("global_rng")
def test_attention_model_is_its_literal_twin() -> None:
    model = nn.TransformerEncoderLayer(4, 2, 6, batch_first=True, dropout=0.3).double().eval()
    x, y = numbers(4, 5, 4), numbers(4, 5, 4)
    network = Network(model, "mse", (x, y))
    q = scattered(network, 2)
    twin = literal.Twin(model, network.names, literal.mse, {})
    assert_same(evaluate(network, q), twin.evaluate(q, x, y), ROUNDING)


class LastOfLSTM(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(3, 4, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        return self.lstm(x)[0][:, -1]


class Branching(nn.Module):
    """A model that looks at its numbers, which vmap cannot do for all walkers at once."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = affine(2, 21)

    def forward(self, x: Tensor) -> Tensor:
        y = self.layer(x)
        return functional.relu(y) if float(self.layer.weight.detach().sum()) > 0 else torch.tanh(y)


@pytest.mark.usefixtures("global_rng")
@pytest.mark.parametrize("module", [LastOfLSTM, Branching])
@pytest.mark.parametrize("has_batch", [False, True], ids=["all data", "batch"])
def test_model_vmap_cannot_batch_is_its_literal_twin(
    module: type[LastOfLSTM] | type[Branching], has_batch: bool
) -> None:
    model = module().double()
    x, y = (numbers(5, 2, 3), numbers(5, 4)) if module is LastOfLSTM else (inputs(5), numbers(5, 2))
    network = Network(model, "mse", (x, y), batch_size=3)
    if module is Branching:
        assert not network.is_vectorized
        assert "one after the other" in network.describe()
    q = scattered(network, 4)
    batch = network.draw_batch(4, seeded(16)) if has_batch else None
    twin = literal.Twin(model, network.names, literal.mse, {})
    assert_same(evaluate(network, q, batch), twin.evaluate(q, x, y, batch), ROUNDING)
    assert network.predict(q, x).shape == (4, *y.shape)


def test_float32_agrees_with_float64_to_its_rounding() -> None:
    x, y = inputs(), numbers(7, 2)
    double = Network(perceptron(), "mse", (x, y), PRIOR)
    single = Network(perceptron().float(), "mse", (x.float(), y.float()), PRIOR)
    q = scattered(double)
    energy, force = evaluate(single, [tensor.float() for tensor in q])
    assert energy.dtype is torch.float32
    assert_same((energy.double(), [f.double() for f in force]), evaluate(double, q), 2e-6)
