"""What an exchange costs, for more replicas than there are cores to measure with.

With latency α in seconds a message, β in seconds a byte on the wire, and s bytes from each of n
replicas:

    tree          2 ⌈log₂ n⌉ (α + β s)                      reduce to one, and broadcast
    ring          2 (n − 1) α + 2 (n − 1)/n · β s           all-reduce in pieces
    gather        (n − 1) (α + β s)                         all-gather: the order "rank"
    hierarchical  the gathers of its levels, each 1/everyₖ as often: Σₖ (nₖ − 1) (α + β s) / everyₖ

s is d numbers of b bytes; compression makes b = 2. An exchange of every L gradients has L g
seconds to hide in, if g is the time of a gradient, so what is left of it is max(0, t − L g), and
the share of communication if nothing is hidden is t / (t + L g).

References:
    Thakur, Rabenseifner and Gropp (2005), doi:10.1177/1094342005051521 (α-β model).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from .._checks import non_negative, one_of, positive, positive_int

__all__ = ["Link", "Pattern", "exchange_seconds", "hierarchical_seconds", "share"]

Pattern: TypeAlias = Literal["tree", "ring", "gather"]


@dataclass(frozen=True, slots=True)
class Link:
    """How fast replicas reach each other.

    Attributes:
        latency: α ≥ 0, seconds a message.
        per_byte: β ≥ 0, seconds a byte.
    """

    latency: float
    per_byte: float

    def __post_init__(self) -> None:
        non_negative(self.latency, "latency", "Link")
        non_negative(self.per_byte, "per_byte", "Link")

    def seconds(self, num_bytes: float) -> float:
        """Return α + β s."""
        return self.latency + self.per_byte * num_bytes


def exchange_seconds(link: Link, replicas: int, num_bytes: float, pattern: Pattern) -> float:
    """Return the seconds of an exchange among n replicas.

    Args:
        link: between any two of them.
        replicas: n.
        num_bytes: s, from each replica.
        pattern: of the messages.

    >>> slow = Link(latency=1e-4, per_byte=1e-9)
    >>> [f"{exchange_seconds(slow, n, 4e6, 'tree'):.3g}" for n in (2, 16, 1024)]
    ['0.0082', '0.0328', '0.082']
    """
    n = positive_int(replicas, "replicas", "exchange_seconds")
    one_of(pattern, ("tree", "ring", "gather"), "pattern", "exchange_seconds")
    if pattern == "tree":
        return 2 * math.ceil(math.log2(n)) * link.seconds(num_bytes)
    if pattern == "ring":
        return 2 * (n - 1) * link.seconds(num_bytes / n)
    return (n - 1) * link.seconds(num_bytes)


def hierarchical_seconds(
    link: Link, widths: Sequence[int], num_bytes: float, every: Sequence[int]
) -> float:
    """Return the seconds of an exchange in a tree of groups, averaged over exchanges.

    Args:
        link: between any two replicas.
        widths: n₁, n₂, …, members of a group of each level; their product is n.
        num_bytes: s, from each replica.
        every: exchanges of the lowest level between two of each level; the first is 1.
    """
    pairs = zip(widths, every, strict=True)
    return sum(exchange_seconds(link, n, num_bytes, "gather") / e for n, e in pairs)


def share(seconds: float, gradient_seconds: float, every: int) -> float:
    """Return the share of time that exchanges take if none of it is hidden.

    Args:
        seconds: t, of an exchange.
        gradient_seconds: g.
        every: L, gradients between two exchanges.
    """
    compute = positive(gradient_seconds, "gradient_seconds", "share") * positive_int(
        every, "every", "share"
    )
    return seconds / (seconds + compute)
