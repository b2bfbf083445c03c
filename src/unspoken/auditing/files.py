"""A released table that anybody made, beside its original: what blanks and shown cells give away.

Two questions. *Guesses* use the release alone: who has seen the shown cells of a column guesses the
blank ones by what else is shown of their rows (naive Bayes), beside always guessing the commonest.
*Attacks* are those on our own releases: they practise with the truth on a part of the rows, which
is more than an outsider has, and are counted on another. The control is the same with the truth
shuffled among the rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unspoken.auditing.attacks import Known
from unspoken.auditing.judging import FAMILY, Claim, Reached, Verdict, attacked
from unspoken.auditing.released_cells import Cells, cells_of, together, which_show
from unspoken.auditing.trials import WITHHELD_AS, Trials
from unspoken.display import Shown
from unspoken.engines.arrow import in_one, numbers
from unspoken.engines.duckdb import DuckTable
from unspoken.engines.protocol import Scan
from unspoken.engines.row_sql import RowSQL
from unspoken.errors import InputError
from unspoken.numerics.arrays import Array, Mask
from unspoken.numerics.binomial import lower_end, upper_end
from unspoken.numerics.coins import fresh_draws
from unspoken.types.bound import Estimate

__all__ = ["AuditedFile", "Guessed", "Secret", "audit_file"]

ATTACKS = ("frequent", "classified", "nearest")
OWN = "own blank"  # the attack that looks at one column's blank, and at nothing else
FEW = 6  # values that are listed
ENOUGH = 20  # rows that have a value which is never shown: fewer may be so by chance


@dataclass(frozen=True)
class Sought:
    """What is looked for: in words, whose blank alone may tell it, and in which rows it is so."""

    about: str
    column: str | None
    truth: Mask


@dataclass(frozen=True, repr=False)
class Guessed(Shown):
    """Blank cells of a column, guessed from what is shown: how often rightly, both ways."""

    column: str
    blanks: int
    learned: Estimate
    commonest: Estimate

    def as_json(self) -> dict[str, Any]:
        return {
            "column": self.column,
            "blanks": self.blanks,
            "learned": self.learned.as_json(),
            "commonest": self.commonest.as_json(),
        }

    def facts(self) -> list[tuple[str, str]]:
        return [
            ("blanks of", f"{self.column}, {self.blanks:,}"),
            ("learned", f"right in {_ends(self.learned)}"),
            ("commonest", f"right in {_ends(self.commonest)}"),
        ]


@dataclass(frozen=True, repr=False)
class Secret(Shown):
    """A secret looked for; ``naive``: of its column all its cells are blank, and no others."""

    about: str
    rows: int
    naive: bool
    verdict: Verdict
    control: Verdict

    def as_json(self) -> dict[str, Any]:
        found = {"about": self.about, "rows": self.rows, "naive": self.naive}
        return {**found, **self.verdict.as_json(), "control": self.control.as_json()}

    def in_words(self) -> str:
        """What was found; that nothing was found says nothing of other attacks."""
        claim, best = self.verdict.claim, self.verdict.best
        if self.naive:
            return (
                f"{self.about}: hidden without coins. Every blank is one and none is shown, so a "
                "blank tells it for certain (p = 1)."
            )
        if best is None:
            return f"{self.about}: too few rows to count."
        if claim.bound is not None:
            return f"{self.about}: {self.verdict.in_words()}."
        if best.low <= 0:
            return f"{self.about}: no attack here beat the prior, {claim.prior:.1%}."
        return (
            f"{self.about}: “{best.attack}” multiplies odds by {_factor(best)}; what it flags is "
            f"one in {best.right:.1%}, where {claim.prior:.1%} of all rows are."
        )

    def facts(self) -> list[tuple[str, str]]:
        return [("about", self.about), *self.verdict.facts(), ("in words", self.in_words())]


@dataclass(frozen=True, repr=False)
class AuditedFile(Shown):
    """What attacks on a released table came to. ``changed``: cells that show another value."""

    release: str
    against: str
    rows: int
    changed: int
    guessed: Sequence[Guessed]
    secrets: Sequence[Secret]
    chance: float

    @property
    def beaten(self) -> list[Secret]:
        """Where an attack beat the bound that was claimed."""
        return [secret for secret in self.secrets if secret.verdict.word == "fail"]

    def as_json(self) -> dict[str, Any]:
        return {
            "release": self.release,
            "against": self.against,
            "rows": self.rows,
            "changed": self.changed,
            "guessed": [guess.as_json() for guess in self.guessed],
            "secrets": [secret.as_json() for secret in self.secrets],
        }

    def facts(self) -> list[tuple[str, str]]:
        said = [("secret", secret.in_words()) for secret in self.secrets]
        return [("release", f"{self.release}, {self.rows:,} rows of {self.against}"), *said]


def audit_file(
    release: str | Path | Sequence[str | Path],
    against: str | Path,
    keys: Sequence[str],
    secret: str | None = None,
    odds_cap: float | None = None,
) -> AuditedFile:
    """Attack a released table, whoever made it, with the original at hand: for its holder alone.

    ``keys`` name the rows of both. Several releases are attacked as whoever pools them sees them: a
    cell is shown where any shows it, and which do is seen. ``secret``: a condition on the original,
    such as "x = 'a'"; else for each column with blanks the values that are never shown.
    ``odds_cap``: by how much the releases are said to multiply odds at most.
    """
    if odds_cap is not None and not 1 <= odds_cap < math.inf:
        raise InputError(f"--odds-cap: {odds_cap:g} must be 1 or more, and finite")
    original = _opened(against, keys, "--against")
    files = [release] if isinstance(release, str | Path) else release
    released = [_opened(each, keys, "--release") for each in files]
    columns = [_shared(each, original) for each in released]
    rows = _joined([*zip(released, columns, strict=True)], original, secret)
    cells = _pooled(rows, columns)
    # A column of which nothing is shown is left out, rather than hidden.
    with_blanks = {
        name: column for name, column in cells.items() if 0 < column.blank.sum() < column.given
    }
    sought = _sought(rows, with_blanks, secret, original)
    each = FAMILY / max(1, 2 * len(sought) * (len(ATTACKS) + 1) + 2 * len(with_blanks))
    return AuditedFile(
        ", ".join(each.title for each in released),
        original.title,
        rows.num_rows,
        sum(column.changed for column in cells.values()),
        [_guessed(name, cells, each) for name in with_blanks],
        [
            _secret(about, cells if secret else _unread(cells, about.column), odds_cap, each)
            for about in sought
        ],
        FAMILY,
    )


def _opened(path: str | Path, keys: Sequence[str], where: str) -> DuckTable:
    return DuckTable.open(path, keys=keys, title=str(path), at=lambda _: where)


def _read(table: DuckTable, columns: Sequence[str]) -> pa.Table:
    """Keys first, then these columns, in one piece."""
    names = dict.fromkeys([*table.keys, *columns])
    return pa.Table.from_batches(table.batches(Scan([*names], ordered=False))).combine_chunks()


def _true(name: str) -> str:
    return f"unspoken true {name}"


def _from(place: int, name: str) -> str:
    return f"unspoken {place} {name}"


SECRET = "unspoken secret"


def _shared(released: DuckTable, original: DuckTable) -> list[str]:
    keys = released.keys
    columns = [name for name in released.columns if name in original.columns and name not in keys]
    if not columns:
        raise InputError(
            f"--release: {released.title} and {original.title} share no column but keys"
        )
    return columns


def _pooled(rows: pa.Table, columns: Sequence[Sequence[str]]) -> dict[str, Cells]:
    """Each column as whoever has all releases sees it; of what several have, which of them show it.

    A row that a release has not is one of which it shows nothing.
    """
    found = dict[str, Cells]()
    for name in dict.fromkeys(name for each in columns for name in each):
        true = rows.column(_true(name))
        places = [place for place, each in enumerate(columns) if name in each]
        parts = [cells_of(rows.column(_from(place, name)), true) for place in places]
        found[name] = parts[0] if len(parts) == 1 else together(parts)
        if len(parts) > 1:
            found[f"which files show {name}"] = which_show(parts)
    return found


def _joined(
    released: Sequence[tuple[DuckTable, Sequence[str]]], original: DuckTable, secret: str | None
) -> pa.Table:
    """Released rows beside their originals, in random order."""
    keys, source = original.keys, _read(original, [*original.columns])
    if secret is not None:
        asked = RowSQL(original.columns, original.title)
        holds = asked.read(secret, "--secret", condition=True)
        (batch,) = source.combine_chunks().to_batches() or [source.to_batches()[0]]
        found = asked.over(batch, {SECRET: holds}, {SECRET: "--secret"})[SECRET]
        source = source.append_column(SECRET, pc.fill_null(found, False))
    renamed = [name if name in (*keys, SECRET) else _true(name) for name in source.column_names]
    tables = [
        _named(table, columns, place, source.schema)
        for place, (table, columns) in enumerate(released)
    ]
    shown = tables[0]
    for other in tables[1:]:
        shown = shown.join(other, list(keys), join_type="full outer")
    rows = shown.join(source.rename_columns(renamed), list(keys), join_type="inner")
    if not rows.num_rows:
        titles = " or ".join(table.title for table, _ in released)
        raise InputError(f"--keys: no row of {titles} is in {original.title}")
    return rows.take(pa.array(np.argsort(fresh_draws(rows.num_rows))))


def _named(table: DuckTable, columns: Sequence[str], place: int, schema: pa.Schema) -> pa.Table:
    """What it shows, by whose it is; keys as the original has them."""
    shown = _read(table, columns)
    for at, key in enumerate(table.keys):
        try:
            cast = shown.column(key).cast(schema.field(key).type)
        except pa.ArrowException as error:
            raise InputError(
                f'--keys: "{key}" is of another kind in {table.title}: {error}'
            ) from None
        shown = shown.set_column(at, key, cast)
    return shown.rename_columns([*table.keys, *(_from(place, name) for name in columns)])


def _sought(
    rows: pa.Table, cells: Mapping[str, Cells], secret: str | None, original: DuckTable
) -> list[Sought]:
    """The condition that is given; else what is never shown of each column, or mostly not."""
    if secret is not None:
        mask = numbers(in_one(rows.column(SECRET))).astype(bool)
        reads = RowSQL(original.columns, original.title).read(secret, "--secret").columns
        of = [name for name in reads if name in cells]
        return [Sought(secret, of[0] if len(of) == 1 else None, mask)]
    found = list[Sought]()
    for name, column in cells.items():
        labels = column.never_shown(ENOUGH) or column.mostly_blank(ENOUGH)
        if labels:
            listed = ", ".join(column.words[label] for label in labels[:FEW])
            listed += f" and {len(labels) - FEW} more" if len(labels) > FEW else ""
            found.append(Sought(f"{name} = {listed}", name, np.isin(column.truth, labels)))
    return found


def _unread(cells: Mapping[str, Cells], column: str | None) -> Mapping[str, Cells]:
    """The same, but of this column it is seen only whether it is blank.

    What is shown is no secret: the question is what blanks and all other cells tell.
    """
    if column is None:
        return cells
    read = cells[column]
    return {**cells, column: replace(read, shown=np.where(read.blank, WITHHELD_AS, 0.0))}


def _secret(
    sought: Sought, cells: Mapping[str, Cells], odds_cap: float | None, chance: float
) -> Secret:
    about, column, mask = sought.about, sought.column, sought.truth
    bound = None if odds_cap is None else math.log(odds_cap)
    why = "none is claimed" if odds_cap is None else f"odds_cap = {odds_cap:g}"
    claim = Claim("odds", bound, float(mask.mean()), why=why)
    shuffled = mask[np.argsort(fresh_draws(len(mask)))]
    verdicts = [_tried(claim, column, cells, truth, chance) for truth in (mask, shuffled)]
    naive = column is not None and bool((cells[column].blank == mask).all())
    return Secret(about, len(mask), naive, verdicts[0], verdicts[1])


def _tried(
    claim: Claim, column: str | None, cells: Mapping[str, Cells], truth: Mask, chance: float
) -> Verdict:
    seen = np.stack([column.shown for column in cells.values()], 1)
    known = Known(None, tuple(len(column.words) for column in cells.values()))
    found = [*attacked(claim, known, Trials(seen, truth), ATTACKS, chance).reached]
    if column is not None:
        alone = Trials(cells[column].shown[:, None], truth)
        by_blanks = attacked(claim, Known(None, (1,)), alone, ("blanks",), chance).reached
        found += [replace(attack, attack=OWN) for attack in by_blanks]
    return Verdict(claim, sorted(found, key=lambda attack: (-attack.low, -attack.leakage.value)))


def _guessed(name: str, cells: Mapping[str, Cells], chance: float) -> Guessed:
    """By what is shown in rows whose cell is shown: P(label) prod P(other cell | label)."""
    column, blank = cells[name], cells[name].blank
    size = len(column.words)
    usual = np.bincount(column.shown[~blank].astype(np.intp), minlength=size) + 1.0
    score = np.tile(np.log(usual / usual.sum()), (int(blank.sum()), 1))
    for other, beside in cells.items():
        if other != name:
            score += _told(beside, column, blank)
    truth = column.truth[blank]
    learned, commonest = score.argmax(1) == truth, truth == int(usual.argmax())
    return Guessed(
        name,
        int(blank.sum()),
        _share(learned, "learned from shown cells", chance),
        _share(commonest, "always the commonest that is shown", chance),
    )


def _told(beside: Cells, column: Cells, blank: Mask) -> Array:
    """log P(what is shown of another column | label), for each blank and label."""
    codes = (beside.shown - WITHHELD_AS).astype(np.intp)  # a blank is 0
    table = np.ones((len(column.words), len(beside.words) + 1))
    np.add.at(table, (column.shown[~blank].astype(np.intp), codes[~blank]), 1.0)
    logs: Array = np.log(table / table.sum(1, keepdims=True))
    return logs.T[codes[blank]]


def _share(right: Mask, why: str, chance: float) -> Estimate:
    hits, of = np.array([int(right.sum())]), len(right)
    ends = float(lower_end(hits, of, chance / 2)[0]), float(upper_end(hits, of, chance / 2)[0])
    return Estimate(float(hits[0]) / of, "probability", why, ends)


def _ends(share: Estimate) -> str:
    low, high = share.interval or (0.0, 1.0)
    return f"{share.value:.1%} ({low:.1%} to {high:.1%})"


def _factor(best: Reached) -> str:
    low, high = best.leakage.interval or (-math.inf, math.inf)
    most = "any factor" if math.isinf(high) else f"{math.exp(high):.3g}"
    return f"{math.exp(min(best.leakage.value, 700)):.3g} ({math.exp(low):.3g} to {most})"
