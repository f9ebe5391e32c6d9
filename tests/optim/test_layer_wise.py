"""Layer-wise optimizers: each is the method it says on each part, and no part knows the others."""

import math
from collections.abc import Iterable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from thermograd import integrators
from thermograd.integrators.sgd_momentum import sgd_momentum
from thermograd.noise import Gaussian, seeded
from thermograd.optim import (
    DHSGD,
    LOL,
    AdaptiveLangevin,
    AdLaLa,
    Langevin,
    Method,
    Partitioned,
    UnderdampedSGD,
    from_sgd,
)
from thermograd.optim._adapter import DynamicsOptimizer
from thermograd.partitions import last
from thermograd.sampling.engine import make_part
from thermograd.state import Env, Part
from thermograd.thermostat import Coupling, Thermostat

from .perceptron import ADAPTIVE, STEPS, H, Problem, end, parts_of
from .problems import steps


def test_lol_is_langevin_in_layers_at_large_friction() -> None:
    def layers(model: nn.Module) -> Langevin:
        hidden, output = parts_of(model)
        group = {"params": output, "friction": 1e5, "temperature": 1e-4}
        settings: dict[str, Any] = {"friction": 0.6, "temperature": 1e-3}
        return Langevin([{"params": hidden}, group], H, **settings, generator=seeded(2))

    def lol(model: nn.Module) -> LOL:
        settings: dict[str, Any] = {
            "friction": 0.6,
            "temperature": 1e-3,
            "output_temperature": 1e-4,
        }
        return LOL(model, H, **settings, generator=seeded(2))

    assert torch.equal(end(layers), end(lol))


def test_lol_is_the_limit_of_langevin_in_layers() -> None:
    def gap(friction: float) -> float:
        def layers(model: nn.Module) -> Langevin:
            hidden, output = parts_of(model)
            group = {"params": output, "friction": friction, "temperature": 0.0}
            return Langevin(
                [{"params": hidden}, group], H, friction=0.6, temperature=0.0, generator=seeded(2)
            )

        far = end(lambda model: LOL(model, H, friction=0.6, temperature=0.0))
        return float((end(layers) - far).abs().max())

    gaps = [gap(friction) for friction in (20.0, 40.0, 60.0)]
    # what friction leaves of the momenta in a step is exp(−γh)
    assert gaps[1] / gaps[0] == pytest.approx(math.exp(-20 * H), rel=0.1)
    assert gaps[2] / gaps[1] == pytest.approx(math.exp(-20 * H), rel=0.1)


def literal_dhsgd(contractive: bool, num: int) -> Tensor:
    problem = Problem()
    params = list(problem.model.parameters())

    def force() -> list[Tensor]:
        grads = torch.autograd.grad(problem.loss(), params)
        return [-grad for grad in grads]

    hidden, output = slice(0, 4), slice(4, 6)
    f = force()
    p = [torch.zeros_like(q) for q in params[hidden]]
    step = H if contractive else H * H / 2
    for _ in range(num):
        with torch.no_grad():
            p = [a + H / 2 * b for a, b in zip(p, f[hidden], strict=True)]
            for q, a in zip(params[hidden], p, strict=True):
                q.add_(H * a)
            for q, b in zip(params[output], f[output], strict=True):
                q.add_(step * b)
        f = force()
        p = [a + H / 2 * b for a, b in zip(p, f[hidden], strict=True)]
    return torch.cat([q.detach().flatten() for q in params])


@pytest.mark.parametrize("contractive", [False, True])
def test_dhsgd_is_its_formulas(contractive: bool) -> None:
    found = end(lambda model: DHSGD(model, H, contractive=contractive))
    torch.testing.assert_close(found, literal_dhsgd(contractive, STEPS), rtol=0, atol=1e-14)


def test_dhsgd_is_lol_without_friction_from_the_right_momenta() -> None:
    problem = Problem()
    opt = LOL(problem.model, H, friction=0.0, temperature=0.0)
    problem.loss().backward()
    for q in opt.param_groups[1]["params"]:
        # a state as LOL leaves it after a step: p₂ = ½h f₂, and this gradient completes the kick
        opt.state[q].update(momenta=torch.zeros_like(q), pending=H)
    for q in opt.param_groups[0]["params"]:
        opt.state[q].update(momenta=H / 2 * q.grad, pending=H)
    found = problem.end(lambda model: opt)
    torch.testing.assert_close(found, end(lambda model: DHSGD(model, H)), rtol=0, atol=1e-14)


def test_dhsgd_draws_nothing() -> None:
    problem = Problem()
    opt = DHSGD(problem.model, H)
    before = opt.state_dict()["noise"]["cpu"]["generator"].clone()
    steps(opt, problem.loss, 3)
    assert torch.equal(opt.state_dict()["noise"]["cpu"]["generator"], before)


@pytest.mark.parametrize("word", ["BAEFEAB", "BACDEDCAB", "sgnht"])
def test_one_adaptive_part_is_adaptive_langevin(word: str) -> None:
    def one(model: nn.Module) -> AdLaLa:
        group = {"params": list(model.parameters())}
        fixed: dict[str, Any] = {"coupling": "plain", "initial_xi": 0.1}
        return AdLaLa([group], H, word=word, **fixed, **ADAPTIVE, generator=seeded(2))

    def adaptive(model: nn.Module) -> AdaptiveLangevin:
        return AdaptiveLangevin(model, H, word=word, **ADAPTIVE, generator=seeded(2))

    assert torch.equal(end(one), end(adaptive))


@pytest.mark.parametrize("word", ["BAEFEAB", "BACDEDCAB", "BADCECDAB", "EBAFABE"])
@pytest.mark.parametrize("coupling", ["plain", "scaled"])
def test_optimizer_is_the_integrator(word: str, coupling: Coupling) -> None:
    problem = Problem()
    opt = AdaptiveLangevin(
        problem.model, H, word=word, coupling=coupling, mass=1.7, **ADAPTIVE, generator=seeded(2)
    )
    steps(opt, problem.loss, STEPS)
    part = integrated(word, Thermostat(0.3, 0.05, coupling), STEPS)
    for q, expected in zip(problem.model.parameters(), part.q, strict=True):
        torch.testing.assert_close(q.detach(), expected[0], rtol=0, atol=1e-13)
    xi = opt.state_dict()["scalars"][0]["xi"]
    torch.testing.assert_close(xi, part.scalars["xi"], rtol=0, atol=1e-13)


def integrated(word: str, thermostat: Thermostat, num: int) -> Part:
    """Run up to the point where the step after `num` − 1 whole ones needs its force."""
    problem, method = Problem(), integrators.resolve(word)
    assert isinstance(method, integrators.CutIntegrator)
    params = list(problem.model.parameters())

    def evaluate(part: Part, component: str | None = None) -> None:
        with torch.no_grad():
            for q, value in zip(params, part.q, strict=True):
                q.copy_(value[0])
        grads = torch.autograd.grad(problem.loss(), params)
        for f, grad in zip(part.force.tensors, grads, strict=True):
            f.copy_(-grad.unsqueeze(0))
        part.force.is_fresh = True

    start = [q.detach().unsqueeze(0) for q in params]
    part = make_part(method, start, temperature=2e-3, mass=1.7, thermostat=thermostat)
    env = Env(Gaussian(seeded(2)), evaluate)
    for _ in range(num - 1):
        method.step(part, H, env)
    method.before(part, H, env)
    return part


def test_adlala_is_its_two_parts_side_by_side() -> None:
    def adlala(model: nn.Module) -> AdLaLa:
        bath: dict[str, Any] = {"output_temperature": 0.0, "friction": 0.4}
        return AdLaLa(model, H, **ADAPTIVE, **bath, initial_xi=0.1, generator=seeded(2))

    def apart(model: nn.Module) -> Partitioned:
        hidden = Method(
            word="BAEFEAB", temperature=2e-3, thermostat=Thermostat(0.3, 0.05, "scaled")
        )
        output = Method(word="BAOAB", friction=0.4)
        methods = {"rest": hidden, "last": output}
        return Partitioned(model, last(model), methods, H, generator=seeded(2))

    assert torch.equal(end(adlala), end(apart))


@pytest.mark.parametrize("word", ["BAEFEAB", "BACDEDCAB"])
def test_a_thermostat_moves_its_own_part_only(word: str) -> None:
    def run(feedback: float) -> tuple[Tensor, Tensor, Tensor]:
        a = nn.Parameter(torch.linspace(-1, 1, 6, dtype=torch.float64))
        b = nn.Parameter(torch.linspace(-2, 3, 4, dtype=torch.float64))
        groups = [{"params": [a]}, {"params": [b], "feedback": feedback, "temperature": 0.3}]
        opt = AdaptiveLangevin(groups, H, word=word, **ADAPTIVE, generator=seeded(2))
        steps(opt, lambda: (a**2).sum() + (b**4).sum(), STEPS)
        numbers = opt.state_dict()["scalars"]
        return a.detach(), numbers[0]["xi"], numbers[1]["xi"]

    weak, strong = run(0.1), run(0.4)
    assert torch.equal(weak[0], strong[0])
    assert torch.equal(weak[1], strong[1])
    assert not torch.equal(weak[2], strong[2])


@pytest.mark.parametrize(("unit", "num"), [("part", 1), ("layer", 3), ("tensor", 6)])
def test_thermostat_for_each_part_layer_or_tensor(unit: str, num: int) -> None:
    problem = Problem()
    opt = AdaptiveLangevin(problem.model, H, thermostat_per=unit, **ADAPTIVE, generator=seeded(2))
    steps(opt, problem.loss, 4)
    numbers = [float(group["xi"]) for group in opt.state_dict()["scalars"]]
    assert len(set(numbers)) == num


def test_thermostat_for_each_tensor_is_groups_by_hand() -> None:
    def by_hand(model: nn.Module) -> AdaptiveLangevin:
        groups = [{"params": [q]} for q in model.parameters()]
        return AdaptiveLangevin(groups, H, **ADAPTIVE, generator=seeded(2))

    def each(model: nn.Module) -> AdaptiveLangevin:
        return AdaptiveLangevin(model, H, thermostat_per="tensor", **ADAPTIVE, generator=seeded(2))

    assert torch.equal(end(by_hand), end(each))


def test_only_adaptive_parts_are_cut() -> None:
    problem = Problem()
    opt = AdLaLa(problem.model, thermostat_per="layer")
    words = [group["word"] for group in opt.param_groups]
    assert words == ["baefeab", "baefeab", "baoab"]


def test_friction_of_adlala_starts_where_the_driving_noise_asks_for_it() -> None:
    """ξ̄ = σ²/(2cT), of each group; as asked for; and 0.1 where that is 0 or infinite."""

    def starts(**settings: Any) -> list[float]:
        groups = [
            {"params": [nn.Parameter(torch.ones(3))]},
            {"params": [nn.Parameter(torch.ones(3))], "temperature": 0.5, "feedback": 0.3},
        ]
        opt = AdLaLa(groups, feedback=0.2, temperature=0.4, **settings)
        return [group["initial_xi"] for group in opt.param_groups]

    assert starts(driving_noise=0.6) == pytest.approx([0.36 / 0.16, 0.36 / 0.3], rel=1e-12)
    plain = starts(driving_noise=0.6, coupling="plain")
    assert plain == pytest.approx([0.36 / 0.8, 0.36 / 1.0], rel=1e-12)
    assert starts(driving_noise=0.6, initial_xi=-0.7) == [-0.7, -0.7]
    cold = AdLaLa([{"params": [nn.Parameter(torch.ones(3))]}], temperature=0.0)
    assert cold.param_groups[0]["initial_xi"] == 0.1


def test_parts_may_be_plain_sgd_and_sgd_with_momentum() -> None:
    def mixed(model: nn.Module) -> Partitioned:
        momentum = Method(word=integrators.get("sgd_momentum"), lr=0.05)
        return Partitioned(model, last(model), {"rest": momentum, "last": "sgd"}, 0.02)

    def torchs(model: nn.Module) -> torch.optim.SGD:
        hidden, output = parts_of(model)
        return torch.optim.SGD(
            [
                {"params": [q for _, q in hidden], "momentum": 0.9},
                {"params": [q for _, q in output], "lr": 0.02},
            ],
            lr=0.05,
        )

    torch.testing.assert_close(end(mixed), end(torchs), rtol=0, atol=1e-13)


def test_two_updates_of_one_kind_stay_apart() -> None:
    slow, fast = (sgd_momentum(mu) for mu in (0.5, 0.8))

    def mixed(model: nn.Module) -> Partitioned:
        methods = {"rest": Method(word=slow), "last": Method(word=fast)}
        return Partitioned(model, last(model), methods, 0.05)

    def torchs(model: nn.Module) -> torch.optim.SGD:
        hidden, output = parts_of(model)
        groups = [
            {"params": [q for _, q in hidden], "momentum": 0.5},
            {"params": [q for _, q in output], "momentum": 0.8},
        ]
        return torch.optim.SGD(groups, lr=0.05)

    torch.testing.assert_close(end(mixed), end(torchs), rtol=0, atol=1e-13)


def test_oba_and_verlet_share_their_force() -> None:
    def mixed(model: nn.Module) -> Partitioned:
        settings = from_sgd(lr=0.04, momentum=0.7)
        return Partitioned(
            model, last(model), {"rest": Method(word="OBA", **settings), "last": "sgd"}, 0.01
        )

    def apart(model: nn.Module) -> torch.optim.SGD:
        hidden, output = parts_of(model)
        return torch.optim.SGD(
            [
                {"params": [q for _, q in hidden], "momentum": 0.7, "lr": 0.04},
                {"params": [q for _, q in output]},
            ],
            lr=0.01,
        )

    torch.testing.assert_close(end(mixed), end(apart), rtol=0, atol=1e-13)


def test_a_scheduler_scales_the_step_of_every_part() -> None:
    problem = Problem()
    methods = {"rest": Method(word="BAOAB", lr=0.1, friction=0.4), "last": "sgd"}
    opt = Partitioned(problem.model, last(problem.model), methods, 0.02)
    schedule = torch.optim.lr_scheduler.LambdaLR(opt, lambda epoch: 0.5**epoch)
    steps(opt, problem.loss, 1)
    schedule.step()
    assert [group["lr"] for group in opt.param_groups] == [0.05, 0.01]


def every(model: nn.Module) -> Iterable[DynamicsOptimizer]:
    yield AdLaLa(model)
    yield LOL(model, 0.1)
    yield DHSGD(model, 0.1)
    yield UnderdampedSGD(model.parameters(), **from_sgd(lr=0.1, momentum=0.9))


@pytest.mark.parametrize("index", range(4))
def test_defaults_lower_the_loss(index: int) -> None:
    problem = Problem()
    start = problem.loss().item()
    steps(list(every(problem.model))[index], problem.loss, 200)
    assert problem.loss().item() < 0.7 * start
