"""A registry of packages in memory, and clients that "download" from it."""

import hashlib
import io
import tarfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from thermograd.data._clients import command
from thermograd.data.sources import DataSet, Source

SUFFIX = {"pip": "-py3-none-any.whl", "npm": ".tgz", "apt": "_all.deb"}


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def packed(client: str, members: Mapping[str, bytes]) -> bytes:
    """Return a package file of the kind that a client delivers."""
    buffer = io.BytesIO()
    if client == "pip":
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as box:
            for name, body in members.items():
                box.writestr(name, body)
        return buffer.getvalue()
    with tarfile.open(fileobj=buffer, mode="w:gz" if client == "npm" else "w:xz") as tar:
        for name, body in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(body)
            tar.addfile(entry, io.BytesIO(body))
    return buffer.getvalue() if client == "npm" else debian(buffer.getvalue())


def debian(data: bytes) -> bytes:
    """Return an `ar` archive as Debian has it, with members of odd length before the data."""
    out = b"!<arch>\n"
    for name, body in (
        ("debian-binary", b"2.0"),
        ("control.tar.xz", b"odd"),
        ("data.tar.xz", data),
    ):
        header = f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(body):<10}`\n".encode()
        out += header + body + b"\n" * (len(body) % 2)
    return out


@dataclass
class Registry:
    """Packages, by the command that fetches them, and what was asked of it.

    Attributes:
        calls: the packages asked for, in order.
    """

    archives: dict[tuple[str, ...], tuple[str, bytes]] = field(
        default_factory=dict[tuple[str, ...], tuple[str, bytes]]
    )
    faults: dict[str, Exception | bytes | None] = field(
        default_factory=dict[str, Exception | bytes | None]
    )
    calls: list[str] = field(default_factory=list[str])

    def add(
        self,
        client: str,
        package: str,
        members: Mapping[str, bytes],
        names: Mapping[str, str],
        recipe: str = "as_they_are",
        gives: Sequence[str] = (),
    ) -> Source:
        """Publish a package and return the source that describes it.

        Args:
            client: pip, npm or apt.
            package: its name.
            members: path in the archive and content.
            names: path in the archive and the name it is handed on under.
            recipe: as in a source.
            gives: as in a source.
        """
        content = packed(client, members)
        source = Source(
            client=client,
            package=package,
            version="2.3",
            archive=f"{package}-2.3{SUFFIX[client]}",
            sha256=sha256(content),
            num_bytes=len(content),
            members=tuple(names.items()),
            recipe=recipe,
            gives=tuple(gives),
        )
        self.archives[tuple(command(source))] = (source.archive, content)
        return source

    def run(self, words: Sequence[str], folder: Path) -> None:
        """Be a client: write the archive into the folder, or fail as told in `faults`."""
        name, content = self.archives[tuple(words)]
        package = name.partition("-2.3")[0]
        self.calls.append(package)
        fault = self.faults.get(package, content)
        if isinstance(fault, Exception):
            raise fault
        if fault is not None:
            (folder / name).write_bytes(fault)


def data_set(files: Mapping[str, bytes], *sources: Source) -> DataSet:
    hashes = {name: sha256(body) for name, body in files.items()}
    return DataSet("planted", "a planted set", "public domain", hashes, sources)
