"""Residual networks: published counts, a literal forward pass, images of several sizes."""

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from thermograd._errors import ParameterError
from thermograd.models import build, resnet18, resnet34
from thermograd.noise import seeded


@pytest.mark.parametrize(
    ("name", "options", "num_params"),
    [
        ("resnet18", {}, 11_173_962),
        ("resnet18", {"stem": "imagenet"}, 11_689_512 - 990 * 513),
        ("resnet18", {"stem": "imagenet", "classes": 1000}, 11_689_512),
        ("resnet34", {}, 21_289_802 - 64 * 3 * (49 - 9)),
        ("resnet34", {"stem": "imagenet", "classes": 1000}, 21_797_672),
        ("resnet34", {"stem": "imagenet"}, 21_289_802),
    ],
)
def test_size_is_the_published_one(name: str, options: dict[str, object], num_params: int) -> None:
    model = build(name, generator=seeded(3), **options)
    assert sum(parameter.numel() for parameter in model.parameters()) == num_params


@pytest.mark.parametrize("stem", ["cifar", "imagenet"])
@pytest.mark.parametrize("name", ["resnet18", "resnet34"])
def test_narrow_network_maps_images_to_classes(name: str, stem: str) -> None:
    model = build(name, generator=seeded(3), classes=7, channels=2, width=3, stem=stem)
    assert model(torch.randn(2, 2, 40, 36, generator=seeded(4))).shape == (2, 7)


def test_outputs_are_those_of_the_formula() -> None:
    model = resnet18(5, width=3, generator=seeded(3)).double().eval()
    generator = seeded(4)
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            for tensor in (module.running_mean, module.running_var, module.weight, module.bias):
                assert tensor is not None
                tensor.data.uniform_(0.6, 1.7, generator=generator)
    x = torch.randn(2, 3, 16, 16, generator=generator, dtype=torch.float64)
    torch.testing.assert_close(model(x), _literal(dict(model.state_dict()), x, (2, 2, 2, 2)))


def _literal(values: dict[str, Tensor], x: Tensor, blocks: tuple[int, ...]) -> Tensor:
    def norm(name: str, y: Tensor) -> Tensor:
        mean, var, weight, bias = (
            values[f"{name}.{kind}"].view(1, -1, 1, 1)
            for kind in ("running_mean", "running_var", "weight", "bias")
        )
        return (y - mean) / (var + 1e-5).sqrt() * weight + bias

    def conv(name: str, y: Tensor, stride: int) -> Tensor:
        weight = values[f"{name}.weight"]
        return functional.conv2d(y, weight, stride=stride, padding=weight.shape[-1] // 2)

    y = norm("bn1", conv("conv1", x, 1)).clamp(min=0)
    for layer, number in enumerate(blocks, 1):
        for block in range(number):
            name = f"layer{layer}.{block}"
            stride = 2 if layer > 1 and block == 0 else 1
            inner = norm(f"{name}.bn1", conv(f"{name}.conv1", y, stride)).clamp(min=0)
            inner = norm(f"{name}.bn2", conv(f"{name}.conv2", inner, 1))
            around = y
            if stride == 2:
                around = norm(f"{name}.downsample.1", conv(f"{name}.downsample.0", y, stride))
            y = (inner + around).clamp(min=0)
    return y.mean((2, 3)) @ values["fc.weight"].T + values["fc.bias"]


def test_bad_setting_is_refused() -> None:
    with pytest.raises(ParameterError, match="'stem' of ResNet must be one of 'cifar', 'imagenet'"):
        resnet34(stem="mnist", generator=seeded(3))  # pyright: ignore[reportArgumentType]
    with pytest.raises(ParameterError, match="'width' of ResNet must be an integer above 0"):
        resnet34(width=0, generator=seeded(3))
