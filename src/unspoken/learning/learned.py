"""A belief learned from a table: how often combinations of labels occur, and a stated prior.

As long as all combinations can be counted, it is their joint table, smoothed (smoothing.py). Beyond
that, or where the project asks for it, it is the tree that keeps the most of what pairs of
attributes show (chow_liu.py).

One thing is not smoothed: what is impossible by definition. Where a cell is split into sensitive
and free rows by a predicate that reads another attribute, a pair of their labels that no row has
stays impossible, as the predicate tells it: somebody who knows the predicate is certain there, and
a belief that is not would call certainty unlikely.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unspoken.beliefs import Belief, Joint
from unspoken.display import Shown
from unspoken.engines.duckdb import Table
from unspoken.errors import InputError, TooLarge
from unspoken.learning.cells import Cells
from unspoken.learning.chow_liu import ChowLiu
from unspoken.learning.impossible import Predicates
from unspoken.learning.kept import Kept
from unspoken.learning.labels import Labels
from unspoken.learning.pairs import Pairs
from unspoken.learning.smoothing import marginal, smoothed
from unspoken.numerics.arrays import Array, Codes
from unspoken.policy import Project
from unspoken.types.premise import Premise

__all__ = ["CELLS", "Learned", "learn", "refuse_size"]

CELLS = 2**20  # combinations of labels up to which a whole joint is learned


@dataclass(frozen=True, repr=False)
class Learned(Shown):
    """``belief`` over ``labels``, of which ``sensitive`` ones are never released.

    ``codes``: {attribute: SQL over the row} for the position of its label, to be used again by a
    release; NULL is a row of a kind that was not there when this was learned: withhold it, and
    learn again. ``counts``: rows a label. ``tree``: what there is beside the belief, if it is one.
    """

    belief: Belief
    sensitive: Mapping[str, tuple[str, ...]]
    labels: Mapping[str, tuple[str, ...]]
    codes: Mapping[str, str]
    counts: Mapping[str, tuple[int, ...]]
    rows: int
    prior_rows: float
    tree: Kept | None = None

    @property
    def form(self) -> str:
        """One of the forms a belief has: "joint" or "tree"."""
        return "joint" if self.tree is None else "tree"

    def facts(self) -> list[tuple[str, str]]:
        told = [("rows", f"{self.rows:,}, and {self.prior_rows:.6g} of a prior")]
        for name, labels in self.labels.items():
            hidden = sum(
                count
                for label, count in zip(labels, self.counts[name], strict=True)
                if label in self.sensitive[name]
            )
            share = f"{hidden / self.rows:.1%} of the rows sensitive"
            told.append((name, f"{len(labels)} labels, {share}"))
        return [*told, ("form", self.form), ("premise", str(self.belief.premise))]


def learn(project: Project, table: Table) -> Learned:
    """Learn the belief about a project's attributes, in one pass over its table.

    ``project.form``: "joint" (and None), or "tree": the strongest pairs only, of many attributes.
    That shows less than there is, so it is taken only where somebody asks for it.
    """
    names = tuple(project.attributes)
    places = {name: project.at("attribute", name) for name in names}
    for name in names:
        table.column(name, places[name])
    table.check_finite(places)
    cells = [Cells.of(project, attribute, table) for attribute in project.attributes.values()]
    if project.form != "tree":
        refuse_size(names, [len(own.names) for own in cells])
    marked = {own.attribute.name: own.mark for own in cells}
    if project.form == "tree":
        pairs = _counted(names, cells, table.rows(marked, (), places))
        labels = [
            _labelled(own, table, _held(single))
            for own, single in zip(cells, pairs.single, strict=True)
        ]
        return _tree(project, cells, labels, pairs)
    groups = table.groups(marked, places)
    *marks, counts = (_whole(column) for column in groups.columns)
    labels = [
        _labelled(own, table, _totals(mark, counts)) for own, mark in zip(cells, marks, strict=True)
    ]
    refuse_size(names, [len(own.names) for own in labels])  # split into sensitive and free
    return _whole_joint(project, cells, labels, _joint(labels, marks, counts))


def refuse_size(names: Sequence[str], sizes: Sequence[int]) -> None:
    """Refuse to count more combinations than a joint table may have."""
    cells = math.prod(sizes)
    if cells > CELLS:
        listed = ", ".join(f"{name} {size}" for name, size in zip(names, sizes, strict=True))
        raise TooLarge(
            f"learn: {cells:,} combinations of labels, more than {CELLS:,} ({listed}); give the "
            'largest fewer bins or values, or take form = "tree", which keeps the strongest pairs '
            "only and may show far too little"
        )


# ---------------------------------------------------------------- a joint table


def _whole_joint(
    project: Project, cells: Sequence[Cells], labels: Sequence[Labels], joint: Array
) -> Learned:
    rows, prior_rows = int(joint.sum()), _prior_rows(project, joint.sum())
    smooth = smoothed(joint, prior_rows, Predicates(cells, labels).in_all(joint))
    names, listed = tuple(project.attributes), [own.names for own in labels]
    belief = Joint(smooth, names, listed, Premise.learned(rows))
    singles = [marginal(joint, axis) for axis in range(joint.ndim)]
    return _described(belief, cells, labels, singles, prior_rows)


def _joint(
    labels: Sequence[Labels], marks: Sequence[npt.NDArray[Any]], counts: npt.NDArray[Any]
) -> Array:
    """Rows of each combination of labels."""
    shape = tuple(len(own.names) for own in labels)
    codes = [
        np.array([-1 if code is None else code for code in own.code])[mark]
        for own, mark in zip(labels, marks, strict=True)
    ]
    joint = np.zeros(shape)
    np.add.at(joint, tuple(codes), counts)
    return joint


# ---------------------------------------------------------------- a tree of pairs


def _tree(
    project: Project, cells: Sequence[Cells], labels: Sequence[Labels], marked: Pairs
) -> Learned:
    pairs = marked.renamed([own.code for own in labels], [len(own.names) for own in labels])
    prior_rows = _prior_rows(project, pairs.rows)
    ruled_out = Predicates(cells, labels).in_pairs(pairs)
    names, listed = tuple(project.attributes), [own.names for own in labels]
    found = ChowLiu.of(pairs, names, listed, prior_rows, ruled_out)
    kept = Kept.of(found, {n: own.sensitive for n, own in zip(names, labels, strict=True)})
    return _described(found.belief, cells, labels, pairs.single, prior_rows, kept)


def _counted(names: Sequence[str], cells: Sequence[Cells], batches: Iterable[Any]) -> Pairs:
    """The pairs of marks in these rows; two marks an attribute are for what is refused."""
    pairs = Pairs.none(names, [2 * len(own.names) + 4 for own in cells])
    for batch in batches:
        pairs.add([_numbers(column) for column in batch.columns])
    return pairs


# ---------------------------------------------------------------- for both


def _described(
    belief: Belief,
    cells: Sequence[Cells],
    labels: Sequence[Labels],
    counts: Sequence[Array],
    prior_rows: float,
    tree: Kept | None = None,
) -> Learned:
    names = belief.domain.names
    return Learned(
        belief=belief,
        sensitive={name: own.sensitive for name, own in zip(names, labels, strict=True)},
        labels={name: own.names for name, own in zip(names, labels, strict=True)},
        codes={c.attribute.name: own.sql(c.mark) for c, own in zip(cells, labels, strict=True)},
        counts={n: tuple(map(int, own)) for n, own in zip(names, counts, strict=True)},
        rows=int(counts[0].sum()),
        prior_rows=prior_rows,
        tree=tree,
    )


def _prior_rows(project: Project, rows: float) -> float:
    chosen = project.limits.prior_rows
    return math.sqrt(rows) if chosen is None else float(chosen)


def _labelled(cells: Cells, table: Table, counts: Mapping[int, int]) -> Labels:
    cells.check(counts, table)
    labels = Labels.of(cells, counts)
    seen = {code for mark, code in enumerate(labels.code) if counts.get(mark)}
    if len(seen) == 1:
        only = labels.names[seen.pop() or 0]
        raise InputError(
            f'{cells.place}: is "{only}" in every row, so there is nothing to learn or to protect; '
            "take it out, or tell its values apart by other bins"
        )
    return labels


def _totals(mark: Codes, counts: Codes) -> dict[int, int]:
    own, where = np.unique(mark, return_inverse=True)
    totals = np.zeros(len(own), dtype=np.int64)
    np.add.at(totals, where, counts)
    return dict(zip(own.tolist(), totals.tolist(), strict=True))


def _held(single: Array) -> dict[int, int]:
    """How often each mark occurs, of those that do."""
    return {int(mark): int(single[mark]) for mark in np.flatnonzero(single)}


def _whole(column: Any) -> npt.NDArray[np.int64]:
    return np.concatenate([_numbers(part) for part in column.chunks])


def _numbers(column: Any) -> npt.NDArray[np.int64]:
    """An Arrow array of integers without NULL as ours (to_numpy would import pandas)."""
    return np.frombuffer(column.buffers()[1], np.int64)[column.offset :][: len(column)]
