"""Noise sources: the one door for randomness. Each owns the generator it draws from.

    gaussian      ξ ~ N(0, 1)
    three_point   P(ξ = ±√3) = 1/6,  P(ξ = 0) = 2/3

The second has the moments of the first up to order 5, which is all that weak order 2 asks for,
and costs a fraction of it on a CPU.
"""

import math
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from torch import Tensor

from ._checks import require, unknown_name
from ._errors import EvaluationError, StateError
from ._workspace import Workspace

__all__ = ["Gaussian", "NoiseSource", "Tape", "ThreePoint", "derived_generator", "make", "seeded"]

_DIGITS = 8  # base-6 digits per 32-bit word: the eighth still has 25 random bits


@runtime_checkable
class NoiseSource(Protocol):
    """A stream of standard variates: mean 0, variance 1, independent.

    Attributes:
        matched_moments: up to which order the moments are those of a Gaussian.
    """

    matched_moments: float

    def normal(self, like: Sequence[Tensor]) -> list[Tensor]:
        """Draw one variate for every element of `like`, in its shapes, dtype and device.

        What is returned may be overwritten by the next call.
        """
        ...

    def uniform(self, like: Tensor) -> Tensor:
        """Draw U(0, 1) for every element of `like`."""
        ...

    def state_dict(self) -> dict[str, Tensor]:
        """Return the stream's position, as tensors."""
        ...

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        """Continue from a position that `state_dict` returned."""
        ...


class Gaussian:
    """ξ ~ N(0, 1), drawn by torch from one generator.

    Args:
        generator: the stream; owned from now on.
    """

    matched_moments = math.inf

    def __init__(self, generator: torch.Generator) -> None:
        self.generator = generator
        self._space = Workspace()

    def normal(self, like: Sequence[Tensor]) -> list[Tensor]:
        flat, views = self._space.like(like)
        flat.normal_(generator=self.generator)
        return views

    def uniform(self, like: Tensor) -> Tensor:
        return torch.empty_like(like).uniform_(generator=self.generator)

    def state_dict(self) -> dict[str, Tensor]:
        return {"generator": self.generator.get_state()}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        _check_keys(state, {"generator"})
        self.generator.set_state(state["generator"].cpu())


class ThreePoint:
    """P(ξ = ±√3) = 1/6, P(ξ = 0) = 2/3, cut from raw random bits.

    A 32-bit word read as a fraction u in [−1, 1) gives one variate: 0 if |u| ≤ ⅔, else √3 with
    the sign of u; six times the word, with the overflow dropped, gives the next. Eight variates
    a word leave every probability right to 1e-7. On a CPU the words come from a stream of its
    own (SFC64, four times as fast as torch's) that starts at a draw from `generator`.

    Args:
        generator: seeds the stream of bits and draws the uniforms; owned from now on.
    """

    matched_moments = 5.0

    def __init__(self, generator: torch.Generator) -> None:
        self.generator = generator
        self._space = Workspace()
        self._bits = np.random.SFC64()
        powers = [[6**k] for k in range(_DIGITS)]
        self._powers = torch.tensor(powers, dtype=torch.int32, device=generator.device)
        seed = torch.empty(4, dtype=torch.int64, device=generator.device)
        seed.random_(generator=generator)
        self._load_bits(seed.cpu())

    def normal(self, like: Sequence[Tensor]) -> list[Tensor]:
        low = like[0].dtype in (torch.bfloat16, torch.float16)
        shapes = [t.new_empty(t.shape, dtype=torch.float32) for t in like] if low else like
        flat, views = self._space.like(shapes, multiple=_DIGITS)
        count = flat.numel() // _DIGITS
        digits = flat.view(_DIGITS, count)
        # integers of the same width can live where their floats will
        is_narrow = digits.dtype is torch.float32
        wide = (
            digits.view(torch.int32) if is_narrow else torch.empty_like(digits, dtype=torch.int32)
        )
        torch.mul(self._words(count, flat.device), self._powers, out=wide)
        digits.copy_(wide)
        torch.hardshrink(digits, 2 / 3 * 2**31, out=digits)
        digits.clamp_(-math.sqrt(3.0), math.sqrt(3.0))
        return [view.to(t.dtype) for view, t in zip(views, like, strict=True)] if low else views

    def uniform(self, like: Tensor) -> Tensor:
        return torch.empty_like(like).uniform_(generator=self.generator)

    def state_dict(self) -> dict[str, Tensor]:
        state = self._bits.state["state"]["state"]
        return {
            "generator": self.generator.get_state(),
            "bits": torch.from_numpy(np.array(state, dtype=np.uint64).view(np.int64).copy()),
        }

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        _check_keys(state, {"generator", "bits"})
        self.generator.set_state(state["generator"].cpu())
        self._load_bits(state["bits"].cpu())

    def _load_bits(self, words: Tensor) -> None:
        fresh = self._bits.state
        fresh["state"]["state"] = words.to(torch.int64).numpy().view(np.uint64).copy()
        fresh["has_uint32"], fresh["uinteger"] = 0, 0
        self._bits.state = fresh

    def _words(self, count: int, device: torch.device) -> Tensor:
        pairs = -(-count // 2)
        if device.type == "cpu":
            raw = torch.from_numpy(self._bits.random_raw(pairs).view(np.int64))
        else:
            raw = torch.empty(pairs, dtype=torch.int64, device=device)
            raw.random_(-(2**63), None, generator=self.generator)
        return raw.view(torch.int32)[:count]


class Tape:
    """Variates written down beforehand, for tests: the k-th call returns the k-th entry.

    Args:
        entries: a list of tensors for each call, in the shapes that call will ask for.
        uniforms: a tensor for each call of `uniform`.
    """

    matched_moments = math.inf

    def __init__(
        self, entries: Sequence[Sequence[Tensor]], uniforms: Sequence[Tensor] = ()
    ) -> None:
        self.entries = [list(entry) for entry in entries]
        self.uniforms = list(uniforms)
        self.position = 0
        self.uniform_position = 0

    def normal(self, like: Sequence[Tensor]) -> list[Tensor]:
        if self.position == len(self.entries):
            raise EvaluationError(f"the tape has {self.position} draws and all are used")
        entry = self.entries[self.position]
        shapes = [tuple(tensor.shape) for tensor in entry]
        if shapes != [tuple(tensor.shape) for tensor in like]:
            raise EvaluationError(f"draw {self.position} on the tape has shapes {shapes}")
        self.position += 1
        return entry

    def uniform(self, like: Tensor) -> Tensor:
        if self.uniform_position == len(self.uniforms):
            raise EvaluationError(f"the tape has {self.uniform_position} uniforms, all used")
        self.uniform_position += 1
        return self.uniforms[self.uniform_position - 1]

    def state_dict(self) -> dict[str, Tensor]:
        return {"position": torch.tensor([self.position, self.uniform_position])}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        _check_keys(state, {"position"})
        self.position, self.uniform_position = (int(value) for value in state["position"])


_SOURCES = {"gaussian": Gaussian, "three_point": ThreePoint}


def make(noise: str | NoiseSource, generator: torch.Generator | None = None) -> NoiseSource:
    """Return a noise source by name, on `generator`, or the one that is given."""
    if not isinstance(noise, str):
        ok = isinstance(noise, NoiseSource)  # pyright: ignore[reportUnnecessaryIsInstance]
        require(ok, "noise", "make", "a name or a NoiseSource", noise)
        return noise
    if noise not in _SOURCES:
        raise unknown_name("noise", noise, _SOURCES)
    return _SOURCES[noise](generator if generator is not None else derived_generator("cpu"))


def seeded(seed: int, device: torch.device | str = "cpu") -> torch.Generator:
    """Return a new generator on `device` that starts at `seed`."""
    return torch.Generator(device=device).manual_seed(seed)


def derived_generator(device: torch.device | str) -> torch.Generator:
    """Return a new generator seeded from the state of torch's global one, without moving it.

    So `torch.manual_seed` decides a run as users expect, and two objects made after different
    draws (after building different models, say) get different streams.
    """
    state = torch.get_rng_state().numpy()
    seed = int(np.random.SeedSequence(state.view(np.uint32).tolist()).generate_state(1)[0])
    return seeded(seed, device)


def _check_keys(state: dict[str, Tensor], expected: set[str]) -> None:
    if set(state) != expected:
        raise StateError(
            f"a noise state must hold {sorted(expected)}; got {sorted(state)}: it was saved by "
            "another kind of noise source"
        )
