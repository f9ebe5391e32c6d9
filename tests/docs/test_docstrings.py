"""The examples in docstrings run."""

import doctest
import importlib
import pkgutil

import pytest

import thermograd

MODULES = [found.name for found in pkgutil.walk_packages(thermograd.__path__, "thermograd.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_a_module(name: str) -> None:
    report: list[str] = []
    for example in doctest.DocTestFinder().find(importlib.import_module(name), name):
        doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=report.append)
    assert not report, "".join(report)


def test_wrong_example_is_seen() -> None:
    report: list[str] = []
    example = doctest.DocTestParser().get_doctest(">>> 3 + 4\n8\n", {}, "planted", None, 0)
    doctest.DocTestRunner().run(example, out=report.append)
    assert report
