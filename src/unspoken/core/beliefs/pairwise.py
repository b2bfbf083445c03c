"""A belief that knows single variables and pairs, and refuses to be asked about three at once."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from unspoken.core.beliefs.belief import Belief, different, in_short
from unspoken.core.beliefs.independent import marginal_tables
from unspoken.core.errors import InputError, NotKnown, quoted
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.tables import as_law
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.premise import Premise

__all__ = ["Pairwise"]

# Counts are exact, probabilities may have been rounded to ten digits.
AGREE = 1e-9
Pair = tuple[str, str]


class Pairwise(Belief):
    """``marginals`` as for Independent; ``tables``: {("A", "B"): joint table of A and B}.

    A pair without a table is stated to be independent. Contradictory tables are refused: those
    that disagree with the marginals, and binary triples that no joint table could have.
    """

    def __init__(
        self,
        marginals: Mapping[str, npt.ArrayLike] | Sequence[npt.ArrayLike] | Array,
        tables: Mapping[Pair, npt.ArrayLike],
        names: Iterable[str] | None = None,
        values: Mapping[str, Iterable[Value]] | Sequence[Iterable[Value]] | None = None,
        premise: Premise | str = "stated",
    ) -> None:
        self.singles, names = marginal_tables(marginals, names, "pairwise.marginals")
        self.domain = Domain.of([table.size for table in self.singles], names, values)
        self.premise = Premise.of(premise)
        self.tables: dict[Pair, Array] = {}
        if not isinstance(tables, Mapping):
            raise InputError("pairwise.tables: a mapping is expected, {('a', 'b'): table}")
        for pair, table in tables.items():
            self._add(pair, table)
        self._check_triples()

    def operations(self, names: Sequence[str]) -> float:
        """A quotient each for counts, a product, and a sum over what is known."""
        return 4.0 + max(map(len, self.singles))

    def marginal(self, names: Sequence[str]) -> Array:
        if len(different(names)) == 1:
            return self.singles[self.domain.axis(names[0])]
        if len(names) == 2:
            return self._pair(names[0], names[1])
        if not names:
            return np.array(1.0)
        raise NotKnown(
            f"pairwise belief: the joint of {in_short(names)} is asked for ({len(names)} "
            "variables), but it knows pairs only; give a Joint"
        )

    def given(self, known: Mapping[str, Value]) -> Belief:
        raise NotKnown(
            f"pairwise belief: what the others are, given {in_short(known)}, "
            "needs more than pairs; give a Joint"
        )

    def knows_jointly(self, names: Sequence[str]) -> bool:
        return len(names) <= 2

    def pairs(self) -> list[Pair]:
        return list(self.tables)

    def sample(self, rng: np.random.Generator, rows: int) -> npt.NDArray[np.intp]:
        raise NotKnown(
            "pairwise belief: it knows pairs only, so it cannot be sampled; give a Joint"
        )

    def _pair(self, first: str, second: str) -> Array:
        if (first, second) in self.tables:
            return self.tables[first, second]
        if (second, first) in self.tables:
            return self.tables[second, first].T
        return np.multiply.outer(self.marginal([first]), self.marginal([second]))

    def _add(self, pair: Pair, numbers: npt.ArrayLike) -> None:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise InputError(
                f"pairwise.tables, key {quoted(pair)}: a pair of names, like ('a', 'b')"
            )
        if pair[0] == pair[1] or pair[::-1] in self.tables:
            raise InputError(
                f"pairwise.tables, key {pair}: a pair of two different names, given once"
            )
        where = f"pairwise.tables[{pair[0]}, {pair[1]}]"
        axes = [self.domain.axis(name, where) for name in pair]
        table = as_law(numbers, where)
        if table.shape != tuple(self.singles[axis].size for axis in axes):
            raise InputError(f"{where}: shape {table.shape} does not fit its variables' values")
        for side, axis in enumerate(axes):
            off = np.abs(table.sum(1 - side) - self.singles[axis]).max()
            if off > AGREE:
                raise InputError(
                    f"{where}: contradicts the marginal of {pair[side]} (differs by {off:.3g}); "
                    "take both from the same counts"
                )
        self.tables[pair] = table

    def _check_triples(self) -> None:
        """Three binary tables fit one joint iff t = P(0,0,0) has room: each cell is +-t + known."""
        for names in self._triangles():
            a, b, c = (float(self.marginal([name])[0]) for name in names)
            ab, ac, bc = (
                float(self._pair(*pair)[0, 0]) for pair in itertools.combinations(names, 2)
            )
            least = max(0.0, ab + ac - a, ab + bc - b, ac + bc - c)
            most = min(ab, ac, bc, 1 - a - b - c + ab + ac + bc)
            if least > most + AGREE:
                raise InputError(
                    f"pairwise.tables: those of {', '.join(names)} contradict each other; "
                    "no joint table has all three"
                )

    def _triangles(self) -> Iterator[tuple[str, str, str]]:
        """The triples of binary variables all of whose pairs have tables."""
        beside: dict[str, set[str]] = {}
        for first, second in self.tables:
            if self._pair(first, second).shape == (2, 2):
                beside.setdefault(first, set()).add(second)
                beside.setdefault(second, set()).add(first)
        for first, second in self.tables:
            for third in beside.get(first, set()) & beside.get(second, set()):
                if self.domain.axis(third) > max(self.domain.axis(first), self.domain.axis(second)):
                    yield first, second, third
