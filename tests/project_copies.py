"""Copies of projects that were prepared, released or extended once, for tests that change them."""

from __future__ import annotations

import shutil
from pathlib import Path

__all__ = ["copy_project"]


def copy_project(folder: Path, to: Path) -> Path:
    """Copy a folder with its key, ledger and modes; return the project file of the copy.

    The copy has other inodes, so counts kept beside the project are made again when needed.
    """
    shutil.copytree(folder, to, dirs_exist_ok=True)
    return to / "unspoken.toml"
