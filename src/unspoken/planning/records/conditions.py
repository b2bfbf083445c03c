"""What no answer may tell: events, and the rows P(y | s) <= cap P(y | not s) they stand for.

A row is two vectors over the cells, ``secret`` and ``other``: for every answer y that somebody may
see, secret . W_y <= cap other . W_y, W_y being how likely each cell gives y.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from unspoken.core.numerics.arrays import Array, Codes, Integers, Mask
from unspoken.core.types.domain import Value
from unspoken.planning.records.answers import Answers
from unspoken.planning.records.cells import Cells, Pairs

__all__ = [
    "Condition",
    "Event",
    "Rule",
    "attribute_events",
    "between",
    "conditions",
    "default_events",
    "by_label",
    "by_whether",
    "explicit",
    "given",
    "neighbours",
    "within",
]


@dataclass(frozen=True)
class Event:
    """Something about a record [cell], and what it is held against."""

    name: str
    inside: Mask
    outside: Mask

    def within(self, where: Mask, name: str) -> Event:
        return Event(f"{self.name}, {name}", self.inside & where, self.outside & where)


@dataclass(frozen=True, eq=False, kw_only=True)
class Rule(ABC):
    """A row for every answer of a coalition: for one belief, or for all of a set.

    ``sees``: only for the coalition that reads this bit mask; None: for every coalition.
    ``knowing``: attributes (a bit mask) whose labels are known beside the answer. ``contexts``: the
    two, or the one, that it is given; none where there is but one.
    """

    name: str
    cap: Fraction
    sees: int | None = None
    knowing: int = 0
    contexts: tuple[int, ...] = ()

    @property
    @abstractmethod
    def holders(self) -> Mask:
        """The cells with the secret."""

    @property
    @abstractmethod
    def others(self) -> Mask:
        """The cells that it is held against."""

    @abstractmethod
    def sums(self, answers: Answers, pairs: Pairs, weights: Integers) -> tuple[Integers, Integers]:
        """Both sides of the row of every answer, the cap left out; the first at most."""

    @abstractmethod
    def totals(self, cells: Mask) -> tuple[int, int]:
        """Both sides where the weights of these cells, and only theirs, are 1."""


@dataclass(frozen=True, eq=False)
class Condition(Rule):
    """secret . W_y <= cap other . W_y for every answer; the two have the same sum."""

    secret: Integers
    other: Integers

    @cached_property
    def rates(self) -> tuple[Array, Array]:
        """``secret`` and ``other`` as shares of their sum."""
        total = int(self.secret.sum())
        secret, other = ((side / total).astype(np.float64) for side in (self.secret, self.other))
        return secret, other

    def numbers(self, cap: float) -> Array:
        """secret - cap other [cell]."""
        secret, other = self.rates
        numbers: Array = secret - cap * other
        return numbers

    @cached_property
    def holders(self) -> Mask:
        mask: Mask = (self.secret != 0).astype(bool)
        return mask

    @cached_property
    def others(self) -> Mask:
        mask: Mask = (self.other != 0).astype(bool)
        return mask

    def sums(self, answers: Answers, pairs: Pairs, weights: Integers) -> tuple[Integers, Integers]:
        order = np.argsort(answers.of_pair, kind="stable")
        starts = np.searchsorted(answers.of_pair[order], np.arange(len(answers)))
        secret, other = (
            np.add.reduceat((side[pairs.cell] * weights)[order], starts)
            for side in (self.secret, self.other)
        )
        return secret, other

    def totals(self, cells: Mask) -> tuple[int, int]:
        return int(self.secret[cells].sum()), int(self.other[cells].sum())


def default_events(cells: Cells, secrets: Mapping[int, Codes]) -> list[Event]:
    """Those about single attributes, any secret at all, and the secrets of two together."""
    events = attribute_events(cells, secrets)
    any_of = {axis: np.isin(cells.codes[:, axis], labels) for axis, labels in secrets.items()}
    whole = np.logical_or.reduce(list(any_of.values())) if any_of else np.zeros(len(cells), bool)
    events.append(Event("anything sensitive", whole, ~whole))
    for a, b in itertools.combinations(any_of, 2):
        both = any_of[a] & any_of[b]
        names = " and ".join(cells.domain.names[axis] for axis in (a, b))
        events.append(Event(f"{names} sensitive", both, ~both))
    return different(events)


def attribute_events(cells: Cells, secrets: Mapping[int, Codes]) -> list[Event]:
    """Per attribute each secret label against each other one and against no secret.

    They imply any set of its secret labels against all else (mediant), whatever is believed of how
    likely each of these is.
    """
    events = []
    for axis, labels in secrets.items():
        column, (name, values) = cells.codes[:, axis], _of(cells, axis)
        none = ~np.isin(column, labels)
        for label in labels.tolist():
            events.append(Event(f"{name} {values[label]}", column == label, none))
        for a, b in itertools.permutations(labels.tolist(), 2):
            events.append(Event(f"{name} {values[a]}, not {values[b]}", column == a, column == b))
    return different(events)


def explicit(cells: Cells, listed: Sequence[Mapping[str, Sequence[Value]]]) -> list[Event]:
    """{name: values}: that each of these takes one of its values, against all else."""
    events = []
    for event in listed:
        inside = np.ones(len(cells), dtype=bool)
        for name, values in event.items():
            inside &= _among(cells, name, values)
        said = " and ".join(f"{name} {', '.join(map(str, v))}" for name, v in event.items())
        events.append(Event(said, inside, ~inside))
    return different(events)


Part = tuple[str, Mask]  # some records [cell], as what is known of them


def given(events: Sequence[Event], parts: Iterable[Part]) -> list[Event]:
    """The same for somebody who knows in which of these parts a record is; what nobody doubts then
    is left out.
    """
    known = (event.within(mask, f"knowing {name}") for name, mask in parts for event in events)
    return different(event for event in known if event.inside.any() and event.outside.any())


def by_label(cells: Cells, names: Sequence[str]) -> Iterator[Part]:
    """Which label an attribute has, for each of these."""
    for name in names:
        axis = cells.domain.axis(name)
        for code, value in enumerate(cells.domain.values[axis]):
            yield f"{name} {value}", cells.codes[:, axis] == code


def by_whether(cells: Cells, among: Mapping[str, Sequence[Value]]) -> Iterator[Part]:
    """Of each of these attributes whether it is among its values."""
    flags = np.stack([_among(cells, name, values) for name, values in among.items()], axis=1)
    for part in np.unique(flags, axis=0):
        words = " ".join("in" if inside else "out" for inside in part)
        yield f"{' '.join(among)} {words}", (flags == part).all(axis=1)


def different(events: Iterable[Event]) -> list[Event]:
    """Each once."""
    found: dict[tuple[bytes, bytes], Event] = {}
    for event in events:
        found.setdefault((event.inside.tobytes(), event.outside.tobytes()), event)
    return [*found.values()]


def conditions(
    cells: Cells, events: Sequence[Event], cap: Fraction, sees: int | None = None
) -> Iterator[Condition]:
    """The rows of some events, those that are not about anything possible left out.

    With contexts k <= m, o_k = P(s | k) / P(not s | k), whatever is known of the context:

        o_k P_k(y|s) + o_m P_m(y|s) <= cap [o_k P_m(y|not s) + o_m P_k(y|not s)]
    """
    for event in events:
        sides = [(law * event.inside, law * event.outside) for law in cells.laws]
        sums = [(int(secret.sum()), int(other.sum())) for secret, other in sides]
        for k, m in itertools.combinations_with_replacement(range(len(sides)), 2):
            (secret_k, other_k), (secret_m, other_m) = sides[k], sides[m]
            (s_k, n_k), (s_m, n_m) = sums[k], sums[m]
            secret = secret_k * n_m + secret_m * n_k
            if not secret.any():
                continue
            other, of = other_m * s_k + other_k * s_m, within(k, m, len(sides))
            said = between(event.name, of)
            yield Condition(secret, other, name=said, cap=cap, sees=sees, contexts=of)


def within(k: int, m: int, many: int) -> tuple[int, ...]:
    """These contexts, out of so many, each once; none where there is but one."""
    return tuple(dict.fromkeys((k, m))) if many > 1 else ()


def between(name: str, contexts: Sequence[int]) -> str:
    """An event for somebody who knows that the context is one of these, if they are any."""
    if not contexts:
        return name
    return f"{name}, context{'s' * (len(contexts) > 1)} {' and '.join(map(str, contexts))}"


def neighbours(
    cells: Cells, secrets: Mapping[int, Codes], factor: Fraction, sees: int
) -> Iterator[Condition]:
    """W(S|x) <= factor W(S|x') for x and x' that differ in an attribute that is secret in x, S
    being what is shown of the attributes that somebody ``sees``.

    So nothing is excluded that far, whatever is believed, and known of the rest of the record.
    """
    everything = (1 << len(cells.domain.names)) - 1
    for axis, labels in secrets.items():
        name, values = _of(cells, axis)
        for label in labels.tolist():
            for other in range(len(values)):
                if other != label:
                    secret, without = (
                        cells.weighed(
                            (cells.codes[:, axis] == code).astype(np.int64).astype(object)
                        )
                        for code in (label, other)
                    )
                    said = f"{name} {values[label]}, not {values[other]}, knowing the rest"
                    rest = everything & ~(1 << axis)
                    yield Condition(secret, without, name=said, cap=factor, sees=sees, knowing=rest)


def _among(cells: Cells, name: str, values: Sequence[Value]) -> Mask:
    """Whose label is one of these."""
    return np.isin(cells.codes[:, cells.domain.axis(name)], cells.domain.codes(name, values))


def _of(cells: Cells, axis: int) -> tuple[str, tuple[Value, ...]]:
    return cells.domain.names[axis], cells.domain.values[axis]
