"""Training with replicas in one process: the loop by hand, continuations, the account."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from thermograd import _errors as errors
from thermograd.noise import seeded
from thermograd.optim import Parle
from thermograd.replicas import local
from thermograd.sampling.streams import stream
from thermograd.training import Batches, Member, train
from thermograd.training.packing import pack, unpack

from .files import NUM_PARAMS, PARLE, REST, RULES, master, trained


def same(first: Mapping[str, Tensor], second: Mapping[str, Tensor]) -> bool:
    return first.keys() == second.keys() and all(torch.equal(first[k], second[k]) for k in first)


@pytest.mark.parametrize("rule", RULES)
def test_continuation_ends_where_the_run_would_have(rule: str, tmp_path: Path) -> None:
    trained(RULES[rule], tmp_path / "whole")
    changes: dict[str, Any] = {"steps": 10} if rule != "data_parallel" else {"epochs": 1}
    trained(RULES[rule], tmp_path / "parts", **changes)  # Parle stops in mid-round
    done = trained(RULES[rule], tmp_path / "parts")
    assert done is not None
    assert done.begun > 0
    assert same(master(tmp_path / "whole"), master(tmp_path / "parts"))


def test_run_goes_on_from_the_last_coupling_point_of_all(tmp_path: Path) -> None:
    trained(PARLE, tmp_path / "whole")
    trained(PARLE, tmp_path / "cut", steps=12)
    for path in (tmp_path / "cut" / "replica-1").glob("checkpoint-*12.*"):
        path.unlink()  # as if replica 1 had been killed before it could write the third
    done = trained(PARLE, tmp_path / "cut")
    assert done is not None
    assert done.begun == 8
    assert same(master(tmp_path / "whole"), master(tmp_path / "cut"))


def test_finished_run_is_only_tested_again(tmp_path: Path) -> None:
    first, second = trained(PARLE, tmp_path), trained(PARLE, tmp_path)
    assert first is not None
    assert second is not None
    assert second.begun == second.steps == 23
    assert (first.test_error, first.train_loss) == (second.test_error, second.train_loss)


def test_folder_of_other_settings_is_refused(tmp_path: Path) -> None:
    trained(PARLE, tmp_path, steps=5)
    with pytest.raises(errors.StoreError, match="other settings"):
        trained(PARLE, tmp_path, coupling=0.8)


def test_nothing_is_kept_if_not_wanted(tmp_path: Path) -> None:
    trained(PARLE, tmp_path, save_every=0)
    assert not list(tmp_path.glob("replica-*"))
    shutil.rmtree(tmp_path)


def test_account_counts_what_is_posted(tmp_path: Path) -> None:
    done = trained(PARLE, tmp_path, save_every=0)
    assert done is not None
    couplings = 23 // 4
    greeting, signature = 5 * 2 * 8, 2 * 8
    posts = 1 + couplings  # the start, and one a round; with a flag for each replica
    assert done.account.messages == 2 + posts
    assert done.account.bytes == greeting + signature + posts * (NUM_PARAMS + 2) * 4
    assert done.account.model_bytes == 2 * NUM_PARAMS * 4 * 23 / 4
    assert done.account.seconds > 0
    assert done.account.compute_seconds > done.account.seconds
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["communication"]["bytes"] == done.account.bytes
    assert report["test_error"] == done.test_error


def test_loop_is_the_loop_by_hand() -> None:
    x = torch.randn(20, 2, generator=seeded(3), dtype=torch.float64)
    y = (x[:, 0] > 0.1).long()

    def network() -> nn.Module:
        made = nn.Linear(2, 2).double()
        with torch.no_grad():
            for k, q in enumerate(made.parameters()):
                q.copy_(torch.randn(q.shape, generator=seeded(k), dtype=q.dtype))
        return made

    def optimizers(models: list[nn.Module]) -> list[Parle]:
        return [
            Parle(
                model.parameters(),
                0.3,
                replica=end,
                inner_lr=0.2,
                scope=1.7,
                coupling=0.6,
                inner_steps=3,
                temperature=0.02,
                generator=seeded(10 + end.rank),
            )
            for model, end in zip(models, local(2), strict=True)
        ]

    with torch.random.fork_rng():
        ours, theirs = [network() for _ in range(2)], [network() for _ in range(2)]
    members = [
        Member(
            model,
            opt,
            end=opt.replica,
            loss=nn.functional.cross_entropy,
            data=(x, y),
            batches=Batches(torch.arange(20), 6, seed=5, rank=rank),
        )
        for rank, (model, opt) in enumerate(zip(ours, optimizers(ours), strict=True))
    ]
    train(members, 11, lr=lambda step: 0.3 if step < 7 else 0.03)
    batches = [Batches(torch.arange(20), 6, seed=5, rank=rank) for rank in range(2)]
    opts = optimizers(theirs)
    for step in range(11):
        for model, opt, order in zip(theirs, opts, batches, strict=True):
            opt.param_groups[0]["lr"] = 0.3 if step < 7 else 0.03
            opt.zero_grad()
            rows = order.at(step)
            nn.functional.cross_entropy(model(x[rows]), y[rows]).backward()
            opt.step()
    for mine, other in zip(ours, theirs, strict=True):
        assert same(mine.state_dict(), other.state_dict())


def test_batches_cover_an_epoch_in_an_order_of_their_own() -> None:
    indices = torch.arange(5, 22)
    first, second = (Batches(indices, 5, seed=2, rank=rank) for rank in range(2))
    assert first.per_epoch == 4
    epochs = [torch.cat([first.at(4 * epoch + k) for k in range(4)]) for epoch in range(2)]
    for epoch in epochs:
        assert torch.equal(epoch.sort().values, indices)
    assert not torch.equal(*epochs)
    assert not torch.equal(first.at(0), second.at(0))
    assert torch.equal(first.at(5), Batches(indices, 5, seed=2, rank=0).at(5))


def test_state_survives_packing() -> None:
    state = {3: {"a": torch.tensor([0.3]), "b": None}, "x": [1.7, (2, "w", float("inf"))], "y": {}}
    tensors: dict[str, Tensor] = {}
    packed = json.loads(json.dumps(pack(state, "s", tensors)))
    assert unpack(packed, tensors) == state
    with pytest.raises(errors.StateError, match="object cannot be saved"):
        pack({"a": object()}, "s", {})


def test_dropout_draws_from_a_stream_of_its_own(tmp_path: Path) -> None:
    rest = REST.replace('"mlp"', '"mnistfc"').replace(
        '{ sizes = [2, 7, 2], activation = "tanh" }', "{ inputs = 2, hidden = 5, classes = 2 }"
    )
    before = torch.get_rng_state()
    for name in ("a", "b"):
        trained(PARLE, tmp_path / name, rest, save_every=0)
    assert same(master(tmp_path / "a"), master(tmp_path / "b"))
    assert torch.equal(before, torch.get_rng_state())
    assert stream(5, "x").initial_seed() != stream(5, "y").initial_seed()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"epochs": 3}, "one of 'steps' and 'epochs'"),
        ({"coupling": -0.5}, "'coupling' of .train. must"),
        ({"scope": '{ kind = "Linear" }'}, "kind is one of Geometric, PowerDecay"),
        ({"replcias": 3}, "Did you mean 'replicas'"),
        ({"rule": '"parley"'}, "be one of 'parle', 'elastic' or 'data_parallel'"),
        ({"share": 0.3}, "2 shares cannot cover the data"),
        ({"inner": '"nestrov"'}, "nestrov"),
    ],
)
def test_bad_settings_are_named(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises((errors.ParameterError, errors.UnknownNameError), match=said):
        trained(PARLE, tmp_path, **changes)
