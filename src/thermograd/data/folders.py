"""Where data sets lie: the user's data folder, as each platform has it."""

import os
import sys
from pathlib import Path

__all__ = ["data_folder"]


def data_folder(to: str | Path | None = None) -> Path:
    r"""Return the folder that holds one folder for each data set.

    Args:
        to: this folder and no other; otherwise the variable `THERMOGRAD_DATA` decides, and
            without it the platform: `$XDG_DATA_HOME/thermograd` or `~/.local/share/thermograd`,
            `~/Library/Application Support/thermograd` on a Mac, `%LOCALAPPDATA%\thermograd` on
            Windows.
    """
    chosen = to if to is not None else os.environ.get("THERMOGRAD_DATA")
    return Path(chosen).expanduser() if chosen else _platform_folder() / "thermograd"


def _platform_folder() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
