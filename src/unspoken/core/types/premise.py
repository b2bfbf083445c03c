"""What a number stands on: a record of known kinds, printed as a word or two."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from unspoken.core.errors import InputError, among, shown
from unspoken.core.numerics.numbers import number

__all__ = ["LEAST", "NONE", "STATED", "Premise", "weakest"]

Kind = Literal["stated", "learned", "box", "none"]

# From the weakest to the strongest. A kind certifies only if it is said here that it does: a
# plug-in holds as far as its rows show the truth; a box for every belief in it, at its level.
KINDS: tuple[Kind, ...] = ("learned", "box", "stated", "none")
CERTIFYING: tuple[Kind, ...] = ("box", "stated", "none")

OWN = "values of the rows"
LEAST = 1e-12  # the least chance to miss: beyond it a level is printed as 100 %
EXAMPLES = '"stated", "learned(100)" or "box(95 %)"'
WRITTEN = re.compile(
    r"(?P<bare>stated|none)"
    r"|learned\((?P<rows>\d+)\)"
    r"|learned\((?P<form>[a-z]+), (?P<form_rows>\d+) rows\)"
    r"|box\((?P<level>\d+(\.\d+)?) ?%(?P<own>, values of the rows)?\)"
)


@dataclass(frozen=True, eq=False)
class Premise:
    """``stated``: the belief was given. ``learned(n)``: plug-in from n rows, or, where a ``form``
    is said, from a tree through them. ``box(95 %)``: holds for every belief of a confidence box of
    that ``level``, a number in (0, 1); of the ``form`` OWN, if there are no values but those that
    some row has, which nobody declared: then it certifies nothing. ``none``: holds for any prior.
    It equals the words it is printed as.
    """

    kind: Kind
    rows: int | None = None
    form: str = ""
    level: float | None = None

    @classmethod
    def learned(cls, rows: int, form: str = "") -> Premise:
        return cls("learned", rows=rows, form=form)

    @classmethod
    def box(cls, level: float, declared: bool = True) -> Premise:
        return cls("box", level=level, form="" if declared else OWN)

    @classmethod
    def of(cls, words: Premise | str) -> Premise:
        """A premise, or the words for one; any others are refused."""
        if isinstance(words, Premise):
            return words
        read = WRITTEN.fullmatch(words) if isinstance(words, str) else None
        if read is None:
            raise InputError(f"premise: {shown(words)!r}; is {EXAMPLES}")
        if read["bare"]:
            return NONE if read["bare"] == "none" else STATED
        if read["level"]:
            return cls.box(float(read["level"]) / 100, not read["own"])
        return cls.learned(int(read["rows"] or read["form_rows"]), read["form"] or "")

    def __post_init__(self) -> None:
        level, rows = self.level, self.rows
        among("premise", self.kind, KINDS)
        has = ("learned" if rows is not None else None, "box" if level is not None else None)
        if {*has} - {None} != {self.kind} - {"stated", "none"} or not isinstance(self.form, str):
            raise InputError("premise: what is learned has rows, a box has a level; no others do")
        if level is not None and not 0 < number(level) <= 1 - LEAST:
            raise InputError(f"premise: a box of level {shown(level)}; it is between 0 and 1")
        odd = self.form and rows is None and (self.kind, self.form) != ("box", OWN)
        if not WRITTEN.fullmatch(str(self)) or odd:
            raise InputError(f"premise: {shown(self)!r}; is {EXAMPLES}")

    @property
    def certifies(self) -> bool:
        """Whether "certified" may be said on this premise, which is printed beside it."""
        return self.kind in CERTIFYING and self.form != OWN

    def __str__(self) -> str:
        if self.kind == "box":
            of = f", {self.form}" if self.form else ""
            return f"box({100 * float(self.level or 0):.15g} %{of})"
        if self.kind in ("stated", "none"):
            return self.kind
        return f"learned({self.form}, {self.rows} rows)" if self.form else f"learned({self.rows})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Premise | str) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


STATED = Premise("stated")
NONE = Premise("none")


def weakest(premises: Iterable[Premise]) -> Premise:
    """What all of these together stand on: the fewest rows learned from, the least level."""

    def strength(premise: Premise) -> tuple[int, bool, float]:
        declared = premise.form != OWN
        return KINDS.index(premise.kind), declared, premise.rows or premise.level or 0.0

    return min(premises, key=strength)
