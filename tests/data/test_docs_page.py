"""The tables of docs/data.md say what the code says."""

from pathlib import Path

from thermograd.data.readers.uci import TABLES
from thermograd.data.sources import SETS, DataSet

PAGE = (Path(__file__).parents[2] / "docs" / "data.md").read_text()


def row(found: DataSet) -> str:
    first, *others = found.sources
    listed = ", ".join(f"{source.client} `{source.package}`" for source in others) or "–"
    size = f"{found.num_bytes / 1e6:.1f}"
    if set(first.files) != set(found.files):
        together = " and ".join(f"{source.client} `{source.package}`" for source in found.sources)
        return f"| `{found.name}` | {together} | – | {size} | {found.licence} |"
    return (
        f"| `{found.name}` | {first.client} `{first.package}` | {listed} | {size} | "
        f"{found.licence} |"
    )


def test_every_set_has_its_row() -> None:
    assert [row(found) for found in SETS.values() if row(found) not in PAGE] == []


def test_every_table_has_its_row() -> None:
    lines = {line.split("|")[1].strip(): line for line in PAGE.splitlines() if line.count("|") == 6}
    for table in TABLES.values():
        cells = [cell.strip() for cell in lines[f"`{table.name}`"].split("|")]
        target = f"{len(table.classes)} classes" if table.classes else "number"
        kept = f"`{table.fetched_as}`" if table.fetched_as else "–"
        assert cells[3:6] == [str(table.num_features), target, kept]
