"""Parle and Elastic-SGD against literal twins, and the methods they become at their limits."""

import math
import warnings
from typing import Any

import pytest
import torch
from torch import nn

from thermograd import _errors as errors
from thermograd.optim import ElasticSGD, EntropySGD, Parle
from thermograd.replicas import Level, local
from thermograd.schedules import Geometric

from ..reference import rounds as twin
from .problems import STARTS, close, gradient, masters, parameters, run, set_gradient, values

H, GAMMA, ALPHA, RHO, LR = 0.07, 1.7, 0.25, 0.6, 0.35
SETTINGS: dict[str, Any] = {
    "lr": LR,
    "inner_lr": H,
    "scope": GAMMA,
    "averaging": ALPHA,
    "coupling": RHO,
    "inner_steps": 5,
}


def settings(**changes: Any) -> dict[str, Any]:
    return {**SETTINGS, **changes}


@pytest.mark.parametrize("momentum", [0.0, 0.6])
def test_parle_follows_its_twin(momentum: float) -> None:
    qs = parameters(3)
    ends = local(3)
    opts = [
        Parle([q], replica=end, momentum=momentum, **SETTINGS)
        for q, end in zip(qs, ends, strict=True)
    ]
    run(qs, opts, 20)
    own = [twin.Round(5, H, GAMMA, ALPHA, 0.9, LR, momentum) for _ in qs]
    xs, master = twin.parle(STARTS[:3], gradient, own, RHO, 4)
    close(values(qs), xs)
    for found in masters(opts, qs):
        close(found.tolist(), master)


def test_elastic_sgd_follows_its_twin() -> None:
    qs = parameters(3)
    opts = [
        ElasticSGD([q], 0.05, replica=end, coupling=RHO, inner_momentum=0.0)
        for q, end in zip(qs, local(3), strict=True)
    ]
    run(qs, opts, 13)
    xs, master = twin.elastic_sgd(STARTS[:3], gradient, 0.05, RHO, 13)
    close(values(qs), xs)
    close(masters(opts, qs)[1].tolist(), master)


def test_parle_of_one_step_without_a_tether_is_elastic_sgd_bit_for_bit() -> None:
    """L = 1, γ = ∞, η = 1: with the inner step h = η of Elastic-SGD and its ρ/η for ρ."""
    lr, rho = 0.125, 0.5  # powers of two, so that η/ρ is the same number
    ours, theirs = parameters(3), parameters(3)
    parle = [
        Parle(
            [q],
            1.0,
            replica=end,
            inner_lr=lr,
            scope=math.inf,
            coupling=rho / lr,
            inner_steps=1,
            averaging=0.0,
            momentum=0.0,
            inner_momenta="keep",
        )
        for q, end in zip(ours, local(3), strict=True)
    ]
    elastic = [
        ElasticSGD([q], lr, replica=end, coupling=rho)
        for q, end in zip(theirs, local(3), strict=True)
    ]
    for _ in range(25):
        run(ours, parle, 1)
        run(theirs, elastic, 1)
        assert values(ours) == values(theirs)


def test_parle_with_one_replica_is_entropy_sgd_and_says_so() -> None:
    (q,), (r,) = parameters(1), parameters(1)
    with pytest.warns(UserWarning, match="Parle with one replica is Entropy-SGD"):
        parle = Parle([q], replica=local(1)[0], momentum=0.4, **SETTINGS)
    own = {name: value for name, value in SETTINGS.items() if name != "coupling"}
    entropy = EntropySGD([r], momentum=0.4, **own)
    for _ in range(17):
        run([q], [parle], 1)
        run([r], [entropy], 1)
        assert q.tolist() == r.tolist()
    with parle.sync("master"):
        assert parle.at_outer_point


def test_elastic_sgd_with_one_replica_is_sgd_and_says_so() -> None:
    (q,), (r,) = parameters(1), parameters(1)
    with pytest.warns(UserWarning, match="Elastic-SGD with one replica is its inner method"):
        elastic = ElasticSGD([q], 0.1, replica=local(1)[0], coupling=RHO)
    sgd = torch.optim.SGD([r], lr=0.1, momentum=0.9, nesterov=True)
    for _ in range(30):
        run([q], [elastic], 1)
        run([r], [sgd], 1)
        assert q.tolist() == r.tolist()


@pytest.mark.filterwarnings("ignore:Parle with one replica")
def test_one_replica_one_step_and_nothing_to_hold_it_is_sgd_bit_for_bit() -> None:
    (q,), (r,) = parameters(1), parameters(1)
    parle = Parle(
        [q],
        1.0,
        replica=local(1)[0],
        inner_lr=0.1,
        scope=math.inf,
        coupling=math.inf,
        inner_steps=1,
        averaging=0.0,
        momentum=0.0,
        inner_momenta="keep",
    )
    sgd = torch.optim.SGD([r], lr=0.1, momentum=0.9, nesterov=True)
    for _ in range(30):
        run([q], [parle], 1)
        run([r], [sgd], 1)
        assert q.tolist() == r.tolist()


def test_replicas_without_a_pull_are_independent_runs_bit_for_bit() -> None:
    qs, rs = parameters(3), parameters(3)
    parle = [
        Parle([q], replica=end, momentum=0.4, **settings(coupling=math.inf))
        for q, end in zip(qs, local(3), strict=True)
    ]
    own = {name: value for name, value in SETTINGS.items() if name != "coupling"}
    alone = [EntropySGD([r], momentum=0.4, **own) for r in rs]
    run(qs, parle, 17)
    run(rs, alone, 17)
    assert values(qs) == values(rs)


def test_master_is_the_mean_of_the_replicas_bit_for_bit() -> None:
    qs = parameters(3)
    opts = [Parle([q], replica=end, **SETTINGS) for q, end in zip(qs, local(3), strict=True)]
    run(qs, opts, 10)
    mean = (qs[0].detach() + qs[1].detach() + qs[2].detach()) / 3
    for found in masters(opts, qs):
        assert torch.equal(found, mean)


def test_small_coupling_collapses_the_replicas() -> None:
    qs = parameters(4)
    falling = settings(coupling=Geometric(1.0, 0.8, floor=LR))
    opts = [
        Parle([q], replica=end, momentum=0.0, **falling)
        for q, end in zip(qs, local(4), strict=True)
    ]
    before = torch.stack([q.detach() for q in qs]).std(0).max()
    run(qs, opts, 100)
    assert torch.stack([q.detach() for q in qs]).std(0).max() < 1e-3 * before
    assert opts[0].coupling == LR


def test_replicas_of_other_kinds_share_a_master() -> None:
    """Entropy-SGD on one, Elastic-SGD on the other; both exchange every fifth gradient."""
    qs = parameters(2)
    first, second = local(2)
    opts = [
        Parle([qs[0]], replica=first, momentum=0.0, **SETTINGS),
        ElasticSGD(
            [qs[1]], 0.05, replica=second, coupling=RHO, inner_momentum=0.0, exchange_every=5
        ),
    ]
    run(qs, opts, 10)
    own = twin.Round(5, H, GAMMA, ALPHA, 0.9, LR, 0.0)
    x, y = list(STARTS[0]), list(STARTS[1])
    master = twin.mean([x, y])
    for _ in range(2):
        old = list(master)
        z = own.run(x, gradient)[1]
        x = [a - LR * (a - b + (a - m) / RHO) for a, b, m in zip(x, z, old, strict=True)]
        for _ in range(5):
            rows = zip(y, gradient(y), old, strict=True)
            y = [q - 0.05 * (g + (q - m) / RHO) for q, g, m in rows]
        master = twin.mean([x, y])
    close(values(qs), [x, y])


def test_deputies_under_a_sheriff() -> None:
    """Two groups of two: c ← mean − (1/ρ')(c − c'), each c' the mean of the c posted before."""
    qs, upper = parameters(4), 1.9
    groups, across = [local(2), local(2)], [local(2), local(2)]
    opts = [
        Parle(
            [q],
            replica=groups[n // 2][n % 2],
            above=[Level(across[n % 2][n // 2], coupling=upper)],
            momentum=0.0,
            **SETTINGS,
        )
        for n, q in enumerate(qs)
    ]
    run(qs, opts, 20)
    own = [twin.Round(5, H, GAMMA, ALPHA, 0.9, LR, 0.0) for _ in qs]
    xs = [list(x) for x in STARTS]
    deputies: list[list[float]] = [twin.mean(xs[:2]), twin.mean(xs[2:])]
    sheriff: list[float] | None = None
    for _ in range(4):
        posted = [list(x) for x in deputies]
        for n, x in enumerate(xs):
            z, c = own[n].run(x, gradient)[1], deputies[n // 2]
            rows = zip(x, z, c, strict=True)
            xs[n] = [a - LR * (a - b + (a - m) / RHO) for a, b, m in rows]
        sheriff = twin.mean(posted)
        means = [twin.mean(xs[:2]), twin.mean(xs[2:])]
        deputies = [
            [m - (c - s) / upper for m, c, s in zip(mean, old, sheriff, strict=True)]
            for mean, old in zip(means, posted, strict=True)
        ]
    close(values(qs), xs)
    for number, found in enumerate(masters(opts, qs)):
        close(found.tolist(), deputies[number // 2])


def test_other_architectures_are_named() -> None:
    qs = [nn.Parameter(torch.full(shape, 0.4)) for shape in ((3, 2), (2, 3))]
    opts = [Parle([q], replica=end, **SETTINGS) for q, end in zip(qs, local(2), strict=True)]
    for q in qs:
        q.grad = torch.full_like(q, 0.1)
    for opt in opts * 4:
        opt.step()
    with pytest.raises(errors.TensorError, match="0 and replica 1 have parameters of other"):
        opts[0].step()


def test_other_dtypes_are_named() -> None:
    first, second = local(2)
    Parle([nn.Parameter(torch.full((3,), 0.4))], replica=first, **SETTINGS)
    with pytest.raises(errors.TensorError, match=r"torch\.float64 and replica 0"):
        Parle([nn.Parameter(torch.full((3,), 0.4).double())], replica=second, **SETTINGS)


def test_replicas_out_of_turn_are_named() -> None:
    qs = parameters(2)
    opts = [
        ElasticSGD([q], 0.05, replica=end, coupling=RHO)
        for q, end in zip(qs, local(2), strict=True)
    ]
    run(qs, opts, 3)
    run(qs[:1], opts[:1], 1)
    with pytest.raises(errors.EvaluationError, match="waits at exchange 5 for replica 1"):
        run(qs[:1], opts[:1], 1)


@pytest.mark.parametrize("change", [{"coupling": 0.0}, {"coupling": -0.3}, {"coupling": math.nan}])
def test_couplings_out_of_range(change: dict[str, float]) -> None:
    with pytest.raises(errors.ParameterError, match="coupling"):
        Parle(parameters(1), replica=local(2)[0], **settings(**change))
    with pytest.raises(errors.ParameterError, match="'every' of Level"):
        Level(local(2)[0], every=0)
    with pytest.raises(errors.ParameterError, match="'exclude', 'stop'"):
        Parle(parameters(1), replica=local(2)[0], on_lost="go on", **SETTINGS)  # pyright: ignore[reportArgumentType]


def spoilt(on_lost: Any, num: int) -> tuple[list[nn.Parameter], list[Parle]]:
    """Run three replicas of which the second meets a NaN in its seventh gradient."""
    qs = parameters(3)
    opts = [
        Parle([q], replica=end, momentum=0.0, on_lost=on_lost, **SETTINGS)
        for q, end in zip(qs, local(3), strict=True)
    ]
    for step in range(num):
        for rank, (q, opt) in enumerate(zip(qs, opts, strict=True)):
            set_gradient(q)
            if (rank, step) == (1, 6):
                q.grad = torch.full_like(q, math.nan)
            opt.step()
    return qs, opts


def test_all_replicas_stop_with_the_same_message_for_a_nan_in_one() -> None:
    qs, opts = spoilt("stop", 14)
    for q, opt in zip(qs, opts, strict=True):
        set_gradient(q)
        with pytest.raises(errors.LostReplicaError, match=r"replica 1 of 3 holds NaN.*all stop"):
            opt.step()


def test_replica_with_a_nan_is_left_out_and_goes_on_from_the_master() -> None:
    qs, opts = spoilt("exclude", 15)
    assert [opt.missing for opt in opts] == [(1,)] * 3
    own = [twin.Round(5, H, GAMMA, ALPHA, 0.9, LR, 0.0) for _ in qs]
    xs, first = twin.parle(STARTS[:3], gradient, own, RHO, 1)

    def couple(x: list[float], centre: list[float], a: int) -> list[float]:
        z = own[a].run(x, gradient)[1]
        return [q - LR * (q - b + (q - m) / RHO) for q, b, m in zip(x, z, centre, strict=True)]

    xs = [couple(xs[0], first, 0), xs[1], couple(xs[2], first, 2)]
    second = twin.mean([xs[0], xs[2]])
    close(values(qs), [couple(xs[0], second, 0), second, couple(xs[2], second, 2)])


@pytest.mark.parametrize("choice", ["skip", "raise"])
def test_replica_alone_with_a_nan_does_as_any_optimizer(choice: Any) -> None:
    (q,) = parameters(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        opt = Parle([q], replica=local(1)[0], on_nonfinite=choice, **SETTINGS)
    q.grad = torch.full_like(q, math.nan)
    if choice == "skip":
        opt.step()
        assert opt.skipped_steps == 1
    else:
        with pytest.raises(errors.NonFiniteError, match="Nothing was written"):
            opt.step()


def test_skipped_gradient_keeps_the_replicas_in_step() -> None:
    qs = parameters(2)
    opts = [
        Parle([q], replica=end, on_nonfinite="skip", **SETTINGS)
        for q, end in zip(qs, local(2), strict=True)
    ]
    run(qs, opts, 2)
    for q, opt in zip(qs, opts, strict=True):
        set_gradient(q)
        if q is qs[0]:
            q.grad = torch.full_like(q, math.nan)
        opt.step()
    run(qs, opts, 12)
    assert opts[0].state_dict()["clock"] == opts[1].state_dict()["clock"]


def test_step_at_the_master_is_refused() -> None:
    qs = parameters(2)
    opts = [Parle([q], replica=end, **SETTINGS) for q, end in zip(qs, local(2), strict=True)]
    with pytest.raises(errors.StateError, match="before the first step"):
        opts[0].sync("master")
    run(qs, opts, 6)
    with opts[0].sync("master"), pytest.raises(errors.StateError, match="shows the point 'master'"):
        opts[0].step()


def test_messages_are_counted() -> None:
    """A start of two posts, then one of the parameters a round: 2d/L each way is the model."""
    qs = parameters(2)
    ends = local(2)
    opts = [Parle([q], replica=end, **SETTINGS) for q, end in zip(qs, ends, strict=True)]
    run(qs, opts, 50)
    ledger = ends[0].ledger
    assert ledger.messages == 2 + 10
    per_exchange = (3 + 2) * 8  # parameters, and a flag for each replica, in float64
    assert ledger.bytes == 2 * 8 + 11 * per_exchange
    assert ledger.model(3, 8, every=5, steps=50) == 2 * 3 * 8 * 10
    assert ledger.seconds > 0
