"""What became known of rows otherwise, by a breach or by force: from then on it is knowledge.

Who knows some attributes of a row is another adversary, and so are all who know less: none of them
bounds the others. So each is kept, alone and together with each other: {a}, {b} and {a, b}.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import Field, StrictBool

from unspoken.storage.ledger.entries import Entries, Key
from unspoken.storage.ledger.event import Kept

__all__ = ["Disclosure", "Disclosures", "Known", "unions"]

Known = tuple[tuple[str, ...], ...]  # what somebody knows beside nothing, sorted


@dataclass(frozen=True)
class Disclosure(Kept):
    """Whatever is in these ``attributes`` became known, otherwise than by a release.

    ``epochs``: of the rows of these, as ``epoch`` names them (`Release`); none: of all, of any
    time. ``readers``: the applications that know; none: everybody. ``by`` and ``why``: who says so.
    """

    kind: ClassVar = "disclosure"

    attributes: Annotated[tuple[str, ...], Field(min_length=1)]
    epoch: str
    per_key: StrictBool
    epochs: tuple[str, ...]
    readers: tuple[str, ...]
    key: str
    by: str
    why: str

    def __str__(self) -> str:
        whom = ", ".join(self.readers) or "everybody"
        by = f" by {self.by}" if self.by else ""
        return f"{self.table}: {self.what} known to {whom}, said{by} ({self.why})"

    @property
    def what(self) -> str:
        """What became known."""
        where = f" of epoch {', '.join(self.epochs)}" if self.epochs else ""
        return f"{', '.join(self.attributes)}{where}"


class Disclosures:
    """Their part of an account; ``entries`` is where."""

    def __init__(self, entries: Entries) -> None:
        self._entries = entries

    def known(self, words: Collection[str], row: Mapping[str, str] | None = None) -> Known:
        """What anybody of these knows of the rows of an epoch, said by each label or function.

        Under another label or function the rows that were named may be any.
        """
        where = row or {}
        kept = self._entries.get([("disclosed", word) for word in words])
        return unions(
            names
            for disclosed in kept.values()
            for names, tossed, epochs in disclosed
            if not epochs or where.get(tossed, epochs[0]) in epochs
        )

    def epochs(self, words: Collection[str], label: str) -> set[str]:
        """Those of this label or function that anybody of these was said to know something of."""
        kept = self._entries.get([("disclosed", word) for word in words])
        return {
            epoch
            for disclosed in kept.values()
            for _, tossed, epochs in disclosed
            if tossed == label
            for epoch in epochs
        }

    def entered(self, event: Disclosure, label: str, word: str) -> dict[Key, Any]:
        """The entries with one more, of which ``word`` knows."""
        key = ("disclosed", word)
        before = self._entries.one(key, [])
        entry = [sorted({*event.attributes}), label, sorted({*event.epochs})]
        return {key: before if entry in before else [*before, entry]}


def unions(known: Iterable[Iterable[str]]) -> Known:
    """Each of these, and whatever several of them are together."""
    found = set[frozenset[str]]()
    for names in known:
        more = frozenset(names)
        found |= {more, *(more | each for each in found)}
    return tuple(sorted(tuple(sorted(each)) for each in found if each))
