"""Where two plain documents differ first, as a dotted path with both values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["differences", "without"]

LONGEST = 80  # characters of a value in a message
PLAIN = re.compile(r"[A-Za-z0-9_-]+")
_ABSENT = object()


def differences(stated: object, rebuilt: object, path: str = "") -> Iterator[str]:
    """Each place where the stated document is not the rebuilt one, in the order of the latter.

    Numbers of another type differ, as 1, 1.0 and true do.
    """
    if type(stated) is not type(rebuilt):
        yield _difference(path, stated, rebuilt)
    elif isinstance(rebuilt, list | dict):
        one, other = _parts(stated), _parts(rebuilt)
        for name in dict.fromkeys([*other, *one]):
            beneath = f"{path}.{name}" if path else name
            yield from differences(one.get(name, _ABSENT), other.get(name, _ABSENT), beneath)
    elif stated != rebuilt:
        yield _difference(path, stated, rebuilt)


def without(document: Mapping[str, Any], path: str) -> dict[str, Any]:
    """The document without the value at a dotted path of plain names."""
    name, _, beneath = path.partition(".")
    rest = {key: value for key, value in document.items() if key != name}
    if beneath and isinstance(document.get(name), dict):
        rest[name] = without(document[name], beneath)
    return rest


def _parts(document: Any) -> dict[str, Any]:
    """The values of a list or a mapping, by how a path names them."""
    items = document.items() if isinstance(document, dict) else enumerate(document)
    return {_step(str(name)): value for name, value in items}


def _step(name: str) -> str:
    return name if PLAIN.fullmatch(name) else json.dumps(name)


def _difference(path: str, stated: object, rebuilt: object) -> str:
    return f"{path}: the manifest has {_value(stated)}, and it should have {_value(rebuilt)}"


def _value(value: object) -> str:
    if value is _ABSENT:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
