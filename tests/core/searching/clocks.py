"""Clocks for searches that have a time limit, and what reads them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from importlib import import_module

import pytest

__all__ = ["SEARCHES", "Ticking", "give"]

SEARCHES = [  # by name: the packages lend functions that are called as some of these modules are
    import_module(f"unspoken.core.searching.{name}")
    for name in ("search", "gaussian.branching", "gaussian.climbing", "gaussian.worst")
]


class Ticking:
    """A clock that goes on by so many seconds with each look at it."""

    def __init__(self, step: float = 1.0) -> None:
        self.looks, self.step = itertools.count(), step

    def __call__(self) -> float:
        return next(self.looks) * self.step


def give(clock: Callable[[], float], patch: pytest.MonkeyPatch) -> None:
    """Let all searches read this one clock."""
    for module in SEARCHES:
        patch.setattr(module, "monotonic", clock)
