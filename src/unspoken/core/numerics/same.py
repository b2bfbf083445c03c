"""Whether two objects hold the same numbers, arrays among them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

__all__ = ["same", "state"]


def same(one: Any, other: Any) -> bool:
    """Of the same kinds and equal, all the way down."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return one is other or _same_parts(one, other)


def state(one: object) -> dict[str, Any]:
    """What an object is made of, without what it has only computed from that."""
    fields: dict[str, Any] = getattr(one, "__dict__", {})
    kind = type(one)
    derived = {key for key in fields if isinstance(getattr(kind, key, None), cached_property)}
    return {key: value for key, value in fields.items() if key not in derived}


def _same_parts(one: Any, other: Any) -> bool:
    """Of records, mappings and whatever says itself that it is equal."""
    kind: Any = type(one)
    compared = kind.__eq__ is not object.__eq__ and not hasattr(one, "__dataclass_fields__")
    if compared and not isinstance(one, Mapping):
        return bool(one == other)
    parts = (one, other) if compared else (state(one), state(other))
    return parts[0].keys() == parts[1].keys() and all(
        same(value, parts[1][key]) for key, value in parts[0].items()
    )
