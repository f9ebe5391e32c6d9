"""One entry for each library: a function that takes every walker so many steps further."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

import thermograd
from thermograd.noise import seeded
from thermograd.potentials import Network
from thermograd.sampling import Run

from . import problem
from .problem import BATCH, FRICTION, NUM_DATA, STEP_SIZE, TEMPERATURE

Advance = Callable[[int], object]
THERMOGRAD = "thermograd baoab"
THREE_POINT = "thermograd baoab, three-point noise"
BLACKJAX = "blackjax sgld"
POSTERIORS = "posteriors baoa"
PLAIN = "plain torch loop, sgld"


def own_run(walkers: int, steps: int, **options: Any) -> Run:
    """Return a run of thermograd on the problem."""
    network = Network(problem.model(), "mse", problem.data(), batch_size=BATCH)
    settings: dict[str, Any] = {"method": "baoab", "every": 1000, "progress": False, **options}
    return thermograd.sample(
        network,
        walkers=walkers,
        steps=steps,
        seed=7,
        temperature=TEMPERATURE,
        friction=FRICTION,
        step_size=STEP_SIZE,
        **settings,
    )


def thermograd_entry(walkers: int, noise: str) -> Advance:
    """Return a compiled run; what it records every 1,000 steps and its checks are timed too."""
    run = own_run(walkers, 10, noise=noise, compile=True)
    return lambda steps: run.extend(steps, progress=False)


def plain_entry(walkers: int) -> Advance:
    """Return SGLD as one writes it by hand, all walkers in one batched model."""
    x, y = problem.data()
    named = problem.start(walkers)
    params = [torch.tensor(value, requires_grad=True) for value in named.values()]
    generator, size = seeded(9), math.sqrt(2 * TEMPERATURE * STEP_SIZE)

    def step() -> None:
        w1, b1, w2, b2 = params
        rows = torch.randint(NUM_DATA, (walkers, BATCH), generator=generator)
        hidden = torch.tanh(torch.baddbmm(b1[:, None], x[rows], w1.transpose(1, 2)))
        shown = torch.baddbmm(b2[:, None], hidden, w2.transpose(1, 2))
        energy = NUM_DATA / BATCH * (shown - y[rows]).square().sum()
        gradients = torch.autograd.grad(energy, params)
        with torch.no_grad():
            for param, gradient in zip(params, gradients, strict=True):
                xi = torch.empty_like(param).normal_(generator=generator)
                param.add_(gradient, alpha=-STEP_SIZE).add_(xi, alpha=size)

    def advance(steps: int) -> None:
        for _ in range(steps):
            step()

    return advance


def posteriors_entry(walkers: int) -> Advance:
    """Return baoa of `posteriors` on the sum of the walkers' log densities."""
    from posteriors.sgmcmc import baoa

    x, y = problem.data()
    params = {name: torch.tensor(value) for name, value in problem.start(walkers).items()}
    generator = seeded(9)

    def log_posterior(params: Any, rows: Tensor) -> tuple[Tensor, Tensor]:
        w1, b1, w2, b2 = (params[name] for name in ("w1", "b1", "w2", "b2"))
        hidden = torch.tanh(torch.baddbmm(b1[:, None], x[rows], w1.transpose(1, 2)))
        shown = torch.baddbmm(b2[:, None], hidden, w2.transpose(1, 2))
        return -NUM_DATA / BATCH * (shown - y[rows]).square().sum(), torch.tensor([])

    transform = baoa.build(log_posterior, lr=STEP_SIZE, alpha=FRICTION, temperature=TEMPERATURE)
    state = transform.init(params)

    def advance(steps: int) -> None:
        nonlocal state
        for _ in range(steps):
            rows = torch.randint(NUM_DATA, (walkers, BATCH), generator=generator)
            state, _ = transform.update(state, rows)

    return advance


def blackjax_entry(walkers: int) -> Advance:
    """Return sgld of `blackjax`: one walker's step, vmap over walkers, scan over steps, jit."""
    import blackjax
    import jax
    import jax.numpy as jnp

    x, y = (jnp.asarray(part.numpy()) for part in problem.data())
    state = {name: jnp.asarray(value) for name, value in problem.start(walkers).items()}

    def log_prior(params: Any) -> Any:
        return 0.0

    def log_likelihood(params: Any, row: Any) -> Any:
        hidden = jnp.tanh(params["w1"] @ x[row] + params["b1"])
        return -jnp.square(params["w2"] @ hidden + params["b2"] - y[row]).sum()

    gradient = blackjax.sgmcmc.gradients.grad_estimator(log_prior, log_likelihood, NUM_DATA)
    sgld = blackjax.sgld(gradient)

    def one(key: Any, params: Any) -> Any:
        for_batch, for_step = jax.random.split(key)
        rows = jax.random.randint(for_batch, (BATCH,), 0, NUM_DATA)
        return sgld.step(for_step, params, rows, STEP_SIZE, TEMPERATURE)

    def run(key: Any, params: Any, steps: int) -> Any:
        def body(params: Any, key: Any) -> Any:
            return jax.vmap(one)(jax.random.split(key, walkers), params), None

        return jax.lax.scan(body, params, jax.random.split(key, steps))[0]

    compiled = jax.jit(run, static_argnums=2)
    key = jax.random.key(9)

    def advance(steps: int) -> None:
        nonlocal key, state
        key, now = jax.random.split(key)
        state = jax.block_until_ready(compiled(now, state, steps))

    return advance


def entries(walkers: int) -> dict[str, Advance]:
    """Return every entry, by name."""
    return {
        THERMOGRAD: thermograd_entry(walkers, "gaussian"),
        THREE_POINT: thermograd_entry(walkers, "three_point"),
        BLACKJAX: blackjax_entry(walkers),
        POSTERIORS: posteriors_entry(walkers),
        PLAIN: plain_entry(walkers),
    }
