"""What a table alone shows, column by column: as text, in notebooks, as rows, as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from unspoken.assessment.matrix import heat
from unspoken.assessment.rare import FEW
from unspoken.assessment.telling_cells import CHANCE
from unspoken.core.display import Framed, Tabled, json_number
from unspoken.core.pictures import Picture
from unspoken.core.pictures.palette import LIGHT, looks
from unspoken.core.types.bound import Bound
from unspoken.core.types.premise import Premise
from unspoken.storage import prose
from unspoken.storage.prose import NBSP
from unspoken.tables.policy.schema import LimitTable

__all__ = ["ColumnLine", "Finding", "NotLookedAt", "TableScan"]

LISTED = 24  # findings about given secrets that are listed as text
SHOWN = 3  # columns listed for each secret where every column is one in turn
SECRETS = 12  # secrets listed where every column is one in turn
DRAWN = 24  # columns, and secrets, of a picture
# The odds cap that a new project is given: pictures turn red beyond it.
CAP: float = LimitTable.model_fields["odds_cap"].default
NAMED = 16  # columns that a sentence lists
BAR = 5  # letters for all there is to tell of a secret
NUMBERS = ["from", "to", "of rows", "odds", "bits", ""]


@dataclass(frozen=True)
class NotLookedAt:
    """A column that was not looked at, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class Finding:
    """What one column tells of a secret: whoever sees ``value`` of it believes ``secret`` of
    ``about`` with ``after`` in place of ``before``. ``records``: the rows that have the value;
    ``factor``: on the odds; ``nats``: what the column tells of the secret on average;
    ``share_learned``: as a share of all there is to tell.
    """

    who: str
    value: str
    about: str
    secret: str
    before: float
    after: float
    records: int
    factor: float
    nats: float
    share_learned: float
    premise: Premise

    @property
    def odds(self) -> Bound:
        """The factor on the odds, by the shares of the rows."""
        return Bound(self.factor, self.factor, "odds", self.premise)

    @property
    def information(self) -> Bound:
        """The mutual information of the two columns."""
        return Bound(self.nats, self.nats, "nat", self.premise)

    def beyond(self, odds_cap: float) -> bool:
        """Whether the odds grow by more than the cap."""
        return self.factor > odds_cap

    def as_json(self) -> dict[str, Any]:
        return {
            "columns": [self.who],
            "value": self.value,
            "secret": self.about,
            "secret_value": self.secret,
            "from": self.before,
            "to": self.after,
            "records": self.records,
            "odds": json_number(self.factor),
            "bits": self.information.bits,
        }


@dataclass(frozen=True)
class ColumnLine:
    """What one column tells; ``numbers`` none: the column that those below tell of."""

    what: str
    numbers: Sequence[str] = ()


@dataclass(frozen=True, repr=False)
class TableScan(Framed, Tabled):
    """``findings``: what each column tells of each secret, by itself and by more than chance does,
    the most revealing first; of those there are ``found``, of which so many are kept.

    ``secrets``: the SQL that was asked about; none: every column in turn. ``looked_at``: the
    columns that were compared; ``grouped``: by what those of too many values have fewer;
    ``not_looked_at``: the others. ``comparisons``: how many pairs of values were compared.
    ``unsure``: the secrets that are NULL for some rows, which count as having it.
    """

    table: str
    rows: int
    secrets: tuple[str, ...]
    findings: tuple[Finding, ...]
    found: int
    looked_at: tuple[str, ...]
    not_looked_at: tuple[NotLookedAt, ...]
    grouped: Mapping[str, str]
    comparisons: int
    before: Mapping[str, Mapping[str, float]]
    unsure: tuple[str, ...] = ()

    def title(self) -> str:
        what = "what of a column"
        if len(self.secrets) == 1 and len(self.before[self.secrets[0]]) == 2:
            (secret,) = self.secrets
            share = self.before[secret].get("true")
            known = "" if share is None else f" ({prose.percent(share)} of rows)"
            what = f"whether {secret}{known}"
        elif self.secrets:
            what = f"what of {prose.listed(self.secrets)}"
        return f"{prose.rows(self.rows)}. Who tells {what}, by itself:"

    def columns(self) -> list[str]:
        return [
            "who: if it is" if self.is_about_one_label else "of, who: if it is → then",
            *NUMBERS,
        ]

    def lines(self) -> list[ColumnLine]:
        """Who tells what, the most revealing first."""
        if self.is_about_one_label:
            return [self._line(finding) for finding in self.findings[:LISTED]]
        lines = list[ColumnLine]()
        for about in [*self._by_secret][:SECRETS]:
            lines += [ColumnLine(about), *map(self._line, self._by_secret[about][:SHOWN])]
        return lines

    def cells(self) -> list[list[str]]:
        inner = "" if self.is_about_one_label else 2 * NBSP
        none = [""] * len(NUMBERS)
        return [
            [inner + line.what, *line.numbers] if line.numbers else [line.what, *none]
            for line in self.lines()
        ]

    def notes(self) -> list[tuple[str, str]]:
        return []

    def remarks(self) -> list[str]:
        return [*self.said(".to_frame() lists all")]

    def said(self, where: str) -> Iterator[str]:
        """What has to be said beside the table; ``where`` all of it is."""
        listed = sum(bool(line.numbers) for line in self.lines())
        if listed < self.found:
            yield f"These are {listed} of {self.found:,} findings; {where}."
        if not self.found:
            yield "No column tells of another more than chance would."
        if self.secrets:
            yield (
                "A blank in its own place, where nothing else is left out, tells a secret with "
                "certainty."
            )
        for secret in self.unsure:
            yield f"Rows for which {secret} is NULL count as rows for which it is true."
        yield (
            f"{self.comparisons:,} pairs of values were compared. If no columns went together and "
            "rows were independent, anything would be listed here with a probability of at most "
            f"{prose.percent(CHANCE)}. Leaks that concern few rows can be missed."
        )
        yield from self._said_of_columns()
        yield (
            f"The shares of {prose.rows(self.rows)} are taken for the truth; values that fewer "
            f"than {FEW} rows have are taken together. Columns together tell more than each by "
            "itself."
        )

    def _said_of_columns(self) -> Iterator[str]:
        reasons = dict[str, list[str]]()
        for column in self.not_looked_at:
            reasons.setdefault(column.reason, []).append(column.name)
        for reason, names in reasons.items():
            yield f"Not looked at: {_some(names)}: {reason}."
        ways = dict[str, list[str]]()
        for name, by in self.grouped.items():
            ways.setdefault(by, []).append(name)
        if ways:
            some = "; ".join(f"{_some(names)} by {by}" for by, names in ways.items())
            yield f"Grouped, of too many values: {some}."

    def records(self) -> list[dict[str, Any]]:
        """Each finding: who tells what, and what it makes likelier."""
        return [
            {
                "about": finding.about,
                "who": finding.who,
                "odds": finding.factor,
                "bits": finding.information.bits,
                "share_learned": finding.share_learned,
                "seen": finding.value,
                "secret": finding.secret,
                "before": finding.before,
                "after": finding.after,
                "records": finding.records,
            }
            for finding in self.findings
        ]

    def as_json(self) -> dict[str, Any]:
        """What each column tells of each secret, by itself, as data."""
        return {
            "table": self.table,
            "rows": self.rows,
            "secrets": list(self.secrets),
            "premise": f"learned({self.rows})",
            "findings": [finding.as_json() for finding in self.findings],
            "found": self.found,
            "not_looked_at": [
                {"column": column.name, "reason": column.reason} for column in self.not_looked_at
            ],
            "looked_at": list(self.looked_at),
            "grouped": dict(self.grouped),
            "shares": {name: dict(shares) for name, shares in self.before.items()},
            "comparisons": self.comparisons,
            "chance": CHANCE,
        }

    def plot(self) -> Picture:
        """A row a column, a column a secret: the worst odds and the bits of the most revealing."""
        entries = [f for about in [*self._by_secret][:DRAWN] for f in self._by_secret[about]]
        who = [*dict.fromkeys(finding.who for finding in self.findings)][:DRAWN]
        entries = [finding for finding in entries if finding.who in who]
        drawn = heat(entries, {name: name for name in who}, CAP, LIGHT)
        title = {"text": "What each column tells, by itself"}
        return Picture({**drawn, "title": title, "config": looks(LIGHT)})

    @property
    def is_about_one_label(self) -> bool:
        """Whether all findings are about one label of one secret."""
        return len(self.secrets) == 1 and set(self.before[self.secrets[0]]) == {"true", "false"}

    @cached_property
    def _by_secret(self) -> dict[str, list[Finding]]:
        """The findings about each secret, those first about which most is told."""
        found = dict[str, list[Finding]]()
        for finding in self.findings:
            found.setdefault(finding.about, []).append(finding)
        return found

    def _line(self, finding: Finding) -> ColumnLine:
        """What is read, what that makes likelier, from and to, how often; odds and bits of all.

        Names and values are in one column, so that few of them are broken where a line is short.
        """
        then = "" if self.is_about_one_label else f" → {finding.secret}"
        shares = (finding.before, finding.after, finding.records / self.rows)
        bits = prose.bits_of(finding.information, unit=False)
        bar = "▇" * round(BAR * finding.share_learned)
        odds = prose.odds_of(finding.odds)
        numbers = [*map(prose.percent, shares), odds, bits, bar]
        return ColumnLine(f"{finding.who}: {finding.value}{then}", numbers)


def _some(names: Sequence[str]) -> str:
    """So many names as a line takes, and how many more there are."""
    more = len(names) - NAMED
    return prose.listed([*names[:NAMED], *([f"{more:,} more"] if more > 0 else [])])
