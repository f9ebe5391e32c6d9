"""Networks of the papers: their published numbers of parameters, and what they take and return."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from thermograd import models
from thermograd._errors import ParameterError
from thermograd.models import build
from thermograd.noise import seeded

SMALLER = {"widths": (8, 16), "pools": (3, 2), "dropout": 0.1, "batch_norm": True}
WAR_AND_PEACE = {"vocabulary": 87, "width": 128, "layers": 2, "learned_start": False}


@pytest.mark.parametrize(
    ("name", "options", "num_params"),
    [
        ("all_cnn", {}, 1_369_738),
        ("all_cnn_bn", {}, 1_667_146),
        ("all_cnn_bn", {"output_norm": True}, 1_667_166),
        ("all_cnn_bn", {"width": 12, "output_norm": True}, 26_982),
        ("char_lstm", {}, 32_640),
        ("char_lstm", WAR_AND_PEACE, 110_592 + 131_584 + 11_223),
        ("lenet_bn", {}, 131_220),
        ("mlp", {"sizes": (784, *[128] * 16, 10)}, 785 * 128 + 15 * 129 * 128 + 1290),
        ("mnistfc", {}, 1_867_786),
        ("mnistfc", {"batch_norm": False}, 1_863_690),
        ("perceptron", {"inputs": 784, "hidden": 64, "outputs": 10}, 50_890),
        ("ptb_lstm", {}, 66_022_000),
        ("small_lenet", {}, 47_658),
        ("small_lenet", SMALLER, 13_338),
        ("transformer", {}, 2_000_000 + 2 * 242_000 + 2_010_000),
        ("vgg11", {}, 9_756_426),
        ("wide_resnet", {}, 36_479_194),
        ("wide_resnet", {"depth": 16, "widen": 4}, 2_748_890),
    ],
)
def test_size_is_the_published_one(name: str, options: dict[str, object], num_params: int) -> None:
    model = build(name, generator=seeded(3), **options)
    assert sum(parameter.numel() for parameter in model.parameters()) == num_params


@pytest.mark.parametrize(
    ("name", "options", "shape"),
    [
        ("all_cnn", {"width": 4}, (2, 3, 32, 32)),
        ("all_cnn_bn", {"width": 4, "output_norm": True}, (2, 3, 32, 32)),
        ("lenet_bn", {"channels": 2}, (2, 2, 28, 28)),
        ("lenet_bn", {"widths": (32, 64), "pools": (3, 3), "hidden": 512}, (2, 1, 28, 28)),
        ("mnistfc", {"hidden": 5}, (2, 1, 28, 28)),
        ("small_lenet", SMALLER, (2, 1, 28, 28)),
        ("vgg11", {"width": 2}, (2, 3, 32, 32)),
        ("vgg11", {"width": 2, "batch_norm": False, "dropout": 0.0}, (2, 3, 32, 32)),
        ("wide_resnet", {"depth": 16, "widen": 1}, (2, 3, 32, 32)),
    ],
)
def test_images_become_classes(
    name: str, options: dict[str, object], shape: tuple[int, ...]
) -> None:
    model = build(name, generator=seeded(3), classes=7, **options).eval()
    assert model(torch.randn(shape, generator=seeded(4))).shape == (2, 7)


@pytest.mark.parametrize(("name", "side"), [("all_cnn", 8), ("all_cnn_bn", 8), ("wide_resnet", 8)])
def test_image_is_halved_twice(name: str, side: int) -> None:
    options: dict[str, object] = {"widen": 1, "depth": 10} if name == "wide_resnet" else {}
    model = build(name, generator=seeded(3), **options).eval()
    sides: list[int] = []

    def look(module: nn.Module, args: object, output: Tensor) -> None:
        sides.append(output.shape[-1])

    convolutions = [module for module in model.modules() if isinstance(module, nn.Conv2d)]
    for module in convolutions:
        module.register_forward_hook(look)
    model(torch.randn(2, 3, 32, 32, generator=seeded(4)))
    assert sides == sorted(sides, reverse=True)
    assert (sides[0], sides[-1], len(sides)) == (32, side, len(convolutions))


def test_dropout_of_the_papers_is_where_they_have_it() -> None:
    def rates(name: str, **options: object) -> list[float]:
        model = build(name, generator=seeded(3), **options)
        return [module.p for module in model.modules() if isinstance(module, nn.Dropout)]

    assert rates("mnistfc") == [0.2, 0.2, 0.2]
    assert rates("lenet_bn") == [0.25, 0.25, 0.25]
    assert rates("all_cnn") == rates("all_cnn_bn") == [0.2, 0.5, 0.5]
    assert rates("wide_resnet", depth=10, widen=1) == [0.3, 0.3, 0.3]
    assert rates("vgg11") == [0.5, 0.5]
    assert rates("small_lenet") == []


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: models.wide_resnet(18, generator=seeded(3)), "'depth' of wide_resnet .* 6n"),
        (lambda: models.wide_resnet(widen=0, generator=seeded(3)), "'widen' of wide_resnet"),
        (lambda: models.vgg11(dropout=1.5, generator=seeded(3)), "'dropout' of vgg11"),
        (lambda: models.lenet_bn(pools=(30, 2), generator=seeded(3)), "'pools' .* leave something"),
        (lambda: models.lenet_bn(widths=(3,), generator=seeded(3)), "'widths' .* two integers"),
        (lambda: models.small_lenet(hidden=-4, generator=seeded(3)), "'hidden' of small_lenet"),
        (lambda: models.mnistfc(inputs=0, generator=seeded(3)), "'inputs' of mnistfc"),
        (lambda: models.all_cnn(width=0, generator=seeded(3)), "'width' of all_cnn"),
        (lambda: models.all_cnn_bn(classes=0, generator=seeded(3)), "'classes' of all_cnn_bn"),
        (lambda: models.transformer(heads=3, generator=seeded(3)), "'width' .* twice the heads"),
        (lambda: models.ptb_lstm(layers=0, generator=seeded(3)), "'layers' of ptb_lstm"),
        (lambda: models.char_lstm(width=0, generator=seeded(3)), "'width' of char_lstm"),
    ],
)
def test_bad_setting_is_refused(make: Callable[[], nn.Module], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()


def test_page_lists_every_model_with_its_size() -> None:
    page = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines()]
    table = {row[0].strip("`"): row[2] for row in rows if len(row) == 4 and "`" in row[0]}
    assert sorted(table) == models.names()
    for name, printed in table.items():
        if name != "mlp":
            model = build(name, generator=seeded(3))
            num_params = sum(parameter.numel() for parameter in model.parameters())
            assert printed == f"{num_params:,}"
