"""Langevin dynamics on several time scales, with a friction and a temperature for each part.

    dq_a = p_a/m_a dt,   dp_a = f_a dt − γ_a p_a dt + √(2γ_a m_a T_a) dW_a,   a = slow, fast

One cycle with OBA on both parts and linear drift, h the step of a call:

    once        p_slow ← exp(−γ_slow kh) p_slow + noise at T_slow;   p_slow ← p_slow + kh f_slow(q)
    k times     p_fast ← exp(−γ_fast h) p_fast + noise at T_fast;    p_fast ← p_fast + h f_fast(q)
                q_fast ← q_fast + h p_fast/m_fast;   q_slow ← q_slow + h p_slow/m_slow

By default the fast part alone has noise. At T = 0 with m_slow = k m and γ_slow = γ_fast/k this is
`MultirateSGD` with lr = h²/m and momentum exp(−γ_fast h).
"""

from collections.abc import Mapping
from typing import Any

import torch

from .._checks import non_negative
from ..integrators import Integrator
from ..noise import NoiseSource
from ..partitions import Partition
from ._adapter import OnNonfinite
from ._multirate import MultirateOptimizer
from ._scales import LabelsT, PartsT, cycle_of, parts_of

__all__ = ["MultirateLangevin"]


class MultirateLangevin(MultirateOptimizer):
    """Langevin dynamics in which slow parts take a gradient every k calls.

    Args:
        params: a model, or parameters for each label; a group in place of them may have any
            setting of its own, such as {"params": …, "friction": 2.0, "word": "BAOAB"}.
        lr: h ≥ 0, the step of every call, for all parts; the step of a slow part is kh.
        k: as for `MultirateSGD`.
        friction: γ ≥ 0, per unit time.
        temperature: T ≥ 0 of the fast parts (those with k = 1 if each part has its k), in units
            of the loss.
        slow_temperature: T ≥ 0 of the slow parts.
        mass: m > 0.
        word: method of all parts. With linear drift a slow part needs kicks and baths with one
            drift at the end, as OBA is; without, and for the fast parts, any word that needs its
            one force where OBA does, such as BAOAB.
        partition: as for `MultirateSGD`.
        slow: as for `MultirateSGD`.
        fast: as for `MultirateSGD`.
        linear_drift: as for `MultirateSGD`.
        prune: as for `MultirateSGD`.
        noise: "gaussian", "three_point" or a noise source.
        generator: as for `Langevin`.
        on_nonfinite: as for `Langevin`.

    References:
        Vlaar (2022), thesis, University of Edinburgh, equation (5.2) and section 5.9.1.
    """

    def __init__(
        self,
        params: PartsT,
        lr: float,
        *,
        k: int | Mapping[str, int] = 5,
        friction: float,
        temperature: float,
        slow_temperature: float = 0.0,
        mass: float = 1.0,
        word: str | Integrator = "OBA",
        partition: Partition | None = None,
        slow: LabelsT = None,
        fast: LabelsT = None,
        linear_drift: bool = True,
        prune: bool = True,
        noise: str | NoiseSource = "gaussian",
        generator: torch.Generator | None = None,
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        groups = parts_of(params, partition, "MultirateLangevin")
        labels = [group["label"] for group in groups]
        cycle = cycle_of(labels, k, slow, fast, linear_drift, "MultirateLangevin")
        non_negative(slow_temperature, "slow_temperature", "MultirateLangevin")
        fastest = cycle.scales[-1]
        for group in groups:
            if group["label"] not in fastest:
                group.setdefault("temperature", slow_temperature)
        defaults: dict[str, Any] = {
            "lr": lr,
            "friction": friction,
            "temperature": temperature,
            "word": word,
            "mass": mass,
            "momentum": None,
        }
        super().__init__(
            groups,
            defaults,
            cycle=cycle,
            prune=prune,
            noise=noise,
            generator=generator,
            on_nonfinite=on_nonfinite,
        )
