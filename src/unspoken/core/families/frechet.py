"""Every joint table with these tables of some of its variables: what is left open by what is known.

The set (a Frechet class) is a polytope. P(y | A, x_K) is a quotient of sums of P(x), so it is
largest and least at corners; so is the ratio of two of them where the masses P(A, x_K) are known,
and so is every convex function of P where P(A | x_K) is. Where they are not, the largest of one is
taken over the least of the other, which no table exceeds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unspoken.core.errors import InputError
from unspoken.core.families.searched import Furthest, Pair
from unspoken.core.families.tables import TableSet
from unspoken.core.families.vertices import vertices
from unspoken.core.numerics.arrays import CELLS, Array, Mask
from unspoken.core.numerics.rounding import UNIT
from unspoken.core.numerics.tables import as_law
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.kinds import expect, items
from unspoken.core.types.premise import Premise

__all__ = ["Frechet"]

Names = tuple[str, ...]


class Frechet(TableSet):
    """``tables``: {("A", "B"): joint table of A and B, ("C",): law of C}; nothing else is known.

    The variables are those that some table has, in the order in which they come. Files list the
    tables: [{names, table}].
    """

    kind = "frechet"

    def __init__(
        self,
        tables: Mapping[Any, npt.ArrayLike] | Sequence[Mapping[str, Any]],
        values: Mapping[str, Iterable[Value]] | Sequence[Iterable[Value]] | None = None,
        premise: Premise | str = "stated",
    ) -> None:
        held = {
            names: as_law(table, f"frechet.tables of {', '.join(names)}")
            for names, table in _listed(tables).items()
        }
        sizes = _sizes(held)
        if np.prod([float(size) for size in sizes.values()]) > CELLS:
            raise InputError(f"frechet: more than {CELLS:,} cells; give fewer variables or values")
        self.domain = Domain.of([*sizes.values()], [*sizes], values)
        self.premise = Premise.of(premise)
        codes = np.indices(self.domain.sizes).reshape(len(sizes), -1)
        rows, sums = [], []
        for names, table in held.items():
            at = np.ravel_multi_index(
                tuple(codes[self.domain.axis(name)] for name in names), table.shape
            )
            rows.append((np.arange(table.size)[:, None] == at).astype(np.float64))
            sums.append(table.ravel())
        self._rows, self._sums = np.concatenate(rows), np.concatenate(sums)
        self._corners, off = vertices(self._rows, self._sums)
        self.rounded = off + 8 * UNIT * codes.shape[1]
        if not len(self._corners):
            raise InputError(
                "frechet.tables: contradict each other; no joint table has all of them"
            )

    def corners(self) -> Array:
        return self._corners

    def furthest(self, pair: Pair, kernel: Array) -> Furthest | None:
        sides = [cells & pair.context for cells in (pair.above, pair.below)]
        mass = [self._corners[:, side].sum(1) for side in sides]
        if not all(each.any() for each in mass):
            return None
        means = [self._means(side, kernel, sign) for side, sign in zip(sides, (1, -1), strict=True)]
        if all(float(np.ptp(each)) <= self.rounded for each in mass):
            each_way = [
                Furthest.of(float(most), float(least), corner)
                for most, least, corner in zip(*means, self._corners, strict=True)
            ]
            found = [furthest for furthest in each_way if furthest is not None]
            return max(found, key=lambda furthest: furthest.log_ratio, default=None)
        at = int(np.nanargmax(means[0]))
        return Furthest.of(float(means[0][at]), float(np.nanmin(means[1])), self._corners[at])

    def _means(self, side: Mask, kernel: Array, sign: int) -> Array:
        """The kernel's mean over these cells under each corner; NaN where it has no mass there.

        Loosened, the largest (1) or least (-1) that it may be.
        """
        off = sign * self.loose * float(side.sum())
        mass, seen = self._corners[:, side].sum(1), kernel[side]
        total = self._corners[:, side] @ seen + off * seen.max(initial=0.0)
        empty = np.where(mass > 0, sign * np.inf, np.nan)
        means = np.divide(total, np.maximum(mass - off, 0.0), where=mass > max(off, 0.0), out=empty)
        possible = seen[self.allowed()[side]]
        held: Array = np.clip(means, possible.min(initial=np.inf), possible.max(initial=-np.inf))
        return held

    def likely(self, cells: Mask, context: Mask, kernel: Array) -> tuple[float, float] | None:
        at = cells & context
        least, most = (self._means(at, kernel, sign) for sign in (-1, 1))
        if np.isnan(most).all():
            return None
        return float(np.nanmin(least)), float(np.nanmax(most))

    def weight(self, cells: Mask, context: Mask) -> tuple[float, float]:
        mass = self._corners[:, context].sum(1)
        shares = self._corners[mass > 0][:, cells & context].sum(1) / mass[mass > 0]
        if not shares.size:
            return 0.0, 1.0
        off = self.loose * float(context.sum()) / float(mass[mass > 0].min())
        return max(float(shares.min()) - off, 0.0), min(float(shares.max()) + off, 1.0)

    def allowed(self) -> Mask:
        cells: Mask = self._corners.max(0) > 0
        return cells

    def examples(self) -> list[Array]:
        """What is in the middle of its corners."""
        return [self._corners.mean(0)]

    def holds(self, table: Array) -> bool:
        off = np.abs(self._rows @ table - self._sums).max()
        return bool(off <= 1e-9 and (table >= -self.rounded).all())

    def facts(self) -> list[tuple[str, str]]:
        return [
            *super().facts()[:1],
            ("sums known", str(len(self._sums))),
            ("corners", str(len(self._corners))),
            ("premise", str(self.premise)),
        ]


def _listed(tables: Any) -> dict[Names, Any]:
    """Tables by the names they are of; as files have them, or as Python does."""
    if not isinstance(tables, Mapping):
        tables = dict(map(_of_file, items(tables, "frechet.tables")))
    named = {_names((key,) if isinstance(key, str) else key): held for key, held in tables.items()}
    if not named:
        raise InputError('frechet.tables: name a table at least, {("A", "B"): table}')
    return named


def _of_file(table: Any) -> tuple[Names, Any]:
    if not isinstance(table, Mapping) or not {"names", "table"} <= table.keys():
        raise InputError("frechet.tables: a list of tables is expected, each with names, table")
    return _names(table["names"]), table["table"]


def _names(given: Any) -> Names:
    """Names of variables, which are words."""
    names = items(given, "frechet.tables")
    for name in names:
        expect(name, str, "frechet.tables", "give names of variables")
    return names


def _sizes(tables: Mapping[Names, Array]) -> dict[str, int]:
    """How many values each variable has, which its tables have to agree on."""
    sizes: dict[str, int] = {}
    for names, table in tables.items():
        if len(names) != table.ndim or len({*names}) < len(names):
            raise InputError(
                f"frechet.tables: {', '.join(map(str, names))} with a table of {table.ndim} axes; "
                "name each axis, once"
            )
        for name, size in zip(names, table.shape, strict=True):
            if sizes.setdefault(name, size) != size:
                raise InputError(
                    f"frechet.tables: {name} has {sizes[name]} values in one and {size} in another"
                )
    return sizes
