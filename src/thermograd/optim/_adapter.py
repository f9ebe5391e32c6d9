"""Runs any integrator that needs one force a step as a torch optimizer.

A call of `step` is handed the gradient at the present parameters. It finishes the step that was
waiting for it (`after`) and begins the next one up to where that needs its own (`before`). So the
parameters a user sees between two calls are those at which the next gradient is wanted.

State of a parameter: "momenta", the method's auxiliaries, and "pending", the step size of the step
begun and not finished. State of a group: numbers such as the thermostat variable ξ; a parameter
that joins such a group later takes part from its first gradient on, at rest. Nothing in `step`
waits for an accelerator, unless `on_nonfinite` says so.
"""

from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import Any, Literal, TypeAlias, cast

import torch
from torch import Tensor
from torch.optim import Optimizer

from .._checks import one_of, require
from .._errors import EvaluationError, ParameterError, TensorError
from .._foreach import all_finite
from ..geometry import Flat, Hidden, Manifold
from ..integrators import (
    CutIntegrator,
    Integrator,
    check_force_time,
    check_geometry,
    check_noise,
    resolve,
    scalars_of,
    starting_scalars,
)
from ..noise import NoiseSource, derived_generator
from ..noise import make as make_noise
from ..state import Env
from ._bad_input import (
    check_saved,
    check_settings,
    check_tensor,
    check_thermostat,
    nonfinite,
    thermostat_of,
)
from ._manifolds import (
    begin_hidden,
    check_joint,
    check_manifold,
    coordinates,
    degrees_of,
    first_momenta,
    hidden_of,
    settle,
    write_back,
)
from ._parts import enter, move, name_of, no_force, part_of, tiles_of
from ._rows import Rows, rows_of
from ._tiles import Columns
from .thermometer import Reading, configurational, kinetic

OnNonfinite: TypeAlias = Literal["raise", "skip", "ignore"]
Group: TypeAlias = dict[str, Any]
Key: TypeAlias = tuple[float | None, tuple[torch.device, torch.dtype] | None]
ParamsT: TypeAlias = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]

_settings_of = itemgetter(
    "lr", "friction", "temperature", "mass", "momentum", "feedback", "driving_noise", "coupling"
)
_HALF = (torch.bfloat16, torch.float16)
_NEITHER: Group = {  # settings of groups without a thermostat and a manifold
    "feedback": None,
    "driving_noise": None,
    "coupling": "plain",
    "initial_xi": 0.1,
    "label": None,
    "geometry": None,
    "initial_momenta": "zero",
}


class DynamicsOptimizer(Optimizer):
    """Base of the optimizers here; not for use by itself.

    Args:
        params: parameters, named parameters, or groups with settings of their own.
        defaults: settings of groups that do not say otherwise.
        noise: "gaussian", "three_point" or a noise source.
        generator: the stream of random numbers, on the parameters' device.
        on_nonfinite: what to do about a NaN or infinite gradient.
    """

    def __init__(
        self,
        params: ParamsT,
        defaults: Group,
        *,
        noise: str | NoiseSource = "gaussian",
        generator: torch.Generator | None = None,
        on_nonfinite: OnNonfinite | None = None,
    ) -> None:
        choices = ("raise", "skip", "ignore")
        if on_nonfinite is not None:
            one_of(on_nonfinite, choices, "on_nonfinite", type(self).__name__)
        self._methods: dict[str, CutIntegrator] = {}
        self._manifolds: dict[str, Manifold] = {}
        self._hidden: list[Hidden | None] = []
        self._rows: list[Rows | None] = []
        self._is_mixed: list[bool] = []
        self._scalar_names: list[tuple[str, ...]] = []
        self._scalars: list[dict[str, Tensor]] = []
        self._noise_kind = noise
        self._generator = generator
        self._noises: dict[torch.device, NoiseSource] = {}
        self.on_nonfinite = on_nonfinite
        self.skipped_steps = 0
        self._checked: dict[int, tuple[object, ...]] = {}  # settings seen to be good, by group
        super().__init__(params, {**_NEITHER, **defaults})

    def add_param_group(self, param_group: Group) -> None:
        """Add a group, checking its settings and parameters before anything changes."""
        group = {**self.defaults, **param_group}
        params = group["params"]
        group["params"] = [params] if isinstance(params, Tensor) else list(params)
        group["word"] = self._register(group["word"])
        owner = self._owner(len(self.param_groups), group)
        require(bool(group["params"]), "params", owner, "at least one parameter", [])
        check_settings(group, owner)
        rows, strict = group["params"], bool(group.pop("strict", False))
        tensors = [entry[1] if isinstance(entry, tuple) else entry for entry in rows]
        for tensor in tensors:
            check_tensor(tensor, owner)
        if len({id(tensor) for tensor in tensors}) < len(tensors):
            raise ParameterError(f"{owner} holds the same parameter twice; it would move twice")
        method, scalars = self._methods[group["word"]], scalars_of(self._methods[group["word"]])
        if "xi" in scalars:
            check_thermostat(group, tensors, owner)
        others = [
            (self._owner(number, other), self._methods[other["word"]])
            for number, other in enumerate(self.param_groups)
        ]
        check_force_time(method, others, owner)
        for tensor in tensors:
            check_noise(method, self._noise(tensor.device))
        geometry = check_manifold(group, group["geometry"], rows, owner)
        check_geometry(method, geometry)
        settle(geometry, rows, owner, strict)
        group["geometry"] = enter(self._manifolds, str(geometry), geometry)
        super().add_param_group(group)
        self._hidden.append(hidden_of(geometry))
        self._rows.append(rows_of(geometry, method, tensors))
        self._scalar_names.append(scalars)
        self._scalars.append({})
        self._is_mixed.append(len({(tensor.device, tensor.dtype) for tensor in tensors}) > 1)

    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Advance every parameter that has a gradient by one step.

        Args:
            closure: recomputes the loss and its gradients first, if given.

        Returns:
            what the closure returned.
        """
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        grads = [[param.grad for param in group["params"]] for group in self.param_groups]
        with torch.no_grad():
            if self._is_fit(grads):
                for index, group in enumerate(self.param_groups):
                    batches = self._line_up(index, grads[index])
                    if self._scalar_names[index] and len(batches) > 1:
                        batches = self._joined(batches)
                    for (pending, _), columns in batches.items():
                        self._advance(index, group, columns, pending)
        return loss

    def _is_fit(self, grads: list[list[Tensor | None]]) -> bool:
        """Check settings and gradients of all groups before anything is written."""
        for index, group in enumerate(self.param_groups):
            settings = _settings_of(group)
            if settings != self._checked.get(index):
                check_settings(group, self._owner(index, group))
                self._checked[index] = settings
            present: list[Tensor] = []
            for grad in grads[index]:
                if grad is None:
                    continue
                if grad.is_sparse:
                    owner = self._owner(index, group)
                    raise TensorError(
                        f"{owner} got a sparse gradient; ask the layer for dense ones"
                    )
                if grad.is_cpu or self.on_nonfinite is not None:
                    present.append(grad)
            if self.on_nonfinite == "ignore" or all_finite(present):
                continue
            if self.on_nonfinite != "skip":
                raise nonfinite(present, self._owner(index, group))
            self.skipped_steps += 1
            return False
        return True

    def _line_up(self, index: int, grads: list[Tensor | None]) -> dict[Key, Columns]:
        """Sort a group's parameters that have gradients by the step they are in."""
        group, states, is_mixed = self.param_groups[index], self.state, self._is_mixed[index]
        method = self._methods[group["word"]]
        has_momenta, auxiliaries = method.has_momenta, method.auxiliaries
        batches: dict[Key, Columns] = {}
        for param, grad in zip(cast(list[Tensor], group["params"]), grads, strict=True):
            if grad is None:
                continue
            state = states[param]
            if not state:
                self._begin(state, param, grad, group)
            key = (state["pending"], (param.device, param.dtype) if is_mixed else None)
            columns = batches.get(key)
            if columns is None:
                columns = batches[key] = Columns.empty(auxiliaries)
            columns.q.append(param)
            columns.g.append(grad)
            if has_momenta:
                columns.p.append(state["momenta"])
            for name in auxiliaries:
                columns.aux[name].append(state[name])
        return batches

    def _joined(self, batches: dict[Key, Columns]) -> dict[Key, Columns]:
        """Put all rows in one batch, in the step that the group has begun."""
        pending = next((h for h, _ in batches if h is not None), None)
        columns = next(iter(batches.values()))
        for other in list(batches.values())[1:]:
            columns.extend(other)
        for param in columns.q:
            self.state[param]["pending"] = pending
        return {(pending, None): columns}

    def _begin(self, state: Group, param: Tensor, grad: Tensor, group: Group) -> None:
        method, geometry = self._methods[group["word"]], self._manifolds[group["geometry"]]
        names = (*(("momenta",) if method.has_momenta else ()), *method.auxiliaries)
        # half precision cannot hold p ← c p with c near 1: the product rounds back to p
        dtype = torch.float32 if param.dtype in _HALF else param.dtype
        for name in names:
            state[name] = torch.zeros_like(param, dtype=dtype, memory_format=torch.preserve_format)
        state["pending"] = None
        begin_hidden(state, param, geometry, method, dtype)
        noise = self._noise(param.device)
        aux = {name: [state[name]] for name in method.auxiliaries}
        p = [state["momenta"]] if method.has_momenta else []
        columns = Columns([param], p, [grad], aux)
        if (hidden := hidden_of(geometry)) is not None:
            columns = coordinates(columns, [state], hidden)
        part = part_of(columns.with_walker(), group, {}, geometry)
        first_momenta(part, group["initial_momenta"], noise)
        method.init(part, Env(noise, no_force))

    def _advance(self, index: int, group: Group, columns: Columns, pending: float | None) -> None:
        method, geometry = self._methods[group["word"]], self._manifolds[group["geometry"]]
        if geometry.is_joint:
            check_joint(len(columns.q), len(group["params"]), self._owner(index, group))
        scalars = self._scalars[index]
        if self._scalar_names[index] and not scalars:
            zeros = columns.carried().new_zeros(1)
            scalars.update(starting_scalars(method, thermostat_of(group), zeros))
        h, rows, hidden = float(group["lr"]), self._rows[index], self._hidden[index]
        env = Env(self._noise(columns.q[0].device), no_force)
        states = [self.state[q] for q in columns.q] if hidden or rows else []
        if rows is not None:
            part = part_of(Columns.empty(()), group, scalars, rows.each)
            for _ in rows.tiles(columns, states, part):
                move(method, part, pending, h, env)
        else:
            moved = coordinates(columns, states, hidden) if hidden else columns
            part = part_of(moved, group, scalars, geometry)
            for tile in tiles_of(moved, method, geometry):
                part.q, part.p, part.aux, part.force.tensors = tile.q, tile.p, tile.aux, tile.g
                move(method, part, pending, h, env)
            if hidden is not None:
                write_back(columns, moved, hidden)
        if method.before_drifts and pending != h:
            for param in columns.q:
                self.state[param]["pending"] = h

    def _register(self, word: str | Integrator) -> str:
        method = resolve(word)
        if not isinstance(method, CutIntegrator) or not method.is_cut:
            counted = dict(method.claims.gradients_per_step)
            raise EvaluationError(
                f"{word!r} cannot be an optimizer: a step of it asks for forces by itself "
                f"(claims: {counted} a step), and an optimizer is handed one. Use the sampler"
            )
        key = word.lower() if isinstance(word, str) else name_of(method)
        return enter(self._methods, key, method)

    def _owner(self, number: int, group: Group) -> str:
        label = group["label"]
        part = f"group {number}" if label is None else f"the part {label!r}"
        return f"{part} of {type(self).__name__}"

    def _noise(self, device: torch.device) -> NoiseSource:
        source = self._noises.get(device)
        if source is None:
            source = self._noises[device] = self._new_noise(device)
        return source

    def _new_noise(self, device: torch.device) -> NoiseSource:
        if not isinstance(self._noise_kind, str):
            return self._noise_kind
        generator = self._generator or derived_generator(device)
        if generator.device != device:
            raise ParameterError(
                f"the generator is on {generator.device} and a parameter on {device}; "
                "give one on the parameter's device, or none"
            )
        return make_noise(self._noise_kind, generator)

    def thermometer(
        self, loss: Tensor | None = None, *, false_alarm: float = 1e-3, probes: int = 16
    ) -> list[Reading]:
        """Measure each group's temperatures, on demand; reads and changes nothing.

        The momenta are read where the optimizer holds them between two calls: within a step, up
        to where it needs the next gradient.

        Args:
            loss: U at the present parameters, with its graph, for the configurational
                temperature of unconstrained groups too; on a minibatch its noise counts as
                heat.
            false_alarm: probability that chance alone takes a right temperature out of its band.
            probes: products with the Hessian for each trace.

        Returns:
            a reading for each group.
        """
        readings: list[Reading] = []
        for number, group in enumerate(self.param_groups):
            begun = [param for param in group["params"] if param in self.state]
            columns, degrees = self._moving(group, begun)
            target = float(group["temperature"])
            moving = kinetic(columns.p, float(group["mass"]), target, false_alarm, degrees)
            placed = None
            if loss is not None and begun and self._manifolds[group["geometry"]] == Flat():
                placed = configurational(begun, loss, target, false_alarm, probes)
            readings.append(Reading(number, target, moving, placed))
        return readings

    def _moving(self, group: Group, begun: list[Tensor]) -> tuple[Columns, int]:
        """Return what moves for these parameters, and how many momenta are independent."""
        geometry, states = self._manifolds[group["geometry"]], [self.state[q] for q in begun]
        p = [state["momenta"] for state in states if "momenta" in state]
        columns = Columns(begun, p, begun, {})
        if (hidden := hidden_of(geometry)) is not None and begun:
            columns = coordinates(columns, states, hidden)
        with torch.no_grad():
            return columns, degrees_of(columns.with_walker(), geometry)

    def __getstate__(self) -> dict[str, Any]:
        own = (
            "_noise_kind",
            "_generator",
            "_noises",
            "_methods",
            "_manifolds",
            "_hidden",
            "_rows",
            "_checked",
            "_is_mixed",
            "_scalar_names",
            "_scalars",
            "on_nonfinite",
            "skipped_steps",
        )
        return {**super().__getstate__(), **{name: getattr(self, name) for name in own}}

    def state_dict(self) -> dict[str, Any]:
        """Return everything a continuation needs, the random streams included."""
        noise = {str(device): source.state_dict() for device, source in self._noises.items()}
        scalars = [dict(numbers) for numbers in self._scalars]
        return {**super().state_dict(), "noise": noise, "scalars": scalars}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue where the saved optimizer stood; a state that does not fit changes nothing."""
        check_saved(self, state_dict)
        super().load_state_dict({name: state_dict[name] for name in ("state", "param_groups")})
        saved = [index for group in state_dict["param_groups"] for index in group["params"]]
        params = [param for group in self.param_groups for param in group["params"]]
        for index, param in zip(saved, params, strict=True):
            # torch casts a state to its parameter's dtype; momenta of half precision are float32
            for name, value in state_dict["state"].get(index, {}).items():
                if isinstance(value, Tensor):
                    self.state[param][name] = value.detach().to(param.device, copy=True)
        for number, theirs in enumerate(state_dict["scalars"]):
            device = self.param_groups[number]["params"][0].device
            ours = {name: x.detach().to(device, copy=True) for name, x in theirs.items()}
            self._scalars[number] = ours
        for device, state in state_dict["noise"].items():
            self._noise(torch.device(device)).load_state_dict(state)
