"""One coin a record: what is shown of it may depend on all of it, and is the truth or nothing.

A record x is shown in the pattern S, a set of names, with probability W(S | x) = weight / 2^62: its
labels there, and nothing else of it. No pattern holds a sensitive label. W is integers, which the
coin is compared with; they are stored, and never worked out a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from unspoken.core.adversary import Adversary
from unspoken.core.display import Shown
from unspoken.core.errors import InputError, unknown
from unspoken.core.mechanisms.arguments import INTEGERS, LABELS_BY_NAME, WORDS
from unspoken.core.mechanisms.mechanism import Mechanism, RecordCoin
from unspoken.core.mechanisms.parts import Parts
from unspoken.core.mechanisms.record_chain import RecordChain
from unspoken.core.mechanisms.record_table import RecordPatterns, RecordTable, Shows
from unspoken.core.mechanisms.record_toss import RecordToss
from unspoken.core.numerics.arrays import Codes, Counts, Mask, Words
from unspoken.core.numerics.coin_thresholds import CoinSource
from unspoken.core.numerics.numbers import number
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.kinds import expect, items, labels

__all__ = ["Suppression"]

Values = Mapping[str, Iterable[Value]] | Sequence[Iterable[Value]]


@dataclass(frozen=True, repr=False, eq=False, init=False)
class Suppression(RecordCoin, Shown):
    """``records``: {record: {(names shown): integer}}, a record being one label for each of the
    ``names``, weights out of 2^62. What they leave shows nothing; so do records that are not
    listed, and labels that ``values`` do not have. ``sensitive``: {name: values} that are never
    shown. Names, labels and records are kept in the order of their words, whatever order they are
    given in; ``digest`` names this table, and its coins. ``reads``: the names that are delivered
    of what is shown (None: all), by the same coin.
    """

    table: RecordTable
    reads: tuple[str, ...] | None

    kind: ClassVar = "suppression"
    arguments: ClassVar = {
        "names": WORDS,
        "values": LABELS_BY_NAME,
        "sensitive": LABELS_BY_NAME,
        "codes": INTEGERS,
        "masks": INTEGERS,
        "weights": INTEGERS,
        "reads": WORDS,
    }

    def __init__(
        self,
        records: Shows,
        names: Iterable[str],
        values: Values,
        sensitive: Mapping[str, Sequence[Value]],
        reads: Iterable[str] | None = None,
    ) -> None:
        domain = _domain(names, values)
        table = RecordTable.of(domain, sensitive, RecordPatterns.read(records, domain))
        self._keep(table, None if reads is None else items(reads, "suppression.reads"))

    @classmethod
    def of_arrays(
        cls,
        codes: npt.ArrayLike,
        starts: npt.ArrayLike,
        masks: npt.ArrayLike,
        weights: npt.ArrayLike,
        names: Iterable[str],
        values: Values,
        sensitive: Mapping[str, Sequence[Value]],
    ) -> Suppression:
        """``codes[record, name]``: positions of labels among ``values``. Record r is shown in the
        patterns masks[starts[r]:starts[r + 1]], bit k being names[k], by these ``weights``.
        """
        domain = _domain(names, values)
        listed = RecordPatterns.of(codes, starts, masks, weights, len(domain.names))
        return cls._of(RecordTable.of(domain, sensitive, listed), None)

    @property
    def names(self) -> tuple[str, ...]:
        """Bit k of a mask is the k-th of them."""
        return self.table.domain.names

    @property
    def values(self) -> tuple[tuple[Value, ...], ...]:
        """The labels of each of the names; codes are positions among them."""
        return self.table.domain.values

    @property
    def sensitive(self) -> Mapping[str, tuple[Value, ...]]:
        return self.table.sensitive

    @property
    def digest(self) -> str:
        """64 hexadecimal digits of what is shown of whom; the same for all that `showing` gives."""
        return self.table.digest

    @property
    def coins(self) -> tuple[str, ...]:
        return (self.digest,)

    @property
    def chain(self) -> RecordChain:
        return RecordChain((self.table,))

    @property
    def whole(self) -> Suppression:
        """The same coin, of which all is delivered."""
        return self._of(self.table, None)

    def showing(self, names: Iterable[str]) -> Suppression:
        """The same coin, of which only these names are delivered."""
        asked = items(names, "suppression.showing")
        for name in asked:
            self.table.domain.axis(name, "suppression.showing")
        return self._of(self.table, [name for name in self.delivered if name in asked])

    def scaled(self, share: float) -> Suppression:
        """Less of it would be another table: the rest of the same coin tells what that left out."""
        if number(share) != 1:
            raise InputError("suppression: is released whole; only cell coins have a share of it")
        return self

    def sensitive_values(self, domain: Domain, name: str) -> tuple[Value, ...] | None:
        domain.axis(name, "suppression")
        domain.codes(name, self.hides(name), "suppression.sensitive")
        return self.hides(name) or None

    def parts(self, domain: Domain, adversary: Adversary) -> Parts:
        """Every label has to be among the belief's; labels it has beside them show nothing."""
        for name, values in zip(self.names, self.values, strict=True):
            domain.codes(name, values, "suppression")
        seen = adversary.seen_among(self.delivered)
        return Parts(records=(RecordToss((self.table,), (seen,)),) if seen else ())

    def let_out(
        self, domain: Domain, codes: Mapping[str, Codes], coins: CoinSource
    ) -> Mapping[str, Mask]:
        positions = [self.table.positions(domain, name)[codes[name]] for name in self.names]
        masks = self.patterns(np.stack(positions, axis=1), coins.of_record(self.digest))
        bits = {name: np.int64(1 << bit) for bit, name in enumerate(self.names)}
        return {name: masks & bits[name] != 0 for name in self.delivered}

    def patterns(self, codes: Codes | Counts, uniforms: Words) -> Counts:
        """The mask in which each record is shown, of its coin (storage/coins.py, `record_keys`).

        ``codes[row, name]`` are positions among ``values``, anything else (-1) being no label of
        them; such a record shows nothing.
        """
        return self.table.thresholds.masks(codes, uniforms)

    def describe(self) -> dict[str, Any]:
        reads = {} if self.reads is None else {"reads": list(self.reads)}
        return {"kind": self.kind, **self.table.plain(), **reads}

    @classmethod
    def made(
        cls,
        given: Mapping[str, Any],
        where: str,
        part: Callable[[Mapping[str, Any], str], Mechanism],
    ) -> Mechanism:
        held = {n: cls.arguments[n].held(value, f"{where}.{n}") for n, value in given.items()}
        masks, weights = held.pop("masks"), held.pop("weights")
        if [*map(_size, masks)] != [*map(_size, weights)]:
            raise InputError(
                f"{where}: masks and weights are lists of lists, alike for each record"
            )
        flat = [[each for part in parts for each in part] for parts in (masks, weights)]
        starts = np.concatenate([[0], np.cumsum([*map(len, masks)], dtype=np.int64)])
        reads, codes = held.pop("reads", None), held.pop("codes")
        made = cls.of_arrays(codes, starts, flat[0], flat[1], **held)
        return made if reads is None else cls._of(made.table, reads)

    def facts(self) -> list[tuple[str, str]]:
        listed = self.table.listed
        shows = f"{len(listed.codes)} records in {len(listed.masks)} patterns"
        hidden = {name: list(values) for name, values in self.sensitive.items()}
        return [
            ("of", ", ".join(self.names)),
            ("shows", f"{shows}; of all others nothing"),
            ("never shown", str(hidden) if hidden else "nothing is sensitive"),
            ("delivered", ", ".join(self.delivered) or "nothing"),
            ("digest", self.digest[:16]),
        ]

    @classmethod
    def _of(cls, table: RecordTable, reads: Iterable[str] | None) -> Suppression:
        made = cls.__new__(cls)
        made._keep(table, reads)
        return made

    def _keep(self, table: RecordTable, reads: Iterable[str] | None) -> None:
        asked = table.domain.names if reads is None else tuple(reads)
        for name in asked:
            table.domain.axis(name, "suppression.reads")
        kept = tuple(name for name in table.domain.names if name in asked)
        object.__setattr__(self, "table", table)
        object.__setattr__(self, "reads", None if kept == table.domain.names else kept)


def _size(names: object) -> int:
    return len(names) if isinstance(names, list) else -1


def _domain(names: Iterable[str], values: Values) -> Domain:
    """The names with all their labels."""
    shown_names = items(names, "suppression.names")
    for name in shown_names:
        expect(name, str, "suppression.names", "names are words")
    if isinstance(values, Mapping):
        for name in shown_names:
            if name not in values:
                raise unknown("suppression.values", name, values)
        sizes = [len(labels(values[name], f"suppression.values of {name}")) for name in shown_names]
    else:
        given = items(values, "suppression.values")
        sizes = [len(labels(each, "suppression.values")) for each in given[: len(shown_names)]]
        sizes += [0] * (len(shown_names) - len(sizes))
    if not shown_names:
        raise InputError("suppression.names: name what a record has, at least one")
    return Domain.of(sizes, shown_names, values)
