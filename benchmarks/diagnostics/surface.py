"""A 41×41 loss surface of a 79,510-parameter perceptron on 55,000 images, against a loop.

The rival sets the weights of a model at every grid point and evaluates it over the data in batches,
which is how packages for loss landscapes do it. Both use one thread, and the rival whichever batch
is fastest. Both are timed in slices of a second or two, in turns, and the best of each counts: the
rival's time for a point, and ours for a point and for what is done once. One whole grid of ours is
timed too. The images are random: neither way looks at them.
"""

import time
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils import vector_to_parameters

from thermograd.diagnostics.landscape import loss_surface, random_directions
from thermograd.diagnostics.objective import Objective
from thermograd.models import mlp
from thermograd.noise import seeded

RESOLUTION = 41
POINTS = 6  # of the rival in a slice; it takes as long at every one
SLICES = (2, 5)  # grids of ours: the first is mostly what is done once
BATCHES = (1000, 5000, 55_000)


def measure(rounds: int, num_data: int = 55_000, resolution: int = RESOLUTION) -> dict[str, Any]:
    """Return seconds for the whole grid, ours and the loop's, and their ratio."""
    generator = seeded(1)
    x = torch.rand(num_data, 784, generator=generator)
    y = torch.randint(10, (num_data,), generator=generator)
    model = mlp((784, 100, 10), "sigmoid", generator=generator)
    objective = Objective(model, "cross_entropy", (x, y))
    directions = random_directions(objective, generator=generator)
    loop, grid = dict.fromkeys(BATCHES, float("inf")), resolution**2
    ours = dict.fromkeys(SLICES, float("inf"))
    for _ in range(rounds):
        for batch in BATCHES:
            began = time.perf_counter()
            for point in range(POINTS):
                _set_and_evaluate(model, objective.point + point * directions[0], x, y, batch)
            loop[batch] = min(loop[batch], (time.perf_counter() - began) / POINTS)
        for size in SLICES:
            began = time.perf_counter()
            loss_surface(objective, directions, resolution=size)
            ours[size] = min(ours[size], time.perf_counter() - began)
    began = time.perf_counter()
    surface = loss_surface(objective, directions, resolution=resolution)
    whole = time.perf_counter() - began
    vector_to_parameters(objective.point, model.parameters())
    expected = _set_and_evaluate(model, objective.point, x, y, num_data)
    middle = float(surface.loss.value[resolution // 2, resolution // 2])
    rival = min(loop.values()) * grid
    small, large = SLICES
    point = (ours[large] - ours[small]) / (large**2 - small**2)
    seconds = ours[small] + point * (grid - small**2)
    return {
        "num_params": objective.num_params,
        "num_data": num_data,
        "grid": [resolution, resolution],
        "ours_seconds": seconds,
        "ours_seconds_per_point": point,
        "ours_seconds_whole_grid_once": whole,
        "loop_seconds_per_point": {str(batch): seconds for batch, seconds in loop.items()},
        "loop_seconds": rival,
        "ratio": rival / seconds,
        "difference_at_the_middle": abs(middle - expected),
    }


def _set_and_evaluate(model: nn.Module, theta: Tensor, x: Tensor, y: Tensor, batch: int) -> float:
    with torch.no_grad():
        vector_to_parameters(theta, model.parameters())
        losses = [
            float(functional.cross_entropy(model(rows), labels, reduction="sum"))
            for rows, labels in zip(x.split(batch), y.split(batch), strict=True)
        ]
    return sum(losses) / len(x)
