"""What all rows of one unit tell together, in sentences: limits are about each row by itself.

What is handed on is a function of p, of the declared limits and of how many rows a unit has, which
its keys show to everybody. Which units have the habit is measured, and for the holder alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from unspoken.assessment.few import few
from unspoken.assessment.habits import Blanks, guessed, told_apart
from unspoken.core.types.bound import Bound
from unspoken.storage.custody.believing import split_rows
from unspoken.tables.engines.protocol import Table, Tally
from unspoken.tables.engines.sql import Expression, identifier
from unspoken.tables.learning import Learned
from unspoken.tables.learning.counts.looked import Looked
from unspoken.tables.policy import Project

__all__ = ["Units"]

MOST = 5 * 10**7  # numbers that the law of the blanks may take, for every number of secret rows


@dataclass(frozen=True)
class Units:
    """Of the rows that are released: how many ``groups`` there are, one for each unit, and the rows
    of the ``largest`` of them.
    """

    project: Project
    table: Table
    groups: int = 0
    largest: int = 1

    @classmethod
    def of(cls, project: Project, table: Table, looked: Looked) -> Units:
        """Refused where one has more rows than were declared, with those that are history."""
        source, at = project.source, project.at("source", "unit")
        if set(source.unit) == set(source.keys):
            return cls(project, table)
        groups, largest = looked.once(
            ["groups", source.unit], partial(table.groups, source.unit, at)
        )
        if source.rows_per_unit is not None and largest > source.rows_per_unit:
            raise project.error(
                "source", "rows_per_unit", text=f"one {' and '.join(source.unit)} has {largest:,} "
                f"rows, more than {source.rows_per_unit:,}; declare as many, or leave rows out in "
                "[source] sql, by their keys alone",
            )  # fmt: skip
        rest = split_rows(project, table, history=False)
        if rest is table or not rest.count():
            return cls(project, table, groups, largest)
        of_released = looked.once(
            ["groups, released", source.unit], partial(rest.groups, source.unit, at)
        )
        return cls(project, rest, *of_released)

    @property
    def several(self) -> bool:
        """Whether anybody has several rows of which anything is protected."""
        return self.largest > 1 and bool(self.project.protected)

    @property
    def rows(self) -> int:
        """Of how many rows of one unit it is said what they tell: public, as keys are."""
        return self.project.source.rows_per_unit or self.largest

    def public(self, shown: Mapping[str, float], closed: bool) -> str:
        """What anybody can work out; ``shown``: p of each attribute, if there is a plan.

        ``closed``: whether values are withheld besides, so that fewer blanks are secrets.
        """
        name, rows = self._name(shown), self.rows
        unit = " and ".join(self.project.source.unit)
        limits, p, apart = self.project.limits, shown.get(name, 0.0), self._apart(shown)
        most = math.ceil(1000 * apart.high) / 10
        worst = f"with at most {most:g} %" if most < 100 else "all but surely at worst"
        held = f"Limits hold for each row, not for all rows of one {unit} together"
        if limits.unit_bits is not None:
            held = (
                f"All rows of one {unit} together tell at most {limits.unit_bits:g} bit of a habit "
                "in the secrets of one attribute, and odds are limited for each row"
            )
        known = "knows which ones these would be and reads every answer"
        counted = (
            f"whoever counts blanks is right with {'up to ' if closed else ''}"
            f"{math.floor(1000 * apart.low) / 10:g} % about whether {name} is sensitive in half of "
            f"them or in none (a guess: 50 %), and whoever also {known}, {worst}"
        )
        read = (
            f"whoever {known} tells whether {name} is sensitive in half of them or in none, {worst}"
        )
        mean = self.table.count() / self.groups
        return (
            f"One {unit} has {mean:{',.0f' if mean >= 100 else '.3g'}} rows on average and "
            f"{self.largest:,} at most. {held}: after {rows:,} of them, {counted if p else read}."
        )

    def given_away(self, shown: Mapping[str, float]) -> str:
        """What blanks tell of a unit that an answer may not tell of a row; empty, if nothing.

        Of two habits that are as likely, an answer within the cap is right with cap / (1 + cap).
        """
        cap = self.project.limits.odds_cap
        if self.project.limits.unit_bits is not None or self._apart(shown).low * (1 + cap) <= cap:
            return ""
        unit = " and ".join(self.project.source.unit)
        return f"of which {unit} most rows have {self._name(shown)} sensitive"

    def _apart(self, shown: Mapping[str, float]) -> Bound:
        """How well a unit with the secret in half of its rows is told from one without it."""
        limits, rows = self.project.limits, self.rows
        cap = math.inf if limits.exceed else limits.odds_cap
        blanks = Blanks.released(shown.get(self._name(shown), 0.0))
        return told_apart(blanks, rows, -(-rows // 2), cap)

    def measured(self, learned: Learned, shown: Mapping[str, float]) -> str:
        """How well counting blanks finds the units of this table that have the habit.

        ``shown``: the share of the cells that are not sensitive.
        """
        name, rows = self._name(shown), self.rows
        predicate = learned.labelling[name].cells.sensitive
        if predicate is None or not shown.get(name):
            return ""
        tally = self._tally(name, predicate)
        prior, often, half = [0.0] * (rows + 1), 0, -(-rows // 2)
        for total, secret, units in tally:
            as_many, has = round(rows * secret / total), 2 * secret >= total
            prior[max(as_many, half) if has else min(as_many, half - 1)] += units / self.groups
            often += units * has
        if few(often) or sum(map(bool, prior)) * rows > MOST:
            return ""
        habit = [2 * secret >= rows for secret in range(rows + 1)]
        right = guessed(Blanks.released(shown[name]), prior, habit).high
        before = guessed(Blanks.released(0.0), prior, habit).high
        return (
            f" Measured, not for release: of {self.groups:,} here {often:,} have {name} sensitive "
            f"in at least half of their rows; to say who has is right for {100 * before:.3g} % by "
            f"guessing, and after {rows:,} rows of each for {100 * right:.3g} % by counting blanks."
        )

    def _tally(self, name: str, predicate: Expression) -> Tally:
        """Rows of a unit, of these sensitive ones, and how many units have as many."""
        sql = f"{predicate.sql} IS NOT FALSE"
        if self.project.attributes[name].missing == "public":
            sql += f" AND {identifier(name)} IS NOT NULL"
        unit, place = self.project.source.unit, self.project.at("attribute", name, "sensitive")
        (tally,) = self.table.tallies(unit, {place: replace(predicate, sql=f"({sql})")})
        return tally

    def _name(self, shown: Mapping[str, float]) -> str:
        """The protected attribute that is shown most often: its blanks tell the most."""
        return max(self.project.protected, key=lambda name: shown.get(name, 0.0))
