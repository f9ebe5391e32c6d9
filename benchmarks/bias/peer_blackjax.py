"""The samplers of `blackjax` that apply, driven as its documentation says, compiled by jax.

sgld, sghmc and sgnht take a gradient estimator, a step size (h, or δ for sgld) and a temperature;
alpha is γ. sghmc draws its momenta afresh every `num_integration_steps` gradients, all with the
same minibatch, with variance 1 at any temperature, so it is run twice: with T as its argument, and
with T in the density and times scaled by √T. mala and hmc have no temperature: T is in the density,
with steps δT and h√T.
"""

import importlib.metadata
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from thermograd.noise import seeded
from thermograd.potentials import Harmonic, Quartic

from .own import summarise
from .rows import Measured, Record, blank, fill, peer_cells
from .settings import TARGETS, Settings, Target

LIBRARY = "blackjax"
TEMPERED = "sghmc, T in the density"
METHODS = {
    "sgld": False,
    "sgnht": True,
    "sghmc": True,
    TEMPERED: True,
    "mala": False,
    "hmc": True,
}
METROPOLISED = ("mala", "hmc")
PATHS = ("sghmc", TEMPERED, "hmc")

Sample = tuple[Any, Any]  # positions, and momenta or None
Step = Callable[[Any, Any, Any, Any], Any]  # key, state, gradient noise, step size


def version() -> str:
    """Return the version that runs."""
    return importlib.metadata.version(LIBRARY)


def rows(settings: Settings, progress: Any = None) -> list[Record]:
    """Return the rows of its samplers."""
    found: list[Record] = []
    for name, has_momenta in METHODS.items():
        for target, is_noisy in peer_cells(noisy_too=name not in METROPOLISED):
            row = blank(LIBRARY, name, target, is_noisy, has_momenta, settings)
            row["gradients_per_step"] = settings.path_steps if name in PATHS else 1
            run = compiled(name, TARGETS[target], settings, is_noisy)
            fill(row, lambda h, row=row, run=run: measure(row, run, h, settings), settings)
            found.append(row)
            if progress is not None:
                progress(row)
    return found


def measure(row: Record, run: Callable[..., Any], h: float, settings: Settings) -> Measured:
    """Run one cell."""
    import jax

    seed = settings.seed_of(LIBRARY, row["method"], row["target"], row["is_noisy"], h)
    start = TARGETS[row["target"]].sample(settings.walkers, settings.temperature, seeded(seed))
    q = start[0].numpy()
    if row["method"] == "sgnht":
        q = q.reshape(settings.chains, -1)
    averages = run(jax.random.key(seed % 2**31), q, settings.step_size(h, row["has_momenta"]))
    found = {name: torch.from_numpy(np.array(value)) for name, value in averages.items()}
    return summarise(found)


def energy(target: Target, q: Any) -> Any:
    """Return U of every coordinate, in jax's arithmetic."""
    if isinstance(target, Harmonic):
        return target.spectrum[0] * q**2 / 2
    if isinstance(target, Quartic):
        return target.quartic * q**4 / 4 + target.quadratic * q**2 / 2
    return target.stiffness * (q**2 - target.well**2) ** 2


def compiled(
    name: str, target: Target, settings: Settings, is_noisy: bool
) -> Callable[..., dict[str, Any]]:
    """Return the run of one sampler on one target, from (key, start, step size) to averages.

    Every row of the start is a chain; averages are taken over its coordinates and over time.
    """
    import jax
    import jax.numpy as jnp

    cost = settings.path_steps if name in PATHS else 1
    num, burn_in = -(-settings.gradients // cost), -(-settings.burn_in // cost)
    sd = settings.noise_sd if is_noisy else 0.0
    init, step, read = _kernel(name, target, settings)

    def run(key: Any, start: Any, step_size: Any) -> dict[str, Any]:
        first, rest = jax.random.split(key)
        chains = len(start)
        states = jax.vmap(init)(jax.random.split(first, chains), start)

        def one(carry: Any, key: Any) -> Any:
            states, sums = carry
            noise_key, key = jax.random.split(key)
            xi = sd * jax.random.normal(noise_key, start.shape) if sd else jnp.zeros(start.shape)
            keys = jax.random.split(key, chains)
            states = jax.vmap(step, in_axes=(0, 0, 0, None))(keys, states, xi, step_size)
            q, p = read(states)
            now = {"q2": (q**2).mean(1), "q4": (q**4).mean(1)}
            if p is not None:
                now["p2"] = (p**2).mean(1)
            return (states, {k: sums[k] + v for k, v in now.items()}), None

        names = ["q2", "q4"] + ["p2"] * (read(states)[1] is not None)
        zero = {k: jnp.zeros(chains) for k in names}
        keys = jax.random.split(rest, burn_in + num)
        (states, _), _ = jax.lax.scan(one, (states, zero), keys[:burn_in])
        (_, sums), _ = jax.lax.scan(one, (states, zero), keys[burn_in:])
        return {k: v / num for k, v in sums.items()}

    return jax.jit(run)


def _kernel(
    name: str, target: Target, settings: Settings
) -> tuple[Callable[..., Any], Step, Callable[[Any], Sample]]:
    """Return how a chain starts, how it steps, and how positions and momenta are read."""
    import blackjax
    import jax
    import jax.numpy as jnp
    from blackjax.sgmcmc.sgnht import init as init_sgnht

    temperature, friction = settings.temperature, settings.friction
    in_density = temperature if name in (*METROPOLISED, TEMPERED) else 1.0

    def log_density(q: Any) -> Any:
        return -energy(target, q).sum() / in_density

    def gradient(q: Any, xi: Any) -> Any:
        return jax.grad(log_density)(q) + xi / in_density

    if name == "sgld":
        sgld = blackjax.sgld(gradient)
        return (
            lambda key, q: sgld.init(q),
            lambda key, q, xi, h: sgld.step(key, q, xi, h, temperature),
            lambda q: (q, None),
        )
    if name == "sgnht":
        sgnht = blackjax.sgnht(gradient, alpha=friction)
        return (
            lambda key, q: init_sgnht(q, key, jnp.asarray(friction)),
            lambda key, state, xi, h: sgnht.step(key, state, xi, h, temperature),
            lambda state: (state.position, state.momentum),
        )
    if name in ("sghmc", TEMPERED):
        scale = in_density**0.5
        sghmc = blackjax.sghmc(gradient, settings.path_steps, alpha=friction / scale)
        own = temperature if name == "sghmc" else 1.0
        return (
            lambda key, q: sghmc.init(q),
            lambda key, q, xi, h: sghmc.step(key, q, xi, h * scale, own),
            lambda q: (q, None),
        )
    if name == "mala":
        mala = blackjax.mala.build_kernel()
        return (
            lambda key, q: blackjax.mala.init(q, log_density),
            lambda key, state, xi, d: mala(key, state, log_density, d * temperature)[0],
            lambda state: (state.position, None),
        )
    hmc = blackjax.hmc.build_kernel()
    mass, path = jnp.ones(1), settings.path_steps
    return (
        lambda key, q: blackjax.hmc.init(q, log_density),
        lambda key, s, xi, h: hmc(key, s, log_density, h * temperature**0.5, mass, path)[0],
        lambda state: (state.position, None),
    )
