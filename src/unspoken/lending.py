"""The lazy door: a package lends names that live in its modules, fetched when they are asked for.

Such a name is never that of a module of the package, which would be found in its place.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module

__all__ = ["lending"]


def lending(package: str, homes: Mapping[str, Sequence[str]]) -> Callable[[str], object]:
    """What `__getattr__` of the package is; ``homes``: the names that each of its modules has."""
    home = {name: module for module, names in homes.items() for name in names}

    def fetched(name: str) -> object:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(f"{package}.{home[name]}"), name)
        setattr(sys.modules[package], name, found)
        return found

    return fetched
