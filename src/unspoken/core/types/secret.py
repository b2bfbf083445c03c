"""What somebody wants to learn of the target: its values, as classes."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unspoken.core.errors import unknown
from unspoken.core.numerics.arrays import Mask
from unspoken.core.types.domain import NOT_SENSITIVE, Domain, Value

__all__ = ["Secret"]


@dataclass(frozen=True)
class Secret:
    """S: the target's value where it is sensitive, else "not sensitive" (one merged class)."""

    labels: tuple[Value, ...]
    classes: Mask  # classes[s, x]: value x of the target belongs to class s
    hidden: Mask  # which classes nobody is to learn of

    @classmethod
    def of(
        cls, domain: Domain, target: str | Sequence[str], values: Sequence[Value] | None
    ) -> Secret:
        """``values``: the sensitive ones; None: every value is a secret of its own.

        Of several targets the values are tuples, the last variable running fastest.
        """
        everything = _values(domain, target)
        if values is None:
            alone = np.eye(len(everything), dtype=bool)
            return cls(everything, alone, np.ones(len(everything), dtype=bool))
        given = [*map(_frozen, values)]
        place = {value: code for code, value in enumerate(everything)}
        for value in given:
            try:
                known = value in place
            except TypeError:  # a list in a tuple
                known = False
            if not known:
                raise unknown(f"adversary.secret, value of {target}", value, everything)
        sensitive = list(dict.fromkeys(given))
        rows = np.eye(len(everything), dtype=bool)[[place[value] for value in sensitive]]
        merged = ~rows.any(0)
        if merged.any():
            return cls(
                (*sensitive, NOT_SENSITIVE),
                np.vstack([rows, merged]),
                np.array([True] * len(sensitive) + [False]),
            )
        return cls(tuple(sensitive), rows, np.ones(len(sensitive), dtype=bool))


def _values(domain: Domain, target: str | Sequence[str]) -> tuple[Value, ...]:
    if isinstance(target, str):
        return domain.values_of(target, "adversary.target")
    values = [domain.values_of(name, "adversary.target") for name in target]
    return tuple(itertools.product(*values)) if len(values) > 1 else values[0]


def _frozen(value: Value) -> Value:
    """A tuple of values, which files write as a list."""
    return tuple(value) if isinstance(value, list) else value
