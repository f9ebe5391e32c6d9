"""Every estimator leaves the model, its mode, its gradients and all generators as they were.

The conftest watches the global generators. A model with dropout and batch normalisation, whose
statistics would move in training mode, is measured by all of them.
"""

from collections.abc import Callable, Mapping

import numpy as np
import pytest
import torch
from rich.console import Console
from torch import Tensor, nn
from torch.utils.data import Dataset

import thermograd.diagnostics.boundary as boundary_
from thermograd._errors import ParameterError
from thermograd.diagnostics import _progress, boundary, curvature, landscape, noise, weights
from thermograd.diagnostics.objective import Objective
from thermograd.models import mlp
from thermograd.noise import seeded

Probe = Callable[[nn.Sequential, Objective], object]


def sharp(objective: Objective) -> object:
    return curvature.sharpness(objective, generator=seeded(1))


def local(objective: Objective) -> object:
    return curvature.sampled_local_entropy(
        objective, scope=0.01, temperature=0.7, num_samples=32, generator=seeded(1)
    )


def plane(objective: Objective) -> object:
    directions = landscape.random_directions(objective, generator=seeded(1))
    return landscape.loss_surface(objective, directions, resolution=3)


def spectrum(objective: Objective) -> object:
    operator = curvature.fisher_operator(objective)
    curvature.trace(operator, num_probes=2, generator=seeded(1))
    return curvature.spectral_density(operator, num_steps=4, num_probes=2, generator=seeded(1))


PROBES: Mapping[str, Probe] = {
    "regions": lambda m, o: boundary.decision_regions(
        nn.Sequential(m, nn.Flatten(), First()), (-1.2, 1.3, -1.4, 1.1), resolution=7
    ),
    "hessian": lambda m, o: curvature.hessian_matrix(o),
    "eigenpairs": lambda m, o: sharp(o),
    "fisher": lambda m, o: curvature.fisher_diagonal(o),
    "density": lambda m, o: spectrum(o),
    "local_entropy": lambda m, o: local(o),
    "interpolation": lambda m, o: landscape.interpolate(o, m, 0.3 * o.point, num_points=3),
    "surface": lambda m, o: plane(o),
    "alignment": lambda m, o: landscape.align(plain(m), plain(m)),
    "noise": lambda m, o: noise.gradient_noise(o),
    "diversity": lambda m, o: noise.gradient_diversity(o),
    "weights": lambda m, o: [weights.largest_weights(m), weights.orthogonality_defects(m)],
    "drift": lambda m, o: [weights.drift(m, m), weights.weight_histogram(m)],
}


class First(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x[:, 0]


def plain(model: nn.Sequential) -> nn.Sequential:
    return nn.Sequential(*[child for child in model if not isinstance(child, nn.Sequential)])


def watched() -> nn.Sequential:
    """A model in training mode with gradients, statistics, and a child in eval mode."""
    first, last = mlp((2, 5), generator=seeded(1))[0], mlp((5, 3), generator=seeded(2))[0]
    model = nn.Sequential(first, nn.BatchNorm1d(5), nn.Tanh(), nn.Dropout(0.4), last).double()
    model.train()
    model[3].eval()
    for number, parameter in enumerate(model.parameters()):
        parameter.grad = torch.full_like(parameter, 0.3 + number)
    return model


def state(model: nn.Module) -> list[object]:
    tensors = [*model.parameters(), *model.buffers()]
    return [
        [tensor.detach().tolist() for tensor in tensors],
        [None if p.grad is None else p.grad.tolist() for p in model.parameters()],
        [p.requires_grad for p in model.parameters()],
        [module.training for module in model.modules()],
        [id(tensor) for tensor in tensors],
        torch.is_grad_enabled(),
        torch.get_default_dtype(),
    ]


@pytest.mark.parametrize("name", sorted(PROBES))
def test_nothing_is_left_behind(name: str) -> None:
    model = watched()
    x = torch.randn(13, 2, generator=seeded(3), dtype=torch.float64)
    y = torch.randint(3, (13,), generator=seeded(4))
    before, data = state(model), (x.clone(), y.clone())
    objective = Objective(model, "cross_entropy", (x, y))
    PROBES[name](model, objective)
    assert state(model) == before
    assert torch.equal(x, data[0])
    assert torch.equal(y, data[1])


def test_every_public_estimator_of_a_model_is_probed() -> None:
    """A new estimator of a model is probed above, or is one that only reads numbers."""
    numbers = {
        boundary_: {"contour_curvature", "level_set_curvature", "transition_sharpness"},
        curvature: {
            "extreme_eigenpairs",
            "fisher_operator",
            "ggn_operator",
            "harmonic_mean",
            "hessian_operator",
            "local_entropy",
            "per_example_gradients",
            "robust_width",
            "spectral_density",
            "trace",
        },
        landscape: {
            "by_kind",
            "by_layer",
            "difference_directions",
            "interpolate_parts",
            "linear_barrier",
            "overlap",
            "path_directions",
            "project_path",
            "random_directions",
            "shape_of",
            "two_minima_surface",
        },
        noise: {"probability_current"},
        weights: {"constraint_residual", "drift_by_tensor"},
    }
    probed = {
        "align",
        "decision_regions",
        "drift",
        "fisher_diagonal",
        "gradient_diversity",
        "gradient_noise",
        "hessian_matrix",
        "interpolate",
        "largest_weights",
        "loss_surface",
        "orthogonality_defects",
        "sampled_local_entropy",
        "sharpness",
        "weight_histogram",
    }
    public = {
        name
        for module in numbers
        for name in module.__all__
        if name[0].islower() and name not in numbers[module]
    }
    assert public == probed


class Random(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.tensor([0.4, 0.7]))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.w + torch.rand(2)


def test_random_model_is_refused() -> None:
    with pytest.raises(ParameterError, match="random even in eval mode"):
        Objective(Random(), "mse", (torch.ones(3, 2), torch.ones(3, 2)))


class Restless(Dataset[tuple[Tensor, Tensor]]):
    """Data with a random augmentation."""

    def __len__(self) -> int:
        return 4

    def __getitem__(self, index: int) -> tuple[Tensor, Tensor]:
        return torch.rand(2) + index, torch.tensor(index % 2)


@pytest.mark.usefixtures("global_rng")
def test_data_that_change_are_refused() -> None:
    model = mlp((2, 3), generator=seeded(1))
    with pytest.raises(ParameterError, match="change when they are read again"):
        Objective(model, "cross_entropy", Restless())


def test_walker_of_a_sampler_is_an_objective() -> None:
    model = watched()
    x = torch.randn(13, 2, generator=seeded(3), dtype=torch.float64)
    objective = Objective(model, "cross_entropy", (x, torch.randint(3, (13,), generator=seeded(4))))
    q = objective.network.start(3, seeded(5), init="jitter")
    found = Objective.of(objective.network, q, 2)
    torch.testing.assert_close(found.point[:10], q[0][2].reshape(-1))
    with pytest.raises(ParameterError, match="walker"):
        Objective.of(objective.network, q, 3)


def test_bar_is_shown_after_two_seconds_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(np.arange(100, dtype=float))
    monkeypatch.setattr(_progress.time, "monotonic", lambda: float(next(clock)))
    for is_terminal in (True, False):
        console = Console(force_terminal=is_terminal, width=80, record=True, quiet=False)
        console.file = open("/dev/null", "w")  # noqa: SIM115
        with console.file, _progress.Meter("counting", 5, console) as meter:
            shown: list[bool] = []
            for _ in range(5):
                meter.tick()
                shown.append(meter._bar is not None)  # pyright: ignore[reportPrivateUsage]
        assert shown == ([False, False, True, True, True] if is_terminal else [False] * 5)
