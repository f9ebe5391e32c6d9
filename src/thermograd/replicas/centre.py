"""The centre that replicas are coupled to, of any depth: workers, deputies, sheriff.

A replica posts its point x at each coupling and reads the centre at the next, so that the exchange
has a whole round to arrive. With one level the centre is the mean of what was posted. With another
level above, the centres of the groups are replicas themselves, coupled to a centre of theirs:

    c ← mean of the x − (1/ρ) (c − c'),   c' the centre above, ρ the coupling to it

and c is posted there. Every member of a group computes its c, so no message goes down the tree; the
k-th members of all groups form the group above.

References:
    Chaudhari et al. (2017), arXiv:1707.00424, section 3.1; thesis, eqs (5.8d) and (5.9).
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from .._checks import positive_int
from .._errors import TensorError
from .._foreach import add_, added, clone
from ..objectives.tethered import check_scope
from .buckets import Exchange, post_mean
from .transport import Sum, Transport

__all__ = ["Centre", "Level"]


@dataclass(frozen=True, slots=True)
class Level:
    """A level of a tree of replicas above the first.

    Attributes:
        transport: this replica's end of the group that has one member of each group below.
        coupling: ρ > 0, the pull of a group's centre to the centre of this level, or ∞.
        every: exchanges of the level below between two of this one.
    """

    transport: Transport
    coupling: float = math.inf
    every: int = 1

    def __post_init__(self) -> None:
        check_scope(self.coupling, "coupling", "Level")
        positive_int(self.every, "every", "Level")


class Centre:
    """What one replica knows of the centre of its group.

    Args:
        transport: this replica's end of the group.
        every: how many calls of `post` there are to an exchange.
        above: levels above this one, from the lowest.
        exclude: whether to go on without replicas that are lost; else all stop.
    """

    def __init__(
        self,
        transport: Transport,
        *,
        every: int = 1,
        above: Sequence[Level] = (),
        exclude: bool = False,
    ) -> None:
        self.transport = transport
        self.exclude = exclude
        self.missing: tuple[int, ...] = ()
        self._every, self._posts = positive_int(every, "every", "Centre"), 0
        self._value: list[Tensor] | None = None
        self._under_way: Exchange | None = None
        self._signatures: Sum | None = None
        self._pull = above[0].coupling if above else math.inf
        self._above = (
            Centre(above[0].transport, every=above[0].every, above=above[1:], exclude=exclude)
            if above
            else None
        )

    def start(self, x: Sequence[Tensor]) -> None:
        """Post where this replica starts, and what its tensors look like."""
        self._signatures = self.transport.post(_signature(self.transport, x))
        self._under_way = post_mean(self.transport, x)

    def post(self, x: Sequence[Tensor], *, is_lost: bool = False) -> None:
        """Post x, if an exchange is due; one that is lost takes part with nothing."""
        self._posts += 1
        if self._posts % self._every == 0:
            self._under_way = post_mean(self.transport, x, is_lost=is_lost)

    def read(self) -> list[Tensor] | None:
        """Return the centre as of the last exchange; waits for it. None before the first."""
        if self._signatures is not None:
            _compare(self._signatures.wait(), self.transport)
            self._signatures = None
        if self._under_way is not None:
            mean = self._under_way.wait(exclude=self.exclude)
            self.missing, self._under_way = self._under_way.missing, None
            if self._above is not None:
                self._pull_up(self._above, mean)
            self._value = mean
        return self._value

    def _pull_up(self, above: "Centre", mean: list[Tensor]) -> None:
        centre = above.read()
        if centre is not None and self._value is not None and not math.isinf(self._pull):
            add_(mean, added(self._value, centre, -1.0), -1.0 / self._pull)
        above.post(mean)

    @property
    def values(self) -> list[list[Tensor] | None]:
        """The centres of all levels, from the lowest, as they are known here."""
        return [self._value, *([] if self._above is None else self._above.values)]

    @property
    def posts(self) -> list[int]:
        """How often each level was posted to."""
        return [self._posts, *([] if self._above is None else self._above.posts)]

    def settle(self) -> None:
        """Wait for every exchange under way, so that `values` is all there is to save."""
        self.read()
        if self._above is not None:
            self._above.settle()

    def restore(self, values: Sequence[Sequence[Tensor] | None], posts: Sequence[int]) -> None:
        """Continue with centres and counts that `values` and `posts` returned when settled."""
        self._value = None if values[0] is None else clone(values[0])
        self._posts, self._under_way, self._signatures = posts[0], None, None
        if self._above is not None:
            self._above.restore(values[1:], posts[1:])


def _signature(transport: Transport, x: Sequence[Tensor]) -> Tensor:
    """Return a number for each replica, this one's from its shapes and dtypes."""
    text = repr([(tuple(tensor.shape), str(tensor.dtype)) for tensor in x])
    digest = hashlib.sha256(text.encode()).digest()
    found = torch.zeros(transport.size, dtype=torch.float64, device=x[0].device)
    found[transport.rank] = float(int.from_bytes(digest[:6], "big"))
    return found


def _compare(signatures: Tensor, transport: Transport) -> None:
    ours = signatures[transport.rank]
    for rank in (signatures != ours).nonzero().flatten().tolist():
        raise TensorError(
            f"replica {transport.rank} and replica {rank} have parameters of other shapes or "
            "dtypes; their mean means nothing. Build the same model in the same dtype everywhere"
        )
