"""Whether the rows that came since are like those that were counted: exact, for the holder alone.

Labels are counted in both, of each attribute and of every two. The intervals for their shares hold
for both at once, noise and units included, with all but a chance of LEVEL (confidence.py). Where
the two intervals of a label do not meet, the rows are of another law; of rows of the same law that
is found with a chance of LEVEL at most. Of a tree, every two attributes were counted by themselves.
Rows that were counted are taken to be there still: what came since is what there is now, less what
was counted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import numpy as np

from unspoken.assessment.boxed import Boxed, box_of, boxed
from unspoken.assessment.leaks import views
from unspoken.assessment.moves import Moves, moves
from unspoken.assessment.samples import Axes, Sample, by_labels
from unspoken.core.errors import TooLarge
from unspoken.core.measures import MEASURES
from unspoken.core.mechanisms import Mechanism
from unspoken.core.numerics.arrays import Codes, Counts
from unspoken.storage.custody.believing import Believed, split_rows
from unspoken.storage.prose import NBSP
from unspoken.storage.rows.reading import Epochs
from unspoken.tables.engines.protocol import Scan, Table
from unspoken.tables.engines.sql import Expression, literal
from unspoken.tables.learning import Learned
from unspoken.tables.learning.counts.counting import Combinations
from unspoken.tables.learning.counts.pairs import PairCounts
from unspoken.tables.learning.counts.rows import count
from unspoken.tables.learning.intervals.confidence import Clusters
from unspoken.tables.learning.intervals.consistent import consistent
from unspoken.tables.learning.learned import learned_joint, learned_tree
from unspoken.tables.learning.marks.labels import NONE
from unspoken.tables.learning.pinned import JOINT, Pinned
from unspoken.tables.policy import Project

__all__ = ["LEVEL", "ByLabels", "Drift", "Drifted", "apart", "called", "drift"]

LEVEL = 0.05
FAR = 0.1  # of all rows
Ends = tuple[float, float]


@dataclass(frozen=True)
class Drifted:
    """The share of the rows with these labels: ``then`` and ``since`` are intervals apart.

    ``by_rows``: if all rows were independent; by units they are not apart.
    """

    labels: Mapping[str, str]
    then: Ends
    since: Ends
    by_rows: bool = False

    @property
    def gap(self) -> float:
        return max(self.since[0] - self.then[1], self.then[0] - self.since[1])

    def in_words(self, project: Project) -> str:
        """Exact, so for the holder alone."""
        labels = " and ".join(f"{name} \u201c{label}\u201d" for name, label in self.labels.items())
        few = f"; counted by {', '.join(project.source.unit)} it may be chance all the same"
        return (
            f"{labels} {_share(self.then)} of the rows then, {_share(self.since)} now"
            f"{few if self.by_rows else ''}"
        )


@dataclass(frozen=True)
class Drift:
    """``rows``: how many came since; ``found``: what differs, the most first; ``unlisted``: rows
    with a value that nobody counted, of each attribute: these are withheld. ``odds``: the worst
    under the plan by the rows since (a plug-in), ``boxed`` for every belief that they leave
    possible. ``moves``: how far shares have to move to be found, None where that was not asked;
    ``units``: whose rows these are, where one has several.
    """

    rows: int
    found: Sequence[Drifted] = ()
    unlisted: Mapping[str, int] = field(default_factory=dict)
    odds: float = 1.0
    boxed: Sequence[Boxed] = ()
    moves: Moves | None = None
    units: Clusters | None = None


def drift(
    project: Project,
    table: Table,
    believed: Believed,
    learned: Learned,
    mechanism: Mechanism,
    every: bool = True,
) -> Drift:
    """Of what is released by ``mechanism``. ``every``: look at every belief that the rows leave
    possible, too, and at what could be found, which takes longer.
    """
    pinned = believed.pinned
    rows = split_rows(project, table, history=False)
    units = _units(project, rows, pinned)
    then, since, unlisted = _samples(project, rows, pinned, learned, units, rows is table)
    if since.rows <= 0:
        return Drift(0, (), unlisted)
    like = _like(project, learned, since)
    cloud = views(like.belief, mechanism, like.sensitive, project.reads)
    odds = max((MEASURES["odds"].of(view).odds for view in cloud.values()), default=1.0)
    found, worst = _found(learned, then, since), list[Boxed]()
    with suppress(TooLarge):
        if every and like.joint is not None:
            noisy = since.scale is not None
            joint = next(iter(since.tables.values()))
            counts = replace(pinned, tables={JOINT: joint}) if noisy else None
            worst = boxed(project, like, box_of(project, like, counts, units), mechanism)
    seen = moves(then, since, LEVEL) if every else None
    return Drift(since.rows, found, unlisted, odds, worst, seen, units)


def _like(project: Project, learned: Learned, since: Sample) -> Learned:
    """The belief that these rows are, in the form of the one that was learned."""
    labellings = [learned.labelling[name] for name in project.attributes]
    tables = {axes: consistent(counts, since.rows) for axes, counts in since.tables.items()}
    if learned.joint is not None:
        return learned_joint(project, labellings, next(iter(tables.values())))
    pairs = {(i, j): counts for (i, j), counts in tables.items()}
    return learned_tree(project, labellings, PairCounts.of(pairs, len(labellings)))


def apart(
    project: Project,
    table: Table,
    believed: Believed,
    learned: Learned,
    level: float,
    epochs: Collection[str] = (),
) -> list[Drifted]:
    """What differs alone, the most first: for whoever looks often. ``level``: the chance to find
    something where there is nothing, of this look. ``epochs``: of the rows since, those of these
    alone, where they can be told from those that were counted.
    """
    pinned = believed.pinned
    rows = split_rows(project, table, history=False)
    if rows is not table and epochs:
        rows = _within(project, rows, epochs)
    units = _units(project, rows, pinned)
    then, since, _ = _samples(project, rows, pinned, learned, units, rows is table)
    found = _apart(learned, then, since, level=level) if since.rows > 0 else ()
    return sorted(found, key=lambda each: -each.gap)


@dataclass(frozen=True)
class ByLabels:
    """Rows that were counted by label while they were read for something else, beside those that
    the belief was counted of: of these ``axes`` alone.
    """

    learned: Learned
    then: Sample
    since: Sample
    axes: Sequence[int]
    level: float

    @classmethod
    def of(
        cls,
        project: Project,
        rows: Table,
        believed: Believed,
        learned: Learned,
        counts: Mapping[str, Codes],
        of_each: Counts,
        level: float,
    ) -> ByLabels:
        """``of_each`` says how many ``rows`` have each combination of labels, of which ``counts``
        has the label of each of some attributes.
        """
        axes = [axis for axis, name in enumerate(learned.labels) if name in counts]
        tables = by_labels(believed.pinned, learned.labels, counts, of_each)
        units = _units(project, rows, believed.pinned)
        since = Sample(tables, int(of_each.sum()), None, units)
        then = Sample.pinned(believed.pinned, list(learned.labels))
        return cls(learned, then, since, axes, level)

    def found(self) -> list[Drifted]:
        """What differs, the most first."""
        if not self.since.rows:
            return []
        return _found(self.learned, self.then, self.since, self.level, self.axes)

    def moves(self) -> Moves:
        """How far shares have to move to be found by that."""
        return moves(self.then, self.since, self.level, self.axes)


def _within(project: Project, rows: Table, epochs: Collection[str]) -> Table:
    """The rows of these epochs."""
    naming, texts = Epochs.of(project, rows), set[str]()
    for batch in rows.batches(Scan(list(rows.keys), ordered=False)):
        for name, known in naming.rows(batch)[1].items():
            texts.update(known if name in epochs else ())
    return called(project, rows, texts)


def called(project: Project, rows: Table, texts: Collection[str]) -> Table:
    """The rows of the epochs that the engine calls so."""
    which = Epochs.of(project, rows).among(texts)
    if which is None:
        return rows
    listed = ", ".join(literal(text) for text in sorted(texts))
    named = which.expression
    sql = f"CAST({named.sql} AS VARCHAR) IN ({listed})"
    return rows.only(Expression(sql, "BOOLEAN", named.columns), True)


def _samples(
    project: Project,
    rows: Table,
    pinned: Pinned,
    learned: Learned,
    units: Clusters | None,
    counted: bool,
) -> tuple[Sample, Sample, dict[str, int]]:
    """What was counted, and what came since; ``counted``: the rows have what was counted, too."""
    (now, many), unlisted = _counted(project, rows, pinned, learned)
    then = Sample.pinned(pinned, list(learned.labels))
    since = Sample(now, many, None, units)
    return then, since.less(then) if counted else since, unlisted


def _found(
    learned: Learned,
    then: Sample,
    since: Sample,
    level: float = LEVEL,
    axes: Sequence[int] | None = None,
) -> list[Drifted]:
    """What differs, the most first. Where nothing does since units are few, whose rows may depend
    on each other: what would if no rows did, as far as that is FAR.
    """
    found = [*_apart(learned, then, since, level=level, axes=axes)]
    if not found and since.units is not None:
        alone = replace(then, units=None), replace(since, units=None)
        loosely = _apart(learned, *alone, level=level, axes=axes)
        found = [replace(each, by_rows=True) for each in loosely if each.gap >= FAR]
    return sorted(found, key=lambda each: -each.gap)


def _apart(
    learned: Learned,
    then: Sample,
    since: Sample,
    *,
    level: float = LEVEL,
    axes: Sequence[int] | None = None,
) -> Iterator[Drifted]:
    """Labels whose shares cannot have been the same; ``axes``: of these attributes; None: all."""
    names, sets = list(learned.labels), then.sets(axes)
    for some in sets:
        missed = level / (2 * len(sets))
        if then.near(since, some, missed):
            continue
        before, after = (each.ends(some, missed) for each in (then, since))
        apart = (after[0] > before[1]) | (after[1] < before[0])
        for place in map(tuple, np.argwhere(apart)):
            labels = [(names[axis], k) for axis, k in zip(some, place, strict=True)]
            yield Drifted(
                {name: learned.labels[name][k] for name, k in labels},
                (float(before[0][place]), float(before[1][place])),
                (float(after[0][place]), float(after[1][place])),
            )


def _share(ends: Ends) -> str:
    low, high = (round(100 * end) for end in ends)
    return f"{low}-{high}{NBSP}%" if low < high else f"{low}{NBSP}%"


def _units(project: Project, rows: Table, pinned: Pinned) -> Clusters | None:
    """Whose rows they are, where one has several."""
    if pinned.units is None:
        return None
    groups, largest = rows.groups(project.source.unit, project.at("source", "unit"))
    return Clusters(groups, max(largest, project.source.rows_per_unit or 1))


def _counted(
    project: Project, rows: Table, pinned: Pinned, learned: Learned
) -> tuple[tuple[dict[Axes, Counts], int], dict[str, int]]:
    """Rows by label, and how many have one of each; and of each attribute those without one."""
    labellings = [learned.labelling[name] for name in project.attributes]
    cells = [labelling.cells for labelling in labellings]
    marked = Combinations([each.marks for each in cells])
    count(project, cells, rows, marked.add)
    marks, counts = marked.held()
    codes = [each.codes(mark) for each, mark in zip(labellings, marks, strict=True)]
    strange = {
        name: int(counts[code == NONE].sum())
        for name, code in zip(project.attributes, codes, strict=True)
    }
    known = np.all([code != NONE for code in codes], axis=0)
    labels = {each.cells.name: each.names for each in labellings}
    held = {name: code[known] for name, code in zip(labels, codes, strict=True)}
    tables = by_labels(pinned, labels, held, counts[known])
    return (tables, int(counts[known].sum())), {name: n for name, n in strange.items() if n}
