"""More of what one coin a record showed: a second coin, chosen given what is out already.

    P(S, S' | x) = W(S | x) E(S' | S, x),   S within S'

E has a number of its own for every record, by a digest of both tables; `first` is never solved or
tossed again. Who sees only what it shows at last sees sum_S W(S | x) E(S' | S, x), which is one
table; who saw S before knows what came later, so that their view is of pairs (S, S').
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from unspoken.core.adversary import Adversary
from unspoken.core.display import Shown
from unspoken.core.errors import InputError
from unspoken.core.mechanisms.arguments import PART, WORDS
from unspoken.core.mechanisms.mechanism import Mechanism, RecordCoin
from unspoken.core.mechanisms.parts import Parts
from unspoken.core.mechanisms.record_chain import EARLIER, RecordChain
from unspoken.core.mechanisms.record_toss import RecordToss
from unspoken.core.mechanisms.suppression import Suppression
from unspoken.core.mechanisms.together import Together
from unspoken.core.numerics.arrays import Codes, Mask
from unspoken.core.numerics.coin_thresholds import CoinSource
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.kinds import items

__all__ = ["Extension"]


@dataclass(frozen=True, repr=False, eq=False, init=False)
class Extension(RecordCoin, Shown):
    """``first``: the coin whose answer is out, a suppression or an extension; ``added``: a
    suppression of the same names, and maybe new ones, beside "shown before", whose labels are what
    was shown; its patterns are what is added. ``reads``: the names that are delivered of all that
    is shown then (None: all).
    """

    first: RecordCoin
    added: Suppression
    reads: tuple[str, ...] | None

    kind: ClassVar = "extension"
    arguments: ClassVar = {"first": PART, "added": PART, "reads": WORDS}

    def __init__(
        self, first: RecordCoin, added: Suppression, reads: Iterable[str] | None = None
    ) -> None:
        if not isinstance(first, RecordCoin) or not isinstance(added, Suppression):
            raise InputError("extension: give a coin of records, and a suppression that adds to it")
        _check(first, added)
        names = tuple(name for name in added.names if name != EARLIER)
        domain = RecordChain((*first.chain.tables, added.table)).domain
        asked = names if reads is None else items(reads, "extension.reads")
        for name in asked:
            domain.axis(name, "extension.reads")
        kept = tuple(name for name in names if name in asked)
        object.__setattr__(self, "first", first.whole)
        object.__setattr__(self, "added", added.whole)
        object.__setattr__(self, "reads", None if kept == names else kept)

    @property
    def digest(self) -> str:
        """64 hexadecimal digits, of what it extends and by what."""
        text = json.dumps([self.first.digest, self.added.digest])
        return hashlib.sha256(text.encode("ascii")).hexdigest()

    @property
    def coins(self) -> tuple[str, ...]:
        return (*self.first.coins, self.digest)

    @property
    def chain(self) -> RecordChain:
        return RecordChain((*self.first.chain.tables, self.added.table))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name in self.added.names if name != EARLIER)

    @property
    def sensitive(self) -> Mapping[str, tuple[Value, ...]]:
        return {name: values for name, values in self.added.sensitive.items() if name != EARLIER}

    @property
    def whole(self) -> Extension:
        return Extension(self.first, self.added)

    def showing(self, names: Iterable[str]) -> Extension:
        asked = items(names, "extension.showing")
        return Extension(self.first, self.added, [n for n in self.delivered if n in asked])

    def scaled(self, share: float) -> Extension:
        self.added.scaled(share)
        return self

    def sensitive_values(self, domain: Domain, name: str) -> tuple[Value, ...] | None:
        domain.axis(name, "extension")
        return self.hides(name) or None

    def parts(self, domain: Domain, adversary: Adversary) -> Parts:
        chain = self.chain
        for name, values in zip(chain.names, chain.domain.values, strict=True):
            domain.codes(name, values, "extension")
        seen, before = adversary.seen_among(self.delivered), len(chain.tables) - 1
        return Parts(records=(RecordToss(chain.tables, (*[()] * before, seen)),) if seen else ())

    def beside_earlier(self) -> Mechanism:
        names = [name for name in self.delivered if name in self.first.delivered]
        return Together([self.first.showing(names).beside_earlier(), self])

    def let_out(
        self, domain: Domain, codes: Mapping[str, Codes], coins: CoinSource
    ) -> Mapping[str, Mask]:
        chain = self.chain
        drawn = [coins.of_record(digest) for digest in self.coins]
        masks = chain.drawn(chain.places(domain, codes), drawn)[:, -1]
        return {name: masks >> self.names.index(name) & 1 > 0 for name in self.delivered}

    def describe(self) -> dict[str, Any]:
        reads = {} if self.reads is None else {"reads": list(self.reads)}
        return {
            "kind": self.kind,
            "first": self.first.describe(),
            "added": self.added.describe(),
            **reads,
        }

    @classmethod
    def made(
        cls,
        given: Mapping[str, Any],
        where: str,
        part: Callable[[Mapping[str, Any], str], Mechanism],
    ) -> Mechanism:
        first, added = (part(given[name], f"{where}.{name}") for name in ("first", "added"))
        if not isinstance(first, RecordCoin) or not isinstance(added, Suppression):
            raise InputError(f"{where}: first is a coin of records, added a suppression")
        reads = WORDS.held(given["reads"], f"{where}.reads") if "reads" in given else None
        return cls(first, added, reads)

    def facts(self) -> list[tuple[str, str]]:
        return [
            ("of", ", ".join(self.names)),
            ("extends", self.first.digest[:16]),
            ("delivered", ", ".join(self.delivered) or "nothing"),
            ("digest", self.digest[:16]),
        ]


def _check(first: RecordCoin, added: Suppression) -> None:
    """It knows what it adds to: the same names and labels, and the same that are never shown."""
    if EARLIER not in added.names or EARLIER in first.names:
        raise InputError(f'extension: the added table has an attribute "{EARLIER}", no other has')
    if set(added.hides(EARLIER)) != {*added.table.domain.values_of(EARLIER)}:
        raise InputError(f'extension: "{EARLIER}" is never shown: list its labels as sensitive')
    domain = first.chain.domain
    for name in first.names:
        if name not in added.names:
            raise InputError(f"extension: {name} is out, and the added table does not have it")
        if domain.values_of(name) != added.table.domain.values_of(name):
            raise InputError(f"extension: {name} was shown by other labels, and keeps them")
        if first.hides(name) != added.hides(name):
            raise InputError(
                f"extension: other labels of {name} are sensitive than when it was shown; that "
                "cannot be taken back"
            )
