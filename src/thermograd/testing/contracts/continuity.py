"""Contracts on what is kept from step to step: nothing but the state.

restart   two steps in a row, of different sizes, are two steps from the state in between
cut       `before`, `after` and `cycle` add up to whole steps, for methods an optimizer can run
"""

from collections.abc import Callable
from typing import TypeAlias

import torch
from torch import Tensor

from ...integrators import CutIntegrator, Integrator
from ...state import Env, Part
from .invariance import grid
from .probe import Setting, script, state_of
from .targets import coupled_quartic
from .verdict import Verdict, holds

_FIRST, _SECOND = 0.2, 0.13

Run: TypeAlias = Callable[[Part, Env], None]


def continuity(integrator: Integrator) -> list[Verdict]:
    """Judge whether a step depends on the state alone, and the cut of a step on its place."""
    setting = Setting(integrator, coupled_quartic())
    states, variates = grid(setting, steps=2)
    half = variates.shape[1] // 2
    between = setting.play(states, _FIRST, variates[:, :half])
    whole = setting.play(between, _SECOND, variates[:, half:])

    def gap(run: Run) -> float:
        part, env = setting.ready(states, script(variates, setting.num_params))
        run(part, env)
        return _gap(state_of(part), whole)

    def in_a_row(part: Part, env: Env) -> None:
        integrator.step(part, _FIRST, env)
        integrator.step(part, _SECOND, env)

    verdicts = [holds("restart", "steps know only the state", gap(in_a_row), 1e-14)]
    if isinstance(integrator, CutIntegrator) and integrator.is_cut:
        error = max(gap(run) for run in _cut_runs(integrator))
        verdicts.append(holds("cut", "pieces add up to steps", error, 1e-14))
    return verdicts


def _cut_runs(method: CutIntegrator) -> list[Run]:
    """Return the ways in which pieces make up the two steps."""

    def pieces(part: Part, env: Env) -> None:
        for h in (_FIRST, _SECOND):
            method.before(part, h, env)
            method.after(part, h, env)

    def around(part: Part, env: Env) -> None:
        method.before(part, _FIRST, env)
        method.cycle(part, _FIRST, _SECOND, env)
        method.after(part, _SECOND, env)

    def at_once(part: Part, env: Env) -> None:
        method.cycle(part, 0.0, _FIRST, env)
        method.cycle(part, _FIRST, _SECOND, env)

    return [pieces, around if method.before_drifts else at_once]


def _gap(a: Tensor, b: Tensor) -> float:
    return float(torch.linalg.vector_norm(a - b, ord=float("inf")))
