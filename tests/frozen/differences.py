"""Compares two recordings and names what differs."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["differences"]

SHOWN = 5  # differences of one text or JSON object
WIDTH = 300


def differences(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[str]:
    """A few lines about each recorded text that is not the same, by its name."""
    for name in dict.fromkeys([*before, *now]):
        if name not in now:
            yield f"{name}: is not there any more"
        elif name not in before:
            yield f"{name}: was not there"
        elif before[name] != now[name]:
            lines = "\n".join(f"    {line[:WIDTH]}" for line in _differing(before[name], now[name]))
            yield f"{name}:\n{lines}"


def _differing(before: str, now: str) -> list[str]:
    """The first places in which two texts differ: JSON paths if both are JSON, else lines."""
    try:
        found = _differing_paths("", json.loads(before), json.loads(now))
    except ValueError:
        found = _differing_lines(before, now)
    first = [line for line, _ in zip(found, range(SHOWN), strict=False)]
    return first or ["the same JSON, written in another way"]


def _differing_paths(path: str, before: Any, now: Any) -> Iterator[str]:
    if isinstance(before, dict) and isinstance(now, dict):
        for key in dict.fromkeys([*before, *now]):
            if key not in now or key not in before:
                yield f"{path}.{key}: {'is gone' if key in before else 'is new'}"
            else:
                yield from _differing_paths(f"{path}.{key}", before[key], now[key])
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for place, pair in enumerate(zip(before, now, strict=True)):
            yield from _differing_paths(f"{path}[{place}]", *pair)
    elif before != now or type(before) is not type(now):
        yield f"{path or 'value'}: {json.dumps(before)} -> {json.dumps(now)}"


def _differing_lines(before: str, now: str) -> Iterator[str]:
    lines = before.splitlines(), now.splitlines()
    for line in difflib.unified_diff(*lines, lineterm="", n=0):
        if not line.startswith(("---", "+++")):
            yield line
