"""HTML made of nodes. Text is escaped unless it is a node, so nothing a run says is code."""

import html
from collections.abc import Sequence

VOID = ("meta", "br")


class Html(str):
    """Text that is HTML; everything else is escaped."""

    __slots__ = ()


def node(name: str, /, *children: str, **attributes: str) -> Html:
    """Return an element.

    Args:
        name: of the element.
        children: text, which is escaped, and elements, which are not.
        attributes: their values, escaped; an underscore at the end of a name is dropped.
    """
    said = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(value)}"'
        for key, value in attributes.items()
    )
    inner = "".join(escaped(child) for child in children)
    return Html(f"<{name}{said}>" if name in VOID else f"<{name}{said}>{inner}</{name}>")


def escaped(text: str) -> Html:
    """Return text as HTML."""
    return text if isinstance(text, Html) else Html(html.escape(text))


def joined(parts: Sequence[str]) -> Html:
    """Return parts one after the other."""
    return Html("".join(escaped(part) for part in parts))


def table(header: Sequence[str], rows: Sequence[Sequence[str]], numbers: int = 0) -> Html:
    """Return a table that scrolls sideways where it is too wide.

    Args:
        header: titles of the columns.
        rows: the cells.
        numbers: how many of the first columns are words; the others are aligned as numbers.
    """

    def cells(kind: str, row: Sequence[str]) -> Html:
        return joined(
            [
                node(kind, cell, class_="number") if 0 < numbers <= place else node(kind, cell)
                for place, cell in enumerate(row)
            ]
        )

    head = node("thead", node("tr", cells("th", header)))
    body = node("tbody", *(node("tr", cells("td", row)) for row in rows))
    return node("div", node("table", head, body), class_="scroll")


def label(text: str) -> str:
    """Return a text for a figure, whose labels read a few tags and the entities."""
    return html.escape(text, quote=False).replace("$", "&#36;")
