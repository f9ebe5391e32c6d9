"""Models by name, or from the user's own code as "module:attribute"."""

import importlib
import inspect
from collections.abc import Callable
from typing import cast

import torch
from torch import nn

from .._checks import unknown_name
from .._errors import ParameterError, UnknownNameError
from .all_cnn import all_cnn
from .all_cnn_bn import all_cnn_bn
from .char_lstm import char_lstm
from .lenet import lenet
from .lenet_bn import lenet_bn
from .mlp import mlp
from .mnistfc import mnistfc
from .perceptron import perceptron
from .ptb_lstm import ptb_lstm
from .resnet18 import resnet18
from .resnet34 import resnet34
from .small_cnn import small_cnn
from .small_lenet import small_lenet
from .transformer import transformer
from .vgg11 import vgg11
from .wide_resnet import wide_resnet

_Builder = Callable[..., object]


def names() -> list[str]:
    """Return the names of the built-in models."""
    return sorted(_builders())


def build(name: str, *, generator: torch.Generator, **options: object) -> nn.Module:
    """Return a built-in model by name.

    Args:
        name: one of `names()`.
        generator: source of the initial parameters.
        options: arguments of the function of that name in `thermograd.models`.
    """
    builders = _builders()
    if name not in builders:
        hint = ' A model of your own is "module:attribute".'
        raise unknown_name("model", name, builders, hint)
    return _called(builders[name], name, generator, options)


def resolve_model(spec: str, *, generator: torch.Generator, **options: object) -> nn.Module:
    """Return a model by name, or from the user's own code.

    Args:
        spec: a built-in name, or "module:attribute", where the attribute of the importable module
            is a torch.nn.Module, or a function or class that returns one.
        generator: source of the initial parameters; handed to a function that has a parameter
            of that name. One without draws as it pleases.
        options: arguments of the function; a finished Module takes none.

    Returns:
        the model; a finished Module is returned as it is, not copied.
    """
    if ":" not in spec:
        return build(spec, generator=generator, **options)
    found = _imported(spec)
    if isinstance(found, nn.Module):
        if options:
            raise ParameterError(
                f"{spec!r} is a finished model and takes no options; got {', '.join(options)}"
            )
        return found
    if not callable(found):
        raise ParameterError(
            f"{spec!r} must be a torch.nn.Module or a function that returns one; it is a "
            f"{type(found).__name__}"
        )
    return _called(found, spec, generator, options)


def _builders() -> dict[str, _Builder]:
    return {
        "all_cnn": all_cnn,
        "all_cnn_bn": all_cnn_bn,
        "char_lstm": char_lstm,
        "lenet": lenet,
        "lenet_bn": lenet_bn,
        "mlp": mlp,
        "mnistfc": mnistfc,
        "perceptron": perceptron,
        "ptb_lstm": ptb_lstm,
        "resnet18": resnet18,
        "resnet34": resnet34,
        "small_cnn": small_cnn,
        "small_lenet": small_lenet,
        "transformer": transformer,
        "vgg11": vgg11,
        "wide_resnet": wide_resnet,
    }


def _imported(spec: str) -> object:
    module_name, _, attribute = spec.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise
        raise UnknownNameError(
            f"no module {module_name!r} can be imported for the model {spec!r}: install it, or put "
            "its folder on PYTHONPATH"
        ) from error
    if not hasattr(module, attribute):
        public = [name for name in vars(module) if not name.startswith("_")]
        raise unknown_name(f"attribute of {module_name}", attribute, public)
    return cast(object, getattr(module, attribute))


def _called(
    builder: _Builder, spec: str, generator: torch.Generator, options: dict[str, object]
) -> nn.Module:
    """Return what a function makes of the options, after comparing them with its parameters."""
    signature = inspect.signature(builder)
    arguments = dict(options)
    if "generator" in signature.parameters:
        arguments["generator"] = generator
    try:
        signature.bind(**arguments)
    except TypeError as error:
        known = ", ".join(name for name in signature.parameters if name != "generator")
        raise ParameterError(
            f"the options of the model {spec!r} do not fit: {error}; it takes {known or 'none'}"
        ) from error
    model = builder(**arguments)
    if not isinstance(model, nn.Module):
        raise ParameterError(
            f"{spec!r} must return a torch.nn.Module; it returns a {type(model).__name__}"
        )
    return model
