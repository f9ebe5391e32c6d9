"""The real sets, counted; skipped unless THERMOGRAD_DATA names a folder that has them.

Expected: the published sizes, and moments and class counts that the sets are known by.
"""

import os
import warnings
from pathlib import Path

import pytest

from thermograd import data
from thermograd.data.dataset import Dataset
from thermograd.data.fetch import missing_files
from thermograd.data.sources import SETS

DIGITS = (
    [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949],
    [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009],
)
IMAGES = [
    ("mnist", (60_000, 10_000), (1, 28, 28), DIGITS, [0.1307], [0.3081]),
    ("fashion-mnist", (60_000, 10_000), (1, 28, 28), ([6000] * 10, [1000] * 10),
     [0.2860], [0.3530]),
    ("cifar10", (50_000, 10_000), (3, 32, 32), ([5000] * 10, [1000] * 10),
     [0.4914, 0.4822, 0.4465], [0.2470, 0.2435, 0.2616]),
]  # fmt: skip
TEXTS = [
    ("ptb", (929_589, 73_760, 82_430), 10_000),
    ("wikitext2", (2_088_628, 217_646, 245_569), 33_278),
    ("shakespeare", (1_003_854, 111_540, 0), 65),
]
CLASSES = [
    ("australian", "uci", 14, [383, 307]),
    ("german", "uci", 24, [700, 300]),
    ("heart", "heart", 13, [150, 120]),
    ("pima", "uci", 8, [500, 268]),
    ("wine", "uci", 13, [59, 71, 48]),
    ("chess", "uci", 6, [2796, 27, 78, 246, 81, 198, 471, 592, 683, 1433, 1712, 1985, 2854, 3597,
                         4194, 4553, 2166, 390]),
]  # fmt: skip
TARGETS = [
    ("wine-red", (1599, 11), 5.636),
    ("wine-white", (4898, 11), 5.878),
    ("yacht", (308, 6), 10.495),
    ("concrete", (1030, 8), 35.818),
    ("power", (9568, 4), 454.365),
    ("protein", (45_730, 9), 7.749),
    ("airfoil", (1503, 5), 124.836),
]


def need(name: str) -> None:
    """Skip the test unless the set is in the folder that THERMOGRAD_DATA names."""
    folder = os.environ.get("THERMOGRAD_DATA")
    if not folder:
        pytest.skip("set THERMOGRAD_DATA to a folder filled by `thermograd fetch`")
    if missing := missing_files(SETS[name], Path(folder) / name):
        pytest.skip(f"{folder} lacks {missing}: run `thermograd fetch {name}`")


def load(name: str) -> Dataset:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the state of australian is known
        return data.load(name)


@pytest.mark.parametrize(("name", "sizes", "shape", "counts", "mean", "sd"), IMAGES)
def test_images(
    name: str,
    sizes: tuple[int, int],
    shape: tuple[int, ...],
    counts: tuple[list[int], list[int]],
    mean: list[float],
    sd: list[float],
) -> None:
    need(name)
    found = load(name)
    assert (found.x.shape, found.x_test.shape) == ((sizes[0], *shape), (sizes[1], *shape))
    assert (found.y.bincount().tolist(), found.y_test.bincount().tolist()) == counts
    for channel in range(shape[0]):
        values = found.x[:, channel].double() / 255
        assert round(values.mean().item(), 4) == mean[channel]
        assert round(values.std(correction=0).item(), 4) == sd[channel]


def test_cifar_starts_as_published() -> None:
    need("cifar10")
    found = load("cifar10")
    assert found.x[0, :, 0, 0].tolist() == [59, 62, 63]
    assert [found.classes[i] for i in found.y[:3]] == ["frog", "truck", "truck"]


@pytest.mark.parametrize(("name", "sizes", "num_words"), TEXTS)
def test_texts(name: str, sizes: tuple[int, int, int], num_words: int) -> None:
    need(name)
    found = data.load_text(name)
    assert (len(found.train), len(found.valid), len(found.test)) == sizes
    assert len(found.vocabulary) == num_words


def test_wikitext_has_its_unknown_words() -> None:
    need("wikitext2")
    found = data.load_text("wikitext2")
    assert int((found.train == found.vocabulary.index("<unk>")).sum()) == 54_625


@pytest.mark.parametrize(("name", "kept", "num_features", "counts"), CLASSES)
def test_tables_of_classes(name: str, kept: str, num_features: int, counts: list[int]) -> None:
    need(kept)
    found = load(name)
    assert found.x.shape == (sum(counts), num_features)
    assert found.y.bincount().tolist() == counts


@pytest.mark.parametrize(("name", "shape", "mean"), TARGETS)
def test_tables_of_targets(name: str, shape: tuple[int, int], mean: float) -> None:
    need("uci")
    found = load(name)
    assert found.x.shape == shape
    assert round(found.y.mean().item(), 3) == mean
