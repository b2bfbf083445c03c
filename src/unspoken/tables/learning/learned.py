"""A belief learned from a table: how often combinations of labels occur, and nothing else.

As long as all combinations can be counted, it is their joint table. Beyond that, or where the
project asks for it, it is the tree that keeps the most of what pairs of attributes show
(chow_liu.py).

Nothing is smoothed. Smoothing mixes the shares of the rows with a law in which the attributes are
independent. Odds of a mixture lie between those of its parts, and mutual information is convex, so
every leakage would come out too small.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from unspoken.core.beliefs import Belief, Joint
from unspoken.core.display import Shown
from unspoken.core.errors import TooLarge
from unspoken.core.numerics.arrays import Array, Codes
from unspoken.core.types.premise import Premise
from unspoken.tables.engines.protocol import Table
from unspoken.tables.learning.counts.contexts import ContextCounts, given_of
from unspoken.tables.learning.counts.counted import Counted, Noted
from unspoken.tables.learning.counts.counting import MOST, Combinations, shares
from unspoken.tables.learning.counts.pairs import PairCounts
from unspoken.tables.learning.counts.rows import cells_of, count, counted_contexts, labelled
from unspoken.tables.learning.marks.cells import CellRule
from unspoken.tables.learning.marks.labels import Labelling
from unspoken.tables.learning.trees.chow_liu import ChowLiu
from unspoken.tables.learning.trees.impossible import ruled_out
from unspoken.tables.learning.trees.kept import KeptLinks
from unspoken.tables.policy import Project

__all__ = [
    "CELLS",
    "Learned",
    "counted_pairs",
    "learned_joint",
    "learned_tree",
    "marked_pairs",
    "refuse_size",
    "table_by_label",
]

CELLS = 2**20  # combinations of labels up to which a whole joint is learned


@dataclass(frozen=True, repr=False)
class Learned(Shown):
    """``belief`` over ``labels``, of which ``sensitive`` ones are never released.

    ``labelling``: how the labels of a row are found, to be used again by a release. ``counts``:
    rows a label. ``tree``: what there is beside the belief, if it is one. ``occupied``: how
    many combinations of labels some row has (of a tree: of the two attributes that have the most),
    and ``joint`` the rows of each, if it is none. ``counted``: the same of marks, as it was read.
    ``contexts``: what is believed given each value of each.
    """

    belief: Belief
    labelling: Mapping[str, Labelling]
    counts: Mapping[str, tuple[int, ...]]
    rows: int
    tree: KeptLinks | None = None
    occupied: int = 0
    joint: Array | None = field(default=None, compare=False)
    counted: Counted | None = field(default=None, compare=False)
    contexts: Mapping[str, ContextCounts] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, project: Project, table: Table, before: Counted | None = None) -> Learned:
        """Learn the belief about a project's attributes, in one pass over its table.

        ``project.belief.form``: "joint" (and None), or "tree": the strongest pairs only, of many
        attributes. That shows less than there is, so it is taken only where somebody asks for it.
        ``before``: what was counted of this table, so that its rows need not be read.
        """
        if project.belief.form == "tree":
            return learned_tree(project, *counted_pairs(project, table))
        noted = Noted(table, before=before)
        cells = cells_of(project, noted)
        names, marks = list(project.attributes), [attribute.marks for attribute in cells]
        refuse_size(names, [len(attribute.names) for attribute in cells])
        if before is not None and before.sizes != tuple(marks):  # it was of something else
            return cls.of(project, table)
        counted = before or _counted(project, cells, noted, marks)
        held, counts = counted.marks, counted.counts
        totals = [
            np.bincount(mark, counts, size).astype(np.float64)
            for mark, size in zip(held, marks, strict=True)
        ]
        labels = labelled(project, cells, table, totals)
        refuse_size(names, [len(attribute.names) for attribute in labels])  # cells are split now
        given = given_of(project, counted.contexts, labels, CELLS)
        learned = learned_joint(project, labels, table_by_label(labels, held, counts))
        return replace(learned, counted=counted, contexts=given)

    @cached_property
    def labels(self) -> Mapping[str, tuple[str, ...]]:
        return {name: labelling.names for name, labelling in self.labelling.items()}

    @cached_property
    def sensitive(self) -> Mapping[str, tuple[str, ...]]:
        return {name: labelling.sensitive for name, labelling in self.labelling.items()}

    @cached_property
    def secrets(self) -> Mapping[str, tuple[str, ...]]:
        """The same of the attributes that have any."""
        return {name: labels for name, labels in self.sensitive.items() if labels}

    @property
    def form(self) -> str:
        """One of the forms a belief has: "joint" or "tree"."""
        return "joint" if self.tree is None else "tree"

    def sensitive_share(self, name: str) -> float:
        """The share of the rows in which an attribute is sensitive."""
        counts = zip(self.labels[name], self.counts[name], strict=True)
        hidden = sum(count for label, count in counts if label in self.sensitive[name])
        return hidden / self.rows

    def facts(self) -> list[tuple[str, str]]:
        shares = [
            (name, f"{len(labels)} labels, {self.sensitive_share(name):.1%} of the rows sensitive")
            for name, labels in self.labels.items()
        ]
        return [
            ("rows", f"{self.rows:,}"),
            *shares,
            ("form", self.form),
            ("premise", str(self.belief.premise)),
        ]


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


def _counted(
    project: Project, cells: Sequence[CellRule], table: Noted, marks: Sequence[int]
) -> Counted:
    """The rows of every combination of marks, by reading them."""
    names = list(project.attributes)
    if math.prod(marks) > MOST:  # then some attribute has one label, or there are too many
        single = PairCounts(tuple(map(np.zeros, marks)), {})
        count(project, cells, table, single.add)
        labels = labelled(project, cells, table, single.single)
        refuse_size(names, [len(attribute.names) for attribute in labels])
    combinations = Combinations(marks)
    contexts = counted_contexts(project, cells, table, combinations)
    count(project, cells, table, combinations.add, contexts)
    return Counted(tuple(marks), *combinations.held(), table.values_seen, contexts.held())


def learned_joint(project: Project, labels: Sequence[Labelling], joint: Array) -> Learned:
    """The belief that a table of counts, [label of each attribute], is."""
    names, values = tuple(project.attributes), [labelling.names for labelling in labels]
    belief = Joint(shares(joint), names, values, Premise.learned(round(joint.sum())))
    axes = range(joint.ndim)
    singles = [joint.sum(axis=tuple(a for a in axes if a != axis)) for axis in axes]
    learned = _described(belief, labels, singles)
    return replace(learned, occupied=int(np.count_nonzero(joint)), joint=joint)


def table_by_label(
    labels: Sequence[Labelling], marks: Sequence[Codes], counts: npt.NDArray[np.int64]
) -> Array:
    """Rows of each combination of labels."""
    joint = np.zeros(tuple(len(labelling.names) for labelling in labels))
    codes = tuple(labelling.codes(mark) for labelling, mark in zip(labels, marks, strict=True))
    np.add.at(joint, codes, counts)
    return joint


# ---------------------------------------------------------------- a tree of pairs


def counted_pairs(project: Project, table: Table) -> tuple[list[Labelling], PairCounts]:
    """The labels of each attribute, and the rows of every two labels, in one pass."""
    cells, marked = marked_pairs(project, table)
    labels = labelled(project, cells, table, marked.single)
    return labels, marked.renamed(
        [labelling.code for labelling in labels], [len(labelling.names) for labelling in labels]
    )


def marked_pairs(project: Project, table: Table) -> tuple[list[CellRule], PairCounts]:
    """The rows of every two marks."""
    cells = cells_of(project, table)
    marked = PairCounts.none(list(project.attributes), [attribute.marks for attribute in cells])
    count(project, cells, table, marked.add)
    return cells, marked


def learned_tree(project: Project, labels: Sequence[Labelling], pairs: PairCounts) -> Learned:
    """The tree of the strongest pairs."""
    names, values = tuple(project.attributes), [labelling.names for labelling in labels]
    tree = ChowLiu.of(pairs, names, values, ruled_out(labels, pairs))
    kept = KeptLinks.of(
        tree, {n: labelling.sensitive for n, labelling in zip(names, labels, strict=True)}
    )
    learned = _described(tree.belief, labels, pairs.single, kept)
    most = max((int(np.count_nonzero(table)) for table in pairs.pair.values()), default=0)
    return replace(learned, occupied=most)


# ---------------------------------------------------------------- for both


def _described(
    belief: Belief,
    labels: Sequence[Labelling],
    counts: Sequence[Array],
    tree: KeptLinks | None = None,
) -> Learned:
    names = belief.domain.names
    return Learned(
        belief=belief,
        labelling=dict(zip(names, labels, strict=True)),
        counts={n: tuple(map(round, single)) for n, single in zip(names, counts, strict=True)},
        rows=round(counts[0].sum()),
        tree=tree,
    )
