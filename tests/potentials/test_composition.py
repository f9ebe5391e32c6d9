"""Sums, noisy forces, potentials from functions; refused input of every potential."""

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from thermograd._errors import EvaluationError, ParameterError
from thermograd.noise import seeded
from thermograd.potentials import (
    Banana,
    CorrelatedGaussian,
    DoubleWell,
    FunctionPotential,
    Funnel,
    GaussianMixture,
    Harmonic,
    NoisyForce,
    NonEquilibrium,
    Potential,
    Quartic,
    SplitPotential,
    Sum,
    from_function,
)
from thermograd.testing import assert_mean

HARMONIC = Harmonic((0.5, 2.5))
QUARTIC = Quartic(1.5, num_params=2)
NAN = math.nan


def positions(num_walkers: int = 5) -> Tensor:
    return torch.randn((num_walkers, 2), generator=seeded(0), dtype=torch.float64)


def evaluate(potential: Potential, x: Tensor) -> tuple[Tensor, Tensor]:
    out = torch.full_like(x, NAN)
    return potential.force([x], out=[out]), out


def test_sum_adds_energies_and_forces() -> None:
    x = positions()
    parts = [evaluate(HARMONIC, x), evaluate(QUARTIC, x), evaluate(HARMONIC, x)]
    total = Sum({"soft": HARMONIC, "stiff": QUARTIC, "more": HARMONIC})
    energy, force = evaluate(total, x)
    torch.testing.assert_close(energy, torch.stack([e for e, _ in parts]).sum(0))
    torch.testing.assert_close(force, torch.stack([f for _, f in parts]).sum(0))


def test_sum_is_a_split_potential() -> None:
    assert isinstance(Sum({"soft": HARMONIC}), SplitPotential)


def test_sum_keeps_its_own_terms() -> None:
    terms: dict[str, Potential] = {"soft": HARMONIC}
    total = Sum(terms)
    terms["stiff"] = QUARTIC
    assert list(total.components) == ["soft"]


def test_sum_hands_the_batch_to_its_terms() -> None:
    seen: list[object] = []

    class Recorder:
        def force(self, q: list[Tensor], batch: object = None, *, out: list[Tensor]) -> Tensor:
            seen.append(batch)
            return q[0].sum(1)

    Sum({"first": Recorder(), "second": Recorder()}).force(
        [positions()], "a batch", out=[positions()]
    )
    assert seen == ["a batch", "a batch"]


def test_noisy_force_keeps_the_energy_exact() -> None:
    x = positions()
    torch.testing.assert_close(
        evaluate(NoisyForce(HARMONIC, 0.3, seeded(2)), x)[0], HARMONIC.energy([x])
    )


def test_noisy_force_draws_afresh_each_time() -> None:
    noisy, x = NoisyForce(HARMONIC, 0.3, seeded(2)), positions()
    assert not torch.equal(evaluate(noisy, x)[1], evaluate(noisy, x)[1])


def test_noisy_force_repeats_with_its_generator() -> None:
    x = positions()
    first = evaluate(NoisyForce(HARMONIC, 0.3, seeded(2)), x)[1]
    torch.testing.assert_close(evaluate(NoisyForce(HARMONIC, 0.3, seeded(2)), x)[1], first)


def test_noisy_force_without_noise_is_the_force() -> None:
    x = positions()
    got = evaluate(NoisyForce(HARMONIC, 0.0, seeded(2)), x)[1]
    torch.testing.assert_close(got, evaluate(HARMONIC, x)[1], rtol=0, atol=0)


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("moment", "expected", "resolves"),
    [("mean", 0.0, 0.02), ("square", 0.09, 0.005), ("product", 0.0, 0.005)],
)
def test_noise_of_the_force_is_white_with_the_given_sd(
    moment: str, expected: float, resolves: float
) -> None:
    x = positions(64 * 512)
    noise = evaluate(NoisyForce(HARMONIC, 0.3, seeded(2)), x)[1] - evaluate(HARMONIC, x)[1]
    values = {"mean": noise.mean(1), "square": (noise**2).mean(1), "product": noise.prod(1)}
    per_group = values[moment].reshape(64, 512).mean(1)
    assert_mean(per_group, expected, resolves=resolves)


def test_function_agrees_with_the_closed_form() -> None:
    x = positions()
    energy, force = evaluate(from_function(QUARTIC.energy), x)
    expected_energy, expected = evaluate(QUARTIC, x)
    torch.testing.assert_close(energy, expected_energy)
    torch.testing.assert_close(force, expected)


def test_function_gives_a_force_under_no_grad_and_no_graph() -> None:
    x = positions()
    with torch.no_grad():
        energy, force = evaluate(from_function(QUARTIC.energy), x)
    assert not energy.requires_grad
    torch.testing.assert_close(force, evaluate(QUARTIC, x)[1])


def test_function_gives_zero_force_on_a_tensor_it_ignores() -> None:
    q = [positions(), positions()]
    out = [torch.full_like(tensor, NAN) for tensor in q]
    from_function(lambda q: q[0].square().sum(1)).force(q, out=out)
    assert float(out[1].abs().max()) == 0


@pytest.mark.parametrize(
    ("fn", "message"),
    [
        (lambda q: q[0].sum(), r"one energy per walker, shape \(5,\); got \(\)"),
        (lambda q: q[0], r"got \(5, 2\). Sum over every axis but the first"),
        (lambda q: 0.5, "got float"),
        (lambda q: q[0].detach().sum(1), "the energies carry no gradient"),
    ],
)
def test_function_that_cannot_be_used_is_refused(
    fn: Callable[[list[Tensor]], Tensor], message: str
) -> None:
    with pytest.raises(EvaluationError, match=message):
        evaluate(from_function(fn), positions())


REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: Harmonic(()), "'spectrum' of Harmonic must be not empty"),
    (lambda: Harmonic((0.5, -2.0)), "'spectrum' of Harmonic must be a finite number above 0"),
    (lambda: Harmonic((NAN,)), "'spectrum' of Harmonic .* got nan"),
    (lambda: CorrelatedGaussian(((2.0, 0.5),)), "'precision' .* must be a square matrix"),
    (lambda: CorrelatedGaussian(()), "'precision' .* must be a square matrix"),
    (lambda: CorrelatedGaussian(((2.0, 0.5), (0.4, 2.0))), "a symmetric matrix"),
    (lambda: CorrelatedGaussian(((2.0, 3.0), (3.0, 2.0))), "a positive definite matrix"),
    (lambda: CorrelatedGaussian(((NAN, 0.5), (0.5, 2.0))), "a matrix of finite numbers"),
    (lambda: CorrelatedGaussian.from_spectrum((2.0, -3.0), seeded(0)), "'spectrum' of Corr"),
    (lambda: CorrelatedGaussian.from_spectrum((), seeded(0)), "must be not empty"),
    (lambda: Quartic(-2.0), "'quartic' of Quartic must be a finite number above 0; got -2.0"),
    (lambda: Quartic(2.0, NAN), "'quadratic' of Quartic must be a finite number; got nan"),
    (lambda: Quartic(2.0, num_params=0), "'num_params' of Quartic must be an integer above 0"),
    (lambda: DoubleWell(0.0), "'stiffness' of DoubleWell"),
    (lambda: DoubleWell(well=-2.0), "'well' of DoubleWell"),
    (lambda: DoubleWell(tilt=math.inf), "'tilt' of DoubleWell"),
    (lambda: GaussianMixture((0.5, 0.6), ((0.0,), (2.0,)), (2.0, 2.0)), "numbers with sum 1"),
    (lambda: GaussianMixture((1.5, -0.5), ((0.0,), (2.0,)), (2.0, 2.0)), "'weights' .* above 0"),
    (lambda: GaussianMixture((0.5, 0.5), ((0.0,), (2.0, 3.0)), (2.0, 2.0)), "one dimension"),
    (lambda: GaussianMixture((0.5, 0.5), ((0.0,), (NAN,)), (2.0, 2.0)), "finite coordinates"),
    (lambda: GaussianMixture((0.5, 0.5), ((0.0,), (2.0,)), (2.0,)), "'scales' .* 2 numbers"),
    (lambda: Funnel(1), "'num_params' of Funnel must be 2 or above; got 1"),
    (lambda: Funnel(scale=NAN), "'scale' of Funnel"),
    (lambda: Banana(width=0.0), "'width' of Banana"),
    (lambda: Banana(bend=NAN), "'bend' of Banana"),
    (lambda: NonEquilibrium(NAN), "'strength' of NonEquilibrium must be a finite number"),
    (lambda: Sum({}), "'components' of Sum must be a mapping with at least one term"),
    (lambda: Sum({"soft": "harmonic"}), r"of Sum must be a potential"),  # pyright: ignore[reportArgumentType]
    (lambda: NoisyForce(HARMONIC, -0.3, seeded(0)), "'sd' of NoisyForce"),
    (lambda: FunctionPotential(3), "'fn' of from_function must be callable; got 3"),  # pyright: ignore[reportArgumentType]
    (lambda: HARMONIC.expectations(-0.5), "'temperature' of Harmonic.expectations"),
    (lambda: HARMONIC.sample(5, NAN, seeded(0)), "'temperature' of Harmonic.sample"),
    (lambda: HARMONIC.sample(0, 0.5, seeded(0)), "'num_walkers' of Harmonic.sample"),
    (lambda: HARMONIC.start(-3), "'num_walkers' of Harmonic.start"),
    (lambda: HARMONIC.energy([torch.zeros(4, 3)]), "with 2 coordinates in all; got .*4, 3"),
]


@pytest.mark.parametrize(("build", "message"), REFUSED)
def test_bad_input_is_refused(build: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        build()


def test_mixture_is_sampled_at_unit_temperature_only() -> None:
    mixture = GaussianMixture((0.5, 0.5), ((0.0,), (2.0,)), (0.5, 0.5))
    with pytest.raises(ParameterError, match=r"must be 1: only there is it exact; got 0\.5"):
        mixture.sample(3, 0.5, seeded(0))


@pytest.mark.parametrize("distance", [2e4, 3.3e4])
def test_density_too_narrow_for_quadrature_is_reported(distance: float) -> None:
    mixture = GaussianMixture((0.5, 0.5), ((0.0, 0.0), (distance, 0.0)), (0.5, 0.5))
    with pytest.raises(EvaluationError, match="do not settle"):
        mixture.expectations(0.5)
