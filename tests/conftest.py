"""What every test gets: owned randomness only, and a seed that can be varied from outside."""

import importlib
import os
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

importlib.import_module("rich.style")  # draws from Python's generator as it is imported

DEFAULT_SEED = 0
ALL_SEEDS = range(100)


def chosen_seeds() -> list[int]:
    """Return the seeds to run: 0, or what THERMOGRAD_TEST_SEEDS says (a number, or `all`)."""
    chosen = os.environ.get("THERMOGRAD_TEST_SEEDS", str(DEFAULT_SEED))
    if chosen == "all":
        return list(ALL_SEEDS)
    if not chosen.isdecimal():
        raise pytest.UsageError(f"THERMOGRAD_TEST_SEEDS must be a number or 'all'; got {chosen!r}")
    return [int(chosen)]


@pytest.fixture(scope="module", params=chosen_seeds())
def seed(request: pytest.FixtureRequest) -> int:
    """A seed for the generators a test makes; the test must pass for all of 0 to 99."""
    return request.param


class GlobalGenerators:
    """The positions of the global generators of torch, numpy and Python at one moment."""

    def __init__(self) -> None:
        self.torch = torch.get_rng_state()
        self.numpy: Any = np.random.get_state()  # noqa: NPY002  watched, not drawn from
        self.python = random.getstate()

    def moved(self) -> list[str]:
        """Return the names of the generators that are elsewhere now."""
        now = GlobalGenerators()
        same_numpy = np.array_equal(now.numpy[1], self.numpy[1]) and now.numpy[2:] == self.numpy[2:]
        unmoved = {
            "torch": torch.equal(now.torch, self.torch),
            "numpy.random": same_numpy,
            "random": now.python == self.python,
        }
        return [name for name, is_same in unmoved.items() if not is_same]

    def restore(self) -> None:
        """Put all of them back."""
        torch.set_rng_state(self.torch)
        np.random.set_state(self.numpy)  # noqa: NPY002  put back, not drawn from
        random.setstate(self.python)


@pytest.fixture(autouse=True)
def _global_generators_stay() -> Iterator[None]:
    before = GlobalGenerators()
    yield
    if moved := before.moved():
        before.restore()
        pytest.fail(
            f"the test moved the global generator of {', '.join(moved)}; draw from a generator of "
            "its own, or ask for the fixture `global_rng` where torch offers no other way, as "
            "when a torch.nn module initialises itself"
        )


@pytest.fixture
def global_rng(_global_generators_stay: None) -> Iterator[None]:
    """Let a test draw from the global generators, seeded; they are put back afterwards."""
    before = GlobalGenerators()
    torch.manual_seed(DEFAULT_SEED)
    np.random.seed(DEFAULT_SEED)  # noqa: NPY002  for third-party code that draws from it
    random.seed(DEFAULT_SEED)
    yield
    before.restore()


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)
