"""Any method on any part: an optimizer from a partition and a method for each label."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from ..arrangements import PartMethod, check_labels
from ..noise import NoiseSource
from ..partitions import Partition
from ..partitions.base import Named
from ._adapter import DynamicsOptimizer, Group, OnNonfinite
from ._groups import thermostat_each

__all__ = ["Method", "Partitioned"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Method(PartMethod):
    """What one part does.

    Attributes:
        word: letters, a method's name, or an integrator with one gradient a step.
        lr: h of this part; the optimizer's if None.
        friction: γ ≥ 0; may be infinite.
        temperature: T ≥ 0, in units of the loss.
        mass: m > 0.
        thermostat: ε, σ and the coupling, for words with a thermostat variable.
        thermostat_per: what has a ξ of its own: "part", "layer" or "tensor".
    """

    lr: float | None = None
    friction: float = 0.0
    temperature: float = 0.0
    mass: float = 1.0

    def settings(self) -> Group:
        """Return the settings of a parameter group that runs this method."""
        chosen: Group = {
            "word": self.word,
            "friction": self.friction,
            "temperature": self.temperature,
            "mass": self.mass,
        }
        if self.lr is not None:
            chosen["lr"] = self.lr
        if self.thermostat is not None:
            chosen |= {
                "feedback": self.thermostat.feedback,
                "driving_noise": self.thermostat.driving_noise,
                "coupling": self.thermostat.coupling,
                "initial_xi": self.thermostat.initial_xi,
            }
        return chosen


class Partitioned(DynamicsOptimizer):
    """A method for each part of a model, all handed the same gradient.

    All parts must need the force at the same time of a step: words that begin and end with a kick
    go together, and with OBA, SGD and SGLD; ABOBA, which needs it in the middle, goes with its own
    kind. What does not fit is refused.

    Args:
        params: a model, or its named parameters.
        partition: labels of the parameters, from `thermograd.partitions`.
        methods: a `Method` for each label, or the word of one without settings.
        lr: h ≥ 0 of the parts that have none of their own.
        noise: "gaussian", "three_point" or a noise source.
        generator: as for `Langevin`.
        on_nonfinite: as for `Langevin`.

    Examples:
        >>> import torch
        >>> from torch import nn
        >>> from thermograd.optim import Method, Partitioned
        >>> from thermograd.partitions import by_kind
        >>> with torch.random.fork_rng():
        ...     model = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
        >>> weights = Method(word="BAOAB", friction=0.5, temperature=1e-4)
        >>> opt = Partitioned(model, by_kind(model), {"weights": weights, "biases": "sgd"}, 0.1)
        >>> [(group["label"], group["word"]) for group in opt.param_groups]
        [('weights', 'baoab'), ('biases', 'sgd')]
    """

    def __init__(
        self,
        params: Named,
        partition: Partition,
        methods: Mapping[str, Method | str],
        lr: float,
        *,
        noise: str | NoiseSource = "gaussian",
        generator: torch.Generator | None = None,
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        parts = partition.split(params if isinstance(params, torch.nn.Module) else list(params))
        check_labels(list(parts), list(methods))
        groups: list[Group] = []
        for label, named in parts.items():
            spec = methods[label]
            method = spec if isinstance(spec, Method) else Method(word=spec)
            group = {"params": list(named.items()), "label": label, **method.settings()}
            owner = f"the part {label!r}"
            groups.extend(thermostat_each([group], method.thermostat_per, method.word, owner))
        defaults: dict[str, Any] = {"lr": lr, "momentum": None}
        super().__init__(
            groups, defaults, noise=noise, generator=generator, on_nonfinite=on_nonfinite
        )
