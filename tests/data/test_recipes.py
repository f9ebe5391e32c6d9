"""Recipes: the usual files come out of what packages hold, and pixels out of PNG sheets."""

import gzip
import json
import struct
import zlib

import numpy as np
import pytest

from thermograd._errors import DataError
from thermograd.data._png import Bytes, read_png
from thermograd.data._recipes import cook

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def pixels(height: int, width: int, channels: int) -> Bytes:
    draw = np.random.Generator(np.random.PCG64(7))
    return draw.integers(0, 256, (height, width, channels), dtype=np.uint8)


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(image: Bytes, filters: list[int], colour: int, interlace: int = 0) -> bytes:
    """Write a PNG file byte by byte as its standard says, row r with filter r mod the list."""
    height, width, channels = image.shape
    rows = image.reshape(height, -1).tolist()
    raw = b""
    for r, row in enumerate(rows):
        kind = filters[r % len(filters)]
        above = rows[r - 1] if r else [0] * len(row)
        raw += bytes([kind, *(filtered(kind, row, above, i, channels) for i in range(len(row)))])
    header = struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, interlace)
    packed = zlib.compress(raw)
    halves = (packed[: len(packed) // 2], packed[len(packed) // 2 :])
    data = b"".join(chunk(b"IDAT", half) for half in halves)
    return SIGNATURE + chunk(b"IHDR", header) + data + chunk(b"IEND", b"")


def filtered(kind: int, row: list[int], above: list[int], i: int, step: int) -> int:
    a = row[i - step] if i >= step else 0
    b = above[i]
    c = above[i - step] if i >= step else 0
    return (row[i] - [0, a, b, (a + b) // 2, paeth(a, b, c)][kind]) % 256


def paeth(a: int, b: int, c: int) -> int:
    p = a + b - c
    if abs(p - a) <= abs(p - b) and abs(p - a) <= abs(p - c):
        return a
    return b if abs(p - b) <= abs(p - c) else c


@pytest.mark.parametrize("filters", [[0], [1], [2], [3], [4], [4, 1, 3, 0, 2]])
@pytest.mark.parametrize(("channels", "colour"), [(1, 0), (3, 2)])
def test_png_is_read_with_every_filter(filters: list[int], channels: int, colour: int) -> None:
    image = pixels(11, 6, channels)
    assert np.array_equal(read_png(png(image, filters, colour)), image)


def test_png_that_is_damaged_or_of_another_kind_is_refused() -> None:
    good = png(pixels(4, 4, 3), [1], 2)
    bent = bytearray(good)
    bent[60] ^= 1
    for data, message in (
        (b"GIF89a", "not a PNG file"),
        (bytes(bent), "fails its checksum"),
        (good[:50], "damaged"),
        (png(pixels(4, 4, 3), [1], 2, interlace=1), "not interlaced"),
        (png(pixels(4, 4, 1), [1], 3), "8 bits, grey or RGB"),
    ):
        with pytest.raises(DataError, match=message):
            read_png(data)


def test_cifar_sheets_become_the_binary_version() -> None:
    """Two training sheets of three images each, one a row, and one test sheet."""
    names = ("data_batch_1", "data_batch_2", "test_batch")
    sheets = {name: pixels(3, 1024, 3) + np.uint8(i) for i, name in enumerate(names)}
    contents = {name: png(image, [1, 4], 2) for name, image in sheets.items()}
    contents["train_labels"] = json.dumps([3, 9, 0, 2, 7, 5]).encode()
    contents["test_labels"] = json.dumps([4, 8, 6]).encode()
    files = cook("cifar_from_sheets", contents)
    for name, labels in zip(names, ([3, 9, 0], [2, 7, 5], [4, 8, 6]), strict=True):
        expected = b"".join(
            bytes([label]) + b"".join(image[:, plane].tobytes() for plane in range(3))
            for label, image in zip(labels, sheets[name], strict=True)
        )
        assert files[f"{name}.bin"] == expected


def test_csv_becomes_idx() -> None:
    rows = pixels(5, 785, 1)[:, :, 0]
    text = "label," + ",".join(f"p{i}" for i in range(784)) + "\n"
    text += "".join(",".join(map(str, row)) + "\n" for row in rows.tolist())
    files = cook("idx_from_csv", {"train": text.encode()})
    assert files["train-labels-idx1-ubyte"] == (
        bytes([0, 0, 8, 1, 0, 0, 0, 5]) + rows[:, 0].tobytes()
    )
    assert files["train-images-idx3-ubyte"] == (
        bytes([0, 0, 8, 3, 0, 0, 0, 5, 0, 0, 0, 28, 0, 0, 0, 28]) + rows[:, 1:].tobytes()
    )


def test_literals_are_parsed_and_never_run(tmp_path_factory: pytest.TempPathFactory) -> None:
    witness = tmp_path_factory.mktemp("run") / "witness"
    source = (
        f"open({str(witness)!r}, 'w').write('was run')\n"
        "penn = {}\n"
        "penn['train'] = 'no it was\\n black monday \\n\\n'\n"
        "penn['test'] = '''two\nlines\n'''\n"
    )
    files = cook("texts_from_literals", {"literals": source.encode()})
    assert files == {
        "ptb.train.txt": b"no it was\n black monday \n",
        "ptb.test.txt": b"two\nlines\n",
    }
    assert not witness.exists()


def test_literal_that_is_a_call_is_refused() -> None:
    with pytest.raises(DataError, match="not as expected"):
        cook("texts_from_literals", {"literals": b"penn['train'] = open('x').read()"})


def test_rare_words_become_unknown() -> None:
    raw = {"train": " a a a b\n b c a\n b\n", "valid": " a d b\n", "test": " c\n\n = a =\n"}
    files = cook("word_level", {part: gzip.compress(text.encode()) for part, text in raw.items()})
    assert files == {
        "wiki.train.tokens": b" a a a b\n b <unk> a\n b\n",
        "wiki.valid.tokens": b" a <unk> b\n",
        "wiki.test.tokens": b" <unk>\n\n <unk> a <unk>\n",
    }


def test_missing_member_of_a_recipe_is_a_data_error() -> None:
    with pytest.raises(DataError, match="not as expected: 'train'"):
        cook("word_level", {"valid": gzip.compress(b"a")})
