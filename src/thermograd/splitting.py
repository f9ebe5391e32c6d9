"""Words: integrators that are compositions of exact flows, read left to right in time.

A word is a string of single letters, one flow each: "BAOAB" is half a kick, half a drift, a
bath, half a drift, half a kick. Letters that occur n times get a share 1/n of the step unless
weights are given; the shares of a letter sum to 1, or construction fails.

A word that needs one force a step can be cut at the point where it needs it: `before`, then the
evaluation, then `after`. An optimizer, which is handed the force, runs `after` and the next
step's `before` in one call, here called a `cycle`.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from ._errors import WordError
from ._foreach import decay_add_, kick_drift_
from .claims import Claims
from .flows import alphabet
from .flows.kick import Kick
from .state import Env, Flow, Params, Part

__all__ = ["Stage", "Word", "nest"]


@dataclass(frozen=True, slots=True)
class Stage:
    """One flow for a share of the step.

    Attributes:
        letter: the flow.
        weight: its share of the step; may be negative.
        component: for a kick, the term of the potential that gives the force; None is all.
    """

    letter: str
    weight: float
    component: str | None = None

    def __str__(self) -> str:
        return self.letter if self.component is None else f"{self.letter}[{self.component}]"


MomentumMap: TypeAlias = Callable[[Part, float, Env], tuple[float, float, Params]]


@dataclass(frozen=True, slots=True)
class Move:
    """A stage ready to run.

    Attributes:
        flow: its map.
        old: share of the last step it runs for.
        new: share of the present step it runs for.
        momentum_map: (decay, gain, x) of a flow that is p ← decay p + gain x; else None.
        drift: the drift right behind a momentum map, which runs with it.
        is_last: whether the next move is no momentum map, so that what sticks out of the tangent
            space must go; Π(Π a + b) = Π(a + b) spares the projections before.
    """

    flow: Flow
    old: float
    new: float
    momentum_map: MomentumMap | None
    drift: "Move | None" = None
    is_last: bool = True


@dataclass(frozen=True, slots=True)
class Word:
    """A splitting method: stages in the order they run, and what it claims.

    Attributes:
        stages: flows and their shares.
        claims: what the contracts check; the gradient count is read off the stages.
        scalars: names of state of one number per walker that the flows need, read off them.
        is_elementwise: whether no flow couples one element of a tensor with another.
        needs_axis: whether a flow looks at the walker axis even where there is one walker.
    """

    stages: tuple[Stage, ...]
    claims: Claims = field(default_factory=Claims, compare=False)
    scalars: tuple[str, ...] = field(init=False, repr=False, compare=False)
    is_elementwise: bool = field(init=False, repr=False, compare=False)
    needs_axis: bool = field(init=False, repr=False, compare=False)
    _cut: int | None = field(init=False, repr=False, compare=False)
    _whole: tuple[Move, ...] = field(init=False, repr=False, compare=False)
    _before: tuple[Move, ...] = field(init=False, repr=False, compare=False)
    _after: tuple[Move, ...] = field(init=False, repr=False, compare=False)
    _cycle: tuple[Move, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        moves = _moves(self.stages)
        _check_weights(self.stages, str(self))
        count = _count_gradients(self.stages)
        cut = _cut(self.stages) if count == {None: 1} else None
        point = cut or 0
        computed = {
            "claims": replace(self.claims, gradients_per_step=count),
            "scalars": _scalars(moves),
            "is_elementwise": all(_is(move, "is_elementwise") for move in moves),
            "needs_axis": not all(_is(m, "is_elementwise") or _is(m, "is_sum") for m in moves),
            "_cut": cut,
            "_whole": _join(moves),
            "_before": _join(moves[:point]),
            "_after": _join(moves[point:]),
            "_cycle": _join(_merge(moves, point)),
        }
        for name, value in computed.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_word(cls, word: str, claims: Claims | None = None) -> "Word":
        """Make a word with equal shares for equal letters.

        Args:
            word: letters in the order they run, such as "BAOAB".
            claims: what to hold it to.

        Returns:
            the word.

        Raises:
            WordError: for an unknown letter, or a word without a drift or a kick.
        """
        if not isinstance(word, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise WordError(f"a word is a string such as 'BAOAB'; got {word!r}")
        shares = Counter(word)
        stages = tuple(Stage(letter, 1.0 / shares[letter]) for letter in word)
        return cls(stages, claims if claims is not None else Claims())

    def __str__(self) -> str:
        return "".join(str(stage) for stage in self.stages)

    @property
    def has_momenta(self) -> bool:
        """Words move momenta."""
        return True

    @property
    def auxiliaries(self) -> tuple[str, ...]:
        """Words carry nothing beside positions and momenta."""
        return ()

    @property
    def is_palindrome(self) -> bool:
        """Whether the word reads the same backwards, shares included."""
        return self.stages == self.stages[::-1]

    @property
    def before_drifts(self) -> bool:
        """Whether positions move before the force is needed."""
        return any(stage.letter == "A" for stage in self.stages[: self._cut or 0])

    @property
    def kicks_before(self) -> bool:
        """Whether the force of where the step begins is used before a fresh one is needed."""
        return any(stage.letter == "B" for stage in self.stages[: self._cut or 0])

    @property
    def force_time(self) -> float:
        """How far into a step the positions are that the force is needed at; 1 counts as 0."""
        drifts = [stage.weight for stage in self.stages[: self._cut or 0] if stage.letter == "A"]
        return math.fsum(drifts) % 1.0

    @property
    def is_cut(self) -> bool:
        """Whether the word needs the force once a step, at one point."""
        return self._cut is not None

    def init(self, part: Part, env: Env) -> None:
        """Do nothing: the first kick evaluates the force."""

    def step(self, part: Part, h: float, env: Env) -> None:
        """Advance `part` by one whole step."""
        _run(self._whole, part, 0.0, h, env)

    def before(self, part: Part, h: float, env: Env) -> None:
        """Advance `part` up to the point where the force is needed afresh."""
        self._require_cut()
        _run(self._before, part, 0.0, h, env)

    def after(self, part: Part, h: float, env: Env) -> None:
        """Advance `part` from the point where the force was needed to the end of the step."""
        self._require_cut()
        _run(self._after, part, 0.0, h, env)

    def cycle(self, part: Part, h_old: float, h_new: float, env: Env) -> None:
        """Advance `part` from force to force: the last step's `after`, then `before`.

        A word that does not move before its force runs one whole step of `h_new` instead.
        """
        self._require_cut()
        _run(self._cycle, part, h_old, h_new, env)

    def _require_cut(self) -> None:
        if self._cut is None:
            counted = _describe(_count_gradients(self.stages))
            raise WordError(
                f"the word {str(self)!r} needs {counted} a step, so it cannot be cut at one "
                "force; an optimizer is handed one force a step. Run it with the sampler"
            )


def nest(outer: Sequence[Stage], inner: Sequence[Stage], times: int) -> tuple[Stage, ...]:
    """Put `times` repetitions of `inner`, each 1/times of the step, in the middle of `outer`.

    Args:
        outer: stages around it; the repetitions go between its two halves.
        inner: stages of one inner step, with shares of the inner step.
        times: number of inner steps.

    Returns:
        the stages of the multiple-time-step word.

    Raises:
        WordError: if `times` is not a positive integer or `outer` has an odd number of stages.
    """
    if not isinstance(times, int) or times < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise WordError(f"the number of inner steps must be an integer above 0; got {times!r}")
    if len(outer) % 2:
        raise WordError(f"the outer stages must come in two halves; got {len(outer)} of them")
    half = len(outer) // 2
    fast = [replace(stage, weight=stage.weight / times) for stage in inner] * times
    return (*outer[:half], *fast, *outer[half:])


def _moves(stages: Sequence[Stage]) -> tuple[Move, ...]:
    known = alphabet()
    word = "".join(stage.letter for stage in stages)
    for position, stage in enumerate(stages, start=1):
        if stage.letter not in known:
            letters = "".join(sorted(known))
            raise WordError(
                f"unknown letter {stage.letter!r} at position {position} of {word!r}; "
                f"the alphabet here is {letters!r}"
            )
        if stage.component is not None and stage.letter != "B":
            raise WordError(f"only a kick has a component; {stage} at position {position} is none")
    flows = [
        Kick(stage.component) if stage.component is not None else known[stage.letter]
        for stage in stages
    ]
    return tuple(
        Move(flow, 0.0, stage.weight, getattr(flow, "momentum_map", None))
        for flow, stage in zip(flows, stages, strict=True)
    )


def _is(move: Move, trait: str) -> bool:
    return bool(getattr(move.flow, trait, False))


def _scalars(moves: Sequence[Move]) -> tuple[str, ...]:
    names: list[str] = []
    for move in moves:
        names.extend(getattr(move.flow, "scalars", ()))
    return tuple(dict.fromkeys(names))


def _check_weights(stages: Sequence[Stage], word: str) -> None:
    weights: defaultdict[tuple[str, str | None], list[float]] = defaultdict(list)
    for stage in stages:
        weights[stage.letter, stage.component].append(stage.weight)
    for (letter, component), shares in weights.items():
        total = math.fsum(shares)
        if not math.isclose(total, 1.0, rel_tol=0.0, abs_tol=1e-12):
            name = str(Stage(letter, 1.0, component))
            raise WordError(
                f"the weights of {name!r} in {word!r} sum to {total:g}, not 1: one step would run "
                f"that flow for {total:g} times the step size. Give its {len(shares)} stage(s) "
                "shares of one step"
            )
    for letter, verb, hint in (("A", "drifts", "move"), ("B", "kicks", "feel the force")):
        if letter not in {stage.letter for stage in stages}:
            raise WordError(
                f"the word {word!r} never {verb}: the parameters would never {hint}. "
                f"Add the letter {letter!r}"
            )


def _count_gradients(stages: Sequence[Stage]) -> dict[str | None, int]:
    """Count the evaluations of a step in the long run, by walking two steps."""
    kicks = {stage.component for stage in stages if stage.letter == "B"}
    stale = set(kicks)
    counts: dict[str | None, int] = {}
    for _ in range(2):
        counts = dict.fromkeys(sorted(kicks, key=str), 0)
        for stage in stages:
            if stage.letter == "A":
                stale = set(kicks)
            elif stage.letter == "B" and stage.component in stale:
                counts[stage.component] += 1
                stale.discard(stage.component)
    return counts


def _cut(stages: Sequence[Stage]) -> int:
    """Return the index of the stage that needs the force afresh."""
    letters = [stage.letter for stage in stages]
    first, last = letters.index("B"), len(letters) - 1 - letters[::-1].index("B")
    return last if "A" in letters[first:last] else first


def _merge(moves: Sequence[Move], cut: int) -> tuple[Move, ...]:
    """Put `before` behind `after`; equal neighbours that only add up become one."""
    if all(move.flow.letter != "A" for move in moves[:cut]):
        return tuple(moves)
    after = [replace(move, old=move.new, new=0.0) for move in moves[cut:]]
    merged: list[Move] = []
    for move in (*after, *moves[:cut]):
        additive = getattr(move.flow, "is_additive", False)
        if merged and additive and merged[-1].flow == move.flow:
            last = merged.pop()
            move = replace(move, old=last.old + move.old, new=last.new + move.new)  # noqa: PLW2901
        merged.append(move)
    return tuple(merged)


def _join(moves: Sequence[Move]) -> tuple[Move, ...]:
    """Put each drift that follows a momentum map into that map's move."""
    joined: list[Move] = []
    for move in moves:
        if move.flow.letter == "A" and joined and joined[-1].momentum_map and not joined[-1].drift:
            move = replace(joined.pop(), drift=move)  # noqa: PLW2901
        joined.append(move)
    for number, after in enumerate(joined[1:]):
        move = joined[number]
        if move.momentum_map and not move.drift and after.momentum_map:
            joined[number] = replace(move, is_last=False)
    return tuple(joined)


def _run(moves: Sequence[Move], part: Part, h_old: float, h_new: float, env: Env) -> None:
    """Run moves in order; on flat space a momentum map and its drift go in one pass.

    Elsewhere the momenta are projected once behind a run of momentum maps, or by the drift.
    """
    geometry = part.geometry
    for move in moves:
        dt, drift = move.old * h_old + move.new * h_new, move.drift
        far = drift.old * h_old + drift.new * h_new if drift is not None else 0.0
        if move.momentum_map is None:
            move.flow(part, dt, env)
            continue
        decay, gain, x = move.momentum_map(part, dt, env)
        if drift is not None and geometry.is_flat:
            kick_drift_(part.q, part.p, x, decay, gain, far / part.mass, part.is_packed)
            part.mark_moved()
            continue
        decay_add_(part.p, x, decay, gain)
        if drift is None:
            if move.is_last:
                geometry.project_tangent(part)
        else:
            if not geometry.drift_projects:
                geometry.project_tangent(part)
            drift.flow(part, far, env)


def _describe(counts: dict[str | None, int]) -> str:
    names: Iterable[str] = (
        f"{count} gradients" if term is None else f"{count} of {term!r}"
        for term, count in counts.items()
    )
    return " and ".join(names)
