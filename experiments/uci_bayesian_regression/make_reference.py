"""Write reference.json: posterior means and sds of the logistic regressions, by blackjax's NUTS.

Run it in an environment with jax and blackjax (benchmarks/requirements.txt), with THERMOGRAD_DATA
set: python experiments/uci_bayesian_regression/make_reference.py
"""

import importlib.metadata
import json
import sys
from collections.abc import Callable
from pathlib import Path

import blackjax
import jax
import jax.numpy as jnp
import numpy as np
from blackjax.diagnostics import effective_sample_size, potential_scale_reduction
from problems import LOGISTIC_PRIOR, Table, read

TABLES = ("pima", "german")
CHAINS, WARM_UP, DRAWS, SEED = 8, 1000, 10_000, 20


def log_density(table: Table) -> Callable[[jax.Array], jax.Array]:
    """Return log p(w, b | data), up to a constant."""
    design = jnp.concatenate([jnp.asarray(table.x.numpy()), jnp.ones((len(table.y), 1))], axis=1)
    y = jnp.asarray(table.y.numpy())

    def of(theta: jax.Array) -> jax.Array:
        logits = design @ theta
        fit = jnp.sum(y * logits - jnp.logaddexp(0.0, logits))
        return fit - jnp.sum(theta**2) / (2 * LOGISTIC_PRIOR**2)

    return of


def chain(density: Callable[[jax.Array], jax.Array], num_params: int, key: jax.Array) -> jax.Array:
    """Adapt, then draw; return positions, (draws, d)."""
    start_key, warm_key, draw_key = jax.random.split(key, 3)
    start = 0.5 * jax.random.normal(start_key, (num_params,))
    warm = blackjax.window_adaptation(blackjax.nuts, density, target_acceptance_rate=0.9)
    (state, parameters), _ = warm.run(warm_key, start, num_steps=WARM_UP)
    step = blackjax.nuts(density, **parameters).step

    def advance(state: blackjax.mcmc.hmc.HMCState, key: jax.Array):  # noqa: ANN202
        state, _ = step(key, state)
        return state, state.position

    return jax.lax.scan(advance, state, jax.random.split(draw_key, DRAWS))[1]


def entry(name: str) -> dict[str, object]:
    """Return the reference of one table."""
    table = read(name)
    density, num_params = log_density(table), table.x.shape[1] + 1
    keys = jax.random.split(jax.random.key(SEED), CHAINS)
    run = jax.jit(lambda key: chain(density, num_params, key))
    draws = jnp.stack([run(key) for key in keys])
    values = np.asarray(draws)  # (chains, draws, d)
    mean, sd = values.mean((0, 1)), values.std((0, 1), ddof=1)
    ess = np.asarray(effective_sample_size(draws))
    ess_of_squares = np.asarray(effective_sample_size((draws - mean) ** 2))
    variance_error = ((values - mean) ** 2).std((0, 1)) / np.sqrt(ess_of_squares)
    return {
        "data_sha256": table.sha256,
        "num_data": len(table.y),
        "prior_sd": LOGISTIC_PRIOR,
        "mean": mean.tolist(),
        "mean_error": (sd / np.sqrt(ess)).tolist(),
        "sd": sd.tolist(),
        "sd_error": (variance_error / (2 * sd)).tolist(),
        "largest_r_hat": float(np.max(np.asarray(potential_scale_reduction(draws)))),
        "smallest_ess": float(min(ess.min(), ess_of_squares.min())),
    }


def main() -> None:
    """Write the file beside this one."""
    jax.config.update("jax_enable_x64", True)
    made = {
        "made_by": Path(__file__).name,
        "sampler": "blackjax.nuts after blackjax.window_adaptation, target acceptance 0.9, float64",
        "chains": CHAINS,
        "warm_up": WARM_UP,
        "draws": DRAWS,
        "seed": SEED,
        "versions": {
            **{name: importlib.metadata.version(name) for name in ("blackjax", "jax", "numpy")},
            "python": sys.version.split()[0],
        },
        "tables": {name: entry(name) for name in TABLES},
    }
    path = Path(__file__).with_name("reference.json")
    path.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
