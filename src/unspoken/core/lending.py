"""Names that are imported when they are first asked for.

A package lends the names of its modules (`lending`), so that importing it loads none of them; such
a name is never that of a module of the package, which would be found in its place. Results ask
the interfaces for what needs a library (`presenter`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

__all__ = ["PRESENTERS", "lending", "presenter"]

# What results ask of the interfaces, {task: (module, function)}: data frames, drawn pictures. The
# top package fills it, so that results know no interface.
PRESENTERS: dict[str, tuple[str, str]] = {}


def lending(package: str, homes: Mapping[str, Sequence[str]]) -> Callable[[str], object]:
    """The `__getattr__` of a package; ``homes``: {module of the package: names that live in it}."""
    home = {name: module for module, names in homes.items() for name in names}

    def fetched(name: str) -> object:
        if name not in home:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(f"{package}.{home[name]}"), name)
        setattr(sys.modules[package], name, found)
        return found

    return fetched


def presenter(task: str) -> Callable[..., Any]:
    """The function of the interfaces that does this for a result."""
    module, function = PRESENTERS[task]
    try:
        found: Callable[..., Any] = getattr(import_module(module), function)
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith(__name__.partition(".")[0]):
            raise
        from unspoken.core.errors import InputError

        raise InputError(f"{task}: needs all of unspoken, not its core alone") from None
    return found
