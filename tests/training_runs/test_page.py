"""docs/how-to/many-machines.md: its file runs, and its table is the formula's."""

import re
from pathlib import Path

import pytest

from thermograd.config import start_training, training_from_text
from thermograd.models import build
from thermograd.noise import seeded
from thermograd.replicas import Ledger

PAGE = (Path(__file__).parents[2] / "docs/how-to/many-machines.md").read_text()


@pytest.mark.training
def test_file_of_the_page_trains(tmp_path: Path) -> None:
    (text,) = re.findall(r"```toml title=\"parle.toml\"\n(.*?)```", PAGE, re.DOTALL)
    done = start_training(*training_from_text(text), tmp_path)
    assert done is not None
    assert done.test_error is not None
    assert done.test_error < 0.2
    assert done.account.messages == 1 + 2 + 150 // 25


def test_table_of_bytes_is_the_model() -> None:
    rows = re.findall(r"\(`(\w+)`\) \| ([\d,]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|", PAGE)
    assert [row[0] for row in rows] == ["lenet_bn", "all_cnn"]
    for name, num, every_step, parle, short in rows:
        d = sum(q.numel() for q in build(name, generator=seeded(0)).parameters())
        assert int(num.replace(",", "")) == d
        expected = (Ledger.model(d, 4, 1, 1), Ledger.model(d, 4, 25, 1), Ledger.model(d, 2, 25, 1))
        assert [every_step, parle, short] == [f"{value / 1e6:.3f}" for value in expected]
