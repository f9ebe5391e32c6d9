"""conftest.py fails a test that draws from a global generator, and only such a test."""

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

CONFTEST = Path(__file__).parent.parent / "conftest.py"


@pytest.fixture
def guarded(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makeconftest(CONFTEST.read_text())
    return pytester


@pytest.mark.parametrize(
    ("generator", "draw"),
    [
        ("torch", "__import__('torch').randn(2)"),
        ("torch", "__import__('torch').manual_seed(5)"),
        ("numpy.random", "__import__('numpy').random.rand()"),
        ("random", "__import__('random').random()"),
    ],
)
def test_guard_fails_a_test_that_moves_a_global_generator(
    guarded: pytest.Pytester, generator: str, draw: str
) -> None:
    guarded.makepyfile(f"def test_draws():\n    {draw}\n")
    result = guarded.runpytest_inprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines([f"*moved the global generator of {generator};*"])


@pytest.mark.parametrize(
    "body",
    [
        "def test_draws():\n    torch.randn(2, generator=torch.Generator().manual_seed(3))\n",
        "def test_draws(global_rng):\n    torch.randn(2)\n",
    ],
    ids=["own generator", "global_rng"],
)
def test_guard_accepts_owned_randomness(guarded: pytest.Pytester, body: str) -> None:
    guarded.makepyfile("import torch\n" + body)
    guarded.runpytest_inprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)


@pytest.mark.parametrize(("setting", "expected"), [(None, 1), ("7", 1), ("all", 100)])
def test_seed_runs_as_often_as_asked(
    guarded: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, setting: str | None, expected: int
) -> None:
    monkeypatch.delenv("THERMOGRAD_TEST_SEEDS", raising=False)
    if setting is not None:
        monkeypatch.setenv("THERMOGRAD_TEST_SEEDS", setting)
    guarded.makepyfile(f"def test_seed(seed):\n    assert seed in range(100), {setting!r}\n")
    guarded.runpytest_inprocess("-p", "no:cacheprovider").assert_outcomes(passed=expected)


def test_seed_refuses_what_is_not_a_number(
    guarded: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THERMOGRAD_TEST_SEEDS", "many")
    result = guarded.runpytest_inprocess("-p", "no:cacheprovider")
    result.stderr.fnmatch_lines(["*THERMOGRAD_TEST_SEEDS must be a number or 'all'; got 'many'*"])
