"""The thermometer reads the temperature, says when it cannot, and changes nothing."""

import copy

import pytest
import torch
from torch import nn

from thermograd import _errors as errors
from thermograd.noise import seeded
from thermograd.optim import SGLD, Langevin

from .problems import langevin, network, steps

STIFF, TEMPERATURE, SIZE = 1.69, 0.9, 20_000
FALSE_ALARM = 1e-6


def settled(word: str, heat: float = 0.0) -> tuple[nn.Parameter, Langevin]:
    """Run many harmonic parameters to equilibrium, with N(0, heat²) on every force."""
    param = nn.Parameter(torch.zeros(SIZE))
    opt = Langevin(
        [param], 0.05, friction=3.0, temperature=TEMPERATURE, word=word, generator=seeded(4)
    )
    extra = seeded(5)
    for _ in range(160):
        param.grad = STIFF * param.detach() + heat * torch.randn(SIZE, generator=extra)
        opt.step()
    return param, opt


@pytest.mark.statistical
@pytest.mark.parametrize("word", ["BAOAB", "OBABO"])
def test_equilibrium_reads_in_band(word: str) -> None:
    """False alarm 1e-6; sees a temperature off by 5%: a χ² of 20,000 has a band of ±4.9%."""
    param, opt = settled(word)
    (reading,) = opt.thermometer(STIFF * (param**2).sum() / 2, false_alarm=FALSE_ALARM)
    for found in (reading.kinetic, reading.configurational):
        assert found is not None
        assert found.verdict == "in band"
        assert found.degrees == pytest.approx(SIZE, rel=1e-6)
        assert found.high / found.low < 1.11


def test_kinetic_of_known_momenta_is_exact() -> None:
    """T̂ = p·p/(mν) over all tensors of a group."""
    first, second = nn.Parameter(torch.zeros(3)), nn.Parameter(torch.zeros(2))
    opt = Langevin([first, second], 0.1, friction=0.7, temperature=0.9, mass=1.3)
    for param in (first, second):
        param.grad = torch.ones_like(param)
    opt.step()
    opt.state[first]["momenta"].copy_(torch.tensor([0.5, -1.5, 2.0]))
    opt.state[second]["momenta"].copy_(torch.tensor([-0.25, 3.0]))
    found = opt.thermometer()[0].kinetic
    assert found is not None
    assert found.value == pytest.approx(15.5625 / (1.3 * 5), rel=1e-12)
    assert found.degrees == 5


@pytest.mark.statistical
def test_gradient_noise_reads_hot() -> None:
    """Heating is h·Var/(2γm) = 0.05·9²/6 = 0.675, three quarters of T; false alarm 1e-6."""
    _, opt = settled("BAOAB", heat=9.0)
    (reading,) = opt.thermometer(false_alarm=FALSE_ALARM)
    assert reading.kinetic is not None
    assert reading.kinetic.verdict == "hot"
    assert reading.kinetic.value == pytest.approx(TEMPERATURE + 0.675, rel=0.1)
    assert "Minibatch noise heats" in str(reading)


def test_configurational_of_a_quadratic_is_exact() -> None:
    """T̂ = |Hq|²/tr H and ν = (tr H)²/tr H², with H diagonal so that probes of ±1 are exact."""
    h = torch.tensor([0.5, 1.7, 3.1], dtype=torch.float64)
    param = nn.Parameter(torch.tensor([0.4, -0.3, 0.8], dtype=torch.float64))
    opt = Langevin([param], 0.1, friction=0.7, temperature=0.9)
    param.grad = torch.zeros(3, dtype=torch.float64)
    opt.step()
    (reading,) = opt.thermometer((h * param**2).sum() / 2)
    found = reading.configurational
    assert found is not None
    expected = float((h * param.detach()).square().sum() / h.sum())
    assert found.value == pytest.approx(expected, rel=1e-12)
    assert found.degrees == pytest.approx(float(h.sum() ** 2 / (h**2).sum()), rel=1e-12)


def test_momenta_at_rest_read_cold_and_zero_temperature_has_no_bath() -> None:
    param = nn.Parameter(torch.zeros(50))
    opt = Langevin([param], 1e-9, friction=0.7, temperature=0.9)
    steps(opt, lambda: (param**2).sum(), 1)
    (reading,) = opt.thermometer()
    assert reading.kinetic is not None
    assert reading.kinetic.verdict == "cold"
    opt.param_groups[0]["temperature"] = 0.0
    assert opt.thermometer()[0].kinetic.verdict == "no bath"  # pyright: ignore[reportOptionalMemberAccess]


def test_what_cannot_be_measured_is_none() -> None:
    param = nn.Parameter(torch.zeros(50))
    overdamped = SGLD([param], 0.1, temperature=0.3)
    steps(overdamped, lambda: (param**2).sum(), 1)
    assert overdamped.thermometer()[0].kinetic is None
    # a maximum: curvature is negative and U has no temperature there
    assert overdamped.thermometer(-(param**2).sum())[0].configurational is None
    assert "not measured" in str(overdamped.thermometer()[0])


def test_reading_changes_nothing() -> None:
    model, x, y = network(1)
    opt = langevin(model)
    steps(opt, lambda: ((model(x) - y) ** 2).mean(), 2)
    held = copy.deepcopy(opt.state_dict())
    grads = [param.grad.clone() for param in model.parameters() if param.grad is not None]
    opt.thermometer(((model(x) - y) ** 2).mean())
    now = opt.state_dict()
    assert torch.equal(held["noise"]["cpu"]["generator"], now["noise"]["cpu"]["generator"])
    assert all(
        torch.equal(held["state"][k]["momenta"], now["state"][k]["momenta"]) for k in held["state"]
    )
    left = [param.grad for param in model.parameters()]
    assert all(a is not None and torch.equal(a, b) for a, b in zip(left, grads, strict=True))


@pytest.mark.parametrize("bad", [{"probes": 0}, {"false_alarm": 0.0}, {"false_alarm": 1.5}])
def test_bad_requests(bad: dict[str, float]) -> None:
    model, x, y = network(1)
    opt = langevin(model)
    steps(opt, lambda: ((model(x) - y) ** 2).mean(), 1)
    with pytest.raises(errors.ParameterError):
        opt.thermometer(((model(x) - y) ** 2).mean(), **bad)  # pyright: ignore[reportArgumentType]
