"""Released rows that no row of the original stands for: not attacked, and so they are named.

A row may have been added, or its keys changed, or the original may have lost it since. Rows that
share their keys are several stories of one original, and a limit is for one: they are a failure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unspoken.core.display import Shown
from unspoken.core.errors import in_rows, shown
from unspoken.core.numerics.arrays import Mask
from unspoken.tables.engines.arrow import in_one, numbers

__all__ = ["Strays", "parted", "there"]

PLACE, MANY = "unspoken place", "count_all"
FEW = 3  # keys that are named


@dataclass(frozen=True, repr=False)
class Strays(Shown):
    """Rows of a ``release`` that were not attacked. ``unknown``: so many have keys that ``against``
    has not; ``twice``: so many share their keys with another. With the keys of a few of either.
    """

    release: str
    against: str
    unknown: int
    twice: int
    unknown_as: tuple[str, ...]
    twice_as: tuple[str, ...]

    @property
    def word(self) -> Literal["fail", "not testable"]:
        return "fail" if self.twice else "not testable"

    def as_json(self) -> dict[str, Any]:
        counts = {"unknown": self.unknown, "twice": self.twice}
        such_as = {"unknown": list(self.unknown_as), "twice": list(self.twice_as)}
        return {"release": self.release, **counts, "such_as": such_as, "verdict": self.word}

    def in_words(self) -> str:
        """Of which rows nothing else here speaks, and why."""
        said, those = [], "; ".join
        if self.twice:
            said.append(
                f"{in_rows(self.twice)} of {self.release} share their keys with another "
                f"({those(self.twice_as)}): fail. What is claimed is claimed of one row for each "
                "key, and they were not attacked."
            )
        if self.unknown:
            said.append(
                f"{in_rows(self.unknown)} of {self.release} {_have(self.unknown)} keys that "
                f"{self.against} has not ({those(self.unknown_as)}): not testable. They were "
                "added, or their keys changed, or the original has lost them; there is nothing to "
                "compare with."
            )
        return " ".join(said)

    def facts(self) -> list[tuple[str, str]]:
        return [("release", self.release), ("verdict", self.word), ("in words", self.in_words())]


def parted(
    rows: pa.Table, source: pa.Table, keys: Sequence[str], release: str, against: str
) -> tuple[pa.Table, Strays | None]:
    """The rows that one row of the source stands for, in their order, and what is said of others.

    Keys of both have the same types.
    """
    names = [*keys]
    many = rows.select(names).group_by(names).aggregate([([], "count_all")])
    many = many.filter(pc.greater(many[MANY], 1)).select(names)
    twice = there(rows, many, names)
    found = there(rows, source, names) & ~twice
    unknown = ~found & ~twice
    if found.all():
        return rows, None
    said = Strays(
        release,
        against,
        int(unknown.sum()),
        int(twice.sum()),
        _few(rows, keys, unknown),
        _few(rows, keys, twice),
    )
    return rows.filter(pa.array(found)), said


def there(rows: pa.Table, others: pa.Table, keys: Sequence[str]) -> Mask:
    """Whether others have the keys of each row; a key that is missing is nobody's."""
    placed = rows.select(keys).append_column(PLACE, pa.array(np.arange(rows.num_rows)))
    found = np.zeros(rows.num_rows, dtype=bool)
    if others.num_rows:
        kept = placed.join(others.select(keys), [*keys], join_type="left semi")
        found[numbers(in_one(kept[PLACE]))] = True
    return found


def _few(rows: pa.Table, keys: Sequence[str], which: Mask) -> tuple[str, ...]:
    """The different keys of the first few of these rows."""
    chosen = rows.select(keys).filter(pa.array(which)).group_by([*keys], use_threads=False)
    first = chosen.aggregate([]).slice(0, FEW).to_pylist()
    return tuple(", ".join(f"{key} = {_shown(row[key])}" for key in keys) for row in first)


def _shown(value: object) -> str:
    return "nothing" if value is None else shown(value)


def _have(count: int) -> str:
    return "have" if count > 1 else "has"
