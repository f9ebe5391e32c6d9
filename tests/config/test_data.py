"""Data of a configuration: one's own files, splits, and models of one's own."""

from pathlib import Path

import numpy as np
import pytest
import torch

from thermograd._errors import DataError, ParameterError
from thermograd.config import build_target, from_text, load_data, start_run
from thermograd.potentials import Network

TEXT = """
[run]
walkers = 2
steps = 5
temperature = 0.7
step_size = 0.01
compile = false
[model]
name = "mlp"
options = { sizes = [2, 3, 1] }
dtype = "float64"
[data]
file = "table.csv"
normalise = false
[loss]
name = "gaussian"
sd = 0.6
"""
TABLE = "a,b,c\n0.5,1.5,2.5\n-1.0,0.25,3.0\n4.0,-2.0,0.5\n"


def test_csv_is_read_as_it_stands(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text(TABLE)
    data = load_data(*from_text(TEXT, folder=tmp_path))
    expected = torch.tensor([[0.5, 1.5], [-1.0, 0.25], [4.0, -2.0]], dtype=torch.float64)
    assert torch.equal(data.x, expected)
    assert torch.equal(data.y, torch.tensor([2.5, 3.0, 0.5], dtype=torch.float64))
    assert data.features == ("a", "b")
    chosen = load_data(*from_text(TEXT, changes={"data.target": "a"}, folder=tmp_path))
    assert chosen.y.tolist() == [0.5, -1.0, 4.0]
    split = load_data(*from_text(TEXT, changes={"data.num_test": "1"}, folder=tmp_path))
    assert (len(split.x), len(split.x_test)) == (2, 1)


def test_targets_are_normalised_on_request(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text(TABLE)
    changes = {"data.normalise": "true", "data.normalise_targets": "true"}
    data = load_data(*from_text(TEXT, changes=changes, folder=tmp_path))
    for values in (data.x, data.y):
        assert torch.allclose(values.mean(0), torch.zeros((), dtype=values.dtype), atol=1e-14)
        assert torch.allclose(values.square().mean(0), torch.ones((), dtype=values.dtype))


def test_npz_is_read(tmp_path: Path) -> None:
    x, y = np.array([[0.5, 2.5], [3.5, -1.0]]), np.array([0.25, 0.75])
    np.savez(tmp_path / "mine.npz", x=x, y=y, x_test=x[:1], y_test=y[:1])
    data = load_data(*from_text(TEXT, changes={"data.file": "mine.npz"}, folder=tmp_path))
    assert np.array_equal(data.x.numpy(), x)
    assert data.y_test.tolist() == [0.25]
    np.savez(tmp_path / "mine.npz", a=x)
    with pytest.raises(DataError, match="needs arrays x and y; it has a"):
        load_data(*from_text(TEXT, changes={"data.file": "mine.npz"}, folder=tmp_path))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a,b,c\n", "needs a header and at least one row"),
        ("a,b,c\n1,2\n", "row 2 has 2 columns; the header has 3"),
        ("a,b,c\n1,2,x\n", "row 2: could not convert string to float: 'x'"),
    ],
)
def test_damaged_csv_is_named(content: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text(content)
    with pytest.raises(DataError, match=said):
        load_data(*from_text(TEXT, folder=tmp_path))


def test_missing_file_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"configuration, line 12: there is no file .*table"):
        load_data(*from_text(TEXT, folder=tmp_path))


@pytest.mark.usefixtures("global_rng")
def test_model_of_ones_own_stands_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text(TABLE)
    own = "import torch\ndef flat(width):\n    m = torch.nn.Linear(width, 1)\n"
    own += "    torch.nn.init.constant_(m.weight, 0.3)\n    torch.nn.init.zeros_(m.bias)\n"
    (tmp_path / "own_model_of_test.py").write_text(own + "    return m\n")
    changes = {"model.name": "own_model_of_test:flat", "model.options": "{ width = 2 }"}
    config, source = from_text(TEXT, changes=changes, folder=tmp_path)
    target = build_target(config, source)
    run = start_run(config, source, progress=False)
    assert isinstance(target, Network)
    assert list(run.names) == list(target.names) == ["weight", "bias"]
    assert target.num_params == 3


def test_language_model_is_a_target_by_name(tmp_path: Path) -> None:
    (tmp_path / "input.txt").write_text("to be or not to be " * 20)
    vocabulary = len(set("to be or not to be "))
    changes = {
        "model.name": "transformer",
        "model.options": f"{{vocabulary = {vocabulary}, width = 8, hidden = 4, dropout = 0.0}}",
        "loss.name": "cross_entropy",
    }
    text = TEXT.replace('file = "table.csv"', 'text = "shakespeare"\nlength = 9\nfolder = "."')
    config, source = from_text(text.replace("sd = 0.6", ""), changes=changes, folder=tmp_path)
    data = load_data(config, source)
    assert (data.x.shape, data.x.dtype) == ((341 // 9, 9), torch.int64)
    assert len(data.classes) == vocabulary
    target = build_target(config, source)
    assert isinstance(target, Network)
    assert target.is_vectorized
    assert target.num_data == 341 // 9
