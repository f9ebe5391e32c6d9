"""What else replicas do: add up, average, align, vote, share data, and train data-parallel."""

import copy
import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from thermograd import _errors as errors
from thermograd.noise import seeded
from thermograd.replicas import (
    DataParallel,
    align,
    average,
    ensemble_probabilities,
    local,
    mean_of,
    overlap,
    recompute_statistics,
    split,
)
from thermograd.replicas.buckets import post_mean

from ..optim.problems import built
from .problems import parameters, set_gradient


def filled(model: nn.Module, seed: int) -> Any:
    generator = seeded(seed)
    with torch.no_grad():
        for tensor in (*model.parameters(), *model.buffers()):
            if tensor.is_floating_point():
                tensor.copy_(0.5 * torch.rand(tensor.shape, generator=generator) + 0.1)
    return model


def perceptron(seed: int) -> Any:
    def make() -> nn.Sequential:
        return nn.Sequential(
            nn.Linear(4, 7), nn.Tanh(), nn.Sequential(nn.Linear(7, 6, bias=False), nn.ReLU())
        ).append(nn.Linear(6, 3))

    return filled(built(make), seed).double()


def convolutional(seed: int) -> Any:
    def make() -> nn.Sequential:
        return nn.Sequential(
            nn.Conv2d(2, 5, 3),
            nn.BatchNorm2d(5),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(5 * 4, 3),
        )

    return filled(built(make), seed).double().eval()


def test_sum_is_in_the_order_of_ranks() -> None:
    ends = local(3)
    rows = [torch.tensor([x], dtype=torch.float32) for x in (1e8, -1e8, 0.37)]
    sums = [ends[k].post(rows[k]) for k in (2, 0, 1)]
    expected = (rows[0] + rows[1]) + rows[2]
    assert all(torch.equal(entry.wait(), expected) for entry in sums)
    assert not torch.equal(expected, rows[0] + (rows[1] + rows[2]))


def test_mean_of_tensors_of_several_dtypes() -> None:
    ends = local(2)
    rows = [
        [torch.full((2, 2), 0.3 + k), torch.full((3,), 0.7 * k).double(), torch.full((1,), 1.3)]
        for k in range(2)
    ]
    under_way = post_mean(ends[0], rows[0])
    found = mean_of(ends[1], rows[1])
    for tensors in (found, under_way.wait(exclude=False)):
        for tensor, a, b in zip(tensors, *rows, strict=True):
            assert torch.equal(tensor, (a + b) / 2)
            assert tensor.dtype is a.dtype


def test_gather_of_replicas_in_turn() -> None:
    assert local(1)[0].gather([0.3]) == [[0.3]]
    with pytest.raises(errors.EvaluationError, match="come in turn"):
        local(2)[0].gather([0.3])
    with pytest.raises(errors.ParameterError, match="'size' of local"):
        local(0)


def test_data_parallel_is_sgd_on_the_whole_batch() -> None:
    x = torch.randn(12, 4, generator=seeded(1), dtype=torch.float64)
    y = torch.randn(12, 3, generator=seeded(2), dtype=torch.float64)
    models, whole = [perceptron(3) for _ in range(3)], perceptron(3)
    ranks = [
        DataParallel(torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9), end)
        for m, end in zip(models, local(3), strict=True)
    ]
    sgd = torch.optim.SGD(whole.parameters(), lr=0.1, momentum=0.9)
    for _ in range(5):
        for k, model in enumerate(models):
            model.zero_grad()
            (model(x[k::3]) - y[k::3]).square().mean().backward()
        for rank in ranks:
            rank.post()
        for rank in ranks:
            rank.step()
        whole.zero_grad()
        (whole(x) - y).square().mean().backward()
        sgd.step()
    for model in models:
        for a, b in zip(model.parameters(), whole.parameters(), strict=True):
            torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-13)


def test_data_parallel_stops_for_a_nan_and_names_the_replica() -> None:
    qs = parameters(2)
    ranks = [
        DataParallel(torch.optim.SGD([q], lr=0.1), end) for q, end in zip(qs, local(2), strict=True)
    ]
    for q, rank in zip(qs, ranks, strict=True):
        set_gradient(q)
        if q is qs[1]:
            q.grad = torch.full_like(q, math.nan)
        rank.post()
    for rank in ranks:
        with pytest.raises(errors.LostReplicaError, match=r"replica 1 of 2 .* gradients"):
            rank.step()


def test_average_of_models() -> None:
    models = [perceptron(seed) for seed in (3, 4, 5)]
    merged = average(models)
    for rows in zip(merged.parameters(), *(m.parameters() for m in models), strict=True):
        torch.testing.assert_close(rows[0], sum(rows[1:], start=0 * rows[0]) / 3)


def test_policies_for_batch_norm() -> None:
    models = [convolutional(seed) for seed in (3, 4)]
    data = [torch.randn(6, 2, 6, 6, generator=seeded(k), dtype=torch.float64) for k in (7, 8)]
    held = copy.deepcopy(models[0].state_dict())
    norms: dict[str, Any] = {
        policy: average(models, statistics=policy, data=data)[1]
        for policy in ("average", "own", "recompute")
    }
    first, second = models[0][1], models[1][1]
    assert torch.equal(norms["average"].running_var, (first.running_var + second.running_var) / 2)
    assert torch.equal(norms["own"].running_mean, first.running_mean)
    maps = [average(models)[0](batch) for batch in data]
    means = torch.stack([m.mean((0, 2, 3)) for m in maps]).mean(0)
    variances = torch.stack([m.var((0, 2, 3)) for m in maps]).mean(0)
    torch.testing.assert_close(norms["recompute"].running_mean, means)
    torch.testing.assert_close(norms["recompute"].running_var, variances)
    assert all(torch.equal(held[k], v) for k, v in models[0].state_dict().items())
    with pytest.raises(errors.ParameterError, match="needs data"):
        average(models, statistics="recompute")


def test_recomputing_leaves_modes_and_momentum_as_they_were() -> None:
    model = convolutional(3)
    model.train()
    model[2].eval()
    model[1].momentum = 0.3
    recompute_statistics(model, [torch.ones(2, 2, 6, 6).double()])
    assert (model.training, model[1].training, model[2].training) == (True, True, False)
    assert model[1].momentum == 0.3


@pytest.mark.parametrize(
    ("other", "message"),
    [(nn.Linear(4, 5), "'weight' is"), (nn.Linear(4, 3, bias=False), "'bias'")],
    ids=["shape", "name"],
)
@pytest.mark.usefixtures("global_rng")
def test_models_that_cannot_be_averaged(other: nn.Module, message: str) -> None:
    with pytest.raises(errors.ParameterError, match=message):
        average([filled(built(lambda: nn.Linear(4, 3)), 1), other])
    with pytest.raises(errors.ParameterError, match="in model 0 and"):
        average([perceptron(3), perceptron(3).float()])


def shuffled(model: Any, first: list[int]) -> Any:
    """Return the same function with the units of the first layer in another order."""
    other, order = copy.deepcopy(model), torch.tensor(first)
    with torch.no_grad():
        for layer in other[:2]:
            for name in ("weight", "bias", "running_mean", "running_var"):
                if isinstance(tensor := getattr(layer, name, None), Tensor):
                    tensor.copy_(tensor[order].clone())
        if isinstance(other[0], nn.Conv2d):
            weight = other[5].weight
            weight.copy_(weight.view(3, 5, 4)[:, order].reshape(3, 20))
        else:
            other[2][0].weight.copy_(other[2][0].weight[:, order].clone())
    return other


@pytest.mark.parametrize(
    ("make", "order"), [(perceptron, [3, 0, 6, 2, 5, 1, 4]), (convolutional, [2, 4, 0, 1, 3])]
)
def test_alignment_undoes_a_permutation_bit_for_bit(make: Any, order: list[int]) -> None:
    model = make(3)
    other = shuffled(model, order)
    assert overlap(model, other) < 0.999
    back = align(other, model)
    assert overlap(model, back) == pytest.approx(1.0, abs=1e-12)
    for a, b in zip(model.state_dict().values(), back.state_dict().values(), strict=True):
        assert torch.equal(a, b)


@pytest.mark.parametrize(("make", "shape"), [(perceptron, (9, 4)), (convolutional, (4, 2, 6, 6))])
def test_aligned_network_computes_what_it_did(make: Any, shape: tuple[int, ...]) -> None:
    model, reference = make(3), make(4)
    x = torch.randn(shape, generator=seeded(6), dtype=torch.float64)
    aligned = align(model, reference)
    torch.testing.assert_close(aligned(x), model(x), rtol=1e-12, atol=1e-13)
    assert overlap(aligned, reference) > overlap(model, reference)


def test_what_cannot_be_aligned() -> None:
    def odd() -> nn.Sequential:
        return nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4), nn.Linear(4, 2))

    with pytest.raises(errors.ParameterError, match="cannot align through LayerNorm"):
        align(built(odd), built(odd))
    with pytest.raises(errors.ParameterError, match="one architecture"):
        align(perceptron(3), convolutional(3))


def test_ensemble_averages_probabilities() -> None:
    models = [perceptron(seed) for seed in (3, 4)]
    x = torch.randn(9, 4, generator=seeded(6), dtype=torch.float64)
    found = ensemble_probabilities(models, x)
    torch.testing.assert_close(found, sum(m(x).softmax(1) for m in models) / 2)
    torch.testing.assert_close(found.sum(1), torch.ones(9, dtype=torch.float64))


@pytest.mark.parametrize(
    ("num", "replicas", "share"), [(90, 3, 0.5), (91, 6, 0.25), (7, 3, 1 / 3), (10, 4, 1.0)]
)
def test_shares_cover_the_data_and_are_of_one_size(num: int, replicas: int, share: float) -> None:
    shares = split(num, replicas, share, generator=seeded(3))
    assert len(shares) == replicas
    assert {len(part) for part in shares} == {math.ceil(share * num)}
    assert all(len(part.unique()) == len(part) for part in shares)
    counts = torch.bincount(torch.cat(shares), minlength=num)
    assert counts.min() >= max(1, math.floor(replicas * share))
    assert counts.max() <= math.ceil(replicas * share) + 1


def test_shares_that_cannot_cover_the_data() -> None:
    with pytest.raises(errors.ParameterError, match="3 shares cannot cover"):
        split(90, 3, 0.3, generator=seeded(3))
    for bad in (0.0, 1.2, math.nan):
        with pytest.raises(errors.ParameterError, match="'share' of split"):
            split(90, 3, bad, generator=seeded(3))
