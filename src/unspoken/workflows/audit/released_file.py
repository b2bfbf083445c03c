"""A released table that anybody made, beside its original: what blanks and shown cells give away.

Two questions. *Guesses* use the release alone (guessing.py).
*Attacks* are those on our own releases: they practise with the truth on a part of the rows, which
is more than an outsider has, and are counted on another. The control is the same with the truth
shuffled among the rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from unspoken.core.display import Shown, share
from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Array, Codes, Mask
from unspoken.storage.coins import fresh_draws
from unspoken.tables.engines.row_sql import RowSQL
from unspoken.workflows.audit.around import OF_UNITS, habits, worst_value
from unspoken.workflows.audit.attacks import PublicKnowledge
from unspoken.workflows.audit.beside import Around, Beside, beside
from unspoken.workflows.audit.guessing import Guessed, guessed
from unspoken.workflows.audit.hints import NOTHING
from unspoken.workflows.audit.judging import FAMILY, ClaimedBound, Verdict, attacked, furthest
from unspoken.workflows.audit.released_column import ReleasedColumn
from unspoken.workflows.audit.strays import Strays
from unspoken.workflows.audit.trials import WITHHELD_AS, Trials

__all__ = ["AuditedFile", "Guessed", "AttackedSecret", "audit_file"]

ATTACKS = ("frequent", "classified", "nearest")
OWN = "own blank"  # the attack that looks at one column's blank, and at nothing else
LEFT_OUT = "which rows are left out"  # what is known where rows are absent
FEW = 6  # values that are listed
ENOUGH = 20  # rows that have a value which is never shown: fewer may be so by chance


@dataclass(frozen=True)
class Sought:
    """What is looked for: in words, whose blank alone may tell it, and in which rows it is so.

    ``reads``: the columns whose shown cells tell it, all of them together, if any do. ``hidden``:
    whether limits are for it; of values that are shown now and then none is said to be.
    """

    about: str
    column: str | None
    truth: Mask
    reads: Sequence[str]
    hidden: bool = True

    def open(self, cells: Mapping[str, ReleasedColumn]) -> Mask:
        """In which rows it is shown as it is."""
        if not self.reads or not {*self.reads} <= {*cells}:
            return np.zeros(len(self.truth), dtype=bool)
        open_: Mask = self.truth.copy()
        for name in self.reads:
            open_ &= cells[name].as_is
        return open_


@dataclass(frozen=True, repr=False)
class AttackedSecret(Shown):
    """A secret looked for; ``naive``: of its column all its cells are blank, and no others.

    ``given``: what else is known of a row; None: nothing. ``rows``: or units, of a habit.
    """

    about: str
    rows: int
    naive: bool
    verdict: Verdict
    control: Verdict
    given: str | None = None

    @property
    def sought(self) -> str:
        """The secret, and given what."""
        return self.about if self.given is None else f"{self.about}, given {self.given}"

    def as_json(self) -> dict[str, Any]:
        found = {"about": self.about, "given": self.given, "rows": self.rows, "naive": self.naive}
        return {**found, **self.verdict.as_json(), "control": self.control.as_json()}

    def in_words(self) -> str:
        """What was found; that nothing was found says nothing of other attacks."""
        claim = self.verdict.claim
        if self.naive and self.given == LEFT_OUT:
            return (
                f"{self.about}: dropped without coins. Every row that is left out is one, and no "
                "other is, so to be left out tells it for certain (p = 1)."
            )
        if self.naive:
            return (
                f"{self.sought}: hidden without coins. Every blank is one and none is shown, so a "
                "blank tells it for certain (p = 1)."
            )
        claimed = claim.bound is not None and self.verdict.best is not None
        said = self.verdict.in_words() if claimed else self.verdict.measured()
        return f"{self.sought}: {said}."

    def facts(self) -> list[tuple[str, str]]:
        return [("about", self.sought), *self.verdict.facts(), ("in words", self.in_words())]


@dataclass(frozen=True, repr=False)
class AuditedFile(Shown):
    """What attacks on a released table came to. ``changed``: cells that show another value.

    ``strays``: released rows that were not attacked; ``absent``: how many of the original are in no
    release, which attacks look at where ``secret`` is a condition. ``beyond``: columns that the
    original has not, which attacks look at as they stand.
    """

    release: str
    against: str
    rows: int
    changed: int
    guessed: Sequence[Guessed]
    secrets: Sequence[AttackedSecret]
    chance: float
    strays: Sequence[Strays] = ()
    absent: int = 0
    beyond: Sequence[str] = ()

    @property
    def beaten(self) -> list[AttackedSecret]:
        """Where an attack beat the bound that was claimed."""
        return [secret for secret in self.secrets if secret.verdict.word == "fail"]

    @property
    def failed(self) -> bool:
        """Whether a bound was beaten, or a key stands there twice."""
        return bool(self.beaten) or any(stray.word == "fail" for stray in self.strays)

    def as_json(self) -> dict[str, Any]:
        return {
            "release": self.release,
            "against": self.against,
            "rows": self.rows,
            "strays": [stray.as_json() for stray in self.strays],
            "absent": self.absent,
            "beyond": list(self.beyond),
            "changed": self.changed,
            "guessed": [guess.as_json() for guess in self.guessed],
            "secrets": [secret.as_json() for secret in self.secrets],
        }

    def facts(self) -> list[tuple[str, str]]:
        said = [("secret", secret.in_words()) for secret in self.secrets]
        left_out = [("!", stray.in_words()) for stray in self.strays]
        head = ("release", f"{self.release}, {self.rows:,} rows of {self.against}")
        return [head, *said, *left_out]


def audit_file(
    release: str | Path | Sequence[str | Path],
    against: str | Path,
    keys: Sequence[str],
    secret: str | None = None,
    odds_cap: float | None = None,
    *,
    unit: Sequence[str] = (),
    context: Sequence[str] = (),
    previous: Sequence[str] = (),
    unit_bits: float | None = None,
) -> AuditedFile:
    """Attack a released table, whoever made it, with the original at hand: for its holder alone.

    ``keys`` name the rows of both. Several releases are attacked as whoever pools them sees them: a
    cell is shown where any shows it, and which do is seen. ``secret``: a condition on the original,
    such as "x = 'a'"; else for each column with blanks the values that are never shown.
    ``odds_cap``: by how much the releases are said to multiply odds of it at most, whatever is
    known of a row; of columns whose values are all shown now and then nothing is claimed. Each
    secret is looked for in rows, given each ``context`` (SQL over keys) and each column of the row
    before (``previous``), and as a habit of units, which some keys name; ``unit_bits``: what all
    rows of a unit are said to tell of it.
    """
    if odds_cap is not None and not 1 <= odds_cap < math.inf:
        raise InputError(f"--odds-cap: {odds_cap:g} must be 1 or more, and finite")
    if unit_bits is not None and not (unit and 0 <= unit_bits < math.inf):
        raise InputError(f"--unit-bits: {unit_bits:g} must be 0 or more, and of a --unit")
    files = [release] if isinstance(release, str | Path) else release
    around = Around(unit, context, previous)
    rows = beside(files, against, keys, secret, around)
    # A column of which nothing is shown is left out, rather than hidden.
    with_blanks = {n: c for n, c in rows.cells.items() if 0 < c.blank.sum() < c.given}
    in_part = {n: c for n, c in rows.cells.items() if c.blank.sum() < c.given}
    sought = _sought(rows, in_part, secret)
    looks = 1 + sum(len(each.frequent) for each in rows.contexts)
    groups = len(rows.grouped) + bool(unit)
    looks = looks * (len(ATTACKS) + 1) + OF_UNITS * groups + 1 + 2 * len(rows.hints)
    each = FAMILY / max(1, 2 * len(sought) * looks + 2 * len(with_blanks))
    found = list[AttackedSecret]()
    for about in sought:
        cells = rows.cells if secret else _unread(rows.cells, about.column)
        attack = _Attack(rows, about, cells, odds_cap, each)
        alone = attack.on_rows()
        found += [alone, *attack.given(), *attack.by_hints(alone)]
        if rows.absent and rows.left_out is not None:
            found.append(attack.on_absence(rows.left_out))
        if rows.units is not None:
            found.append(attack.on_units(rows.units, " and ".join(unit), unit_bits))
        found += attack.on_groups(alone, unit)
    return AuditedFile(
        rows.releases,
        rows.original.title,
        rows.rows,
        sum(column.changed for column in rows.cells.values()),
        [guessed(name, rows.cells, each) for name in with_blanks],
        found,
        FAMILY,
        rows.strays,
        rows.absent,
        rows.beyond,
    )


def _sought(rows: Beside, cells: Mapping[str, ReleasedColumn], secret: str | None) -> list[Sought]:
    """The condition that is given; else what is never shown of each column, or mostly not."""
    if secret is not None and rows.secret is not None:
        original = rows.original
        reads = RowSQL(original.columns, original.title).read(secret, "--secret").columns
        of = [name for name in reads if name in cells]
        return [Sought(secret, of[0] if len(of) == 1 else None, rows.secret, [*reads])]
    found = list[Sought]()
    for name, column in cells.items():
        hidden = column.hidden(FAMILY) or column.never_shown(ENOUGH)
        labels = hidden or column.mostly_blank(ENOUGH)
        if labels:
            listed = ", ".join(column.words[label] for label in labels[:FEW])
            listed += f" and {len(labels) - FEW} more" if len(labels) > FEW else ""
            truth = np.isin(column.truth, labels)
            about = f"{name} = {listed}"
            if not hidden:  # a secret that the holder may not have meant: what is blank of it
                about += f" ({share(column.blank[truth].mean())} of these blank)"
            found.append(Sought(about, name, truth, [name] if hidden else [], bool(hidden)))
    return found


def _unread(
    cells: Mapping[str, ReleasedColumn], column: str | None
) -> Mapping[str, ReleasedColumn]:
    """The same, but of this column it is not seen which of its values is shown.

    What is shown is no secret: the question is what blanks tell, what stands in place of values,
    and all other cells.
    """
    if column is None:
        return cells
    read = cells[column]
    return {**cells, column: replace(read, shown=np.where(read.valued, 0.0, read.shown))}


def _more(alone: AttackedSecret) -> float:
    """What is surely more than rows ``alone`` may tell; where nothing is claimed, than they do."""
    claim, best = alone.verdict.claim, alone.verdict.best
    if claim.bound is not None:
        return claim.bound
    return math.inf if best is None else (best.leakage.interval or (0.0, math.inf))[1]


@dataclass(frozen=True)
class _Attack:
    """On one secret, in what is seen of ``cells``."""

    rows: Beside
    sought: Sought
    cells: Mapping[str, ReleasedColumn]
    odds_cap: float | None
    chance: float

    @property
    def own(self) -> list[int]:
        """The place of the column whose blank alone may tell it."""
        return [place for place, name in enumerate(self.cells) if name == self.sought.column]

    @cached_property
    def seen(self) -> Array:
        none = np.zeros(self.rows.rows)  # of keys alone nothing is seen
        return np.stack([column.shown for column in self.cells.values()] or [none], 1)

    @cached_property
    def open(self) -> Mask:
        return self.sought.open(self.rows.cells)

    @cached_property
    def truths(self) -> tuple[Mask, Mask]:
        """As it is, and shuffled among the rows: the control."""
        truth = self.sought.truth
        return truth, truth[np.argsort(fresh_draws(len(truth)))]

    def on_rows(self) -> AttackedSecret:
        """In rows by themselves."""
        every = np.arange(self.rows.rows)
        real, control = self._judged(every), self._tried(self.truths[1], every)
        return AttackedSecret(self.sought.about, len(every), self._naive(every), real, control)

    def given(self) -> Iterator[AttackedSecret]:
        """Given each context, in the rows of that value of it where most is found."""
        for context in self.rows.contexts:
            about, worst = self.sought.about, worst_value(context, self._judged)
            if worst is not None:
                value, rows, verdict = worst
                control, given = self._tried(self.truths[1], rows), context.given(value)
                yield AttackedSecret(about, len(rows), self._naive(rows), verdict, control, given)
            elif not context.frequent:
                none = Verdict(self._claim(Trials(self.seen, self.truths[0])), ())
                yield AttackedSecret(about, 0, False, none, none, context.seldom)

    def by_hints(self, alone: AttackedSecret) -> Iterator[AttackedSecret]:
        """In rows that have a hint, by it, and by it beside the column's blank. A word is said of
        an order that tells anything, and of values that are written so as to tell ``more``.
        """
        for hint in self.rows.hints:
            rows = np.flatnonzero(hint.codes != NOTHING)
            if hint.column == self.sought.column is not None or not len(rows):
                continue
            seen = hint.codes[:, None].astype(float)
            real = self._frequent(seen, self.truths[0], rows)
            if real.best is not None and real.best.low > (_more(alone) if hint.column else 0.0):
                seen = np.column_stack([seen, self.seen[:, self.own]])
                both, control = (self._frequent(seen, truth, rows) for truth in self.truths)
                real = replace(real, reached=furthest([*real.reached, *both.reached]))
                yield AttackedSecret(self.sought.about, len(rows), False, real, control, hint.name)

    def on_groups(self, alone: AttackedSecret, unit: Sequence[str]) -> Iterator[AttackedSecret]:
        """In rows with a key in common, where they tell ``more``."""
        for key, codes in self.rows.grouped.items():
            found = self.on_units(codes, key, None)
            best = found.verdict.best
            if [key] != [*unit] and best is not None and best.low > _more(alone):
                yield found

    def _frequent(self, seen: Array, truth: Mask, rows: Codes) -> Verdict:
        return self._seen_alone(Trials(seen, truth).taken(rows), "frequent")

    def _seen_alone(self, trials: Trials, attack: str) -> Verdict:
        sizes = tuple(int(most) + 1 for most in trials.seen.max(0, initial=0))
        return attacked(
            self._claim(trials), PublicKnowledge(None, sizes), trials, (attack,), self.chance
        )

    def on_units(self, units: Codes, whose: str, unit_bits: float | None) -> AttackedSecret:
        """As a habit; the control has the habits shuffled among the units."""
        real = habits(units, Trials(self.seen, self.truths[0]))
        unit_bits = unit_bits if self.sought.hidden else None
        shuffled = np.argsort(fresh_draws(len(real.trials)))
        trials = replace(real.trials, secret=real.trials.secret[shuffled])
        found, control = (
            each.attacked(unit_bits, self.own, self.chance)
            for each in (real, replace(real, trials=trials))
        )
        return AttackedSecret(real.of(self.sought.about, whose), len(trials), False, found, control)

    def on_absence(self, trials: Trials) -> AttackedSecret:
        """In which rows of the original no release has: leaving out tells what a blank does."""
        shuffled = replace(trials, secret=trials.secret[np.argsort(fresh_draws(len(trials)))])
        real, control = (self._seen_alone(each, "blanks") for each in (trials, shuffled))
        naive = bool(((trials.seen[:, 0] == WITHHELD_AS) == trials.secret).all())
        return AttackedSecret(self.sought.about, len(trials), naive, real, control, LEFT_OUT)

    def _claim(self, trials: Trials) -> ClaimedBound:
        prior = float(trials.secret.mean())
        if self.odds_cap is None or not self.sought.hidden:
            return ClaimedBound("odds", None, prior, why="none is claimed")
        why = f"odds_cap = {self.odds_cap:g}"
        return ClaimedBound("odds", math.log(self.odds_cap), prior, why=why)

    def _naive(self, rows: Codes) -> bool:
        column, truth = self.sought.column, self.sought.truth[rows]
        return column is not None and bool((self.cells[column].unseen[rows] == truth).all())

    def _judged(self, rows: Codes) -> Verdict:
        return replace(self._tried(self.truths[0], rows), open=int(self.open[rows].sum()))

    def _tried(self, truth: Mask, rows: Codes) -> Verdict:
        trials = Trials(self.seen, truth).taken(rows)
        claim = self._claim(trials)
        known = PublicKnowledge(
            None, tuple(len(column.words) for column in self.cells.values()) or (1,)
        )
        found = [*attacked(claim, known, trials, ATTACKS, self.chance).reached]
        if self.own:
            alone = Trials(trials.seen[:, self.own], trials.secret)
            by_blanks = attacked(
                claim, PublicKnowledge(None, (1,)), alone, ("blanks",), self.chance
            ).reached
            found += [replace(attack, attack=OWN) for attack in by_blanks]
        return Verdict(claim, furthest(found))
