"""Is it sampling what was asked? Answers in words, as events of the run, each with a hint.

    convention                  what a temperature of 1 means for this target
    frozen                      positions that feel no force at all
    curvature                   the step size against the largest curvature
    heating                     the temperature that the noise of the batches adds
    kinetic temperature         of each position's momenta, against its χ² band
    configurational temperature |∇U|² against T ΔU for each position, by Student's t over walkers
    collapse                    walkers closer to each other than one of them moves
    stuck                       walkers that have not moved at all

The first three are asked at the start, the others at the end and, after the burn-in, at every
checkpoint on the way, where each says once what is wrong.

False alarms: 1e-6 for each temperature and look; besides, a temperature must be off by 5% to be
mentioned, so that the known bias of a finite step is not.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from .._foreach import clone, dot
from .._quantiles import chi2_band, student_t_quantile
from ..arrangements import Arranged
from ..geometry import Flat
from ..potentials._differences import hessian_product
from ..potentials.base import Batch
from ..state import Params, Part
from .observables import View
from .pieces import Piece, pieces, tensors_of
from .settings import Settings
from .streams import stream
from .world import World, minibatched

__all__ = ["Subject", "Watch", "at_end", "at_middle", "at_start", "on_the_way", "restore"]

FALSE_ALARM = 1e-6
NOTICEABLE = 0.05
POWER_ITERATIONS = 8
COLLAPSED = 0.1  # spread over jitter; independent walkers have 1
MIN_WALKERS = 8  # for errors from the spread between walkers


@dataclass(slots=True)
class Watch:
    """What the checks remember.

    Attributes:
        curvature: the largest eigenvalue of the Hessian seen, over the mass.
        norms: |q| per walker at a look back when all was well.
        next_look: the step at which to take the norms again.
        middle: the positions in the middle of the run.
        seen: the positions at the last look on the way.
    """

    curvature: float = math.nan
    norms: Tensor | None = None
    next_look: int = 0
    middle: Params = field(default_factory=list[Tensor])
    seen: Params = field(default_factory=list[Tensor])

    def facts(self) -> dict[str, float]:
        """Return what a checkpoint keeps."""
        return {"curvature": self.curvature}

    def norm_of(self, walker: int) -> float:
        """Return |q| of a walker at the last look."""
        return float(self.norms[walker]) if self.norms is not None else math.nan

    def hint(self, settings: Settings, part: Part) -> str:
        """Say what to do about a walker that diverged."""
        limit = self.largest_step_size(part)
        size = settings.fixed_step_size
        if size is None or math.isnan(limit):
            return "Lower the step size."
        return (
            f"The step size is {size:g}; at the start the largest curvature "
            f"({self.curvature:.3g}) allowed {limit:.3g} at most. Lower the step size."
        )

    def largest_step_size(self, part: Part) -> float:
        """Return where the step becomes unstable: h²λ = 4 with momenta, hλ = 2 without."""
        if not self.curvature > 0:
            return math.nan
        return 2 / math.sqrt(self.curvature) if part.p else 2 / self.curvature


class Subject(Protocol):
    """A run, as the checks see it."""

    settings: Settings
    world: World
    part: Part
    names: Sequence[str]
    is_alive: NDArray[np.bool_]
    step: int
    events: list[Mapping[str, object]]
    watch: Watch

    @property
    def view(self) -> View:
        """The state as observables see it."""
        ...

    def log(self, kind: str, **facts: object) -> None:
        """Add an event."""
        ...


def at_start(run: Subject) -> None:
    """Look at the target before the first step."""
    part, settings = run.part, run.settings
    _say_convention(run)
    generator = _generator(run, "start")
    batch = _batch(run, generator)
    force = [torch.empty_like(x) for x in run.view.positions]
    run.world.target.force(run.view.positions, batch, out=force)
    frozen = [name for name, f in zip(run.names, force, strict=True) if not bool(f.any())]
    if frozen:
        run.log(
            "frozen",
            names=frozen,
            says=f"No force acts on {', '.join(frozen)}: U does not depend on them there.",
            hint="Leave them out, or see whether the model uses them.",
        )
    lightest = min(piece.part.mass for piece in _pieces(run))
    run.watch.curvature = _largest_curvature(run, batch, generator) / lightest
    limit, size = run.watch.largest_step_size(part), settings.fixed_step_size
    if size is not None and size > limit:
        run.log(
            "curvature",
            curvature=run.watch.curvature,
            limit=limit,
            says=f"The step size {size:g} is above the limit of stability, {limit:.3g}, that "
            "the largest curvature at the start sets.",
            hint="Lower the step size if walkers diverge.",
        )


def at_middle(run: Subject) -> None:
    """Keep the positions, to see later how far a walker moves."""
    if not run.watch.middle:
        run.watch.middle = clone(run.part.q)


def on_the_way(run: Subject) -> None:
    """Look at a run that has passed its burn-in; say what is wrong, each thing once."""
    if run.step <= run.settings.burn_in or not run.is_alive.any():
        return
    said = {event["kind"] for event in run.events if "says" in event}
    for kind, facts in _findings(run, run.watch.seen).items():
        if "says" in facts and kind not in said:
            run.log(kind, **facts)
    run.watch.seen = clone(run.part.q)


def at_end(run: Subject) -> None:
    """Measure temperatures, heating and spread, and log them; say what is wrong."""
    if run.is_alive.any():
        for kind, facts in _findings(run, run.watch.middle).items():
            run.log(kind, **facts)


def _findings(run: Subject, before: Params) -> dict[str, dict[str, object]]:
    """Return what there is to log, by kind of event; `before` are earlier positions, or none."""
    alive = torch.from_numpy(run.is_alive).to(run.part.q[0].device)
    found = dict[str, dict[str, object]]()
    heat = run.part.temperature
    is_hot = bool((heat > 0).all()) if isinstance(heat, Tensor) else True
    if is_hot and any(piece.is_hot for piece in _pieces(run)):
        found["kinetic_temperature"] = _kinetic(run, alive)
        is_flat = isinstance(run.world.geometry, Flat)
        if run.world.batches is None and not isinstance(heat, Tensor) and is_flat:
            found["configurational_temperature"] = _configurational(run, alive)
        found["heating"] = _heat(run, alive)
        if before:
            found["collapse"] = _collapse(run, before, alive)
            found["stuck"] = _stuck(run, before, alive)
    return {kind: facts for kind, facts in found.items() if facts}


def _say_convention(run: Subject) -> None:
    target, temperature = run.world.target, run.settings.temperature
    num_data = getattr(target, "num_data", None)
    if not isinstance(num_data, int):
        return
    is_mean = getattr(target, "scale", "sum") == "mean"
    bayes = 1 / num_data if is_mean else 1.0
    kind = "the mean" if is_mean else "N times the mean"
    run.log(
        "convention",
        num_data=num_data,
        relative_temperature=temperature / bayes,
        says=f"U is {kind} loss over N = {num_data} data, so T = {bayes:.4g} samples the Bayes "
        f"posterior; T = {temperature:g} is {temperature / bayes:.4g} times that.",
    )


def _generator(run: Subject, purpose: str) -> torch.Generator:
    return stream(run.settings.seed, f"checks at {purpose}", run.part.q[0].device)


def _batch(run: Subject, generator: torch.Generator) -> Batch:
    target = minibatched(run.world.target)
    return None if target is None else target.draw_batch(run.settings.walkers, generator)


def _force(run: Subject, q: Params, batch: Batch) -> Params:
    out = [torch.empty_like(tensor) for tensor in q]
    run.world.potential.force(q, batch, out=out)
    return out


def _product(run: Subject, direction: Params, batch: Batch) -> Params:
    """Return H v by central differences of the force."""
    return hessian_product(run.world.potential, run.part.q, direction, batch)


def _largest_curvature(run: Subject, batch: Batch, generator: torch.Generator) -> float:
    """Return the largest Rayleigh quotient over the walkers after a few power iterations."""
    v = [torch.empty_like(x).normal_(generator=generator) for x in run.part.q]
    value = math.nan
    for _ in range(POWER_ITERATIONS):
        norm = dot(v, v).sqrt().clamp_min(1e-30)
        v = [x / norm.view(-1, *[1] * (x.dim() - 1)) for x in v]
        hv = _product(run, v, batch)
        value = float(dot(v, hv).nan_to_num(nan=0.0).max())
        v = hv
    return value


def _pieces(run: Subject) -> list[Piece]:
    method = run.world.method
    arranged = method if isinstance(method, Arranged) else None
    return pieces(run.part, arranged, run.names, run.world.geometry)


def _asked(run: Subject, piece: Piece) -> float:
    """Return the temperature that a piece is to have at home."""
    heat = piece.part.temperature
    return run.settings.temperature if isinstance(heat, Tensor) else heat


def _kinetic(run: Subject, alive: Tensor) -> dict[str, object]:
    """Return p·p/(m d) of each position with its χ² band, and say which are out."""
    facts, wrong, is_damped = dict[str, object](), list[str](), False
    hot = [piece for piece in _pieces(run) if piece.is_hot and piece.part.p]
    for piece in (unit for found in hot for unit in tensors_of(found)):
        asked, name, own = _asked(run, piece), ", ".join(piece.names), piece.part
        squares = dot(own.p, own.p)[alive].double()
        if isinstance(own.temperature, Tensor):
            squares = squares * (asked / own.temperature[alive].double())
        number = piece.degrees_of_freedom
        value = float(squares.mean()) / (number * own.mass)
        low, high = chi2_band(number * len(squares), asked, FALSE_ALARM)
        facts[name] = [value, low, high]
        if not low <= value <= high and abs(value / asked - 1) > NOTICEABLE:
            wrong.append(
                f"{value:.3g} in {name} (band {low:.3g} to {high:.3g}), asked for {asked:g}"
            )
            is_damped = is_damped or own.friction > 0 or "xi" in own.scalars
    if wrong and is_damped:
        facts["says"] = f"The kinetic temperature is {'; '.join(wrong)}."
        facts["hint"] = (
            "Too cold: the step size is too large, or the run too short for its friction. "
            "Too hot: noise of the batches, or a start far up the hill."
        )
    return facts


def _configurational(run: Subject, alive: Tensor) -> dict[str, object]:
    """Return |∇U|²/ΔU of each position, and say which are off.

    In equilibrium |∇U|² − T v·Hv has mean 0 for random signs v, in every block of coordinates.
    """
    facts, wrong = dict[str, object](), list[str]()
    generator, count = _generator(run, "end"), int(alive.sum())
    v = [torch.empty_like(x).bernoulli_(generator=generator).mul_(2).sub_(1) for x in run.part.q]
    force, product = _force(run, run.part.q, None), _product(run, v, None)
    heats = {
        name: _asked(run, piece) for piece in _pieces(run) if piece.is_hot for name in piece.names
    }
    for name, f, sign, hv in zip(run.names, force, v, product, strict=True):
        if name not in heats:
            continue
        asked = heats[name]
        squares, trace = dot([f], [f])[alive].double(), dot([sign], [hv])[alive].double()
        value = float(squares.mean() / trace.mean())
        facts[name] = value
        if count < MIN_WALKERS or not float(trace.mean()) > 0:
            continue
        gap = squares - asked * trace
        error = float(gap.std()) / math.sqrt(count)
        far = abs(float(gap.mean())) > student_t_quantile(FALSE_ALARM / 2, count - 1) * error
        if far and abs(value / asked - 1) > NOTICEABLE:
            wrong.append(f"{value:.3g} in {name}, asked for {asked:g}")
    if wrong:
        facts["says"] = f"The configurational temperature is {'; '.join(wrong)}."
        facts["hint"] = "The walkers are not in equilibrium yet, or the step size is too large."
    return facts


def _heating(run: Subject, piece: Piece, gap: Params, alive: Tensor) -> float:
    """Return what the batches' noise of variance V per coordinate adds: hV/2γm, or hV/2m."""
    part, size = piece.part, run.settings.schedule(run.step)
    own = [gap[place] for place in piece.coordinates]
    variance = float(dot(own, own)[alive].mean()) / (2 * sum(x[0].numel() for x in own))
    rate = part.friction if part.p else 1.0
    return size * variance / (2 * rate * part.mass) if rate > 0 else math.inf


def _heat(run: Subject, alive: Tensor) -> dict[str, object]:
    if run.world.batches is None:
        return {}
    generator = _generator(run, "end")
    one, two = (_force(run, run.part.q, _batch(run, generator)) for _ in range(2))
    gap = [a - b for a, b in zip(one, two, strict=True)]
    said, worst = list[str](), 0.0
    for piece in _pieces(run):
        if not piece.is_hot or "xi" in piece.part.scalars:
            continue  # ξ finds the friction that takes such heat away
        asked, added = _asked(run, piece), _heating(run, piece, gap, alive)
        if added > NOTICEABLE * asked:
            who = f"the part {piece.label!r} runs" if piece.label else "the walkers run"
            worst = max(worst, added)
            said.append(
                f"The noise of the batches heats by {added:.3g}: {who} at about "
                f"{asked + added:.3g}, asked for {asked:g}."
            )
    if not said:
        return {}
    return {
        "added": worst,
        "says": " ".join(said),
        "hint": "Take larger batches, a smaller step size, or more friction.",
    }


def _collapse(run: Subject, before: Params, alive: Tensor) -> dict[str, object]:
    q = run.part.q
    moved = [(now - then)[alive] for now, then in zip(q, before, strict=True)]
    jitter = float(dot(moved, moved).mean()) / 2
    spread = sum(float(x[alive].var(0).sum()) for x in q) if int(alive.sum()) > 1 else math.inf
    if spread >= COLLAPSED**2 * jitter:
        return {}
    return {
        "spread": math.sqrt(spread),
        "jitter": math.sqrt(jitter),
        "says": f"The walkers are {math.sqrt(spread):.3g} apart, and one alone moves by "
        f"{math.sqrt(jitter):.3g}: they are not independent.",
        "hint": "See whether the method couples them or the target mixes walkers.",
    }


def _stuck(run: Subject, before: Params, alive: Tensor) -> dict[str, object]:
    same = [(now == then).flatten(1).all(1) for now, then in zip(run.part.q, before, strict=True)]
    still = torch.nonzero(torch.stack(same).all(0) & alive).flatten().tolist()
    if not still:
        return {}
    return {
        "walkers": still,
        "says": f"{len(still)} of {int(alive.sum())} walkers have not moved since the last look.",
        "hint": "If proposals are rejected, lower the step size; else see which force they feel.",
    }


def restore(facts: Mapping[str, object]) -> Watch:
    """Return the watch that `facts` describe."""
    return Watch(curvature=float(str(facts["curvature"])))
