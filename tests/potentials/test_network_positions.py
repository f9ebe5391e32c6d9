"""Starts, predictions and the way back into a model."""

import math

import pytest
import torch
from torch import Tensor, nn

from thermograd._errors import EvaluationError, NonFiniteError, ParameterError
from thermograd.noise import seeded
from thermograd.potentials import Network

from .networks import inputs, labels, numbers, perceptron, scattered


def classifier(chunk: int = 3, data_chunk: int = 7) -> Network:
    data = inputs(), labels(3)
    return Network(perceptron(3), "cross_entropy", data, chunk=chunk, data_chunk=data_chunk)


def test_start_repeats_the_model() -> None:
    model = perceptron()
    network = Network(model, "mse", (inputs(), numbers(7, 2)))
    q = network.start(4)
    for tensor, parameter in zip(q, model.parameters(), strict=True):
        assert tensor.shape == (4, *parameter.shape)
        assert all(torch.equal(own, parameter) for own in tensor)
    q[0].zero_()
    assert float(network.start(2)[0].abs().min()) > 0


@pytest.mark.parametrize("init", ["jitter", "reset"])
def test_start_repeats_with_its_generator(init: str) -> None:
    network = classifier()
    one = network.start(3, seeded(4), init=init)  # pyright: ignore[reportArgumentType]
    other = network.start(3, seeded(4), init=init)  # pyright: ignore[reportArgumentType]
    assert all(torch.equal(a, b) for a, b in zip(one, other, strict=True))
    assert not torch.equal(one[0][0], one[0][1])


def test_jitter_is_the_given_noise() -> None:
    network = classifier()
    difference = [
        a - b
        for a, b in zip(
            network.start(3, seeded(4), init="jitter", spread=0.3), network.start(3), strict=True
        )
    ]
    generator = seeded(4)
    for tensor in difference:
        xi = torch.randn(tensor.shape, generator=generator, dtype=torch.float64)
        torch.testing.assert_close(tensor, 0.3 * xi, rtol=0, atol=1e-15)


def test_reset_draws_as_torch_initialises() -> None:
    network = classifier()
    weight, bias = network.start(64, seeded(4), init="reset")[:2]
    bound = 1 / math.sqrt(3)
    for tensor in (weight, bias):
        assert float(tensor.abs().max()) <= bound
        assert float(tensor.abs().max()) > 0.9 * bound


@pytest.mark.usefixtures("global_rng")
def test_reset_covers_the_layers_of_torch() -> None:
    layers = [
        nn.Embedding(5, 6),
        nn.TransformerEncoderLayer(6, 2, 4, dropout=0.0, batch_first=True),
        nn.LayerNorm(6),
        nn.Flatten(),
        nn.Linear(18, 2),
    ]
    tokens = torch.randint(5, (7, 3), generator=seeded(3))
    network = Network(nn.Sequential(*layers).double(), "mse", (tokens, numbers(7, 2)))
    before = torch.get_rng_state()
    q = network.start(2, seeded(4), init="reset")
    assert torch.equal(torch.get_rng_state(), before)
    network.check(q)
    assert not torch.equal(q[0][0], q[0][1])


class OwnParameter(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.slope = nn.Parameter(numbers(3))

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.slope


def test_reset_names_the_module_that_cannot() -> None:
    network = Network(nn.Sequential(OwnParameter()), "mse", (inputs(), numbers(7)))
    with pytest.raises(ParameterError, match="module '0' has parameters and no `reset_parameters`"):
        network.start(2, seeded(4), init="reset")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_walkers": 0}, "'num_walkers' of Network.start"),
        ({"num_walkers": 2, "init": "jitter"}, "hand Network.start a generator"),
        ({"num_walkers": 2, "init": "reset"}, "hand Network.start a generator"),
        ({"num_walkers": 2, "init": "fresh"}, "one of 'jitter', 'model', 'reset'"),
        ({"num_walkers": 2, "spread": -0.3}, "'spread' of Network.start"),
    ],
)
def test_start_refuses(options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        classifier().start(**options)  # pyright: ignore[reportArgumentType]


def test_check_accepts_a_start_and_names_what_is_wrong() -> None:
    network = classifier()
    q = network.start(3)
    network.check(q)
    with pytest.raises(ParameterError, match=r"must be 4 tensors; got 3"):
        network.check(q[:3])
    with pytest.raises(ParameterError, match=r"'0.bias' must be \(3, 4\) of torch.float64"):
        network.check([q[0], q[1][:2], *q[2:]])
    with pytest.raises(ParameterError, match=r"got \(3, 4, 3\) of torch.float32"):
        network.check([q[0].float(), *q[1:]])
    q[3][1, 2] = torch.inf
    with pytest.raises(NonFiniteError, match=r"'2.bias' hold NaN or infinity"):
        network.check(q)


@pytest.mark.parametrize("options", [{}, {"chunk": 2, "data_chunk": 3}])
def test_predictions_are_those_of_the_loaded_models(options: dict[str, int]) -> None:
    network, x, y = classifier(**options), inputs(5), labels(3, 5)
    q = scattered(network, 3)
    predictions = network.predict(q, x)
    losses, shares = network.mean_loss(q, (x, y)), network.accuracy(q, (x, y))
    for walker in range(3):
        model = perceptron(3)
        network.load_(model, q, walker)
        with torch.no_grad():
            expected = model(x)
        torch.testing.assert_close(predictions[walker], expected, rtol=0, atol=1e-14)
        loss = nn.functional.cross_entropy(expected, y)
        torch.testing.assert_close(losses[walker], loss, rtol=1e-13, atol=0)
        right = sum(int(row.argmax()) == int(label) for row, label in zip(expected, y, strict=True))
        assert float(shares[walker]) == pytest.approx(right / 5, rel=1e-15)


def test_accuracy_of_a_binary_classifier() -> None:
    network = Network(perceptron(1), "binary", (inputs(), labels(2)))
    q = scattered(network, 3)
    logits = network.predict(q, inputs())[..., 0]
    expected = ((logits > 0) == (labels(2) == 1)).double().mean(1)
    torch.testing.assert_close(network.accuracy(q), expected, rtol=1e-15, atol=0)


def test_accuracy_needs_a_classifier() -> None:
    network = Network(perceptron(), "mse", (inputs(), numbers(7, 2)))
    with pytest.raises(EvaluationError, match="accuracy needs a classifier"):
        network.accuracy(network.start(2))


def test_load_leaves_frozen_parameters_alone() -> None:
    network = Network(perceptron(3), "cross_entropy", (inputs(), labels(3)), frozen="0.*")
    model = perceptron(3)
    with torch.no_grad():
        model.get_parameter("0.bias").fill_(0.3)
    q = scattered(network, 2)
    network.load_(model, q, 1)
    assert bool((model.get_parameter("0.bias") == 0.3).all())
    assert torch.equal(model.get_parameter("2.bias"), q[1][1])


@pytest.mark.parametrize(
    ("outputs", "walker", "message"),
    [(3, 2, "from 0 to 1; got 2"), (3, -1, "from 0 to 1; got -1"), (2, 0, "'2.weight' .* shape")],
)
def test_load_refuses(outputs: int, walker: int, message: str) -> None:
    network = classifier()
    with pytest.raises(ParameterError, match=message):
        network.load_(perceptron(outputs), network.start(2), walker)
    with pytest.raises(ParameterError, match=r"has no parameter 0.weight"):
        network.load_(nn.Flatten(), network.start(2), 0)


def test_description_says_which_temperature_is_the_posterior() -> None:
    data = inputs(), labels(3)
    total = Network(perceptron(3), "cross_entropy", data, batch_size=2)
    assert "31 parameters in 4 tensors" in total.describe()
    assert "N = 7, batches of 2\nthe posterior is at temperature 1" in total.describe()
    mean = Network(perceptron(3), "cross_entropy", data, scale="mean")
    assert "all data\nthe posterior is at temperature 1/N = 0.142857" in mean.describe()
