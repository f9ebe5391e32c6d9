"""Reads named members out of a wheel, an npm tarball or a Debian package, and writes nothing.

A member's path is compared with the names asked for and never becomes a path on disk, so an
archive cannot reach outside of anything.
"""

import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Collection
from pathlib import Path

from .._errors import DataError

_AR_MAGIC, _AR_HEADER = b"!<arch>\n", 60
_FAULTS = (tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError, zlib.error, EOFError, ValueError)


def read_members(archive: Path, paths: Collection[str]) -> dict[str, bytes]:
    """Return the contents of the members at `paths`.

    Raises:
        DataError: if the archive cannot be read or lacks one of them.
    """
    try:
        found = _read(archive, set(paths))
    except _FAULTS as error:
        raise DataError(f"{archive.name} cannot be unpacked: {error}") from error
    if missing := sorted(set(paths) - found.keys()):
        raise DataError(f"{archive.name} has no regular file {missing[0]!r}")
    return found


def _read(archive: Path, paths: set[str]) -> dict[str, bytes]:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as box:
            return {path: box.read(path) for path in paths & set(box.namelist())}
    if archive.suffix == ".deb":
        return _read_tar(tarfile.open(fileobj=io.BytesIO(_deb_data(archive.read_bytes()))), paths)
    return _read_tar(tarfile.open(archive), paths)


def _read_tar(tar: tarfile.TarFile, paths: set[str]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    with tar:
        for member in tar:
            if member.name in paths and member.isreg():
                body = tar.extractfile(member)
                found[member.name] = body.read() if body is not None else b""
    return found


def _deb_data(package: bytes) -> bytes:
    """Return the tar file `data.tar.*` of a Debian package, which is an `ar` archive."""
    if not package.startswith(_AR_MAGIC):
        raise ValueError("it is no Debian package")
    position = len(_AR_MAGIC)
    while position + _AR_HEADER <= len(package):
        header = package[position : position + _AR_HEADER]
        name, size = header[:16].decode("ascii").strip().rstrip("/"), int(header[48:58])
        position += _AR_HEADER
        if name.startswith("data.tar"):
            return package[position : position + size]
        position += size + size % 2
    raise ValueError("it has no member data.tar")
