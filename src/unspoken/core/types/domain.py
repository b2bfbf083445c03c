"""Which variables there are and which values each can take."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np

from unspoken.core.errors import InputError, quoted, unknown
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.tables import fixed, table_of
from unspoken.core.types.kinds import items, labels

__all__ = ["NOT_SENSITIVE", "RELEASED", "WITHHELD", "Domain", "Symbol", "Value"]

Value = Hashable


class Symbol(Enum):
    """What is seen of a cell beside its value, and the secret "nothing sensitive here"."""

    WITHHELD = "withheld"
    RELEASED = "released"
    NOT_SENSITIVE = "not sensitive"

    def __repr__(self) -> str:
        return self.value

    __str__ = __repr__


WITHHELD = Symbol.WITHHELD
RELEASED = Symbol.RELEASED
NOT_SENSITIVE = Symbol.NOT_SENSITIVE


@dataclass(frozen=True)
class Domain:
    """Names and, for each, its possible values; axis i of every table is variable i."""

    names: tuple[str, ...]
    values: tuple[tuple[Value, ...], ...]

    @classmethod
    def of(
        cls,
        sizes: Sequence[int],
        names: Iterable[str] | None = None,
        values: Mapping[str, Iterable[Value]] | Sequence[Iterable[Value]] | None = None,
    ) -> Domain:
        """Names default to x0, x1, ... and values to 0 .. d-1; either may be given."""
        if names is None:
            names = (f"x{i}" for i in range(len(sizes)))
        given = tuple(names) if isinstance(names, str) else items(names, "names")
        if not all(isinstance(name, str) for name in given):
            raise InputError(f"names: {quoted(given[:4])} must be words, one for each variable")
        if len(given) != len(sizes):
            raise InputError(f"names: {len(given)} names for {len(sizes)} variables")
        if len(set(given)) != len(given):
            twice = next(name for name in given if given.count(name) > 1)
            raise InputError(f'names: "{twice}" is given twice; every variable needs its own name')
        return cls(given, _values(given, sizes, values))

    @cached_property
    def _axes(self) -> dict[str, int]:
        return {name: axis for axis, name in enumerate(self.names)}

    @cached_property
    def _numbers(self) -> dict[str, Array]:
        """Those that were asked for."""
        return {}

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        return tuple(len(values) for values in self.values)

    def axis(self, name: str, where: str = "belief") -> int:
        try:
            return self._axes[name]
        except (KeyError, TypeError):
            raise unknown(where, name, self.names) from None

    def values_of(self, name: str, where: str = "belief") -> tuple[Value, ...]:
        return self.values[self.axis(name, where)]

    def numbers(self, name: str) -> Array:
        """The values of ``name``, which a linear query needs to be numbers."""
        values = self.values_of(name)
        if name in self._numbers:
            return self._numbers[name]
        try:
            numbers = table_of(values, "values")
        except InputError:
            numbers = np.array([math.nan])
        if numbers.ndim != 1 or not np.isfinite(numbers).all():
            raise InputError(
                f'query: "{name}" takes values that are no numbers ({quoted(values[0])}, '
                "...); give it weight 0, or number its values"
            )
        self._numbers[name] = fixed(numbers)
        return numbers

    def code(self, name: str, value: Value, where: str = "belief") -> int:
        """The position of ``value`` among the values of ``name``."""
        values = self.values_of(name, where)
        try:
            return values.index(value)
        except Exception:  # also what cannot be compared: arrays, missing values, data frames
            raise unknown(f"{where}, value of {name}", value, values) from None

    def codes(self, name: str, values: Iterable[Value], where: str = "belief") -> list[int]:
        """The positions of some of them; a name is refused also where none are asked for."""
        self.axis(name, where)
        return [self.code(name, value, where) for value in values]

    def without(self, names: Iterable[str]) -> Domain:
        gone = {self.axis(name) for name in names}
        kept = [axis for axis in range(len(self.names)) if axis not in gone]
        return Domain(tuple(self.names[i] for i in kept), tuple(self.values[i] for i in kept))


def _values(
    names: tuple[str, ...],
    sizes: Sequence[int],
    values: Mapping[str, Iterable[Value]] | Sequence[Iterable[Value]] | None,
) -> tuple[tuple[Value, ...], ...]:
    by_name: dict[str, tuple[Value, ...]] = {}
    if isinstance(values, Mapping):
        strangers = [name for name in values if name not in names]
        if strangers:
            raise unknown("values", strangers[0], names)
        by_name = {name: labels(options, f"values of {name}") for name, options in values.items()}
    elif values is not None:
        given = items(values, "values")
        if len(given) != len(names):
            raise InputError(f"values: {len(given)} lists of values for {len(names)} variables")
        looked_at: dict[int, tuple[Value, ...]] = {}  # a list of a long chain is there once
        for name, options in zip(names, given, strict=True):
            if id(options) not in looked_at:
                looked_at[id(options)] = labels(options, f"values of {name}")
            by_name[name] = looked_at[id(options)]
    result = tuple(by_name.get(name, tuple(range(d))) for name, d in zip(names, sizes, strict=True))
    for name, options, size in zip(names, result, sizes, strict=True):
        if len(options) != size:
            raise InputError(
                f"values of {name}: {len(options)} values for {size} entries in its table"
            )
        if len(set(options)) != size:
            raise InputError(f"values of {name}: a value is listed twice")
    return result
