"""Training in processes of their own: same bits, same messages, refusals and time-outs."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.multiprocessing as mp

from thermograd import _errors as errors
from thermograd.replicas import Handshake, local
from thermograd.replicas.distributed import processes

from .files import PARLE, REST, master, trained

pytestmark = pytest.mark.replicas

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/how-to/many-machines.md").read_text(encoding="utf-8")
RENDEZVOUS = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")


def refused(call: Callable[[], object]) -> str:
    """Return the kind of error and its message."""
    try:
        call()
    except errors.ThermogradError as error:
        return f"{type(error).__name__}: {error}"
    return "nothing"


def other_shapes(rank: int) -> None:
    with processes(timeout=30.0) as end:
        Handshake(end, [torch.zeros(3 + rank)], data_order=rank).check()


def compressed(rank: int) -> torch.Tensor:
    with processes(timeout=30.0, compress="bfloat16", bucket=4) as end:
        found = end.post(torch.arange(10) * 0.3 + rank).wait()
        assert end.ledger.messages == 3
        assert end.ledger.bytes == 20
        return found


def hangs(rank: int) -> None:
    with processes(timeout=1.0) as end:
        end.post(torch.ones(3)).wait()
        if rank == 1:
            time.sleep(1.6)
        end.post(torch.ones(3)).wait()


def script(rank: int) -> float:
    """Run the script of docs/how-to/many-machines.md."""
    (code,) = re.findall(r'```python title="script.py"\n(.*?)```', PAGE, re.DOTALL)
    namespace: dict[str, Any] = {}
    exec(compile(code, f"script.py of replica {rank}", "exec"), namespace)
    return float(namespace["error"])


def work(rank: int, size: int, ports: list[int], folder: str) -> None:
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(size), MASTER_ADDR="127.0.0.1")
    torch.set_num_threads(1)

    def at(port: int, call: Callable[[], Any]) -> Any:
        os.environ["MASTER_PORT"] = str(port)
        return call()

    done = at(ports[0], lambda: trained(PARLE, Path(folder), bucket=11))
    said = {"outcome": done is not None}
    said["replicas"] = at(
        ports[1], lambda: refused(lambda: trained(PARLE, Path(folder), seed=rank))
    )
    said["number"] = at(ports[2], lambda: refused(lambda: trained(PARLE, Path(folder), replicas=3)))
    said["shapes"] = at(ports[3], lambda: refused(lambda: other_shapes(rank)))
    said["sum"] = at(ports[4], lambda: compressed(rank)).tolist()
    said["script"] = at(ports[5], lambda: script(rank))
    said["hang"] = at(ports[6], lambda: refused(lambda: hangs(rank)))
    (Path(folder) / f"{rank}.json").write_text(json.dumps(said))


def free_ports(num: int) -> list[int]:
    sockets = [socket.socket() for _ in range(num)]
    for found in sockets:
        found.bind(("127.0.0.1", 0))
    ports = [found.getsockname()[1] for found in sockets]
    for found in sockets:
        found.close()
    return ports


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where two processes have trained, and what they said."""
    found = tmp_path_factory.mktemp("ranks")
    mp.spawn(work, args=(2, free_ports(7), str(found)), nprocs=2)  # pyright: ignore[reportPrivateImportUsage]
    return found


def said(folder: Path, key: str) -> list[Any]:
    return [json.loads((folder / f"{rank}.json").read_text())[key] for rank in range(2)]


def test_processes_end_where_one_process_ends(folder: Path, tmp_path: Path) -> None:
    trained(PARLE, tmp_path)
    ours, theirs = master(tmp_path), master(folder)
    for name, tensor in ours.items():
        assert torch.equal(tensor, theirs[name]), name
    assert said(folder, "outcome") == [True, False]
    ours, theirs = (
        json.loads((place / "report.json").read_text())["test_error"]
        for place in (tmp_path, folder)
    )
    assert ours == theirs


def test_one_process_goes_on_where_two_stopped(folder: Path, tmp_path: Path) -> None:
    whole, before = tmp_path / "whole", master(folder)
    trained(PARLE, whole, steps=30)
    done = trained(PARLE, folder, steps=30)
    assert done is not None
    assert done.begun == 23
    after = master(folder)
    assert not torch.equal(before["0.weight"], after["0.weight"])
    assert all(torch.equal(tensor, after[name]) for name, tensor in master(whole).items())


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("replicas", "ParameterError: replicas 0 and 1 were given other settings. Start all with"),
        ("number", "there are 2 processes for 3 replicas; torchrun starts one for each"),
        ("shapes", "TensorError: replicas 0 and 1 have parameters of other shapes"),
        ("hang", "SilentReplicaError: one of 2 replicas hangs or is gone: no exchange within the "
         "timeout of 1 s, or a closed connection; all stop"),
    ],
)  # fmt: skip
def test_all_ranks_say_the_same(key: str, expected: str, folder: Path) -> None:
    first, second = said(folder, key)
    assert first == second
    assert expected in first


def test_compressed_sum_in_buckets_is_that_of_local(folder: Path) -> None:
    posts = [torch.arange(10) * 0.3 + rank for rank in range(2)]
    sums = [end.post(post) for end, post in zip(local(2, "bfloat16"), posts, strict=True)]
    expected = sums[0].wait().tolist()
    assert said(folder, "sum") == [expected, expected]


def test_script_of_the_page_ends_in_one_master(folder: Path) -> None:
    first, second = said(folder, "script")
    assert first == second
    assert first < 0.3


def test_missing_rendezvous_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in RENDEZVOUS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("RANK", "0")
    with (
        pytest.raises(errors.EvaluationError, match="WORLD_SIZE, MASTER_ADDR, MASTER_PORT is not"),
        processes(),
    ):
        pass


def torchrun(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    launcher = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    return subprocess.run(
        [sys.executable, *launcher, *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"},
    )


@pytest.mark.long
def test_killed_replica_restarts_at_the_last_coupling_point(tmp_path: Path) -> None:
    (tmp_path / "killed.py").write_text((Path(__file__).parent / "killed.py").read_text())
    rest = REST.replace('"mlp"', '"killed:network"').replace(
        '{ sizes = [2, 7, 2], activation = "tanh" }', "{ dies_at = 14 }"
    )
    (tmp_path / "parle.toml").write_text(PARLE + rest)
    command = ("-m", "thermograd", "run", "parle.toml", "--out")
    done = torchrun(tmp_path, "--max-restarts", "1", *command, "killed")
    assert done.returncode == 0, done.stderr
    assert str(int(signal.SIGKILL)) in done.stderr
    assert "Continued from step 12." in done.stdout
    whole = subprocess.run(
        [sys.executable, *command, "whole"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"},
    )
    assert whole.returncode == 0, whole.stderr
    ours, theirs = master(tmp_path / "killed"), master(tmp_path / "whole")
    assert all(torch.equal(tensor, ours[name]) for name, tensor in theirs.items())
