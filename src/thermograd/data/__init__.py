"""Data to train on: sets that `thermograd fetch` brings, and generated ones (`data.toy`).

from thermograd import data

digits = data.load("mnist").normalised()
"""

from ._load import load, load_text

__all__ = ["load", "load_text"]
