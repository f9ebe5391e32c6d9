"""The examples in docstrings run."""

import doctest
import importlib
import pkgutil
from collections.abc import Iterator

import pytest

import thermograd


def examples() -> Iterator[doctest.DocTest]:
    """Yield every docstring of the package that holds an example."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    for found in pkgutil.walk_packages(thermograd.__path__, "thermograd."):
        module = importlib.import_module(found.name)
        yield from (test for test in finder.find(module, found.name) if test.examples)


EXAMPLES = list(examples())


@pytest.mark.parametrize("example", EXAMPLES, ids=[example.name for example in EXAMPLES])
def test_docstring_example(example: doctest.DocTest) -> None:
    report: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=report.append)
    assert not report, "".join(report)
