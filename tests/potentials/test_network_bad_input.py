"""What Network refuses, and what it says."""

import re
from collections.abc import Callable, Iterator

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import Dataset, IterableDataset

from thermograd._errors import EvaluationError, NonFiniteError, ParameterError, UnknownNameError
from thermograd.noise import seeded
from thermograd.potentials import Network, priors

from .networks import affine, evaluate, inputs, labels, numbers, perceptron, scattered


def regression(**options: object) -> Network:
    return Network(perceptron(), "mse", (inputs(), numbers(7, 2)), **options)  # pyright: ignore[reportArgumentType]


def changed(index: int, value: float) -> Tensor:
    tensor = inputs()
    tensor[index] = value
    return tensor


class Pairs(Dataset[tuple[object, object]]):
    def __init__(self, examples: list[object]) -> None:
        self.examples = examples

    def __len__(self) -> int:
        return len(self.examples)

    def __getitem__(self, index: int) -> tuple[object, object]:
        return self.examples[index]  # pyright: ignore[reportReturnType]


class Stream(IterableDataset[tuple[object, object]]):
    def __iter__(self) -> Iterator[tuple[object, object]]:
        return iter([(inputs()[0], numbers(2))])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ((torch.empty(0, 3), torch.empty(0, 2)), "the data are empty"),
        (Pairs([]), "the data are empty"),
        ((inputs(7), numbers(6, 2)), "7 inputs and 6 targets"),
        ((inputs().float(), numbers(7, 2)), r"inputs are torch.float32 .* torch.float64"),
        ((inputs(),), r"pair \(inputs, targets\); got 1 entries"),
        ((inputs(), None), "targets must be a tensor or an array; got None"),
        ((torch.tensor(3.0), numbers(7, 2)), "examples along their first axis"),
        ((inputs().to("meta"), numbers(7, 2)), "inputs are on meta and the model on cpu"),
        (Stream(), "Stream, which a random batch cannot be drawn from"),
        (Pairs([inputs()[0]]), "example 0 is a Tensor"),
        (Pairs([(inputs()[0], 2), (inputs()[0, :2], 3)]), "one input shape; got"),
        ((numbers(7, 5), numbers(7, 2)), r"cannot be evaluated on inputs \(7, 5\)"),
        ((inputs(), numbers(7, 3)), r"targets must have the shape \(N, 2\)"),
        ((inputs(), numbers(7)), r"targets must have the shape \(N, 2\)"),
    ],
)
def test_data_that_do_not_fit_are_refused(data: object, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Network(perceptron(), "mse", data)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("bad", [torch.nan, torch.inf])
def test_data_that_are_not_finite_are_refused(bad: float) -> None:
    with pytest.raises(NonFiniteError, match=r"inputs .* in 1 of 7 examples, first in example 4"):
        Network(perceptron(), "mse", (changed(4, bad), numbers(7, 2)))
    with pytest.raises(NonFiniteError, match="targets hold NaN"):
        Network(perceptron(3), "mse", (inputs(), changed(4, bad)))


@pytest.mark.parametrize(
    ("loss", "outputs", "target", "message"),
    [
        ("cross_entropy", 2, labels(2) + 1, "from 0 to 1, .* run from 1 to 2"),
        ("cross_entropy", 2, labels(2) - 1, "they run from -1 to 0"),
        ("cross_entropy", 2, labels(2).double(), "must be integers"),
        ("cross_entropy", 1, labels(2), "at least 2 classes"),
        ("cross_entropy", 2, labels(2).unsqueeze(1), r"the shape \(N\)"),
        ("binary", 1, 2 * labels(2) - 1, r"from 0 to 1; .* \(y \+ 1\)/2"),
        ("gaussian_with_sd", 3, numbers(7, 2), "an even number"),
    ],
)
def test_labels_that_do_not_fit_are_refused(
    loss: str, outputs: int, target: Tensor, message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        Network(perceptron(outputs), loss, (inputs(), target))


def ratio(prediction: Tensor, target: Tensor) -> Tensor:
    losses = ((prediction - target) ** 2).mean(1)
    return losses / losses.sum()


LossFunction = Callable[[Tensor, Tensor], Tensor]


@pytest.mark.parametrize(
    ("loss", "target", "message"),
    [
        (nn.MSELoss(reduction="sum"), numbers(7, 2), "the loss is a sum over the examples"),
        (nn.MSELoss(reduction="none"), numbers(7, 2), r"shape \(7,\), or their mean.*got \(7, 2\)"),
        (lambda f, y: 3.5, numbers(7, 2), "got float"),
        (ratio, numbers(7, 2), "depends on the other examples"),
        (
            nn.CrossEntropyLoss(weight=torch.tensor([0.2, 1.7], dtype=torch.float64)),
            labels(2),
            "not the mean of what it is on single examples",
        ),
        (lambda f, y: f.float().square().mean(1), numbers(7, 2), "the loss is torch.float32"),
        (3.5, numbers(7, 2), "must be a name, a likelihood or a function"),
    ],
)
def test_loss_of_another_form_is_refused(loss: LossFunction, target: Tensor, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Network(perceptron(), loss, (inputs(), target))


def test_unknown_loss_gets_close_matches() -> None:
    with pytest.raises(UnknownNameError, match=r"'cross_entrpy'. Did you mean 'cross_entropy'"):
        Network(perceptron(), "cross_entrpy", (inputs(), labels(2)))


def test_loss_that_is_not_finite_is_refused() -> None:
    with pytest.raises(NonFiniteError, match="the loss of 7 examples is nan"):
        Network(perceptron(), lambda f, y: f.abs().neg().log().mean(1), (inputs(), numbers(7, 2)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_size": 0}, "batch_size"),
        ({"batch_size": 8}, "at most the 7 examples there are; got 8"),
        ({"batch_size": 2.5}, "batch_size"),
        ({"scale": "average"}, "one of 'mean', 'sum'"),
        ({"chunk": 0}, "'chunk' of Network must be an integer above 0"),
        ({"data_chunk": -2}, "'data_chunk' of Network must be an integer above 0"),
        ({"prior": 0.7}, r"a prior \(with `energy`"),
        ({"prior": priors.Flat}, r"a prior \(with `energy`"),
        ({"prior": priors.PerParameter({"*.bias": priors.Flat()})}, "nothing about '0.weight'"),
        ({"frozen": "*"}, "every parameter of the model is frozen"),
    ],
)
def test_option_outside_its_range_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        regression(**options)


@pytest.mark.parametrize(
    "options",
    [{"frozen": ["0.wieght"]}, {"prior": priors.PerParameter({"0.wieght": priors.Flat()})}],
)
def test_pattern_without_a_match_gets_close_matches(options: dict[str, object]) -> None:
    with pytest.raises(UnknownNameError, match=r"'0.wieght'. Did you mean '0.weight'"):
        regression(**options)


class Detached(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = affine(2, 5)

    def forward(self, x: Tensor) -> Tensor:
        return functional.linear(x, self.layer.weight.detach(), self.layer.bias.data)


class Mixing(Detached):
    def forward(self, x: Tensor) -> Tensor:
        y = self.layer(x)
        return y - y.mean(0)


class TwoOutputs(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = affine(2, 5)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return self.layer(x), x


class AlwaysDropping(Detached):
    def forward(self, x: Tensor) -> Tensor:
        return functional.dropout(self.layer(x), 0.4)


def poisoned() -> nn.Module:
    model = perceptron()
    with torch.no_grad():
        model.get_parameter("2.bias")[1] = torch.nan
    return model


def half_float() -> nn.Module:
    first, act, last = perceptron()
    return nn.Sequential(first, act, last.float())


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (Detached, "the force on layer.weight, layer.bias is 0"),
        (Mixing, "depends on the other examples in its batch"),
        (TwoOutputs, "must return one tensor .* got tuple"),
        (AlwaysDropping, "random even in eval mode"),
        (nn.Flatten, "has no parameters"),
        (lambda: 3.5, "a torch.nn.Module; got 3.5"),
        (lambda: nn.LazyLinear(2), "weight, bias have no shape yet"),
        (half_float, "one real dtype; '2.weight' is torch.float32"),
        (
            lambda: nn.Sequential(*perceptron(), nn.Dropout(0.4)),
            r"dropout in training mode \(3\).*model.eval\(\)",
        ),
        (
            lambda: nn.Sequential(*perceptron(), nn.BatchNorm1d(2, track_running_stats=False)),
            r"without running statistics \(3\)",
        ),
    ],
)
def test_model_without_a_potential_is_refused(model: Callable[[], nn.Module], message: str) -> None:
    with pytest.raises(ParameterError, match=re.compile(message, re.DOTALL)):
        Network(model(), "mse", (inputs(), numbers(7, 2)))


def test_model_that_is_not_finite_is_refused() -> None:
    with pytest.raises(NonFiniteError, match=r"parameter '2.bias' of the model"):
        Network(poisoned(), "mse", (inputs(), numbers(7, 2)))


class Spare(Detached):
    def __init__(self) -> None:
        super().__init__()
        self.spare = nn.Parameter(torch.zeros(2, dtype=torch.float64))

    def forward(self, x: Tensor) -> Tensor:
        return self.layer(x)


def test_unused_parameter_is_named_in_a_warning() -> None:
    with pytest.warns(UserWarning, match="does not depend on spare: only the prior acts there"):
        network = Network(Spare(), "mse", (inputs(), numbers(7, 2)))
    assert network.unused == ("spare",)
    assert float(evaluate(network, scattered(network))[1][0].abs().max()) == 0


def test_exact_minimum_is_no_reason_to_refuse() -> None:
    model = nn.Sequential(affine(2, 5))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
    network = Network(model, "mse", (inputs(), torch.zeros(7, 2, dtype=torch.float64)))
    force = evaluate(network, network.start(2))[1]
    assert all(float(f.abs().max()) == 0 for f in force)


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        ([0, 3], r"a tensor of indices, shape \(W, B\)"),
        (torch.tensor([0, 3]), r"a row of indices for each of the 3 walkers; got shape \(2,\)"),
        (torch.zeros(2, 4, dtype=torch.long), r"got shape \(2, 4\)"),
    ],
)
def test_batch_of_another_form_is_refused(batch: Tensor, message: str) -> None:
    network = regression()
    with pytest.raises(EvaluationError, match=message):
        evaluate(network, scattered(network), batch)


def test_batch_without_a_size_is_refused() -> None:
    with pytest.raises(EvaluationError, match="no batch_size and uses all the data"):
        regression().draw_batch(3, seeded(2))


def test_arrays_of_numpy_take_the_dtype_of_the_model() -> None:
    x, y = inputs(), numbers(7, 2)
    network = Network(perceptron().float(), "mse", (x.numpy(), y.numpy().astype(np.float32)))
    assert evaluate(network, scattered(network))[0].dtype is torch.float32


def test_dataset_is_stacked() -> None:
    x, y = inputs(), labels(2)
    pairs = Pairs([(x[n], int(y[n])) for n in range(7)])
    one = Network(perceptron(), "cross_entropy", pairs)
    other = Network(perceptron(), "cross_entropy", (x, y))
    q = scattered(one)
    assert torch.equal(evaluate(one, q)[0], evaluate(other, q)[0])


def test_examples_looked_at_are_spread_over_sorted_data() -> None:
    weighted = nn.CrossEntropyLoss(weight=torch.tensor([0.2, 1.7], dtype=torch.float64))
    sorted_labels = torch.arange(40) // 20
    with pytest.raises(ParameterError, match="not the mean of what it is on single examples"):
        Network(perceptron(), weighted, (inputs(40), sorted_labels))
