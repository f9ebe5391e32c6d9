"""The compiled step gives the numbers of the eager one, and nothing else changes."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from thermograd._errors import EvaluationError
from thermograd.integrators import resolve
from thermograd.noise import make, seeded
from thermograd.potentials import Batch, NoisyForce, Potential, Quartic, from_function
from thermograd.sampling import stepping
from thermograd.sampling.engine import make_part
from thermograd.sampling.state_tensors import state_tensors
from thermograd.sampling.stepping import Choice, EagerStep, choose, copy_part
from thermograd.sampling.streams import stream
from thermograd.sampling.world import World
from thermograd.state import Env, Params, Part

from .targets import centres

H = 0.1
W = 3


def started(
    method: str, target: Potential, dim: int = 5, noise: str = "gaussian"
) -> tuple[Part, World]:
    """Return a part one step under way, and its world."""
    q = [torch.randn(W, dim, generator=seeded(2), dtype=torch.float64)]
    integrator = resolve(method)
    part = make_part(integrator, q, friction=0.7, temperature=0.9, mass=1.3)
    source = make(noise, stream(4, "noise"))
    world = World.make(integrator, target, source, stream(4, "batches"), W)
    with torch.no_grad():
        integrator.init(part, Env(world.noise, world.evaluate))
        EagerStep(part, world)(H)
    return part, world


def compiled(part: Part, world: World) -> Choice:
    with torch.no_grad():
        return choose(True, part, world, H, 50)


def by_function(q: Params) -> Tensor:
    return 0.3 * q[0].pow(4).sum(1)


@pytest.mark.parametrize(
    ("method", "make_target", "noise"),
    [
        ("baoab", lambda: Quartic(1.3, 0.4, 5), "gaussian"),
        ("OBABO", lambda: from_function(by_function), "three_point"),
        ("mala", lambda: Quartic(1.3, 0.4, 5), "gaussian"),
        ("leimkuhler_matthews", lambda: centres(dim=5), "gaussian"),
        ("baoab", lambda: centres(dim=5), "three_point"),
    ],
)
def test_compiled_equals_eager(
    method: str, make_target: Callable[[], Potential], noise: str
) -> None:
    part, world = started(method, make_target(), noise=noise)
    choice = compiled(part, world)
    assert choice.is_compiled, choice.reason
    other, streams = copy_part(part), world.save()
    eager = EagerStep(other, world)
    counts = dict(world.evaluate.counts)
    with torch.no_grad():
        for _ in range(20):
            eager(H)
        after = {name: number - counts[name] for name, number in world.evaluate.counts.items()}
        drawn = world.save()
        world.load(streams)
        counts = dict(world.evaluate.counts)
        for _ in range(20):
            choice.step(H)
    again = {name: number - counts[name] for name, number in world.evaluate.counts.items()}
    assert again == after
    assert all(torch.equal(value, drawn[name]) for name, value in world.save().items())
    for name, value in state_tensors(part).items():
        expected = state_tensors(other)[name]
        torch.testing.assert_close(value, expected, rtol=1e-12, atol=1e-12, msg=name)


@pytest.mark.parametrize("mode", [True, False, "auto"])
def test_choosing_moves_nothing(mode: stepping.Compile) -> None:
    part, world = started("baoab", centres(dim=5))
    before = {name: value.clone() for name, value in state_tensors(part).items()}
    streams, counts = world.save(), dict(world.evaluate.counts)
    with torch.no_grad():
        choose(mode, part, world, H, 50)
    assert all(torch.equal(before[name], value) for name, value in state_tensors(part).items())
    assert all(torch.equal(streams[name], value) for name, value in world.save().items())
    assert world.evaluate.counts == counts


def test_short_run_stays_eager() -> None:
    part, world = started("baoab", Quartic(1.3, 0.4, 5))
    with torch.no_grad():
        choice = choose("auto", part, world, H, 100)
    assert (choice.is_compiled, choice.reason) == (False, "")


def test_step_that_branches_on_a_draw_stays_eager() -> None:
    choice = compiled(*started("hmc_randomised", Quartic(1.3, 0.4, 5)))
    assert not choice.is_compiled
    assert "cannot compile" in choice.reason


def test_target_that_draws_by_itself_stays_eager() -> None:
    target = NoisyForce(Quartic(1.3, 0.4, 5), 0.3, seeded(7))
    choice = compiled(*started("baoab", target))
    assert not choice.is_compiled
    assert "random numbers of its own" in choice.reason


def test_target_that_remembers_stays_eager() -> None:
    class Drifting:
        """A force that grows from call to call."""

        calls = 0

        def force(self, q: Params, batch: Batch = None, *, out: Params) -> Tensor:
            self.calls += 1
            out[0].copy_(-0.1 * self.calls * q[0])
            return 0.05 * self.calls * q[0].square().sum(1)

    part, world = started("baoab", Drifting())
    before, streams = part.q[0].clone(), world.save()
    choice = compiled(part, world)
    assert not choice.is_compiled
    assert "other numbers" in choice.reason
    assert torch.equal(part.q[0], before)
    assert all(torch.equal(streams[name], value) for name, value in world.save().items())


def test_batches_of_another_size_are_refused() -> None:
    target = centres(dim=5)
    part, world = started("baoab", target)
    choice = compiled(part, world)
    target.size += 1
    with pytest.raises(EvaluationError, match="compiled for batches of shape"):
        choice.step(H)


def test_without_a_compiler_the_step_is_eager(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_compiler(*args: object, **options: object) -> object:
        raise RuntimeError("InvalidCxxCompiler: No working C++ compiler found")

    monkeypatch.setattr("torch._inductor.compile", no_compiler)
    choice = compiled(*started("baoab", Quartic(1.3, 0.4, 5)))
    assert not choice.is_compiled
    assert "No working C++ compiler" in choice.reason


def test_changing_step_size_stays_eager() -> None:
    part, world = started("baoab", Quartic(1.3, 0.4, 5))
    with torch.no_grad():
        choice = choose(True, part, world, None, 50)
    assert not choice.is_compiled
    assert "the step size changes" in choice.reason


def test_streams_differ_by_purpose_and_seed() -> None:
    draws = [
        torch.rand(4, generator=stream(seed, purpose))
        for seed, purpose in [(3, "noise"), (3, "batches"), (4, "noise"), (3, "noise")]
    ]
    assert torch.equal(draws[0], draws[3])
    assert not torch.equal(draws[0], draws[1])
    assert not torch.equal(draws[0], draws[2])
