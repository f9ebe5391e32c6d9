"""Built-in models: shapes, sizes, owned randomness; models by name and from the user's code."""

import math
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import nn

from thermograd import models
from thermograd._errors import ParameterError, UnknownNameError
from thermograd.models import build, lenet, mlp, perceptron, resolve_model, small_cnn
from thermograd.noise import seeded


@pytest.mark.parametrize(
    ("model", "shape", "outputs", "num_params"),
    [
        (perceptron(generator=seeded(3)), (5, 2), 1, 2 * 100 + 100 + 100 + 1),
        (perceptron(3, 4, 2, "tanh", generator=seeded(3)), (5, 3), 2, 3 * 4 + 4 + 4 * 2 + 2),
        (mlp((3, 2), generator=seeded(3)), (5, 3), 2, 3 * 2 + 2),
        (mlp((3, 4, 5, 2), generator=seeded(3)), (5, 3), 2, 12 + 4 + 20 + 5 + 10 + 2),
        (lenet(generator=seeded(3)), (5, 1, 28, 28), 10, 61_706),
        (lenet(7, 3, generator=seeded(3)), (5, 3, 28, 28), 7, 61_706 + 6 * 50 - 3 * 85),
        (small_cnn(generator=seeded(3)), (5, 3, 32, 32), 10, 448 + 4640 + 20_490),
        (small_cnn(4, 2, 8, 3, generator=seeded(3)), (5, 2, 8, 8), 4, 57 + 168 + 100),
    ],
)
def test_model_has_its_shape_and_size(
    model: nn.Module, shape: tuple[int, ...], outputs: int, num_params: int
) -> None:
    x = torch.randn(shape, generator=seeded(4))
    assert model(x).shape == (shape[0], outputs)
    assert sum(parameter.numel() for parameter in model.parameters()) == num_params


SMALL: dict[str, dict[str, object]] = {
    "mlp": {"sizes": (3, 40, 2)},
    "mnistfc": {"hidden": 8},
    "ptb_lstm": {"width": 8, "vocabulary": 9},
    "resnet18": {"width": 3},
    "resnet34": {"width": 3},
    "transformer": {"width": 8, "vocabulary": 9},
    "vgg11": {"width": 3},
    "wide_resnet": {"depth": 10, "widen": 1},
}


@pytest.mark.parametrize("name", models.names())
def test_model_repeats_with_its_generator(name: str) -> None:
    options = SMALL.get(name, {})
    one = build(name, generator=seeded(3), **options)
    other = build(name, generator=seeded(3), **options)
    for a, b in zip(one.parameters(), other.parameters(), strict=True):
        assert torch.equal(a, b)
        assert a.dim() == 1 or float(a.detach().abs().max()) > 0


def test_parameters_are_uniform_below_the_bound_of_torch() -> None:
    weights = mlp((4, 20_000), generator=seeded(3)).get_parameter("0.weight").detach().double()
    bound = 1 / math.sqrt(4)
    assert 0.999 * bound < float(weights.max()) <= bound
    assert -0.999 * bound > float(weights.min()) >= -bound
    # Five standard errors of the mean and the mean square of 80,000 uniform numbers.
    assert abs(float(weights.mean())) < 5 * bound / math.sqrt(3 * 80_000)
    error = 5 * bound**2 * math.sqrt(4 / 45 / 80_000)
    assert abs(float(weights.square().mean()) - bound**2 / 3) < error


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: perceptron(hidden=0, generator=seeded(3)), "'hidden' of perceptron"),
        (lambda: mlp((3,), generator=seeded(3)), "at least two integers"),
        (lambda: mlp((3, 2.5), generator=seeded(3)), "at least two integers"),  # pyright: ignore[reportArgumentType]
        (lambda: lenet(0, generator=seeded(3)), "'classes' of lenet"),
        (lambda: small_cnn(size=30, generator=seeded(3)), "a multiple of 4"),
        (lambda: small_cnn(width=-2, generator=seeded(3)), "'width' of small_cnn"),
    ],
)
def test_size_outside_its_range_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: build("lenett", generator=seeded(3)), "'lenett'. Did you mean 'lenet'"),
        (lambda: mlp((3, 2), "tahn", generator=seeded(3)), "'tahn'. Did you mean 'tanh'"),
        (
            lambda: resolve_model("no_such_module:model", generator=seeded(3)),
            "no module 'no_such_module'",
        ),
        (lambda: resolve_model("mine_ok:biuld", generator=seeded(3)), "Did you mean 'build'"),
    ],
)
@pytest.mark.usefixtures("own_code")
def test_unknown_name_gets_close_matches(make: Callable[[], object], message: str) -> None:
    with pytest.raises(UnknownNameError, match=message):
        make()


CODE = """
import torch
from torch import nn
from thermograd.models import mlp
from thermograd.noise import seeded

READY = mlp((3, 2), generator=seeded(5))
NUMBER = 3.5

def build(width, generator):
    return mlp((3, width, 2), generator=generator)

def without_generator(width=4):
    return mlp((3, width), generator=seeded(6))

def returns_number():
    return 3.5
"""


@pytest.fixture
def own_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine_ok.py").write_text(CODE)
    (tmp_path / "mine_broken.py").write_text("import a_package_nobody_has\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("mine_ok", "mine_broken"):
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.mark.usefixtures("own_code")
def test_model_of_ones_own_is_resolved() -> None:
    built = resolve_model("mine_ok:build", generator=seeded(3), width=7)
    expected = mlp((3, 7, 2), generator=seeded(3))
    for a, b in zip(built.parameters(), expected.parameters(), strict=True):
        assert torch.equal(a, b)
    ready = resolve_model("mine_ok:READY", generator=seeded(3))
    assert ready is resolve_model("mine_ok:READY", generator=seeded(3))
    other = resolve_model("mine_ok:without_generator", generator=seeded(3), width=6)
    assert other.get_parameter("0.bias").shape == (6,)


def test_name_without_a_colon_is_a_built_in_model() -> None:
    model = resolve_model("perceptron", generator=seeded(3), hidden=7)
    assert model.get_parameter("0.bias").shape == (7,)


@pytest.mark.usefixtures("own_code")
@pytest.mark.parametrize(
    ("spec", "options", "message"),
    [
        ("perceptron", {"hiden": 7}, "do not fit: .*'hiden'.*it takes inputs, hidden, outputs"),
        ("mine_ok:build", {}, "do not fit: .*'width'"),
        ("mine_ok:READY", {"width": 7}, "a finished model and takes no options; got width"),
        ("mine_ok:NUMBER", {}, "it is a float"),
        ("mine_ok:returns_number", {}, "it returns a float"),
    ],
)
def test_model_that_does_not_fit_is_refused(
    spec: str, options: dict[str, object], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        resolve_model(spec, generator=seeded(3), **options)


@pytest.mark.usefixtures("own_code")
def test_error_inside_the_users_module_is_not_hidden() -> None:
    with pytest.raises(ModuleNotFoundError, match="a_package_nobody_has"):
        resolve_model("mine_broken:build", generator=seeded(3))
