"""The model a network potential evaluates: its own copy, in eval mode, never changed again.

Decides which parameters move, and refuses modules whose output is not a function of the
parameters and one example.
"""

import copy
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from .._checks import require, unknown_name
from .._errors import NonFiniteError, ParameterError
from ._draws import DrawFrom

_DROPOUT = (
    nn.Dropout,
    nn.Dropout1d,
    nn.Dropout2d,
    nn.Dropout3d,
    nn.AlphaDropout,
    nn.FeatureAlphaDropout,
)
_BATCH_NORM = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.SyncBatchNorm)


class Template:
    """A private copy of a model in eval mode, split into what moves and what does not.

    Attributes:
        module: the copy; its buffers and frozen parameters are shared by all walkers.
        names: of the trainable parameters, in the model's order; a tied one counts once.
        frozen: names of the parameters that keep the model's values.
        dtype: of the trainable parameters.
        device: of the trainable parameters.
    """

    def __init__(self, model: nn.Module, frozen: str | Iterable[str]) -> None:
        ok = isinstance(model, nn.Module)  # pyright: ignore[reportUnnecessaryIsInstance]
        require(ok, "model", "Network", "a torch.nn.Module", model)
        _refuse_lazy(model)
        _refuse_dropout(model)
        _refuse_batch_statistics(model)
        self.module = copy.deepcopy(model).eval()
        patterns = [frozen] if isinstance(frozen, str) else list(frozen)
        self.names, self.frozen = _split(self.module, patterns)
        self.module.requires_grad_(False)
        values = self.values()
        self.dtype, self.device = values[0].dtype, values[0].device
        for name, value in zip(self.names, values, strict=True):
            self._check(name, value)

    def values(self) -> list[Tensor]:
        """Return the trainable parameters of the copy, in order."""
        return [self.module.get_parameter(name) for name in self.names]

    def fingerprint_facts(self) -> object:
        """Return what U depends on: the model and its fixed values, not where walkers start."""
        fixed = {name: self.module.get_parameter(name) for name in self.frozen}
        return [repr(self.module), self.names, fixed, dict(self.module.named_buffers())]

    def reset(self, generator: torch.Generator) -> list[Tensor]:
        """Return freshly initialised values, as the modules' own `reset_parameters` draw them."""
        module = copy.deepcopy(self.module)
        for name, resets in _resets(module, self.names):
            if resets is None:
                raise ParameterError(
                    f"the module {name!r} has parameters and no `reset_parameters` to draw them "
                    'anew; give it one, or start with init="jitter"'
                )
            with torch.no_grad(), DrawFrom(generator):
                resets()
        return [module.get_parameter(name).detach() for name in self.names]

    def _check(self, name: str, value: Tensor) -> None:
        if not value.is_floating_point() or value.dtype is not self.dtype:
            raise ParameterError(
                f"the trainable parameters must have one real dtype; {name!r} is {value.dtype}, "
                f"{self.names[0]!r} is {self.dtype}"
            )
        if value.device != self.device:
            raise ParameterError(
                f"the trainable parameters must be on one device; {name!r} is on {value.device}, "
                f"{self.names[0]!r} on {self.device}"
            )
        if not bool(torch.isfinite(value).all()):
            raise NonFiniteError(f"the parameter {name!r} of the model holds NaN or infinity")


def _split(module: nn.Module, patterns: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of trainable and of frozen parameters."""
    aliases: dict[int, list[str]] = {}
    for name, parameter in module.named_parameters(remove_duplicate=False):
        aliases.setdefault(id(parameter), []).append(name)
    known = [name for group in aliases.values() for name in group]
    if not known:
        raise ParameterError(
            f"the model {type(module).__name__} has no parameters: there is nothing to sample"
        )
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in known):
            raise unknown_name("parameter to freeze", pattern, known)
    names: list[str] = []
    frozen: list[str] = []
    for name, parameter in module.named_parameters():
        own = aliases[id(parameter)]
        is_named = any(fnmatchcase(alias, pattern) for alias in own for pattern in patterns)
        (frozen if is_named or not parameter.requires_grad else names).append(name)
    if not names:
        raise ParameterError(
            f"every parameter of the model is frozen, by name or by requires_grad=False: "
            f"{', '.join(frozen)}; leave at least one to move"
        )
    return tuple(names), tuple(frozen)


def _resets(
    module: nn.Module, names: Sequence[str]
) -> list[tuple[str, Callable[[], object] | None]]:
    """Return how to reset every submodule with a trainable parameter of its own, children first."""
    owners = {name.rpartition(".")[0] for name in names}
    found: list[tuple[str, Callable[[], object] | None]] = []
    for name, child in reversed(list(module.named_modules())):
        own = getattr(child, "reset_parameters", None) or getattr(child, "_reset_parameters", None)
        if name in owners or callable(own):
            found.append((name, own if callable(own) else None))
    return found


def _refuse_lazy(model: nn.Module) -> None:
    lazy = [name for name, parameter in model.named_parameters() if is_lazy(parameter)]
    if lazy:
        raise ParameterError(
            f"the parameters {', '.join(lazy)} have no shape yet; evaluate the model once, on one "
            "example, before handing it over"
        )


def _refuse_dropout(model: nn.Module) -> None:
    active = [name for name, module in model.named_modules() if _drops(module)]
    if active:
        raise ParameterError(
            f"the model has dropout in training mode ({', '.join(active)}): its potential would "
            "be another random function at every evaluation, and no density would belong to it. "
            "Call `model.eval()` first, or build it with dropout=0: dropout is then off, and U is "
            "that of the whole network."
        )


def _drops(module: nn.Module) -> bool:
    if not module.training:
        return False
    if isinstance(module, _DROPOUT):
        return module.p > 0
    if isinstance(module, (nn.RNNBase, nn.MultiheadAttention)):
        return module.dropout > 0
    return isinstance(module, nn.RReLU)


def _refuse_batch_statistics(model: nn.Module) -> None:
    without = [
        name
        for name, module in model.named_modules()
        if isinstance(module, _BATCH_NORM) and module.running_mean is None
    ]
    if without:
        raise ParameterError(
            f"the model has batch normalisation without running statistics ({', '.join(without)}): "
            "the output for one example would depend on the others in its batch, so U would not be "
            "a sum over examples. Use track_running_stats=True, whose statistics are kept fixed, "
            "or GroupNorm or LayerNorm."
        )
