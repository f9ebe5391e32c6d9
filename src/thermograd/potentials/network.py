"""A network, a loss and data as a potential U(q) of the network's parameters q.

    U = Σ_n loss(f(x_n; q), y_n) − log π(q)                        scale="sum"
    U = (1/N) of that: the mean loss − (1/N) log π(q)              scale="mean"

A batch of B examples gives (N/B) times its sum instead of the sum over the data, the same on
average. Sampling exp(−U/T) at T = 1 with the sum, or at T = 1/N with the mean, is sampling the
posterior of Bayes.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Literal, final

import torch
from torch import Tensor, nn
from torch.func import functional_call, vmap

from .._checks import one_of, positive_int
from .._errors import EvaluationError, ParameterError
from ..state import Params
from . import _loss, _positions, _probe, priors
from ._evaluation import Evaluation
from ._loss import LossFunction
from ._network_data import Array, Data, as_inputs, stack
from ._positions import Init
from ._template import Template
from .base import Batch
from .likelihoods import Classifier, Likelihood
from .priors import Flat, PerParameter, Prior

__all__ = ["Network"]


@final
class Network:
    """The potential of a network's parameters: U = Σ loss − log prior, for many walkers.

    The model is copied and evaluated as `model.eval()` would be: batch normalisation uses its
    running statistics, which stay as they are and are shared by all walkers; dropout is off (a
    model with dropout in training mode is refused). Tied parameters count once. Parameters with
    requires_grad=False are frozen, as are those named in `frozen`.

    Args:
        model: maps inputs (B, ...) to predictions (B, ...), each example by itself.
        loss: a name ("cross_entropy", "binary", "mse", "gaussian", "gaussian_with_sd"), a
            likelihood, or a function of (prediction, target) that returns a loss per example or
            their mean.
        data: (inputs, targets) as tensors or arrays, or a Dataset of pairs, which is read once.
        prior: a prior for all parameters, or one for each; None is flat.
        batch_size: B, examples in a batch; None has no batches and always uses all the data.
        scale: "sum" or "mean", as above.
        frozen: names of parameters that do not move, or patterns such as "features.*".
        chunk: walkers evaluated at a time; "auto" is as many as fit into half a gigabyte.
        data_chunk: examples evaluated at a time; "auto" likewise.

    Attributes:
        names: of the parameters, in the order of the positions.
        frozen: names of the parameters that keep the model's values.
        unused: names of parameters that the loss does not depend on.
        num_params: d, coordinates of one walker.
        num_data: N.
        batch_size: B, or None.
        scale: "sum" or "mean".
        priors: the prior of each parameter, in the order of the names.
        is_confining: whether the prior alone makes exp(−U/T) normalisable, at any T > 0.
        is_vectorized: whether walkers go through the model together.
    """

    def __init__(
        self,
        model: nn.Module,
        loss: str | Likelihood | LossFunction,
        data: Data,
        prior: Prior | PerParameter | None = None,
        batch_size: int | None = None,
        *,
        scale: Literal["sum", "mean"] = "sum",
        frozen: str | Iterable[str] = (),
        chunk: int | Literal["auto"] = "auto",
        data_chunk: int | Literal["auto"] = "auto",
    ) -> None:
        one_of(scale, ("sum", "mean"), "scale", "Network")
        self._template = Template(model, frozen)
        self.names, self.frozen = self._template.names, self._template.frozen
        self.priors = priors.resolve(prior, self.names)
        self.is_confining = priors.is_confining(self.priors)
        x, y = stack(data, self._template.dtype, self._template.device)
        self.num_data = len(x)
        self.batch_size = _checked_batch_size(batch_size, self.num_data)
        self.scale = scale
        rows = _probe.sample_rows(self.num_data).to(x.device)
        _probe.predictions(self._template, x[rows])
        with torch.no_grad():
            found, y = _loss.examine(loss, self._template.module, x[rows], y, rows)
        self._x, self._y = x, y
        self._evaluation = Evaluation(
            self._template,
            found,
            _checked_chunk(chunk, "chunk"),
            _checked_chunk(data_chunk, "data_chunk"),
        )
        self.unused = _probe.examine(self._evaluation, x[rows], y[rows])
        self.num_params = sum(value.numel() for value in self._template.values())

    @property
    def is_vectorized(self) -> bool:
        """Whether walkers go through the model together."""
        return self._evaluation.is_vectorized

    def force(self, q: Params, batch: Batch = None, *, out: Params) -> Tensor:
        """Write −∇U(q) into `out` and return U per walker, shape (W,).

        Args:
            q: positions, each (W, ...), in the order of `names`.
            batch: indices of examples, shape (W, B); None is all the data.
            out: where the force goes, in the shapes of `q`.
        """
        if batch is not None and not isinstance(batch, Tensor):
            raise EvaluationError(
                f"a batch of a Network must be a tensor of indices, shape (W, B); got {batch!r}"
            )
        if batch is not None and (batch.dim() != 2 or batch.shape[0] != q[0].shape[0]):
            raise EvaluationError(
                f"a batch must have a row of indices for each of the {q[0].shape[0]} walkers; got "
                f"shape {tuple(batch.shape)}"
            )
        num_examples = self.num_data if batch is None else batch.shape[1]
        factor = 1.0 if self.scale == "sum" else 1.0 / self.num_data
        with torch.no_grad():
            energy = self._write_prior_(q, factor, out)
            weight = factor * self.num_data / num_examples
            return energy + self._evaluation.subtract_gradient_(
                q, self._x, self._y, weight, batch, out
            )

    def draw_batch(self, num_walkers: int, generator: torch.Generator) -> Tensor:
        """Draw indices with replacement, a batch for every walker, shape (W, B)."""
        if self.batch_size is None:
            raise EvaluationError(
                "the Network has no batch_size and uses all the data at every evaluation: hand "
                "batch=None to `force`, or give it a batch_size"
            )
        shape = (num_walkers, self.batch_size)
        drawn = torch.randint(self.num_data, shape, generator=generator, device=generator.device)
        return drawn.to(self._template.device)

    def start(
        self,
        num_walkers: int,
        generator: torch.Generator | None = None,
        *,
        init: Init = "model",
        spread: float = 0.01,
    ) -> Params:
        """Return positions for walkers to start from, each (W, ...).

        Args:
            num_walkers: W > 0.
            generator: source of the draws; not needed for init="model".
            init: "model": all at the model's parameters; "jitter": with Gaussian noise added;
                "reset": drawn anew for every walker, as the modules' `reset_parameters` do (a
                deep ensemble's start).
            spread: standard deviation of the jitter, in units of the parameters.
        """
        return _positions.start(self._template, num_walkers, generator, init, spread)

    def check(self, q: Params) -> None:
        """Check positions before a run: their number, shapes, dtype and device, and no NaN.

        What does not fit is a ParameterError, NaN or infinity a NonFiniteError.
        """
        _positions.check(self._template, q)

    def load_(self, model: nn.Module, q: Params, walker: int) -> None:
        """Copy the parameters of one walker into a model; frozen ones are left as they are."""
        _positions.load_(self.names, model, q, walker)

    def predict(self, q: Params, x: Array) -> Tensor:
        """Return the predictions of every walker for inputs `x`, shape (W, B, ...)."""
        inputs = as_inputs(x, self._template.dtype, self._template.device)
        rows: dict[int, list[Tensor]] = {}
        with torch.no_grad():
            for walkers, _, prediction in self._evaluation.predictions(q, inputs):
                rows.setdefault(walkers.start, []).append(prediction)
            return torch.cat([torch.cat(row, dim=1) for row in rows.values()])

    @property
    def data(self) -> tuple[Tensor, Tensor]:
        """The inputs and targets, as the loss takes them."""
        return self._x, self._y

    @property
    def bytes_per_example(self) -> int:
        """What one example of one walker keeps for its backward pass."""
        return self._evaluation.bytes_per_example

    def outputs(self, named: Mapping[str, Tensor], x: Tensor) -> Tensor:
        """Return the predictions of one network for `x`; torch.func can differentiate them.

        Args:
            named: parameters and buffers by name, without a walker axis; others are the model's.
            x: inputs, shape (B, ...).
        """
        return functional_call(self._template.module, dict(named), (x,))

    def losses(self, prediction: Tensor, target: Tensor) -> Tensor:
        """Return the loss of every example, shape (B,), without prior."""
        loss = self._evaluation.loss
        if not loss.is_mean:
            return loss.fn(prediction, target)

        def one(p: Tensor, t: Tensor) -> Tensor:
            return loss.fn(p.unsqueeze(0), t.unsqueeze(0)).reshape(())

        return vmap(one)(prediction, target)

    @property
    def likelihood(self) -> Likelihood | None:
        """The named loss; None where a function was given."""
        return self._evaluation.loss.likelihood

    @property
    def model(self) -> nn.Module:
        """The copy that is evaluated, in eval mode; nothing in it may be changed."""
        return self._template.module

    def mean_loss(self, q: Params, data: Data | None = None) -> Tensor:
        """Return the mean loss per walker, shape (W,), without prior; on the own data if None."""

        def losses(prediction: Tensor, target: Tensor) -> Tensor:
            return self._evaluation.loss.total(prediction, target) / len(target)

        return self._average(q, data, losses)

    def accuracy(self, q: Params, data: Data | None = None) -> Tensor:
        """Return the share of right answers per walker, shape (W,); on the own data if None.

        Raises:
            EvaluationError: if the loss is not that of a classifier.
        """
        likelihood = self._evaluation.loss.likelihood
        if not isinstance(likelihood, Classifier):
            raise EvaluationError(
                "accuracy needs a classifier: the loss 'cross_entropy' or 'binary'"
            )

        def share(prediction: Tensor, target: Tensor) -> Tensor:
            return likelihood.correct(prediction, target).to(prediction.dtype).mean()

        return self._average(q, data, share)

    def describe(self) -> str:
        """Say in a few lines what moves, what U is and which temperature is the posterior's."""
        batch = "all data" if self.batch_size is None else f"batches of {self.batch_size}"
        total = "Σ loss − log prior" if self.scale == "sum" else "mean loss − (1/N) log prior"
        bayes = "1" if self.scale == "sum" else f"1/N = {1.0 / self.num_data:.6g}"
        lines = [
            f"{self.num_params:,} parameters in {len(self.names)} tensors",
            f"frozen: {', '.join(self.frozen) or 'none'}",
            f"U = {total}, N = {self.num_data:,}, {batch}",
            f"the posterior is at temperature {bayes}",
        ]
        if not self.is_vectorized:
            lines.append("walkers are evaluated one after the other: vmap cannot batch the model")
        return "\n".join(lines)

    def _write_prior_(self, q: Params, factor: float, out: Params) -> Tensor:
        """Set out ← factor ∇log π(q), and return −factor log π(q) per walker, shape (W,)."""
        energy = q[0].new_zeros(q[0].shape[0])
        for prior, x, force in zip(self.priors, q, out, strict=True):
            if isinstance(prior, Flat):
                force.zero_()
                continue
            energy = energy + factor * prior.energy(x).flatten(1).sum(1)
            force.copy_(-factor * prior.slope(x))
        return energy

    def _average(
        self, q: Params, data: Data | None, fn: Callable[[Tensor, Tensor], Tensor]
    ) -> Tensor:
        """Return the mean over examples of `fn`, itself a mean over its examples, shape (W,)."""
        x, y = (self._x, self._y) if data is None else self._other(data)
        sums = q[0].new_zeros(q[0].shape[0])
        with torch.no_grad():
            for walkers, examples, prediction in self._evaluation.predictions(q, x):
                target = y[examples]
                means = torch.stack([fn(own, target) for own in prediction])
                sums[walkers] += means * len(target)
        return sums / len(x)

    def _other(self, data: Data) -> tuple[Tensor, Tensor]:
        """Return other data than the network's own, checked like them."""
        x, y = stack(data, self._template.dtype, self._template.device)
        likelihood = self._evaluation.loss.likelihood
        if likelihood is None:
            return x, y
        rows = _probe.sample_rows(len(x)).to(x.device)
        return x, likelihood.prepare(_probe.predictions(self._template, x[rows]), y)


def _checked_batch_size(batch_size: int | None, num_data: int) -> int | None:
    if batch_size is None:
        return None
    positive_int(batch_size, "batch_size", "Network")
    if batch_size > num_data:
        raise ParameterError(
            f"the 'batch_size' of Network must be at most the {num_data} examples there are; got "
            f"{batch_size}. None always uses all of them, without the noise of a batch."
        )
    return batch_size


def _checked_chunk(chunk: int | Literal["auto"], name: str) -> int | None:
    return None if chunk == "auto" else positive_int(chunk, name, "Network")
