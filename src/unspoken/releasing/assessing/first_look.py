"""What a table alone shows, column by column: as text, in notebooks, as rows, as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from unspoken.display import Framed, Tabled
from unspoken.pictures import Picture
from unspoken.pictures.palette import LIGHT, looks
from unspoken.policy.schema import LimitTable
from unspoken.releasing.assessing import prose
from unspoken.releasing.assessing.few import ENOUGH
from unspoken.releasing.assessing.leaks import Leak, leakage
from unspoken.releasing.assessing.matrix import heat
from unspoken.releasing.assessing.prose import NBSP
from unspoken.releasing.assessing.rare import FEW

__all__ = ["HAS", "FirstLook", "ColumnLine"]

HAS = "true"  # the label of a row that has the secret
SHOWN = 3  # columns listed for each secret where every column is one in turn
SECRETS = 12  # secrets listed where every column is one in turn
LEAST = 0.001  # bits: what tells less is not worth a line
# The odds cap that a new project is given: pictures turn red beyond it.
CAP: float = LimitTable.model_fields["odds_cap"].default
MAYBE = "chance?"  # beside what may be no more
BAR = 5  # letters for all there is to tell of a secret
NUMBERS = ["from", "to", "of rows", "odds", "bits", ""]


@dataclass(frozen=True)
class ColumnLine:
    """What one column tells; ``numbers`` none: the column that those below tell of."""

    what: str
    numbers: Sequence[str] = ()


@dataclass(frozen=True, repr=False)
class FirstLook(Framed, Tabled):
    """``leaks``: of each secret what each column tells, by itself, the most telling first.

    ``secret``: the SQL that was asked about; None: every column in turn, each value of it.
    ``before``: of each secret the share of rows that have each value. ``few_rows``: whether of two
    columns so few rows have each combination of values that much of what is said is chance.
    ``left_out``: columns that are not looked at, and why; ``grouped``: by what those of too many
    values have fewer. ``unsure``: whether of some rows nobody knows if they have the secret, since
    it is NULL for them; they count as having it. ``by_chance``: of which secret which column tells
    no more than chance shows of columns that do not go together.
    """

    table: str
    rows: int
    secret: str | None
    leaks: Mapping[str, Sequence[Leak]]
    before: Mapping[str, Mapping[str, float]]
    few_rows: bool
    left_out: Mapping[str, str]
    grouped: Mapping[str, str]
    unsure: bool = False
    by_chance: frozenset[tuple[str, str]] = frozenset()

    def share_learned(self, entry: Leak) -> float:
        """The share of what there is to tell of a secret: I(X; Y) / H(X)."""
        shares = np.array([share for share in self.before[entry.about].values() if share > 0])
        return min(1.0, entry.information.nats / float(-(shares * np.log(shares)).sum()))

    def title(self) -> str:
        what = "what of a column"
        if self.secret is not None:
            (before,) = self.before.values()
            what = f"whether {self.secret} ({prose.percent(before[HAS])} of rows)"
        return f"{prose.rows(self.rows)}. Who tells {what}, by itself:"

    def columns(self) -> list[str]:
        return ["who: if it is" if self.secret else "of, who: if it is → then", *NUMBERS]

    def lines(self) -> list[ColumnLine]:
        """Who tells what, the most telling first; of every column in turn those worth a line."""
        if self.secret is not None:
            return [self._line(entry) for entries in self.leaks.values() for entry in entries]
        lines = list[ColumnLine]()
        for about in self._listed:
            lines += [ColumnLine(about), *map(self._line, self._worth[about][:SHOWN])]
        return lines

    def cells(self) -> list[list[str]]:
        inner = "" if self.secret is not None else 2 * NBSP
        none = [""] * len(NUMBERS)
        return [
            [inner + line.what, *line.numbers] if line.numbers else [line.what, *none]
            for line in self.lines()
        ]

    def notes(self) -> list[tuple[str, str]]:
        return []

    def remarks(self) -> list[str]:
        return [*self.said(".plot() draws all, .to_frame() lists them")]

    def said(self, where: str) -> Iterator[str]:
        """What has to be said beside the table; ``where`` all of it is."""
        if self.secret is not None:
            yield (
                "A blank in its own place, where nothing else is left out, tells it with certainty."
            )
        elif len(self._listed) < len(self._learned):
            yield (
                f"The {len(self._listed)} of {len(self._learned)} columns that others tell the "
                f"most bits of; {where}."
            )
        silent = [about for about in self.leaks if about not in self._learned]
        if silent and self.secret is None:
            yield f"Of {prose.listed(silent)} no other column tells {LEAST:g}{NBSP}bit."
        if self.unsure:
            yield f"Rows for which {self.secret} is NULL count as rows for which it is true."
        if self.few_rows:
            yield (
                f"CAUTION, few rows: of some two columns fewer than {ENOUGH} rows have each "
                "combination of values that occurs, so much of this is chance."
            )
        if any(MAYBE in line.numbers[-1] for line in self.lines() if line.numbers):
            yield (
                f"{MAYBE}: so many rows of two columns that do not go together show as much, if no "
                "two rows depend on each other."
            )
        reasons = dict[str, list[str]]()
        for name, why in self.left_out.items():
            reasons.setdefault(why, []).append(name)
        for why, names in reasons.items():
            yield f"Left out: {prose.listed(names)}: {why.rstrip('.')}."
        if self.grouped:
            ways = prose.listed(f"{name} by {by}" for name, by in self.grouped.items())
            yield f"Grouped, of too many values: {ways}."
        yield (
            f"A plug-in from {prose.rows(self.rows)}; values that fewer than {FEW} rows have "
            "are taken together. Columns together tell more than each by itself."
        )

    def records(self) -> list[dict[str, Any]]:
        """Every two columns: what the most telling answer is, and what it makes likelier."""
        return [
            {
                "about": entry.about,
                "who": entry.who,
                "odds": entry.odds.odds,
                "bits": entry.information.bits,
                "share_learned": self.share_learned(entry),
                "by_chance": (about, entry.who) in self.by_chance,
                **_in_columns(_answer(entry)),
            }
            for about, entries in self.leaks.items()
            for entry in entries
        ]

    def as_json(self) -> dict[str, Any]:
        """What each column tells of each secret, by itself, both ends of every bound, as data."""
        leaks = {
            about: [
                {
                    **bounds,
                    "by_chance": (about, entry.who) in self.by_chance,
                    **({"answer": answer} if (answer := _answer(entry)) else {}),
                }
                for bounds, entry in zip(leakage(entries), entries, strict=True)
            ]
            for about, entries in self.leaks.items()
        }
        return {
            "table": self.table,
            "rows": self.rows,
            "secret": self.secret,
            "premise": f"learned({self.rows})",
            "about": {
                name: {"shares": dict(self.before[name]), "told": leaks[name]} for name in leaks
            },
            "few_rows": self.few_rows,
            "left_out": dict(self.left_out),
            "grouped": dict(self.grouped),
        }

    def plot(self) -> Picture:
        """A row a column, a column a secret: the worst odds and the bits."""
        entries = [
            replace(entry, about=self.secret or entry.about)
            for entries in self.leaks.values()
            for entry in entries
        ]
        drawn = heat(entries, {entry.who: entry.who for entry in entries}, CAP, LIGHT)
        title = {"text": "What each column tells, by itself"}
        return Picture({**drawn, "title": title, "config": looks(LIGHT)})

    @cached_property
    def _worth(self) -> dict[str, list[Leak]]:
        """Of each secret those that tell enough for a line."""
        return {
            about: [entry for entry in entries if entry.information.bits >= LEAST]
            for about, entries in self.leaks.items()
        }

    @property
    def _learned(self) -> list[str]:
        return [about for about, entries in self._worth.items() if entries]

    @property
    def _listed(self) -> list[str]:
        """Those of which most is told, as they stand in the table."""

        def told(about: str) -> float:
            return -self._worth[about][0].information.nats

        most = sorted(self._learned, key=told)[:SECRETS]
        return [about for about in self._learned if about in most]

    def _line(self, entry: Leak) -> ColumnLine:
        """What is read, what that makes likelier, from and to, how often; odds and bits of all.

        Names and values are in one column, so that few of them are broken where a line is short.
        """
        answer = entry.answer
        what, shares = "no value", ["", "", ""]
        if answer is not None and not prose.tells_nothing(entry):
            (seen,) = map(str, answer.seen.values())
            what = seen if self.secret is not None else f"{seen} → {answer.secret}"
            shares = [*map(prose.percent, (answer.before, answer.after, answer.mass))]
        bits = prose.bits_of(entry.information, unit=False)
        bar = "▇" * round(BAR * self.share_learned(entry))
        bar = f"{bar} {MAYBE}".strip() if (entry.about, entry.who) in self.by_chance else bar
        return ColumnLine(f"{entry.who}: {what}", [*shares, prose.odds_of(entry.odds), bits, bar])


def _answer(entry: Leak) -> dict[str, Any]:
    """The most telling answer: what is seen, what it makes likelier, and in how many rows."""
    answer = entry.answer
    if answer is None:
        return {}
    return {
        "seen": {name: str(output) for name, output in answer.seen.items()},
        "secret": answer.secret,
        "before": answer.before,
        "after": answer.after,
        "share": answer.mass,
    }


def _in_columns(answer: dict[str, Any]) -> dict[str, Any]:
    """The same, of the one column that is seen its value."""
    return {
        name: told if name != "seen" else next(iter(told.values())) for name, told in answer.items()
    }
