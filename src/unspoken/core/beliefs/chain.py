"""A belief about a series: each step depends on the one before it only."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from unspoken.core.beliefs.belief import Belief
from unspoken.core.beliefs.forests.forest import Forest
from unspoken.core.beliefs.forests.markov import Markov, is_matrix
from unspoken.core.errors import InputError, TooLarge, quoted
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.kernels import stationary
from unspoken.core.numerics.tables import as_law, as_laws
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.kinds import items
from unspoken.core.types.premise import Premise

__all__ = ["Chain"]

LONGEST = 1_000_000  # variables: each has a name, and values by this name

# Up to so many combinations of known values each is a context.
CONTEXTS = 2**12

Values = Mapping[str, Iterable[Value]] | Sequence[Any] | None


class Chain(Markov):
    """A Markov chain x0 -> x1 -> ...

    ``start``: the law of the first variable; None: the one that a matrix for every step keeps, so
    that every variable has it. ``step``: P(next | this), a row for each value of
    this one; either one matrix for every step, with ``length`` = the number of variables, or a list
    of them, one for each step. ``values``: one list for all variables, or a list of lists (or
    {name: list}). Probabilities or counts.
    """

    def __init__(
        self,
        start: npt.ArrayLike | None,
        step: npt.ArrayLike | Sequence[npt.ArrayLike],
        length: int | None = None,
        names: Iterable[str] | None = None,
        values: Values = None,
        premise: Premise | str = "stated",
    ) -> None:
        steps = _steps(step, length)
        first = _kept(steps) if start is None else as_law(start, "chain.start")
        if first.ndim != 1:
            raise InputError("chain.start: must be a flat list of probabilities")
        sizes = [first.size, *(matrix.shape[1] for matrix in steps)]
        for t, matrix in enumerate(steps):
            if matrix.shape[0] != sizes[t]:
                raise InputError(
                    f"chain.step[{t}]: {matrix.shape[0]} rows, but the variable before it has "
                    f"{sizes[t]} values; give a row for each"
                )
        domain = Domain.of(sizes, names, _values(values, len(sizes)))
        forest = Forest.of(range(-1, len(steps)), [first[None], *steps])
        self._hold(forest, domain, Premise.of(premise))

    @property
    def start(self) -> Array:
        """The law of the first variable."""
        start: Array = self.forest.laws[0][0]
        return start

    @property
    def steps(self) -> tuple[Array, ...]:
        return self.forest.steps

    @property
    def marginals(self) -> tuple[Array, ...]:
        """The law of every variable by itself."""
        return tuple(self.forest.singles)

    def marginal(self, names: Sequence[str]) -> Array:
        """A product over the kept positions; the gaps between them are powers of the steps."""
        axes = self._few(names)
        if not axes:
            return np.array(1.0)
        order = sorted(axes)
        table = self.forest.singles[order[0]]
        for before, after in itertools.pairwise(order):
            table = table[..., None] * self._between(before, after)
        return table.transpose([order.index(axis) for axis in axes])

    def knowing(self, names: Sequence[str]) -> tuple[Belief, tuple[str, ...]]:
        """Of many known values only those beside an unknown one matter; the rest is shielded.

        The unknown variables and these are a chain again, which steps over the others.
        """
        known = {self.domain.axis(name) for name in names}
        if self.cells(names) <= CONTEXTS:
            return self, tuple(names)
        unknown = set(range(len(self.domain.names))) - known
        beside = {t for u in unknown for t in (u - 1, u + 1)} & known
        rest = sorted(unknown | beside)
        steps = [
            self.steps[t] if after == t + 1 else self._between(t, after)
            for t, after in itertools.pairwise(rest)
        ]
        later = Chain.__new__(Chain)
        forest = Forest.of(range(-1, len(steps)), [self.forest.singles[rest[0]][None], *steps])
        gone = [self.domain.names[t] for t in known - beside]
        later._hold(forest, self.domain.without(gone), self.premise)
        return later, tuple(name for name in names if self.domain.axis(name) in beside)

    def _between(self, before: int, after: int) -> Array:
        """P(x_after | x_before)."""
        product, t = np.eye(self.domain.sizes[before]), before
        while t < after:
            end = min(self._same_until[t], after)
            step = self.steps[t]
            product = product @ (step if end == t + 1 else np.linalg.matrix_power(step, end - t))
            product /= product.sum(1, keepdims=True)  # else rounding adds up over 100,000 steps
            t = end
        return product

    @cached_property
    def _same_until(self) -> list[int]:
        """For each step, where the stretch of steps with its matrix ends."""
        ends = list(range(1, len(self.steps) + 1))
        for t in reversed(range(len(self.steps) - 1)):
            if self.steps[t] is self.steps[t + 1]:
                ends[t] = ends[t + 1]
        return ends


def _steps(step: Any, length: int | None) -> tuple[Array, ...]:
    step = list(step) if isinstance(step, Iterator) else step
    if length is not None and not isinstance(length, int | np.integer):
        raise InputError(
            f"chain.length: {quoted(length)} is no number of variables; give 1, 2, ..."
        )
    if length is not None and length > LONGEST:
        raise TooLarge(f"chain.length: {LONGEST:,} variables at most")
    if is_matrix(step):
        matrix = as_laws(step, "chain.step")
        if length is None or length < 1:
            raise InputError("chain.length: with one matrix for every step, how many variables?")
        if length > 2 and matrix.shape[0] != matrix.shape[1]:
            raise InputError(
                f"chain.step: shape {matrix.shape}; one matrix for every step must be square"
            )
        return (matrix,) * (length - 1)
    given = list(step)
    if length not in (None, len(given) + 1):
        raise InputError(f"chain.length: {length}, but {len(given)} steps join {len(given) + 1}")
    read = {id(table): as_laws(table, f"chain.step[{t}]") for t, table in enumerate(given)}
    return tuple(read[id(table)] for table in given)


def _kept(steps: Sequence[Array]) -> Array:
    """The stationary law of one matrix."""
    alike = bool(steps) and all(step is steps[0] for step in steps)
    law = stationary(steps[0]) if alike and len(steps[0]) == steps[0].shape[1] else None
    if law is None:
        raise InputError(
            "chain.start: None is the one law that one matrix for two variables or more keeps, and "
            "this has none; give the law of the first variable"
        )
    return law


def _values(values: Any, count: int) -> Any:
    """A list for each variable; one list of plain values is every variable's."""
    if values is None or isinstance(values, Mapping):
        return values
    listed = items(values, "chain.values")
    each = all(isinstance(entry, list | tuple | range) for entry in listed)
    return listed if each else [listed] * count
