"""Rules the linter does not know: owned randomness, no pickle, one door, short files."""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .source_tree import PACKAGE, Module, dotted, external_imports, read_package

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 50  # without the docstring

PICKLING_MODULES = {"pickle", "_pickle", "cloudpickle", "dill", "joblib", "shelve"}
PICKLING_CALLS = {"torch.save", "torch.load"}
SEEDING = re.compile(r"(torch|np|numpy)(\.\w+)*\.(manual_seed|manual_seed_all|seed|set_rng_state)")
TORCH_DRAWS = re.compile(
    r"torch\.(rand|randn|randint|rand_like|randn_like|randint_like|randperm|normal|bernoulli"
    r"|multinomial|poisson)"
)
IN_PLACE_DRAWS = re.compile(
    r".*\.(normal_|uniform_|bernoulli_|random_|exponential_|cauchy_|geometric_|log_normal_"
    r"|trunc_normal_|kaiming_\w+_|xavier_\w+_|orthogonal_|sparse_)"
)


def global_draws(module: Module) -> Iterator[str]:
    """Yield the calls that move, or draw from, a global generator."""
    for name, line in external_imports(module):
        if name.split(".")[0] == "random":
            yield f"{module.name}:{line} imports {name}"
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.Call):
            continue
        called = dotted(node.func)
        has_generator = any(keyword.arg == "generator" for keyword in node.keywords)
        draws = TORCH_DRAWS.fullmatch(called) or IN_PLACE_DRAWS.fullmatch(called)
        if SEEDING.fullmatch(called) or (draws and not has_generator):
            yield f"{module.name}:{node.lineno} calls {called} without a generator of its own"


def pickling(module: Module) -> Iterator[str]:
    """Yield what reads or writes pickles."""
    for name, line in external_imports(module):
        if name.split(".")[0] in PICKLING_MODULES or name in PICKLING_CALLS:
            yield f"{module.name}:{line} imports {name}"
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and dotted(node.func) in PICKLING_CALLS:
            yield f"{module.name}:{node.lineno} calls {dotted(node.func)}"


def uses_distributed(module: Module) -> bool:
    """Tell whether a module reaches torch.distributed, by import or by attribute."""
    imported = any(name.startswith("torch.distributed") for name, _ in external_imports(module))
    named = (node for node in ast.walk(module.tree) if isinstance(node, ast.Attribute))
    return imported or any(dotted(node) == "torch.distributed" for node in named)


def too_long(module: Module) -> Iterator[str]:
    """Yield the file and the functions over budget whose file does not say why.

    The reason stands in the module's docstring or a comment above the first statement: "over 400
    lines because ...", or "`name` is over 50 lines because ...".
    """
    body = module.tree.body
    first = body[1] if len(body) > 1 and ast.get_docstring(module.tree) is not None else None
    lines = module.text.splitlines()
    header = " ".join(" ".join(lines[: first.lineno - 1] if first else lines[:30]).split())
    if len(lines) > MAX_FILE_LINES and f"over {MAX_FILE_LINES} lines because" not in header:
        yield f"{module.name} has {len(lines)} lines (budget {MAX_FILE_LINES})"
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = _code_lines(node)
            reason = f"`{node.name}` is over {MAX_FUNCTION_LINES} lines because"
            if length > MAX_FUNCTION_LINES and reason not in header:
                yield f"{module.name}.{node.name} has {length} lines (budget {MAX_FUNCTION_LINES})"


def _code_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    length = (node.end_lineno or node.lineno) - node.lineno + 1
    if ast.get_docstring(node) is None:
        return length
    return length - ((node.body[0].end_lineno or 0) - node.body[0].lineno + 1)


@pytest.mark.parametrize("rule", [global_draws, pickling, too_long])
def test_source_keeps_the_rule(rule: Callable[[Module], Iterator[str]]) -> None:
    found = [problem for module in read_package(PACKAGE).values() for problem in rule(module)]
    assert found == []


def test_torch_distributed_has_one_door() -> None:
    doors = [name for name, module in read_package(PACKAGE).items() if uses_distributed(module)]
    assert len(doors) <= 1


def module_of(folder: Path, text: str) -> Module:
    (folder / "planted").mkdir()
    (folder / "planted" / "__init__.py").write_text(text)
    return read_package(folder / "planted")["planted"]


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (global_draws, "torch.randn(3)"),
        (global_draws, "torch.randn_like(q)"),
        (global_draws, "q.normal_()"),
        (global_draws, "part.q[0].uniform_(0, 2)"),
        (global_draws, "torch.nn.init.xavier_normal_(w)"),
        (global_draws, "torch.manual_seed(3)"),
        (global_draws, "torch.cuda.manual_seed_all(3)"),
        (global_draws, "np.random.seed(3)"),
        (global_draws, "import random"),
        (pickling, "import pickle"),
        (pickling, "from dill import dumps"),
        (pickling, "torch.save(state, path)"),
        (pickling, "from torch import load"),
        (too_long, "x = 2\n" * 401),
        (too_long, '"""Nothing."""\ndef f() -> None:\n' + "    g()\n" * 60),
    ],
)
def test_rule_sees_a_planted_fault(
    tmp_path: Path, rule: Callable[[Module], Iterator[str]], text: str
) -> None:
    assert len(list(rule(module_of(tmp_path, text)))) == 1


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (global_draws, "torch.randn(3, generator=g)"),
        (global_draws, "q.normal_(generator=self.generator)"),
        (global_draws, "torch.Generator().manual_seed(3)"),
        (global_draws, "noise.normal(q)"),
        (pickling, "safetensors.torch.save_file(state, path)"),
        (too_long, '"""It is over 400 lines because\nit is a table."""\n' + "x = 2\n" * 500),
        (too_long, '"""`f` is over 50 lines because of g."""\ndef f():\n' + "    g()\n" * 60),
        (too_long, 'def f() -> None:\n    """Say much.' + "\n    more" * 60 + '\n    """\n'),
    ],
)
def test_rule_accepts_what_is_allowed(
    tmp_path: Path, rule: Callable[[Module], Iterator[str]], text: str
) -> None:
    assert list(rule(module_of(tmp_path, text))) == []


@pytest.mark.parametrize(
    "text",
    [
        "import torch.distributed as dist",
        "from torch import distributed",
        "import torch\ntorch.distributed.init_process_group()",
    ],
)
def test_distributed_is_seen(tmp_path: Path, text: str) -> None:
    assert uses_distributed(module_of(tmp_path, text))
