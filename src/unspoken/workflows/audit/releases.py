"""A project's own releases attacked: every released row joined to its source, and the secret looked
for in what is shown and withheld of it.

Coins of rows are independent, so rows are trials. They come in random order: the part by which an
attack is judged is then a sample of the whole table, whose law the limits are about. Beside each
release the naive one of the same rows: sensitive cells blank, all others shown. Each secret is
looked for in rows by themselves, given each context of the project, and as a habit of its units.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unspoken.core.display import Shown, share
from unspoken.core.errors import InputError
from unspoken.core.numerics.arrays import Array, Codes
from unspoken.storage.coins import fresh_draws
from unspoken.storage.rows.outputs import draws_of
from unspoken.storage.rows.reading import missing
from unspoken.tables.engines.arrow import in_one, numbers
from unspoken.tables.engines.handed_in import ArrowStream
from unspoken.tables.policy import Project
from unspoken.workflows.audit.around import (
    OF_UNITS,
    ContextColumn,
    context_of,
    grouped,
    habits,
    lacking,
    worst_value,
)
from unspoken.workflows.audit.attacks import PublicKnowledge
from unspoken.workflows.audit.judging import FAMILY, ClaimedBound, Verdict, attacked
from unspoken.workflows.audit.sources import GIVEN, codes_of, gaps, hidden, labels, laid_open
from unspoken.workflows.audit.strays import Strays, parted
from unspoken.workflows.audit.trials import WITHHELD_AS, Trials
from unspoken.workflows.release import Prepared, prepare
from unspoken.workflows.serve.released import Paper, papers, read

__all__ = ["Attacked", "Audited", "audit"]

ATTACKS = ("frequent", "classified", "blanks")
PLACE = "unspoken place"  # of a row, a column beside those of a release


@dataclass(frozen=True, repr=False)
class Attacked(Shown):
    """A secret of ``about``, looked for in what was ``reader`` given (None: all) by so many
    ``draws``, side by side; ``naive``: the same attacks where sensitive cells alone are blank.
    ``given``: what else is known of a row; None: nothing. ``rows``: or units, of a habit.
    """

    reader: str | None
    about: str
    rows: int
    verdict: Verdict
    naive: Verdict
    draws: int = 1
    given: str | None = None

    @property
    def whom(self) -> str:
        """In words."""
        who = "everybody" if self.reader is None else self.reader
        return who if self.draws == 1 else f"{who}, {self.draws} draws"

    @property
    def sought(self) -> str:
        """The secret, and given what."""
        return self.about if self.given is None else f"{self.about}, given {self.given}"

    def as_json(self) -> dict[str, Any]:
        """Both verdicts with every attack."""
        who = {"for": self.reader, "about": self.about, "given": self.given}
        counts = {"rows": self.rows, "draws": self.draws}
        return {**who, **counts, **self.verdict.as_json(), "naive": self.naive.as_json()}

    def in_words(self) -> str:
        """The verdict, beside what is left of secrets where sensitive cells alone are blank."""
        said = f"About {self.sought}, to {self.whom}: {self.verdict.in_words()}"
        if self.verdict.claim.bound is None:
            return f"{said}; {self.verdict.measured()}."
        best = self.naive.best
        if best is None or not best.flagged:
            return f"{said}."
        return (
            f"{said}. Had sensitive cells alone been blank, “{best.attack}” would have found "
            f"{share(best.recovered)} of the secrets, and been right in {share(best.right)}."
        )

    def facts(self) -> list[tuple[str, str]]:
        return [
            ("released to", f"{self.whom}, {self.rows:,} rows"),
            ("about", self.sought),
            *self.verdict.facts(),
            ("in words", self.in_words()),
        ]


@dataclass(frozen=True, repr=False)
class Audited(Shown):
    """What attacks on the releases of a project came to; ``strays``: rows that they left out;
    ``promise``: the limits that were attacked, and for which priors they hold.
    """

    project: Path
    attacked: Sequence[Attacked]
    chance: float
    strays: Sequence[Strays] = ()
    promise: Sequence[str] = ()

    @property
    def beaten(self) -> list[Attacked]:
        """Where an attack beat the limit, or needs none: a sensitive cell is never to be shown."""
        return [each for each in self.attacked if each.verdict.word == "fail" or each.verdict.open]

    @property
    def failed(self) -> bool:
        """Whether a limit was beaten, or a key stands there twice."""
        return bool(self.beaten) or any(stray.word == "fail" for stray in self.strays)

    def facts(self) -> list[tuple[str, str]]:
        said = [(attacked.sought, attacked.verdict.in_words()) for attacked in self.attacked]
        promised = [("promise", line) for line in self.promise]
        strays = [("!", stray.in_words()) for stray in self.strays]
        return [("project", str(self.project)), *promised, *said, *strays]


def audit(project: Project | str | Path, *, table: ArrowStream | None = None) -> Audited:
    """Attack what was released of a project, with its source at hand: for the holder alone.

    Nothing is charged or written. Limits are declared for each row, and so is what is attacked:
    in each release by itself, and in all draws of it side by side; and beside that, what is known
    of rows by their contexts, and what all rows of a unit tell. Rows that no row of the source
    stands for are named, in ``strays``. ``table``: a frame whose rows stand in for those of its
    source, as where it was released from one.
    """
    ready = prepare(project, table=table)
    sights = [*_released(ready)]
    if not sights:
        release = ready.project.files.release.name
        raise InputError(f"{release}: nothing is released yet; first unspoken release")
    given = [sight for sight in sights if sight.rows.num_rows]
    secrets = ready.learned.secrets
    each = FAMILY / max(1, 2 * len(secrets) * sum(map(_intervals, given)))
    found = [
        one for sight in given for about in secrets for one in _each(ready, sight, about, each)
    ]
    strays = dict.fromkeys(stray for sight in sights for stray in sight.strays)
    return Audited(ready.project.path, found, FAMILY, [*strays], ready.promise.lines())


@dataclass(frozen=True)
class _Sight:
    """What a ``reader`` has: ``rows`` with the labels that the source has, and ``shown`` of them by
    each draw, in the same order. ``reads``: the attributes that were released, whatever is read by
    now. ``grouped``: by which rows are put together. ``public``: of which attributes it is that
    values are missing. ``strays``: rows of it that the source has not.
    """

    reader: str | None
    reads: Sequence[str]
    rows: pa.Table
    shown: Sequence[pa.Table]
    contexts: Sequence[ContextColumn]
    grouped: Mapping[tuple[str, ...], Codes]
    public: Sequence[str]
    strays: Sequence[Strays]


def _intervals(sight: _Sight) -> int:
    values = sum(len(context.frequent) for context in sight.contexts)
    return (1 + values) * len(ATTACKS) + len(sight.grouped) * OF_UNITS


def _released(ready: Prepared) -> Iterator[_Sight]:
    """To whom what was given, in random order: by the first draw, and by all that there are."""
    project, source = ready.project, None
    for reader in (*(() if project.divided else (None,)), *project.applications):
        served = project.serving(reader)
        drawings = [replace(served, files=files) for files in draws_of(served.files)]
        reads = _released_attributes(project, drawings)
        drawn, strays = list[pa.Table](), list[Strays]()
        for drawing in drawings:
            rows, _ = read(drawing, reads, None)
            if rows is None:
                continue
            source = labels(ready, rows.schema) if source is None else source
            keys, table = ready.table.keys, ready.table.title
            kept, stray = parted(rows, source, keys, drawing.files.release.name, table)
            drawn.append(kept)
            strays += [] if stray is None else [stray]
        if drawn:
            yield _sight(ready, reader, reads, source, drawn[:1], strays)
        if len(drawn) > 1:
            yield _sight(ready, reader, reads, source, drawn, strays)


def _released_attributes(project: Project, drawings: Sequence[Project]) -> list[str]:
    """The attributes that the files have by their manifests: `reads` may have changed since."""
    names = {name for each in drawings for paper in papers(each) for name in _names(paper)}
    for name in sorted(names - {*project.attributes}):
        raise InputError(
            f"attribute.{name}: is in what was released, and is not declared any more; declare it "
            "as it was (no application needs to read it), and audit again"
        )
    return [name for name in project.attributes if name in names]


def _names(paper: Paper) -> Sequence[str]:
    return [*paper.manifest["attributes"]]


def _sight(
    ready: Prepared,
    reader: str | None,
    reads: Sequence[str],
    source: pa.Table,
    drawn: Sequence[pa.Table],
    strays: Sequence[Strays],
) -> _Sight:
    """Of several draws the rows that two of them have at least: others are in one by itself."""
    keys, project = ready.table.keys, ready.project
    rows = pa.concat_tables([each.select(keys) for each in drawn]).group_by(keys)
    rows = rows.aggregate([([], "count_all")])
    rows = rows.filter(pc.greater_equal(rows["count_all"], min(2, len(drawn))))
    joined = rows.drop_columns("count_all").join(source, list(keys), join_type="inner")
    joined = joined.take(pa.array(np.argsort(fresh_draws(joined.num_rows))))
    place = joined.select(keys).append_column(PLACE, pa.array(np.arange(joined.num_rows)))
    shown = [place.join(each, list(keys), join_type="left outer").sort_by(PLACE) for each in drawn]
    lacks, given = gaps(ready, joined), project.plan.given
    by = grouped(joined, project.source.unit, keys)
    contexts = [
        context_of(name, joined[GIVEN.format(name)], given == name and not lacks)
        for name in project.contexts
    ]
    if lacks:
        contexts.append(context_of("missing", lacking(lacks), _has_record_coins(ready)))
    return _Sight(reader, reads, joined, shown, contexts, by, [*lacks], strays)


def _has_record_coins(ready: Prepared) -> bool:
    """Whether the plan has record coins, whose limits hold given which values are missing."""
    adopted = ready.adopted
    if adopted is None:
        return ready.project.plan.by == "record"
    return bool(adopted.mechanism.record_coins())


def _each(ready: Prepared, sight: _Sight, about: str, chance: float) -> Iterator[Attacked]:
    """The secret looked for in rows, given each context, and as a habit of units."""
    reads, draws = sight.reads, len(sight.shown)
    secret = hidden(ready, sight.rows, about)
    shown = np.concatenate([_shown(reads, each) for each in sight.shown], 1)
    seen = shown, _naive(ready, reads, sight.rows)
    as_is = np.zeros(len(secret), dtype=bool)
    for each in sight.shown:
        if about in each.column_names:
            as_is |= laid_open(ready, sight.rows, each, about)

    def judged(which: Array, rows: Codes | slice, held: bool) -> Verdict:
        trials = Trials(which, secret).taken(rows)
        claim = _claim(ready.project, float(trials.secret.mean()), held)
        known = PublicKnowledge(None, tuple(max(1, int(most) + 1) for most in which.max(0)))
        return attacked(claim, known, trials, ATTACKS, chance)

    def found(rows: Codes | slice, of: int, held: bool, given: str | None) -> Attacked:
        real, naive = (judged(which, rows, held) for which in seen)
        real = replace(real, open=int(as_is[rows].sum()))
        return Attacked(sight.reader, about, of, real, naive, draws, given)

    # What is missing in public is beside what is shown, and no limit counts what it tells: plans by
    # record keep theirs given any of it, which is a context here.
    yield found(slice(None), len(secret), {*reads}.isdisjoint(sight.public), None)
    for context in sight.contexts:
        worst = worst_value(context, partial(judged, shown, held=context.held))
        if worst is not None:
            yield found(worst[1], len(worst[1]), context.held, context.given(worst[0]))
        elif not context.frequent:
            none = Verdict(_claim(ready.project, float(secret.mean()), context.held), ())
            yield Attacked(sight.reader, about, 0, none, none, draws, context.seldom)
    yield from _habits(ready, sight, about, [Trials(which, secret) for which in seen], chance)


def _habits(
    ready: Prepared, sight: _Sight, about: str, trials: Sequence[Trials], chance: float
) -> Iterator[Attacked]:
    """Of all rows of a unit; and of those with a key in common, where they surely tell more than
    the cap lets a row: any rows tell something of how many have a secret.
    """
    source, limits = ready.project.source, ready.project.limits
    reads = sight.reads
    own = [k for k in range(trials[0].seen.shape[1]) if reads[k % len(reads)] == about]
    for names, codes in sight.grouped.items():
        is_unit = set(names) == set(source.unit)
        of_units = [habits(codes, each) for each in trials]
        bits = limits.unit_bits if is_unit else None
        real, naive = (each.attacked(bits, own, chance) for each in of_units)
        low = -math.inf if real.best is None else real.best.low
        if is_unit or low > math.log(limits.odds_cap):
            habit, of = of_units[0].of(about, " and ".join(names)), len(of_units[0].trials)
            yield Attacked(sight.reader, habit, of, real, naive, len(sight.shown))


def _claim(project: Project, prior: float, held: bool) -> ClaimedBound:
    """ln odds_cap, where every answer has to keep it; ``held``: given what is known."""
    limits = project.limits
    every = limits.exceed == 0 and limits.odds_cap < math.inf
    bound = math.log(limits.odds_cap) if every and held else None
    if not held:
        why = "no limit is about this: they hold given what [plan] given names, and missing values"
        return ClaimedBound("odds", None, prior, why=why)
    why = f"odds_cap = {limits.odds_cap:g}" if every else "no cap holds for every answer"
    return ClaimedBound("odds", bound, prior, why=why)


def _shown(reads: Sequence[str], rows: pa.Table) -> Array:
    """[row, attribute] -> the number of what is shown; a value that is missing is shown to be."""
    return np.stack([_column(rows, name) for name in reads], 1)


def _column(rows: pa.Table, name: str) -> Array:
    if name not in rows.column_names:  # another draw has it
        return np.full(rows.num_rows, float(WITHHELD_AS))
    words = in_one(rows.column(name)).dictionary_encode()
    found = numbers(words.indices.fill_null(int(WITHHELD_AS))).astype(float)
    if missing(name) in rows.column_names:
        released = in_one(rows.column(missing(name)))
        found[numbers(pc.fill_null(released, False).cast(pa.int8())) > 0] = len(words.dictionary)
    return found


def _naive(ready: Prepared, reads: Sequence[str], rows: pa.Table) -> Array:
    """The same, if sensitive cells were blank and all others shown."""
    return np.stack(
        [np.where(hidden(ready, rows, name), WITHHELD_AS, codes_of(rows, name)) for name in reads],
        1,
    )
