"""The source of a project, as an attack needs it: keys, labels and contexts of every row."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unspoken.core.numerics.arrays import Codes, Mask
from unspoken.storage.rows.reading import missing
from unspoken.tables.engines.arrow import as_given, in_one, numbers, plain
from unspoken.tables.engines.of_keys import columns_of
from unspoken.tables.engines.protocol import Scan
from unspoken.tables.learning import Labeller
from unspoken.tables.learning.counts.contexts import contexts_of
from unspoken.tables.learning.counts.of_unit import Habit, Previous
from unspoken.tables.policy import Context
from unspoken.tables.policy.bin_edges import bin_names
from unspoken.workflows.audit.around import coded, named, units_of
from unspoken.workflows.release import Prepared

__all__ = ["GIVEN", "codes_of", "gaps", "hidden", "labels", "laid_open"]

# Columns beside the keys: of labels, of what a release would show, and of contexts.
CODE, TRUE, GIVEN = "unspoken label {}", "unspoken true {}", "unspoken context {}"


def labels(ready: Prepared, released: pa.Schema) -> pa.Table:
    """Keys as a release has them, and of each row the label of each attribute and each context."""
    table, project = ready.table, ready.project
    labellings = [ready.learned.labelling[name] for name in project.attributes]
    labeller = Labeller(labellings, table.columns, timezone=table.timezone)
    of_keys = contexts_of(project, table)
    reads = dict.fromkeys([*table.keys, *labeller.reads, *columns_of(of_keys.values())])
    ordered = any(context.previous is not None for context in project.contexts.values())
    parts = []
    for batch in table.batches(Scan([*reads], ordered)):
        keys = {key: as_given(batch.column(key), table.given[key]) for key in table.keys}
        keys = {key: column.cast(released.field(key).type) for key, column in keys.items()}
        said = labeller.read(batch)
        codes = {CODE.format(name): pa.array(read.codes) for name, read in said.items()}
        true = {TRUE.format(name): plain(read.shown) for name, read in said.items()}
        given = {GIVEN.format(name): column for name, column in named(of_keys, batch).items()}
        parts.append(pa.table({**keys, **codes, **true, **given}))
    rows = pa.concat_tables(parts)
    for name, context in project.contexts.items():
        if context.of is None:
            rows = rows.append_column(GIVEN.format(name), _of_unit(ready, rows, context))
    return rows


def codes_of(rows: pa.Table, name: str) -> Codes:
    """The label of each row."""
    return numbers(in_one(rows.column(CODE.format(name))))


def hidden(ready: Prepared, rows: pa.Table, name: str) -> Mask:
    """Whether the cell of each row is declared sensitive."""
    labels = ready.learned.labels[name]
    codes = [place for place, label in enumerate(labels) if label in ready.learned.sensitive[name]]
    return np.isin(codes_of(rows, name), codes)


def laid_open(ready: Prepared, rows: pa.Table, released: pa.Table, name: str) -> Mask:
    """In which rows a sensitive cell is shown as it is, also one whose value is missing."""
    true, seen = in_one(rows.column(TRUE.format(name))), in_one(released.column(name))
    same = pc.equal(seen.cast(true.type), true)
    if missing(name) in released.column_names:
        said = in_one(released.column(missing(name)))
        same = pc.if_else(true.is_null(), said, same)
    shown = numbers(pc.fill_null(same, False)).astype(bool)
    return np.asarray(shown & hidden(ready, rows, name))


def gaps(ready: Prepared, rows: pa.Table) -> dict[str, Mask]:
    """Of each attribute of which it is public that some values are missing: of which rows."""
    labels, found = ready.learned.labels, dict[str, Mask]()
    for name, attribute in ready.project.attributes.items():
        if attribute.missing == "public":
            found[name] = codes_of(rows, name) == len(labels[name]) - 1
    return {name: lacks for name, lacks in found.items() if lacks.any()}


def _of_unit(ready: Prepared, rows: pa.Table, context: Context) -> pa.Array:
    """What other rows of its unit say of each, in the order of keys."""
    units = units_of(rows, ready.project.source.unit)
    if context.previous is not None:
        words, codes = ready.learned.labels[context.previous], codes_of(rows, context.previous)
        known = np.where(codes < 0, len(words), codes)  # a value that came since has no label
        return coded(Previous(0, len(words)), units, known, words)
    assert context.habit is not None
    secret = hidden(ready, rows, context.habit).astype(np.intp)
    habit = Habit(0, context.edges)
    habit.add(units, secret)
    return coded(habit, units, secret, bin_names(context.edges))
