"""Coins meet cells: what is shown of some rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unspoken.engines.arrow import as_given, boolean
from unspoken.mechanisms import Mechanism
from unspoken.numerics.arrays import Mask
from unspoken.numerics.coins import Coins, MasterKey, encode_keys
from unspoken.policy import Project
from unspoken.releasing.reading import Part, Reading, missing, taken

__all__ = ["shown"]


def shown(
    reading: Reading, parts: Iterator[Part], master: MasterKey, mechanism: Mechanism
) -> Iterator[pa.RecordBatch]:
    """The released rows: a cell is shown where it may be and its coin lets it out.

    A withheld cell is NULL. Where a value may be missing, a second column tells that apart from
    being withheld: whether it is missing, or NULL if that is not shown either.
    """
    for part in parts:
        given = reading.table.given
        named = zip(reading.table.keys, part.keys, strict=True)
        columns: dict[str, pa.Array] = {name: as_given(key, given[name]) for name, key in named}
        heads = _heads(reading, part, master, mechanism)
        for name in reading.project.reads:
            values, shows = part.values[name], part.free[name] & heads[name]
            columns[name] = pc.if_else(boolean(shows), values, pa.scalar(None, values.type))
            columns.update(_missing(reading.project, name, values, shows))
        yield pa.RecordBatch.from_pydict(columns)


def _heads(
    reading: Reading, part: Part, master: MasterKey, mechanism: Mechanism
) -> dict[str, Mask]:
    """Whether each row's coin, in the row's own epoch, lets out its value of each attribute."""
    heads = {n: np.zeros(part.batch.num_rows, dtype=bool) for n in reading.project.reads}
    for epoch, rows in part.epochs.items():
        coins = Coins(master, epoch, encode_keys([taken(column, rows) for column in part.keys]))
        own = {name: codes if rows is None else codes[rows] for name, codes in part.codes.items()}
        shown = mechanism.let_out(reading.learned.belief.domain, own, coins)
        for name, mask in heads.items():
            mask[... if rows is None else rows] = shown[name]
    return heads


def _missing(project: Project, name: str, values: pa.Array, shows: Mask) -> dict[str, pa.Array]:
    rule = project.attributes[name].missing
    if rule == "never":
        return {}
    absent = values.is_null()
    public = rule == "public"
    known = absent if public else pc.if_else(boolean(shows), absent, pa.scalar(None, pa.bool_()))
    return {missing(name): known}
