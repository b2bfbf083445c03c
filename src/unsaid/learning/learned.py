"""A belief learned from a table: how often each combination of labels occurs, and a stated prior.

    P(x) = (count(x) + m prod_i q_i(x_i)) / (n + m),    q_i(l) = (count_i(l) + 1/k_i) / (n + 1)

n rows, m = ``prior_rows`` more of them (sqrt n unless said otherwise) in which the attributes are
independent, and one row spread evenly over the k_i labels of each. So no label that can occur has
probability 0, and a combination that no row shows is unlikely, not certain not to be.

One thing is not smoothed: what is impossible by definition. Where a cell is split into sensitive
and free rows by a predicate that reads another attribute, a pair of their labels that no row has
stays impossible, as the predicate tells it: somebody who knows the predicate is certain there, and
a belief that is not would call certainty unlikely.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unsaid.beliefs import Joint
from unsaid.display import Shown
from unsaid.engines.duckdb import Table
from unsaid.errors import InputError, TooLarge
from unsaid.learning.cells import Cells
from unsaid.learning.labels import Labels
from unsaid.numerics.arrays import Array, Mask
from unsaid.policy import Project
from unsaid.types.bound import Premise

__all__ = ["CELLS", "Learned", "learn"]

CELLS = 2**20  # combinations of labels up to which a whole joint is learned


@dataclass(frozen=True, repr=False)
class Learned(Shown):
    """``belief`` over ``labels``, of which ``sensitive`` ones are never released.

    ``codes``: {attribute: SQL over the row} for the position of its label, to be used again by a
    release; NULL is a row of a kind that was not there when this was learned: withhold it, and
    learn again. ``counts``: rows a label.
    """

    belief: Joint
    sensitive: Mapping[str, tuple[str, ...]]
    labels: Mapping[str, tuple[str, ...]]
    codes: Mapping[str, str]
    counts: Mapping[str, tuple[int, ...]]
    rows: int
    prior_rows: float

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
        return [*told, ("premise", str(self.belief.premise))]


def learn(project: Project, table: Table) -> Learned:
    """Learn the belief about a project's attributes, in one pass over its table."""
    names = tuple(project.attributes)
    places = {name: project.at("attribute", name) for name in names}
    for name in names:
        table.column(name, places[name])
    table.check_finite(places)
    cells = [Cells.of(project, attribute, table) for attribute in project.attributes.values()]
    _refuse_size(names, [len(own.names) for own in cells])
    groups = table.groups({own.attribute.name: own.mark for own in cells}, places)
    *marks, counts = (_whole(column) for column in groups.columns)
    labels = [
        _labelled(own, table, _totals(mark, counts)) for own, mark in zip(cells, marks, strict=True)
    ]
    _refuse_size(names, [len(own.names) for own in labels])
    joint = _joint(labels, marks, counts)
    chosen = project.limits.prior_rows
    prior_rows = math.sqrt(joint.sum()) if chosen is None else float(chosen)
    smooth = smoothed(joint, prior_rows, _impossible(cells, labels, joint))
    listed = {name: own.names for name, own in zip(names, labels, strict=True)}
    return Learned(
        belief=Joint(smooth, names, listed, Premise.learned(int(joint.sum()))),
        sensitive={name: own.sensitive for name, own in zip(names, labels, strict=True)},
        labels=listed,
        codes={c.attribute.name: own.sql(c.mark) for c, own in zip(cells, labels, strict=True)},
        counts={
            name: tuple(int(c) for c in _marginal(joint, axis)) for axis, name in enumerate(names)
        },
        rows=int(joint.sum()),
        prior_rows=prior_rows,
    )


def smoothed(counts: Array, prior_rows: float, impossible: Mask) -> Array:
    """The belief of the module's docstring, from counts of all combinations."""
    rows = counts.sum()
    prior = np.ones(())
    for axis, labels in enumerate(counts.shape):
        own = (_marginal(counts, axis) + 1 / labels) / (rows + 1)
        prior = np.multiply.outer(prior, own)
    prior = np.where(impossible, 0.0, prior)
    table: Array = (counts + prior_rows * (prior / prior.sum())) / (rows + prior_rows)
    return table


def _marginal(counts: Array, axis: int) -> Array:
    others = tuple(other for other in range(counts.ndim) if other != axis)
    own: Array = counts.sum(axis=others)
    return own


def _impossible(cells: Sequence[Cells], labels: Sequence[Labels], counts: Array) -> Mask:
    """Unseen pairs of a label that a predicate has split and one of another attribute it reads."""
    mask = np.zeros(counts.shape, dtype=bool)
    for axis, (own, split) in enumerate(zip(cells, (one.split for one in labels), strict=True)):
        for other, read in enumerate(cells):
            if other == axis or not split or read.attribute.name not in own.reads:
                continue
            gone = tuple(k for k in range(counts.ndim) if k not in (axis, other))
            unseen = counts.sum(axis=gone, keepdims=True) == 0
            shape = [-1 if k == axis else 1 for k in range(counts.ndim)]
            told = np.isin(np.arange(counts.shape[axis]), list(split)).reshape(shape)
            mask |= unseen & told
    return mask


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


def _totals(mark: npt.NDArray[Any], counts: npt.NDArray[Any]) -> dict[int, int]:
    own, where = np.unique(mark, return_inverse=True)
    totals = np.zeros(len(own), dtype=np.int64)
    np.add.at(totals, where, counts)
    return dict(zip(own.tolist(), totals.tolist(), strict=True))


def _whole(column: Any) -> npt.NDArray[np.int64]:
    """An Arrow column of integers without NULL as an array (to_numpy would import pandas)."""
    parts = [np.frombuffer(c.buffers()[1], np.int64)[c.offset :][: len(c)] for c in column.chunks]
    return np.concatenate(parts)


def _refuse_size(names: Sequence[str], sizes: Sequence[int]) -> None:
    cells = math.prod(sizes)
    if cells > CELLS:
        listed = ", ".join(f"{name} {size}" for name, size in zip(names, sizes, strict=True))
        raise TooLarge(
            f"learn: {cells:,} combinations of labels, more than {CELLS:,} ({listed}); give the "
            "largest fewer bins or values, or take an attribute out"
        )
