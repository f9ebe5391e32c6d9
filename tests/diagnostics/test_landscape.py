"""Lines and planes of the loss against set-weights-and-loop, and networks that were shuffled."""

import copy
import math

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from thermograd._errors import NonFiniteError, ParameterError, UnknownNameError
from thermograd.diagnostics import landscape
from thermograd.diagnostics.objective import Objective
from thermograd.models import mlp
from thermograd.noise import seeded


def normal(*shape: int, seed: int = 5) -> Tensor:
    return torch.randn(*shape, generator=seeded(seed), dtype=torch.float64)


LABELS = torch.randint(3, (37,), generator=seeded(4))


class Tied(nn.Module):
    """A network that cannot be cut behind its first layer."""

    def __init__(self) -> None:
        super().__init__()
        self.body = mlp((4, 4, 3), "tanh", generator=seeded(9)).double()

    def forward(self, x: Tensor) -> Tensor:
        return self.body(x) + x[:, :3]


def conv(seed: int = 2) -> nn.Sequential:
    g = seeded(seed)
    first, second = nn.Conv2d(1, 5, 2), nn.Conv2d(5, 4, 2)
    last = nn.Linear(4, 3)
    model = nn.Sequential(
        nn.Unflatten(1, (1, 3, 3)), first, nn.BatchNorm2d(5), nn.ReLU(), second, nn.ReLU(),
        nn.Flatten(), last,
    ).double()  # fmt: skip
    with torch.no_grad():
        for tensor in [*model.parameters(), *model.buffers()]:
            if tensor.is_floating_point():
                tensor.copy_(torch.rand(tensor.shape, generator=g, dtype=torch.float64) - 0.2)
        for name, tensor in model.named_buffers():
            if "var" in name:
                tensor.add_(0.7)
    return model.eval()


MODELS = {
    "mlp": lambda s: mlp((4, 7, 3), "tanh", generator=seeded(s)).double(),
    "tied": lambda s: Tied(),
    "conv": conv,
}


def case(kind: str) -> tuple[Objective, nn.Module]:
    model = MODELS[kind](3)
    inputs = normal(37, 9 if kind == "conv" else 4)
    return Objective(model, "cross_entropy", (inputs, LABELS)), model


def loss_with(objective: Objective, model: nn.Module, theta: Tensor) -> float:
    """Set the weights and evaluate, as other packages do."""
    model = copy.deepcopy(model).eval()
    torch.nn.utils.vector_to_parameters(theta, model.parameters())
    x, y = objective.network.data
    with torch.no_grad():
        return float(functional.cross_entropy(model(x), y))


@pytest.mark.usefixtures("global_rng")
@pytest.mark.parametrize("kind", sorted(MODELS))
def test_surface_is_what_setting_the_weights_gives(kind: str) -> None:
    objective, model = case(kind)
    directions = landscape.random_directions(objective, generator=seeded(1))
    found = landscape.loss_surface(objective, directions, width=(0.7, 1.3), resolution=3)
    for i, b in enumerate(found.y):
        for j, a in enumerate(found.x):
            theta = objective.point + a * directions[0] + b * directions[1]
            expected = loss_with(objective, model, theta)
            assert found.loss.value[i, j] == pytest.approx(expected, rel=1e-12)
    assert (found.loss.n, found.loss.unit) == (37, "loss")
    x, y = objective.network.data
    losses = functional.cross_entropy(objective.outputs(objective.point, x), y, reduction="none")
    error = float(losses.std(unbiased=False)) / math.sqrt(36)
    assert found.loss.uncertainty[1, 1] == pytest.approx(error)


@pytest.mark.usefixtures("global_rng")
@pytest.mark.parametrize("kind", sorted(MODELS))
def test_surface_does_not_depend_on_the_memory(kind: str) -> None:
    objective, _ = case(kind)
    directions = landscape.random_directions(objective, generator=seeded(1))
    whole = landscape.loss_surface(objective, directions, resolution=4).loss.value
    objective.memory = 3000
    pieces = landscape.loss_surface(objective, directions, resolution=4).loss.value
    np.testing.assert_allclose(pieces, whole, rtol=1e-12)


def test_random_directions_have_the_norms_of_the_filters() -> None:
    objective, model = case("mlp")
    named = objective.named(landscape.random_directions(objective, generator=seeded(1))[0])
    for name, value in model.named_parameters():
        if value.dim() > 1:
            torch.testing.assert_close(named[name].norm(dim=1), value.detach().norm(dim=1))
        else:
            assert not named[name].any()


def test_two_minima_surface_has_its_corners_at_the_points() -> None:
    objective, model = case("mlp")
    points = [objective.point + 0.3 * normal(objective.num_params, seed=s) for s in (6, 7, 8)]
    zero, one, two = points
    found = landscape.two_minima_surface(objective, zero, one, two, resolution=3)
    at = found.loss.value
    for alpha, beta, theta in [(1, 1, one), (1, 0, two), (0, 0, zero), (0, 1, zero)]:
        expected = loss_with(objective, model, theta)
        assert at[2 * beta, 2 * alpha] == pytest.approx(expected, rel=1e-12)
    f1, f2 = (zero + 0.5 * (end - zero) for end in (one, two))
    middle = loss_with(objective, model, 0.5 * f1 + 0.5 * f2)
    assert at[1, 1] == pytest.approx(middle, rel=1e-12)


def test_interpolation_is_the_line_and_its_parts_hold_the_rest_at_the_end() -> None:
    objective, model = case("mlp")
    start = objective.point
    end = start + 0.8 * normal(len(start), seed=6)
    found = landscape.interpolate(objective, start, end, num_points=5)
    for alpha, value in zip(found.alphas, found.loss.value, strict=True):
        expected = loss_with(objective, model, (1 - alpha) * start + alpha * end)
        assert value == pytest.approx(expected, rel=1e-12)
    assert found.distance.value == pytest.approx(float((end - start).norm() / start.norm()))
    parts = landscape.interpolate_parts(
        objective, start, end, landscape.by_layer(objective.names), num_points=3
    )
    assert list(parts) == ["0", "2"]
    mixed = end.clone()
    mixed[:35] = 0.5 * start[:35] + 0.5 * end[:35]  # 4·7 weights and 7 biases come first
    assert parts["0"].loss.value[1] == pytest.approx(loss_with(objective, model, mixed), rel=1e-12)


@pytest.mark.usefixtures("global_rng")
def test_statistics_of_a_batch_move_between_two_models() -> None:
    first, second = conv(2), conv(3)
    objective = Objective(first, "cross_entropy", (normal(37, 9), LABELS))
    groups = landscape.by_kind(first)
    assert groups["normalisation"] == ["2.weight", "2.bias"]
    assert groups["statistics"] == ["2.running_mean", "2.running_var"]
    assert groups["biases"] == ["1.bias", "4.bias", "7.bias"]
    parts = landscape.interpolate_parts(objective, first, second, groups, num_points=3)
    half = copy.deepcopy(second)
    half[2].running_mean.copy_(0.5 * (first[2].running_mean + second[2].running_mean))  # pyright: ignore
    half[2].running_var.copy_(0.5 * (first[2].running_var + second[2].running_var))  # pyright: ignore
    x, y = objective.network.data
    expected = float(functional.cross_entropy(half(x), y).detach())
    assert parts["statistics"].loss.value[1] == pytest.approx(expected, rel=1e-12)
    whole = landscape.interpolate(objective, first, second, num_points=3).loss.value
    assert whole[2] == pytest.approx(float(functional.cross_entropy(second(x), y).detach()))


@pytest.mark.parametrize(
    ("curve", "shape"),
    [
        ([2.3, 1.7, 1.2, 0.8, 0.4], "monotone"),
        ([2.3, 2.29, 2.25, 1.9, 0.4], "plateau"),
        ([2.3, 1.2, 1.9, 0.8, 0.4], "barrier"),
        ([2.3, 2.31, 2.25, 1.9, 0.4], "plateau"),
        ([2.3, 1.5, 0.8, 0.2, 0.4], "barrier"),
    ],
)
def test_shapes_of_curves(curve: list[float], shape: str) -> None:
    assert landscape.shape_of(np.array(curve)) == shape


class Well(nn.Module):
    """f(θ) = (θ² − 1)²: minima at ±1 and a barrier of height 1 between."""

    def __init__(self) -> None:
        super().__init__()
        self.theta = nn.Parameter(torch.tensor([0.3], dtype=torch.float64))

    def forward(self, x: Tensor) -> Tensor:
        return (self.theta**2 - 1).expand(len(x), 1) * x


def test_barrier_of_a_double_well_is_its_height() -> None:
    x = torch.full((4, 1), 0.7, dtype=torch.float64)
    objective = Objective(Well(), lambda p, y: (p - y).square().sum(1), (x, 0 * x))
    left, right = torch.tensor([-1.0]).double(), torch.tensor([1.0]).double()
    found = landscape.interpolate(objective, left, right, num_points=21)
    assert found.shape == "barrier"
    assert found.barrier == pytest.approx(0.49)
    assert found.rise == pytest.approx(0.49)
    assert found.at == pytest.approx(0.5)
    assert landscape.linear_barrier(objective, left, right).value == pytest.approx(0.49)
    same = landscape.linear_barrier(objective, left, left + 0.1)
    assert same.value == pytest.approx(0.0, abs=1e-12) or same.value > 0


def test_log_gap_is_the_logarithm_of_the_distance_to_the_lowest() -> None:
    objective, _ = case("mlp")
    directions = landscape.random_directions(objective, generator=seeded(1))
    found = landscape.loss_surface(objective, directions, resolution=3)
    gap = found.log_gap(0.05)
    np.testing.assert_allclose(10**gap, np.abs(found.loss.value - 0.05))
    assert np.isneginf(found.log_gap()).sum() == 1


def test_path_in_a_plane_is_found_and_what_sticks_out_is_told() -> None:
    directions, origin = normal(2, 6), normal(6, seed=7)
    coordinates = normal(5, 2, seed=8)
    path = origin + coordinates @ directions
    found = landscape.project_path(path, origin, directions)
    np.testing.assert_allclose(found.coordinates, coordinates.numpy(), atol=1e-12)
    np.testing.assert_allclose(found.off_plane, 0, atol=1e-12)
    basis = torch.eye(6, dtype=torch.float64)
    out = landscape.project_path(origin + 3 * basis[:1] + 4 * basis[2:3], origin, basis[:2])
    np.testing.assert_allclose(out.coordinates, [[3.0, 0.0]], atol=1e-12)
    assert out.off_plane[0] == pytest.approx(16 / 25)
    vectors, shares = landscape.path_directions(torch.cat([path, origin[None]]))
    assert float(shares.sum()) == pytest.approx(1.0)
    again = landscape.project_path(path, origin, vectors)
    np.testing.assert_allclose(again.off_plane, 0, atol=1e-12)
    pair = landscape.difference_directions(origin, path[0], path[1], orthogonal=True)
    assert float(pair[0] @ pair[1]) == pytest.approx(0.0, abs=1e-10)


def shuffled_mlp() -> tuple[nn.Sequential, nn.Sequential]:
    model = mlp((5, 9, 8, 3), "tanh", generator=seeded(3)).double()
    other = copy.deepcopy(model)
    with torch.no_grad():
        for into, out, size, seed in [(0, 2, 9, 1), (2, 4, 8, 2)]:
            order = torch.randperm(size, generator=seeded(seed))
            for module, axis in ((other[into], 0), (other[out], 1)):
                module.weight.copy_(module.weight.index_select(axis, order))  # pyright: ignore
            other[into].bias.copy_(other[into].bias[order])  # pyright: ignore
    return model, other


def test_shuffled_units_are_put_back() -> None:
    model, other = shuffled_mlp()
    found = landscape.align(model, other)
    assert found.before.value < 0.7
    assert found.after.value == pytest.approx(1.0)
    for own, again in zip(model.parameters(), found.model.parameters(), strict=True):
        torch.testing.assert_close(again, own)
    with torch.no_grad():
        other[2].weight.add_(0.3 * normal(8, 9))  # pyright: ignore
    moved = landscape.align(model, other)
    assert moved.before.value < moved.after.value < 1
    x = normal(6, 5)
    torch.testing.assert_close(moved.model(x), other(x))


@pytest.mark.usefixtures("global_rng")
def test_shuffled_channels_are_put_back() -> None:
    model = conv()
    other = copy.deepcopy(model)
    order = torch.tensor([3, 0, 4, 1, 2])
    last = torch.tensor([2, 0, 3, 1])
    with torch.no_grad():
        state = other.state_dict()
        for name, tensor in state.items():
            if name[0] in "12" and tensor.dim():
                tensor.copy_(tensor[order])
            if name == "4.weight":
                tensor.copy_(tensor[:, order][last])
            if name == "4.bias":
                tensor.copy_(tensor[last])
            if name == "7.weight":
                tensor.copy_(tensor[:, last])
    x = normal(6, 9)
    torch.testing.assert_close(other(x), model(x))
    found = landscape.align(model, other)
    assert found.after.value == pytest.approx(1.0)
    torch.testing.assert_close(found.model(x), model(x))
    assert [list(o) for o in found.orders] == [
        [int((order == k).nonzero()) for k in range(5)],
        [int((last == k).nonzero()) for k in range(4)],
    ]


def test_bad_requests_are_refused() -> None:
    objective, model = case("mlp")
    point, directions = objective.point, normal(2, objective.num_params)
    with pytest.raises(ParameterError, match="directions"):
        landscape.loss_surface(objective, directions[:1])
    with pytest.raises(ParameterError, match="resolution"):
        landscape.loss_surface(objective, directions, resolution=1)
    with pytest.raises(NonFiniteError, match="NaN at some"):
        landscape.loss_surface(objective, directions * 1e160, width=1e160, resolution=3)
    with pytest.raises(ParameterError, match="num_points"):
        landscape.interpolate(objective, point, point, num_points=2)
    with pytest.raises(ParameterError, match="of shape"):
        landscape.interpolate(objective, point, point[:-1])
    with pytest.raises(UnknownNameError, match="Did you mean"):
        landscape.interpolate(objective, point, 2 * point, part=["0.weigth"])
    with pytest.raises(ParameterError, match=r"0\.weight"):
        landscape.interpolate(objective, point, mlp((4, 6, 3), generator=seeded(1)))
    with pytest.raises(ParameterError, match="undefined"):
        landscape.interpolate(objective, 0 * point, point)
    with pytest.raises(ParameterError, match="flat Sequential"):
        landscape.align(nn.Sequential(model), nn.Sequential(model))
    with pytest.raises(ParameterError, match="independent"):
        landscape.project_path(directions, point, directions[[0, 0]])
    with pytest.raises(ParameterError, match="span a plane"):
        landscape.difference_directions(point, point, 2 * point)
