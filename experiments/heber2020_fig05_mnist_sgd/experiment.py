"""Figure 5, its SGD part: softmax regression of MNIST in three stages of SGD."""

from dataclasses import asdict, dataclass

import torch
from torch import Tensor, nn

import thermograd
from thermograd.data import load
from thermograd.experiments import Result
from thermograd.models import mlp
from thermograd.noise import seeded
from thermograd.potentials import Network
from thermograd.state import Params

SEED = 5
VALIDATION = 5000  # the first images of the training set, as in the source's reader

Data = tuple[Tensor, Tensor]


@dataclass(frozen=True, slots=True)
class Stage:
    """A stretch of training.

    Attributes:
        batch_size: None is all the data.
        rate: of learning.
        steps: how many.
    """

    batch_size: int | None
    rate: float
    steps: int


PRINTED = (Stage(550, 0.5, 3000), Stage(5500, 0.05, 3000), Stage(None, 0.01, 3000))


def smoke(seed: int = SEED) -> Result:
    """Train on ten generated clouds; the last stage runs beside torch.optim.SGD."""
    data = _clouds(600)
    stages = (Stage(50, 0.5, 60), Stage(150, 0.05, 40))
    q = _train(data, stages, _zeros(8), seed)
    last = Stage(None, 0.3, 25)
    trained, twin = _train(data, (last,), q, seed), _torch_sgd(data, last, q)
    gap = max(float((a - b).abs().max()) for a, b in zip(trained, twin, strict=True))
    measured = {"gap_to_torch": gap, **_scores(data, data, trained)}
    return Result(measured, {"stages": [asdict(stage) for stage in stages]}, seed)


def full(seed: int = SEED) -> Result:
    """Train on 55,000 images; needs `thermograd fetch mnist`."""
    digits = load("mnist")
    x = digits.x.flatten(1).float().div_(255)
    x_test = digits.x_test.flatten(1).float().div_(255)
    train = (x[VALIDATION:], digits.y[VALIDATION:])
    q = _train(train, PRINTED, _zeros(x.shape[1]), seed)
    measured = _scores(train, (x_test, digits.y_test), q)
    return Result(measured, {"stages": [asdict(stage) for stage in PRINTED]}, seed)


def _network(data: Data, batch_size: int | None) -> Network:
    model = mlp((data[0].shape[1], 10), generator=seeded(SEED))
    return Network(model, "cross_entropy", data, batch_size=batch_size, scale="mean")


def _zeros(num_inputs: int) -> Params:
    """Return the start, at the centre: the loss is convex."""
    return [torch.zeros(1, 10, num_inputs), torch.zeros(1, 10)]


def _train(data: Data, stages: tuple[Stage, ...], q: Params, seed: int) -> Params:
    """Return the positions after all stages."""
    for number, stage in enumerate(stages):
        run = thermograd.sample(
            _network(data, stage.batch_size),
            "sgd",
            walkers=1,
            steps=stage.steps,
            every=stage.steps,
            seed=seed + number,
            temperature=0.0,
            step_size=stage.rate,
            start=q,
            compile=False,
            progress=False,
        )
        q = run.part.q
    return q


def _scores(train: Data, test: Data, q: Params) -> dict[str, float]:
    """Return mean loss and accuracy in percent on both sets."""
    network = _network(train, None)
    return {
        "train_loss": float(network.mean_loss(q)[0]),
        "train_percent": 100 * float(network.accuracy(q)[0]),
        "test_loss": float(network.mean_loss(q, test)[0]),
        "test_percent": 100 * float(network.accuracy(q, test)[0]),
    }


def _torch_sgd(data: Data, stage: Stage, q: Params) -> Params:
    """Return what torch's own optimizer makes of a stage with all the data."""
    weight, bias = (tensor[0].clone().requires_grad_() for tensor in q)
    optimizer = torch.optim.SGD([weight, bias], lr=stage.rate)
    for _ in range(stage.steps):
        optimizer.zero_grad()
        logits = nn.functional.linear(data[0], weight, bias)
        nn.functional.cross_entropy(logits, data[1]).backward()
        optimizer.step()
    return [weight.detach().unsqueeze(0), bias.detach().unsqueeze(0)]


def _clouds(num_data: int) -> Data:
    """Draw ten overlapping Gaussian clouds in eight dimensions."""
    generator = seeded(SEED)
    centres = torch.randn(10, 8, generator=generator)
    y = torch.arange(num_data) % 10
    return centres[y] + 0.7 * torch.randn(num_data, 8, generator=generator), y
