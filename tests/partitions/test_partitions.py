"""Partitions label every parameter exactly once, or say what is wrong."""

import re
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from thermograd import partitions
from thermograd.noise import seeded
from thermograd.partitions import Partition


def built(*modules: Callable[[], nn.Module]) -> nn.Sequential:
    with torch.random.fork_rng():
        return nn.Sequential(*[make() for make in modules])


def perceptron() -> nn.Sequential:
    return built(lambda: nn.Linear(2, 3), nn.Tanh, lambda: nn.Linear(3, 4), lambda: nn.Linear(4, 1))


class Tied(nn.Module):
    """An embedding whose weight is that of the output, and a parameter of the model itself."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.full((1,), 0.5))
        self.embed = nn.Embedding(5, 3)
        self.out = nn.Linear(3, 5)
        self.out.weight = self.embed.weight


def tied() -> Tied:
    with torch.random.fork_rng():
        return Tied()


def test_by_layer() -> None:
    expected = {name: (f"{name}.weight", f"{name}.bias") for name in "023"}
    assert partitions.by_layer(perceptron()).parts == expected


def test_by_layer_names_the_model_itself() -> None:
    parts = partitions.by_layer(tied()).parts
    assert parts == {
        "self": ("scale",),
        "embed": ("embed.weight",),
        "out": ("out.weight", "out.bias"),
    }


@pytest.mark.parametrize(
    "norm",
    [
        lambda: nn.BatchNorm1d(3),
        lambda: nn.BatchNorm2d(3),
        lambda: nn.InstanceNorm1d(3, affine=True),
        lambda: nn.LayerNorm(3),
        lambda: nn.GroupNorm(3, 3),
    ],
)
def test_by_kind(norm: Callable[[], nn.Module]) -> None:
    model = built(lambda: nn.LSTM(2, 3), norm)
    parts = partitions.by_kind(model).parts
    assert parts == {
        "weights": ("0.weight_ih_l0", "0.weight_hh_l0"),
        "biases": ("0.bias_ih_l0", "0.bias_hh_l0"),
        "norms": ("1.weight", "1.bias"),
    }


def test_by_pattern_with_every_parameter_matched() -> None:
    found = partitions.by_pattern(perceptron(), {"[02].*": "hidden", "3.*": "output"})
    assert found.labels["2.bias"] == "hidden"
    assert found.parts["output"] == ("3.weight", "3.bias")


@pytest.mark.parametrize(
    ("patterns", "rest", "message"),
    [
        ({"0.*": "a"}, None, "'2.weight' matches no pattern"),
        ({"0.*": "a", "*.bias": "b"}, "c", "'0.bias' matches '0.*' and '*.bias', which have"),
        ({"4.*": "a"}, "c", "no parameter matches '4.*'; the names are 0.weight, 0.bias, 2"),
    ],
)
def test_by_pattern_refuses(patterns: dict[str, str], rest: str | None, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        partitions.by_pattern(perceptron(), patterns, rest)


def test_overlapping_patterns_of_one_label_agree() -> None:
    found = partitions.by_pattern(perceptron(), {"0.*": "a", "*.bias": "a"}, rest="b")
    assert found.parts == {
        "a": ("0.weight", "0.bias", "2.bias", "3.bias"),
        "b": ("2.weight", "3.weight"),
    }


def test_by_function_sees_names_and_tensors() -> None:
    def label(name: str, q: Tensor) -> str:
        return f"{name[0]}{q.dim()}"

    found = partitions.by_function(perceptron(), label)
    assert found.labels["2.weight"] == "22"
    assert found.labels["3.bias"] == "31"


@pytest.mark.parametrize("bad", [3, "", None])
def test_by_function_must_return_labels(bad: object) -> None:
    def label(name: str, q: Tensor) -> str:
        return bad  # pyright: ignore[reportReturnType]

    with pytest.raises(ValueError, match=r"'label of 0.weight' of Partition must be a string"):
        partitions.by_function(perceptron(), label)


def test_first_and_last() -> None:
    model = perceptron()
    assert partitions.first(model).parts["first"] == ("0.weight", "0.bias")
    assert partitions.last(model).parts["last"] == ("3.weight", "3.bias")
    assert list(partitions.last(model).parts) == ["rest", "last"]


@pytest.mark.parametrize("make", [partitions.first, partitions.last])
def test_one_layer_cannot_be_split(make: Callable[[nn.Module], Partition]) -> None:
    with pytest.raises(ValueError, match="leaves the part 'rest' empty"):
        make(built(lambda: nn.Linear(2, 3)))


def test_a_model_without_parameters_cannot_be_labelled() -> None:
    with pytest.raises(ValueError, match="by_layer found no parameters"):
        partitions.by_layer(nn.Tanh())


@pytest.mark.parametrize(("fraction", "num"), [(0.01, 1), (0.34, 2), (0.5, 3), (0.99, 5)])
def test_random_subset_has_its_size_and_no_empty_part(fraction: float, num: int) -> None:
    found = partitions.random_subset(perceptron(), fraction, seeded(3))
    assert len(found.parts["chosen"]) == num
    assert len(found.parts["rest"]) == 6 - num


def test_random_subset_follows_its_generator() -> None:
    model = perceptron()
    draws = [partitions.random_subset(model, 0.5, seeded(k)).labels for k in (1, 1, 2, 3, 4)]
    assert draws[0] == draws[1]
    assert any(draw != draws[0] for draw in draws[2:])


def test_random_subset_keeps_tied_names_together() -> None:
    model = tied()
    for k in range(12):
        labels = partitions.random_subset(model, 0.5, seeded(k)).labels
        assert labels["embed.weight"] == labels["out.weight"]


@pytest.mark.parametrize("fraction", [0.0, 1.0, -0.3, float("nan")])
def test_random_subset_refuses_a_bad_fraction(fraction: float) -> None:
    with pytest.raises(ValueError, match=r"'fraction' of random_subset must be in \(0, 1\)"):
        partitions.random_subset(perceptron(), fraction, seeded(0))


def test_split_returns_every_tensor_once_in_order() -> None:
    model = perceptron()
    parts = partitions.by_kind(model).split(model)
    tensors = [id(q) for named in parts.values() for q in named.values()]
    assert sorted(tensors) == sorted(id(q) for q in model.parameters())
    assert list(parts["biases"]) == ["0.bias", "2.bias", "3.bias"]


def test_split_takes_named_parameters() -> None:
    model = perceptron()
    named = [(name, q) for name, q in model.named_parameters() if name.startswith("0")]
    assert list(partitions.by_layer(named).split(named)) == ["0"]


def test_split_names_what_has_no_label() -> None:
    partition = Partition({"0.weight": "a", "0.bias": "a"})
    with pytest.raises(ValueError, match=r"no label for '2.weight', '2.bias', '3.weight'"):
        partition.split(perceptron())


def test_split_names_what_is_not_in_the_model() -> None:
    model = perceptron()
    partition = Partition({**partitions.by_layer(model).labels, "9.weight": "a"})
    with pytest.raises(ValueError, match=r"labels '9.weight', which the model does not have"):
        partition.split(model)


def test_split_refuses_a_tensor_in_two_parts() -> None:
    model = tied()
    with pytest.raises(ValueError, match="one tied tensor, but lie in the parts 'embed' and 'out'"):
        partitions.by_layer(model).split(model)


def test_split_moves_a_tied_tensor_once() -> None:
    model = tied()
    labels = {"embed.*": "words", "out.*": "words", "scale": "scale"}
    parts = partitions.by_pattern(model, labels).split(model)
    assert list(parts["words"]) == ["embed.weight", "out.bias"]


def test_a_partition_does_not_follow_its_source() -> None:
    labels = {"0.weight": "a"}
    partition = Partition(labels)
    labels["0.weight"] = "b"
    assert partition.labels["0.weight"] == "a"


@pytest.mark.parametrize(
    "params", [[torch.zeros(2)], [("a", torch.zeros(2)), ("a", torch.ones(2))]]
)
def test_parameters_need_names_of_their_own(params: list[tuple[str, Tensor]]) -> None:
    with pytest.raises(ValueError, match="'params' of a partition must be"):
        partitions.by_layer(params)


def test_an_empty_partition_is_refused() -> None:
    with pytest.raises(ValueError, match="'labels' of Partition must be at least one"):
        Partition({})
