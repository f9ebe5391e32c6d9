"""Random streams of a run: one generator for each purpose, derived from the run's seed.

Streams of different purposes are independent, so a diagnostic that draws changes no walker.
"""

import hashlib

import numpy as np
import torch

from ..noise import seeded

__all__ = ["stream"]


def stream(seed: int, purpose: str, device: torch.device | str = "cpu") -> torch.Generator:
    """Return the generator of one purpose of a run.

    Args:
        seed: of the run, 0 or above.
        purpose: what is drawn, such as "noise" or "batches".
        device: where the draws are wanted.
    """
    digest = hashlib.sha256(purpose.encode()).digest()
    words = np.random.SeedSequence([seed, int.from_bytes(digest[:8], "little")])
    return seeded(int(words.generate_state(1, np.uint64)[0] >> np.uint64(1)), device)
