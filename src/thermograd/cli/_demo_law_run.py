"""The runs of the demo, and the plain numbers they leave behind."""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from .._errors import NonFiniteError
from ..noise import Gaussian, NoiseSource, seeded
from ..plots.records import BiasCurve, Density, Histogram, Well
from ..potentials import DoubleWell, Harmonic
from ..sampling.engine import simulate
from ..state import Part
from ._console import Advance
from ._demo_law_theory import fitted_line, predicted, theory_line

TEMPERATURE = 1.0
FRICTION = 1.0
METHODS = {
    "BAOAB": (0.15, 0.3, 0.45, 0.6),
    "OBABO": (0.15, 0.3, 0.45, 0.6),
    "SGLD": (0.075, 0.15, 0.225, 0.3),
}
STIFFNESS, WELL = 0.025, 2.5
TITLES = {
    "harmonic": "Harmonic well, U = ½ q²",
    "double": f"Double well, U = {STIFFNESS:g} (q² − {WELL:g}²)²",
}
REACH = {"harmonic": 4.0, "double": 5.0}
BINS = 80
HISTOGRAM_EVERY = 5


@dataclass(frozen=True, slots=True)
class Size:
    """How much is run."""

    walkers: int
    coordinates: int
    steps: int
    burn_in: int


SIZES = {"full": Size(256, 16, 3000, 300), "smoke": Size(64, 8, 300, 100)}


@dataclass(frozen=True, slots=True)
class Average:
    """One average: measured, exact, and predicted where a formula is known."""

    well: str
    method: str
    step_size: float
    name: str
    measured: float
    standard_error: float
    exact: float
    predicted: float | None

    @property
    def from_exact(self) -> float:
        """Deviation from the exact law, in standard errors."""
        return (self.measured - self.exact) / self.standard_error

    @property
    def from_predicted(self) -> float:
        """Deviation from the prediction, in standard errors; NaN without one."""
        if self.predicted is None:
            return math.nan
        return (self.measured - self.predicted) / self.standard_error


@dataclass(frozen=True, slots=True)
class Result:
    """All averages; per well and method, the density in the bins at the largest step."""

    averages: tuple[Average, ...]
    densities: Mapping[tuple[str, str], tuple[float, ...]]
    exact: Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]]

    def shown(self) -> list[Average]:
        """Return the averages at each method's largest step."""
        return [a for a in self.averages if a.step_size == METHODS[a.method][-1]]

    def as_data(self) -> dict[str, object]:
        """Return everything as JSON can hold it."""
        return {
            "averages": [dataclasses.asdict(average) for average in self.averages],
            "histograms": [
                {"well": well, "method": method, "edges": edges(well), "density": density}
                for (well, method), density in self.densities.items()
            ],
            "exact": {well: {"q": q, "density": rho} for well, (q, rho) in self.exact.items()},
        }

    def wells(self) -> list[Well]:
        """Return what the figure is drawn from."""
        return [self._well(well) for well in TITLES]

    def _well(self, well: str) -> Well:
        grid, values = self.exact[well]
        histograms = tuple(
            Histogram(f"{method}, h = {METHODS[method][-1]:g}", edges(well), density)
            for (name, method), density in self.densities.items()
            if name == well
        )
        curves = tuple(self._curve(well, method) for method in METHODS)
        label = "theory" if well == "harmonic" else "fit $c\\,h^k + d\\,h^{2k}$, k as claimed"
        return Well(TITLES[well], Density(grid, values), histograms, curves, label)

    def _curve(self, well: str, method: str) -> BiasCurve:
        key = (well, method, "⟨q²⟩")
        found = [a for a in self.averages if (a.well, a.method, a.name) == key]
        h = tuple(a.step_size for a in found)
        bias = tuple(a.measured / a.exact - 1 for a in found)
        errors = tuple(a.standard_error / a.exact for a in found)
        is_known = well == "harmonic"
        line = theory_line(method, h[-1]) if is_known else fitted_line(method, h, bias, errors)
        return BiasCurve(method, h, bias, errors, line)


def edges(well: str) -> tuple[float, ...]:
    """Return the edges of the histogram's bins."""
    reach = REACH[well]
    return tuple(-reach + 2 * reach * number / BINS for number in range(BINS + 1))


def total_steps(size: Size) -> int:
    """Return how many steps `run` takes."""
    runs = len(TITLES) * sum(len(steps) for steps in METHODS.values())
    return runs * (size.steps + size.burn_in)


def run(size: Size, seed: int, advance: Advance) -> Result:
    """Run every method at every step size in both wells."""
    noise = Gaussian(seeded(seed))
    averages: list[Average] = []
    densities: dict[tuple[str, str], tuple[float, ...]] = {}
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the tensors are too small to share
    try:
        for well in TITLES:
            for method, steps in METHODS.items():
                advance(0, f"{well} well, {method}")
                for h in steps:
                    found, density = _run_one(well, method, h, size, noise, advance)
                    averages += found
                    densities[well, method] = density
    finally:
        torch.set_num_threads(threads)
    return Result(tuple(averages), densities, {well: _exact_density(well) for well in TITLES})


def _target(well: str, coordinates: int) -> Harmonic | DoubleWell:
    if well == "harmonic":
        return Harmonic((1.0,) * coordinates)
    return DoubleWell(STIFFNESS, WELL, num_params=coordinates)


def _run_one(
    well: str, method: str, h: float, size: Size, noise: NoiseSource, advance: Advance
) -> tuple[list[Average], tuple[float, ...]]:
    target = _target(well, size.coordinates)
    counts = torch.zeros(BINS)
    calls = 0

    def observe(part: Part) -> dict[str, Tensor]:
        nonlocal calls
        if calls % HISTOGRAM_EVERY == 0:
            counts.add_(torch.histc(part.q[0], BINS, -REACH[well], REACH[well]))
        calls += 1
        found = {"⟨q²⟩": part.q[0].square().mean(1)}
        return found | {"⟨p²⟩": part.p[0].square().mean(1)} if part.p else found

    def tick(step: int) -> None:
        if step % 100 == 0:
            advance(100)

    done = simulate(
        target,
        method.lower(),
        target.start(size.walkers),
        steps=size.steps,
        step_size=h,
        noise=noise,
        friction=FRICTION,
        temperature=TEMPERATURE,
        burn_in=size.burn_in,
        observe=observe,
        progress=tick,
    )
    _check_finite(done.mean, f"{method} at h = {h:g} in the {well} well")
    exact = {"⟨q²⟩": target.expectations(TEMPERATURE)["q^2"], "⟨p²⟩": TEMPERATURE}
    averages = [
        Average(
            well=well,
            method=method,
            step_size=h,
            name=name,
            measured=float(values.mean()),
            standard_error=float(values.std()) / math.sqrt(size.walkers),
            exact=exact[name],
            predicted=predicted(method, name, h) if well == "harmonic" else None,
        )
        for name, values in done.mean.items()
    ]
    density = counts / counts.sum() / (2 * REACH[well] / BINS)
    return averages, tuple(density.tolist())


def _check_finite(mean: Mapping[str, Tensor], what: str) -> None:
    if not all(bool(torch.isfinite(values).all()) for values in mean.values()):
        raise NonFiniteError(f"a walker of {what} left for infinity; try another --seed")


def _exact_density(well: str) -> tuple[tuple[float, ...], tuple[float, ...]]:
    q = torch.linspace(-REACH[well], REACH[well], 401, dtype=torch.float64)
    weight = torch.exp(-_target(well, 1).energy([q[:, None]]) / TEMPERATURE)
    density = weight / torch.trapezoid(weight, q)
    return tuple(q.tolist()), tuple(density.tolist())
