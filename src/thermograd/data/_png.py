"""Reads the plain PNG files that image sets are packed in: 8 bits, grey or RGB, not interlaced."""

import struct
import zlib
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .._errors import DataError

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_NUM_CHANNELS = {0: 1, 2: 3}  # by the colour type of the header
_UP, _LEFT, _AVERAGE, _PAETH = 2, 1, 3, 4

Bytes = NDArray[np.uint8]


def read_png(data: bytes) -> Bytes:
    """Return the pixels of a PNG file, shape (height, width, channels).

    Raises:
        DataError: if the file is damaged or of a kind this does not read.
    """
    if not data.startswith(_SIGNATURE):
        raise DataError("not a PNG file: its first eight bytes are others")
    try:
        chunks = list(_chunks(data))
        width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", chunks[0][1])
        packed = b"".join(body for kind, body in chunks if kind == b"IDAT")
        raw = np.frombuffer(zlib.decompress(packed), np.uint8)
    except (struct.error, zlib.error, IndexError) as error:
        raise DataError(f"the PNG file is damaged: {error}") from error
    if depth != 8 or colour not in _NUM_CHANNELS or interlace:
        raise DataError("only PNG files of 8 bits, grey or RGB, not interlaced, are read")
    channels = _NUM_CHANNELS[colour]
    if raw.size != height * (1 + width * channels):
        raise DataError(f"the PNG file holds {raw.size} bytes, not those of {height} rows")
    rows = raw.reshape(height, 1 + width * channels)
    return _unfilter(rows[:, 0], rows[:, 1:], channels).reshape(height, width, channels)


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    position = len(_SIGNATURE)
    while position < len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        end = position + 8 + length
        (check,) = struct.unpack_from(">I", data, end)
        if check != zlib.crc32(data[position + 4 : end]):
            raise DataError(f"the PNG file is damaged: a chunk {kind!r} fails its checksum")
        yield kind, data[position + 8 : end]
        position = end + 4


def _unfilter(kinds: Bytes, filtered: Bytes, step: int) -> Bytes:
    """Undo the filter of each row; sums wrap at 256, as uint8 does by itself."""
    out = np.empty_like(filtered)
    above = np.zeros_like(filtered[0])
    for kind, row, target in zip(kinds, filtered, out, strict=True):
        if kind == _LEFT:
            target[:] = row.reshape(-1, step).cumsum(0, dtype=np.uint8).reshape(-1)
        elif kind == _UP:
            np.add(row, above, out=target)
        elif kind in {_AVERAGE, _PAETH}:
            target[:] = _sequential(int(kind), row.tolist(), above.tolist(), step)
        elif kind == 0:
            target[:] = row
        else:
            raise DataError(f"the PNG file is damaged: there is no filter {kind}")
        above = target
    return out


def _sequential(kind: int, row: list[int], above: list[int], step: int) -> list[int]:
    """Undo a filter in which each byte needs the one just decoded."""
    out = [0] * step + row
    for i, value in enumerate(row):
        left, up = out[i], above[i]
        if kind == _AVERAGE:
            guess = (left + up) // 2
        else:
            corner = above[i - step] if i >= step else 0
            guess = min((left, up, corner), key=lambda near: abs(left + up - corner - near))
        out[i + step] = (value + guess) % 256
    return out[step:]
