"""Counting a table once, for the belief file: labels, counts by label, noise on each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unspoken.core.errors import InputError, TooLarge
from unspoken.core.numerics.arrays import Counts
from unspoken.noise.discrete_laplace import with_noise
from unspoken.tables.engines.protocol import Table
from unspoken.tables.learning.counts.contexts import given_of
from unspoken.tables.learning.counts.counted import Counted, Noted
from unspoken.tables.learning.counts.rows import labelled
from unspoken.tables.learning.intervals.confidence import Clusters
from unspoken.tables.learning.learned import (
    CELLS,
    Learned,
    marked_pairs,
    refuse_size,
    table_by_label,
)
from unspoken.tables.learning.marks.labels import NONE, Labelling
from unspoken.tables.learning.marks.possible import possible_labels
from unspoken.tables.learning.pinned import JOINT, Pinned, of_pair, rules
from unspoken.tables.policy import Project
from unspoken.tables.texts import LONGEST_TEXT, too_long

__all__ = ["Once", "moved"]


@dataclass(frozen=True)
class Once:
    """The exact counts of a table by label: for the holder alone, until there is noise on them.

    ``rows``: how many there are; ``held``: what columns have whose values the project does not
    list; ``contexts``: the values of each, by which there is a table more. ``units``: whose rows
    they are, where one has several.
    """

    project: Project
    labels: Sequence[Labelling]
    tables: Mapping[str, Counts]
    rows: int
    held: Mapping[str, pa.Array]
    contexts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    units: Clusters | None = None

    @classmethod
    def of(cls, project: Project, table: Table, before: Counted | None = None) -> Once:
        """Count the rows, in one pass; ``before``: what was counted of this very table."""
        noted = Noted(table, before=before)
        if project.belief.form == "tree":
            return cls._pairs(project, noted)
        learned = Learned.of(project, noted, before)
        exact = [learned.labelling[name] for name in project.attributes]
        labels = possible_labels([each.cells for each in exact], noted)
        refuse_size(list(project.attributes), [len(each.names) for each in labels])
        counted = learned.counted
        if counted is None:
            raise TooLarge("learn: there are too many combinations of labels to count")
        _refuse_unforeseen(labels, counted.marks)
        _refuse_large(project, noted, labels)
        _refuse_long(project, counted.values)
        joint = table_by_label(labels, counted.marks, counted.counts).astype(np.int64)
        given = given_of(project, counted.contexts, labels, CELLS)
        tables = {name: each.joint.astype(np.int64) for name, each in given.items()}
        values = {name: each.values for name, each in given.items()}
        units, rows = _units(project, table), learned.rows
        return cls(project, labels, {JOINT: joint, **tables}, rows, counted.values, values, units)

    @classmethod
    def _pairs(cls, project: Project, noted: Noted) -> Once:
        cells, marked = marked_pairs(project, noted)
        labelled(project, cells, noted, marked.single)  # refuses what cannot be learned
        labels = possible_labels(cells, noted)
        _refuse_unforeseen(labels, [np.flatnonzero(single) for single in marked.single])
        _refuse_large(project, noted, labels)
        pairs = marked.renamed([each.code for each in labels], [len(each.names) for each in labels])
        names = [each.cells.name for each in labels]
        tables = {
            of_pair(names[i], names[j]): table.astype(np.int64)
            for (i, j), table in pairs.pair.items()
        }
        units = _units(project, noted)
        _refuse_long(project, noted.values_seen)
        return cls(project, labels, tables, pairs.rows, noted.values_seen, units=units)

    @property
    def digest(self) -> str:
        """Of rules and exact counts: the same for the same rows. It never leaves, but keyed."""
        header = json.dumps([rules(self.project), self.rows], sort_keys=True).encode()
        parts = [header, *(table.tobytes() for table in self.tables.values())]
        return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()

    @property
    def sensitivity(self) -> int:
        """How far all counts together move, from any table to a neighbour of it."""
        return moved(self.project, self.tables)

    def pinned(self, epsilon: float, day: str) -> Pinned:
        """With noise on every count, drawn now."""
        tables = {
            name: with_noise(counts, self.sensitivity, epsilon)
            for name, counts in self.tables.items()
        }
        return Pinned(
            rows=self.rows,
            rules=rules(self.project),
            contexts=self.contexts,
            labels={each.cells.name: _described(each) for each in self.labels},
            values=dict(self.held),
            tables=tables,
            epsilon=epsilon,
            sensitivity=self.sensitivity,
            learned=day,
            units=self.units,
        )


def moved(project: Project, tables: Iterable[str]) -> int:
    """How far the counts of these tables move, added up, when a row is another one, or a unit is.

    A row leaves a cell and comes to another: 2. As the row before it is the context of a second
    one, which moves too. A unit has so many rows, and all of them may move.
    """
    rows = project.source.rows_per_unit
    return sum(2 * rows if rows is not None else 2 * _rows_moved(project, t) for t in tables)


def _rows_moved(project: Project, table: str) -> int:
    context = project.contexts.get(table)
    return 2 if context is not None and context.previous is not None else 1


def _units(project: Project, table: Table) -> Clusters | None:
    """How many there are, and how many rows one has at most: of keys alone, which are public."""
    unit, most = project.source.unit, project.source.rows_per_unit
    if {*unit} == {*project.source.keys}:
        return None
    count, largest = table.groups(unit, project.at("source", "unit"))
    return Clusters(count, most or largest)


def _refuse_unforeseen(labels: Sequence[Labelling], marks: Sequence[np.ndarray]) -> None:
    """No row may have a label that the rules do not make possible."""
    for each, occurring in zip(labels, marks, strict=True):
        if (each.codes(occurring) == NONE).any():
            raise InputError(
                f"attribute.{each.cells.name}: a row is sensitive where its predicate did not let "
                "foresee it; write the predicate with comparisons alone"
            )


def _refuse_large(project: Project, table: Table, labels: Sequence[Labelling]) -> None:
    """No value may be larger than a release takes: what is counted is charged before that."""
    for each in labels:
        name, values = each.cells.name, each.cells.values
        whole = [value for value in values if isinstance(value, int)]
        if table.columns[name] == "UBIGINT" and max(whole, default=0) >= 1 << 63:
            text = "holds whole numbers from 2^63 on; make the column text"
            raise project.error("attribute", name, text=text)


def _refuse_long(project: Project, held: Mapping[str, pa.Array]) -> None:
    """No value may be longer than a coin takes: what is counted is charged before rows are read."""
    for name, values in held.items():
        kind = values.type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            longest = pc.max(pc.binary_length(values)).as_py() or 0
            if longest > LONGEST_TEXT:
                raise too_long(longest, f"{project.at('attribute', name)}: ")


def _described(labelling: Labelling) -> dict[str, list[object]]:
    return {
        "names": list(labelling.names),
        "sensitive": list(labelling.sensitive),
        "split": list(labelling.split),
        "code": list(labelling.code),
    }
