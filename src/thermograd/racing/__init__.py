"""Races: methods with equal budgets on one problem, and what the difference between them is worth.

`equal_budget` trains every method of a table as often as asked, tunes those that have a grid, and
returns a `Race`. `spiral` makes the problem of the demo, and `published` its entries.
"""

from .comparison import Comparison
from .entry import Entry, Grid, Setting
from .equal_budget import equal_budget
from .problem import Problem
from .race import Race
from .spirals import published, spiral
from .standing import Standing, Trial
from .training import Sighting

__all__ = [
    "Comparison",
    "Entry",
    "Grid",
    "Problem",
    "Race",
    "Setting",
    "Sighting",
    "Standing",
    "Trial",
    "equal_budget",
    "published",
    "spiral",
]
