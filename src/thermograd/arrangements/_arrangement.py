"""Which parameters get which method: a partition, and a method for each of its labels."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from .._errors import EvaluationError, ParameterError
from ..geometry import Flat, Manifold, restrict
from ..integrators import CutIntegrator, check_force_time, resolve, scalars_of
from ..partitions import Partition
from ..partitions.base import Named, layer_of
from ..thermostat import Thermostat
from ._arranged import Arranged, Share
from ._part_method import PartMethod

__all__ = ["Arrangement", "LayerWise", "check_labels"]


@runtime_checkable
class LayerWise(Protocol):
    """A method that wants to see the parameters before it says what moves which."""

    def arrange(self, params: Named) -> "Arrangement":
        """Return the parts and their methods, for parameters with names."""
        ...


@dataclass(frozen=True, slots=True)
class Arrangement:
    """A method for each part of the parameters; all share one force a step.

    All parts must need the force at the same time of a step: words that begin and end with a kick
    go together, and with OBA, SGD and Adam; ABOBA goes with its own kind.

    Attributes:
        partition: labels of the parameters, from `thermograd.partitions`.
        methods: a `PartMethod` for each label, or the word of one without settings.

    Examples:
        >>> from thermograd.arrangements import Arrangement, PartMethod
        >>> from thermograd.partitions import Partition
        >>> partition = Partition({"a": "slow", "b": "fast"})
        >>> cold = PartMethod("OBABO", friction=0.5, temperature=0.0)
        >>> chosen = Arrangement(partition, {"slow": cold, "fast": "adam"})
        >>> [(label, part.word) for label, part in chosen.specs()]
        [('slow', 'OBABO'), ('fast', 'adam')]
    """

    partition: Partition
    methods: Mapping[str, PartMethod | str]

    def __post_init__(self) -> None:
        check_labels(list(self.partition.parts), list(self.methods))
        others: list[tuple[str, CutIntegrator]] = []
        for label, spec in self.specs():
            owner, method = f"the part {label!r}", resolve(spec.word)
            if not isinstance(method, CutIntegrator) or not method.is_cut:
                counted = dict(method.claims.gradients_per_step)
                raise EvaluationError(
                    f"{spec.word!r} cannot be the method of {owner}: a step of it asks for forces "
                    f"by itself (claims: {counted} a step), and parts share one"
                )
            check_force_time(method, others, owner)
            others.append((owner, method))

    def specs(self) -> Iterator[tuple[str, PartMethod]]:
        """Yield each label with its method and settings."""
        for label in self.partition.parts:
            spec = self.methods[label]
            yield label, spec if isinstance(spec, PartMethod) else PartMethod(spec)

    def arrange(self, params: Named) -> "Arrangement":
        """Return itself, if its labels are those of the parameters."""
        self.partition.split(params)
        return self

    def bind(
        self,
        names: Sequence[str],
        geometry: Manifold | None = None,
        thermostat: Thermostat | None = None,
    ) -> Arranged:
        """Return the arrangement as a method for tensors of these names.

        Args:
            names: of all tensors, in their order.
            geometry: the manifold of all tensors; flat if not given.
            thermostat: ε, σ and the start of ξ for parts that do not say.

        Raises:
            ParameterError: if a part has a thermostat variable and no thermostat, or one
                constraint couples two parts.
        """
        manifold = geometry if geometry is not None else Flat()
        shares: list[Share] = []
        for label, spec in self.specs():
            method = resolve(spec.word)
            assert isinstance(method, CutIntegrator)
            has_xi = "xi" in scalars_of(method)
            if has_xi and spec.thermostat is None and thermostat is None:
                raise ParameterError(
                    f"the method of the part {label!r} has a thermostat variable, so it needs to "
                    "know ε and σ; give thermostat=Thermostat(feedback=…, driving_noise=…)"
                )
            unit = spec.thermostat_per if has_xi else "part"
            for title, members in _cut(label, self.partition.parts[label], unit):
                chosen = [place for place, name in enumerate(names) if name in members]
                piece = restrict(manifold, names, chosen)
                own = tuple(names[place] for place in chosen)
                shares.append(Share(title, own, piece.coordinates, piece.geometry, spec, method))
        return Arranged(tuple(shares))


def check_labels(parts: Sequence[str], methods: Sequence[str]) -> None:
    """Refuse a part without a method, and a method without a part.

    Raises:
        ParameterError: for either.
    """
    known = ", ".join(repr(label) for label in parts)
    for label in parts:
        if label not in methods:
            raise ParameterError(
                f"the part {label!r} has no method: it would never move; the parts are {known}"
            )
    for label in methods:
        if label not in parts:
            raise ParameterError(f"no part is called {label!r}; the parts are {known}")


def _cut(label: str, names: Sequence[str], unit: str) -> Iterator[tuple[str, set[str]]]:
    """Yield the tensors of a part by what has a thermostat of its own."""
    if unit == "part":
        yield label, set(names)
        return
    found: dict[str, set[str]] = {}
    for name in names:
        found.setdefault(layer_of(name) or "self" if unit == "layer" else name, set()).add(name)
    for title, members in found.items():
        yield f"{label}.{title}", members
