"""What is known of a record beside what is shown of it: by everybody, or by who sees some names."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unspoken.core.beliefs import Belief
from unspoken.core.errors import InputError, among
from unspoken.core.types.domain import Value
from unspoken.core.types.kinds import expect, items
from unspoken.planning.records.cells import Cells
from unspoken.planning.records.conditions import Event, by_whether, given

__all__ = ["Known", "events_of"]

Names = tuple[str, ...]


@dataclass(frozen=True)
class Known:
    """``of_all``: attributes that anybody may know, one at a time; ``of_some``: (names seen, names
    known) of who sees these; ``is_among``: {name: values}, of which anybody knows whether.
    """

    of_all: Names
    of_some: tuple[tuple[Names, Names], ...]
    is_among: tuple[Mapping[str, tuple[Value, ...]], ...]

    @classmethod
    def of(cls, belief: Belief, asked: Any, reads: Names) -> Known:
        """From a list of names, {name: values}, and pairs of lists."""
        listed = items(() if asked is None else asked, "plan.knows")
        pairs = [each for each in listed if isinstance(each, tuple | list)]
        alone = [each for each in listed if each not in pairs]
        sets = [each for each in alone if isinstance(each, Mapping)]
        names = [each for each in alone if each not in sets]
        return cls(
            _named(belief, names),
            tuple(_of_some(belief, pair, reads) for pair in pairs),
            tuple(each for each in named_values(belief, sets, "plan.knows") if each),
        )

    @property
    def of_any(self) -> Names:
        """Attributes that somebody may know."""
        some = itertools.chain.from_iterable(names for _, names in self.of_some)
        return tuple(dict.fromkeys([*self.of_all, *some]))

    @property
    def names(self) -> set[str]:
        """All that anybody knows anything of."""
        return {*self.of_any, *itertools.chain.from_iterable(self.is_among)}

    def whether(self, cells: Cells, events: Sequence[Event]) -> list[Event]:
        """Events, and the same to who knows of each of these whether it is among its values."""
        found = list(events)
        for labels in self.is_among:
            found += given(found, by_whether(cells, labels))
        return found


def _of_some(belief: Belief, given: Any, reads: Names) -> tuple[Names, Names]:
    pair = items(given, "plan.knows")
    if len(pair) != 2 or any(isinstance(each, str) for each in pair):
        raise InputError("plan.knows: of some, give a pair of lists: ([names seen], [names known])")
    seen, names = (_named(belief, items(each, "plan.knows")) for each in pair)
    for name in seen:
        if name not in reads:
            raise InputError(f"plan.knows: nobody sees {name}; add it to reads")
    return seen, names


def _named(belief: Belief, names: Sequence[Any]) -> Names:
    for name in names:
        belief.domain.axis(name, "plan.knows")
    return tuple(dict.fromkeys(names))


def events_of(belief: Belief, given: Any) -> Any:
    """A word, or a list of {name: values}."""
    if isinstance(given, str | None) or not isinstance(given, Sequence):
        return among("plan.events", given, ("default", "attribute"))
    listed = items(given, "plan.events")
    found = named_values(belief, listed, "plan.events")
    if not found or not all(found):
        raise InputError(
            "plan.events: an empty event limits nothing; name one as {name: [values]}, or "
            'write "default"'
        )
    return found


def named_values(belief: Belief, listed: Sequence[Any], where: str) -> Any:
    """[{name: values}, ...], each checked."""
    for event in listed:
        expect(event, Mapping, where, "write {name: [values], ...} for each")
        for name, values in event.items():
            belief.domain.codes(name, items(values, f"{where} of {name}"), where)
    return tuple({name: tuple(values) for name, values in event.items()} for event in listed)
