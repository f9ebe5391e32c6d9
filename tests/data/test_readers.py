"""Readers on small files of the exact layouts, and on files that are not."""

import gzip
import struct
import zipfile
from pathlib import Path

import pytest
import torch
from torch import Tensor

from thermograd import data
from thermograd._errors import DataError, FetchError
from thermograd.data.dataset import Dataset
from thermograd.data.readers.idx import read_idx
from thermograd.noise import seeded

DIGITS = (("train", 30), ("t10k", 20))


def idx(values: Tensor) -> bytes:
    sizes = struct.pack(f">{values.dim()}I", *values.shape)
    return bytes([0, 0, 8, values.dim()]) + sizes + bytes(values.flatten().tolist())


def drawn_digits(num: int, seed: int) -> tuple[Tensor, Tensor]:
    """Return images in which class k is a bright bar in row 2k, on noise."""
    generator = seeded(seed)
    images = torch.randint(0, 90, (num, 28, 28), generator=generator, dtype=torch.uint8)
    y = torch.arange(num) % 10
    images[torch.arange(num), 2 * y] = 255
    return images, y


def write_digits(folder: Path, spelling: str = "{}-{}-idx{}-ubyte", pack: bool = False) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for part, num in DIGITS:
        images, y = drawn_digits(num, num)
        for kind, values in (("images", images), ("labels", y.byte())):
            path = folder / spelling.format(part, kind, values.dim())
            if pack:
                path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(idx(values)))
            else:
                path.write_bytes(idx(values))


@pytest.mark.parametrize("spelling", ["{}-{}-idx{}-ubyte", "{}-{}.idx{}-ubyte"])
@pytest.mark.parametrize("pack", [False, True])
@pytest.mark.parametrize("inside", ["", "mnist", "MNIST/raw"])
def test_digits_are_found_in_the_layouts_people_have(
    spelling: str, pack: bool, inside: str, tmp_path: Path
) -> None:
    write_digits(tmp_path / inside, spelling, pack)
    found = data.load("mnist", to=tmp_path)
    images, y = drawn_digits(30, 30)
    assert torch.equal(found.x, images.unsqueeze(1))
    assert torch.equal(found.y, y)
    assert (found.x.dtype, found.y.dtype) == (torch.uint8, torch.int64)
    assert (found.x_test.shape, found.y_test.shape) == ((20, 1, 28, 28), (20,))
    assert found.classes == tuple("0123456789")


def test_fashion_has_its_own_folder_and_classes(tmp_path: Path) -> None:
    write_digits(tmp_path / "fashion-mnist", pack=True)
    found = data.load("fashion-mnist", to=tmp_path)
    assert (found.name, found.classes[9]) == ("fashion-mnist", "ankle boot")


def test_data_folder_is_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_digits(tmp_path / "mnist")
    monkeypatch.setenv("THERMOGRAD_DATA", str(tmp_path))
    assert len(data.load("mnist").x) == 30


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is no IDX file"),
        (bytes([0, 0, 13, 1, 0, 0, 0, 1]), "is no IDX file"),
        (bytes([0, 0, 8, 1, 0, 0, 0, 3, 5, 5]), "announces 11 bytes and has 10: cut short?"),
        (bytes([0, 0, 8, 1, 0, 0, 0, 1, 5, 5]), "announces 9 bytes and has 10"),
        (bytes([0, 0, 8, 3, 0, 0]), "announces"),
        (gzip.compress(b"0" * 99)[:-9], "is damaged"),
    ],
)
def test_bad_idx_file_is_named(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "bad").write_bytes(content)
    with pytest.raises(DataError, match=message):
        read_idx(tmp_path / "bad")


def test_labels_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    write_digits(tmp_path)
    labels = tmp_path / "train-labels-idx1-ubyte"
    labels.write_bytes(idx(torch.tensor([3, 4], dtype=torch.uint8)))
    with pytest.raises(DataError, match=r"labels of shape \(2,\), which do not fit images"):
        data.load("mnist", to=tmp_path)
    labels.write_bytes(idx(torch.full((30,), 11, dtype=torch.uint8)))
    with pytest.raises(DataError, match="holds the label 11; the last class is 9"):
        data.load("mnist", to=tmp_path)


def test_missing_file_says_where_it_looked_and_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(FetchError) as caught:
        data.load("mnist", to=tmp_path)
    for words in (
        "mnist needs the file train-images-idx3-ubyte or train-images.idx3-ubyte",
        f"looked in {tmp_path / 'mnist'}, {tmp_path / 'MNIST/raw'}, {tmp_path}",
        "Run `thermograd fetch mnist`",
    ):
        assert words in str(caught.value)


def write_cifar(folder: Path, num: int = 4) -> Tensor:
    folder.mkdir(parents=True, exist_ok=True)
    shape = (6, num, 3, 32, 32)
    images = torch.randint(0, 256, shape, generator=seeded(3), dtype=torch.uint8)
    names = [*(f"data_batch_{i}" for i in range(1, 6)), "test_batch"]
    for i, (name, batch) in enumerate(zip(names, images, strict=True)):
        records = (
            bytes([(i + k) % 10, *image.flatten().tolist()]) for k, image in enumerate(batch)
        )
        (folder / f"{name}.bin").write_bytes(b"".join(records))
    return images


@pytest.mark.parametrize("inside", ["", "cifar10", "cifar-10-batches-bin"])
def test_cifar_binary_version(inside: str, tmp_path: Path) -> None:
    images = write_cifar(tmp_path / inside)
    found = data.load("cifar10", to=tmp_path)
    assert torch.equal(found.x, images[:5].flatten(0, 1))
    assert torch.equal(found.x_test, images[5])
    assert found.y.tolist() == [(i + k) % 10 for i in range(5) for k in range(4)]
    assert found.classes[found.y_test[0]] == "dog"


def test_pickled_cifar_is_refused_with_a_way_out(tmp_path: Path) -> None:
    folder = tmp_path / "cifar-10-batches-py"
    folder.mkdir()
    (folder / "data_batch_1").write_bytes(b"\x80\x04.")
    with pytest.raises(FetchError, match=r"pickles: reading one runs the code .* fetch cifar10"):
        data.load("cifar10", to=tmp_path)


def test_truncated_cifar_is_refused(tmp_path: Path) -> None:
    write_cifar(tmp_path)
    path = tmp_path / "data_batch_2.bin"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DataError, match="is no multiple of 3073"):
        data.load("cifar10", to=tmp_path)


def test_words_become_numbers_with_line_ends(tmp_path: Path) -> None:
    (tmp_path / "ptb.train.txt").write_text(" no it was <unk>\n it was\u2028no \n")
    (tmp_path / "ptb.valid.txt").write_text(" was it \n")
    (tmp_path / "ptb.test.txt").write_text(" never\n\n no\n")
    found = data.load_text("ptb", to=tmp_path)
    assert found.vocabulary == ("no", "it", "was", "<unk>", "<eos>")
    assert found.train.tolist() == [0, 1, 2, 3, 4, 1, 2, 0, 4]
    assert found.valid.tolist() == [2, 1, 4]
    assert found.test.tolist() == [3, 4, 4, 0, 4]


def test_unknown_word_without_a_stand_in_is_named(tmp_path: Path) -> None:
    for part, text in (("train", "a b"), ("valid", "a c"), ("test", "a")):
        (tmp_path / f"wiki.{part}.tokens").write_text(text)
    with pytest.raises(DataError, match=r"wiki.valid.tokens has the word 'c'"):
        data.load_text("wikitext2", to=tmp_path)


@pytest.mark.parametrize(
    ("content", "message"), [(b"", "is empty"), (b"\xff\xfe\xfa", "is no UTF-8 text")]
)
def test_bad_text_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "input.txt").write_bytes(content)
    with pytest.raises(DataError, match=message):
        data.load_text("shakespeare", to=tmp_path)


def test_characters_are_cut_at_nine_tenths(tmp_path: Path) -> None:
    text = "to be or not to be:\n" * 3
    (tmp_path / "input.txt").write_text(text)
    found = data.load_text("shakespeare", to=tmp_path)
    assert found.vocabulary == tuple(sorted(set(text)))
    assert (len(found.train), len(found.valid), len(found.test)) == (54, 6, 0)
    back = "".join(found.vocabulary[i] for i in torch.cat([found.train, found.valid]).tolist())
    assert back == text


def write_xlsx(path: Path) -> None:
    """Write a workbook of two columns with shared texts, an empty cell and an empty row."""
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    texts = "".join(f"<si><t>{name}</t></si>" for name in ("PE ", "AT", "V", "AP", "RH"))
    header = "".join(f'<c r="{"ABCDE"[i]}1" t="s"><v>{(i + 1) % 5}</v></c>' for i in range(5))
    body = "".join(f'<c r="{"ABCDE"[i]}2"><v>{i + 0.5}</v></c>' for i in range(5))
    sheet = f'<row r="1">{header}</row><row r="2">{body}</row><row r="3"><c r="E3"/></row>'
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("xl/sharedStrings.xml", f"<sst {main}>{texts}</sst>")
        book.writestr(
            "xl/worksheets/sheet1.xml",
            f"<worksheet {main}><sheetData>{sheet}</sheetData></worksheet>",
        )


def test_workbook(tmp_path: Path) -> None:
    write_xlsx(tmp_path / "Folds5x2_pp.xlsx")
    found = data.load("power", to=tmp_path)
    assert found.features == ("AT", "V", "AP", "RH")
    assert found.x.tolist() == [[0.5, 1.5, 2.5, 3.5]]
    assert found.y.tolist() == [4.5]
    assert found.classes == ()


def test_file_that_is_no_workbook_is_refused(tmp_path: Path) -> None:
    (tmp_path / "Folds5x2_pp.xlsx").write_text("a,b")
    with pytest.raises(DataError, match="is no Excel workbook"):
        data.load("power", to=tmp_path)


TABLES = [
    ("pima", "pima.dat", "6,148,72,35,0,33.6,0.627,50,tested_positive\n", 1),
    ("pima", "pima-indians-diabetes.data", "6,148,72,35,0,33.6,0.627,50,0\n", 0),
    ("pima", "pima.dat", "@relation pima\r\n@data\r\n6,148,72,35,0,33.6,.6,50,positive\r\n", 1),
    ("heart", "heart.dat", "70.0 1.0 4.0 130.0 322.0 0.0 2.0 109.0 0.0 2.4 2.0 3.0 3.0 2\n", 1),
    ("heart", "heart.dat", " ".join(f"X{i}" for i in range(1, 14)) + " C\n" + "7 " * 13 + "1\n", 0),
    ("german", "german.data-numeric", "   1  6 " + "4   " * 22 + "2 \n", 1),
    ("chess", "krkopt.data", "a,1,b,3,c,2,draw\n", 0),
    ("wine", "wine.dat", "14.23, 1.71, 2.43, 15.6, 127, 2.8, 3, .28, 2, 5, 1, 3, 1065, 3\n", 2),
    ("yacht", "yacht_hydrodynamics.data", "-2.3 0.568 4.78 3.99 3.17 0.125 0.11 \n\n", 0.11),
    ("airfoil", "airfoil_self_noise.dat", "800\t0\t0.3048\t71.3\t0.0026\t126.2\n", 126.2),
    ("protein", "CASP.csv", '"RMSD",' + ",".join(f'"F{i}"' for i in range(9)) + "\n17.2"
     + ",3.5" * 9, 17.2),
]  # fmt: skip


@pytest.mark.parametrize(("name", "file", "text", "target"), TABLES)
def test_table_in_each_of_its_spellings(
    name: str, file: str, text: str, target: float, tmp_path: Path
) -> None:
    (tmp_path / file).write_bytes(text.encode())
    found = data.load(name, to=tmp_path)
    assert found.x.shape[0] == 1
    assert found.x.dtype == torch.float64
    assert found.y.tolist() == [target]
    assert len(found.x_test) == 0


def test_header_names_the_columns_without_the_target(tmp_path: Path) -> None:
    names = [f"a name {i}" for i in range(11)]
    header = ";".join(f'"{name}"' for name in [*names, "quality"])
    (tmp_path / "winequality-red.csv").write_text(header + "\n" + "7.4;" * 11 + "5\n")
    assert data.load("wine-red", to=tmp_path).features == tuple(names)


def test_letters_of_the_board_are_their_places(tmp_path: Path) -> None:
    (tmp_path / "krkopt.data").write_text("h,8,b,3,c,2,sixteen\n")
    found = data.load("chess", to=tmp_path)
    assert found.x.tolist() == [[8, 8, 2, 3, 3, 2]]
    assert found.classes[found.y[0]] == "sixteen"


def test_poker_needs_the_files_of_uci_and_reads_them(tmp_path: Path) -> None:
    with pytest.raises(FetchError, match="No registry of packages has this set: take the files"):
        data.load("poker", to=tmp_path)
    (tmp_path / "poker-hand-training-true.data").write_text("1,10,1,11,1,13,1,12,1,1,9\n")
    (tmp_path / "poker-hand-testing.data").write_text("1,1,1,13,2,4,2,3,1,12,0\n" * 3)
    found = data.load("poker", to=tmp_path)
    assert found.classes[found.y[0]] == "royal flush"
    assert found.y_test.tolist() == [0, 0, 0]


LOST = ("1,2208.0,1146.0,2,4,4,1585.0,0,0,0,1,2,100,1213,0\n", True)
RIGHT = ("1 22.08 11.46 2 4 4 1.585 0 0 0 1 2 100 1213 0\n", False)


@pytest.mark.parametrize(("text", "is_damaged"), [LOST, RIGHT])
def test_lost_decimal_points_are_said(text: str, is_damaged: bool, tmp_path: Path) -> None:
    (tmp_path / "australian.dat").write_text(text)
    if is_damaged:
        with pytest.warns(UserWarning, match="lost the decimal points of the columns") as caught:
            data.load("australian", to=tmp_path)
        assert caught[0].filename == __file__
    else:
        assert data.load("australian", to=tmp_path).x[0, 1] == 22.08


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no rows"),
        ("6,148,72,35,0,33.6,0.627,50\n", "row 1 has 8 columns; pima has 9"),
        ("6,148,72,35,0,33.6,0.627,50,0\n6,148,?,35,0,33.6,1,50,1\n", "row 2: '[?]' is no number"),
        ("6,148,72,35,0,33.6,0.627,50,2\n", "'2' is no class of pima; these are negative, pos"),
    ],
)
def test_bad_row_is_named(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "pima.dat").write_text(text)
    with pytest.raises(DataError, match=message):
        data.load("pima", to=tmp_path)


def test_unknown_names_point_to_the_right_loader() -> None:
    with pytest.raises(LookupError, match=r"'ptb'.* Text is loaded by load_text"):
        data.load("ptb")
    with pytest.raises(LookupError, match=r"'mnist'.* Images and tables are loaded by load"):
        data.load_text("mnist")


def a_table(num: int = 40) -> Dataset:
    x = torch.randn((num, 3), generator=seeded(2), dtype=torch.float64) * 2.5 + 7
    x[:, 1] = 4.0
    y = torch.arange(num, dtype=torch.float64)
    return Dataset("planted", x, y, x[:5] + 3, y[:5])


def test_normalised_table_uses_the_moments_of_the_training_rows() -> None:
    raw = a_table()
    found = raw.normalised(torch.float64)
    x = raw.x[:, [0, 2]]
    mean, sd = x.mean(0), x.std(0, correction=0)
    torch.testing.assert_close(found.x[:, [0, 2]], (x - mean) / sd)
    torch.testing.assert_close(found.x_test[:, [0, 2]], (raw.x_test[:, [0, 2]] - mean) / sd)
    assert found.x[:, 1].tolist() == [0.0] * 40
    assert torch.equal(found.y, raw.y)
    assert raw.normalised().y.dtype == torch.float32


def test_normalised_images_have_unit_moments_per_channel() -> None:
    x = torch.randint(0, 200, (30, 3, 5, 4), generator=seeded(6), dtype=torch.uint8)
    x[:, 1] //= 2
    found = Dataset("planted", x, torch.arange(30), x[:2], torch.arange(2)).normalised(
        torch.float64
    )
    values = found.x.transpose(0, 1).flatten(1)
    ones = torch.ones(3, dtype=torch.float64)
    torch.testing.assert_close(values.mean(1), 0 * ones, rtol=0, atol=1e-12)
    torch.testing.assert_close(values.var(1, correction=0), ones, rtol=0, atol=1e-12)
    assert (found.y.dtype, found.y_test.tolist()) == (torch.int64, [0, 1])


def test_split_keeps_every_row_once() -> None:
    raw = a_table()
    found = raw.split(12, seeded(4))
    assert (len(found.x), len(found.x_test)) == (28, 12)
    assert sorted(torch.cat([found.y, found.y_test]).tolist()) == raw.y.tolist()
    assert torch.equal(found.x_test, raw.x[found.y_test.long()])
    for num in (0, 40):
        with pytest.raises(ValueError, match="the 'num_test' of split must be between 0 and 40"):
            raw.split(num, seeded(4))
