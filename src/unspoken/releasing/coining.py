"""Coins meet cells: what is shown of some rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unspoken.engines.arrow import boolean
from unspoken.numerics.arrays import Mask
from unspoken.numerics.coins import (
    MasterKey,
    attribute_keys,
    draw,
    encode_keys,
    released,
    threshold,
)
from unspoken.policy import Project
from unspoken.releasing.reading import Part, Reading, missing, taken

__all__ = ["shown"]


def shown(
    reading: Reading, parts: Iterator[Part], master: MasterKey, epsilon: Mapping[str, float]
) -> Iterator[pa.RecordBatch]:
    """The released rows: a cell is shown where it may be and its coin is below the threshold.

    A withheld cell is NULL. Where a value may be missing, a second column tells that apart from
    being withheld: whether it is missing, or NULL if that is not shown either.
    """
    below = {name: threshold(eps) for name, eps in epsilon.items()}
    for part in parts:
        given = reading.table.given
        named = zip(reading.table.keys, part.keys, strict=True)
        columns: dict[str, pa.Array] = {name: key.cast(given[name]) for name, key in named}
        heads = _heads(part, master, below)
        for name, values in part.values.items():
            shows = part.free[name] & heads[name]
            columns[name] = pc.if_else(boolean(shows), values, pa.scalar(None, values.type))
            columns.update(_missing(reading.project, name, values, shows))
        yield pa.RecordBatch.from_pydict(columns)


def _heads(part: Part, master: MasterKey, below: Mapping[str, int]) -> dict[str, Mask]:
    """Whether each row's coin, of each attribute in the row's own epoch, is below the threshold."""
    heads = {name: np.zeros(part.batch.num_rows, dtype=bool) for name in part.values}
    for epoch, rows in part.epochs.items():
        keys = encode_keys([taken(column, rows) for column in part.keys])
        for name, mask in heads.items():
            coins = draw(attribute_keys(master, name, epoch), keys)
            mask[... if rows is None else rows] = released(coins, below[name])
    return heads


def _missing(project: Project, name: str, values: pa.Array, shows: Mask) -> dict[str, pa.Array]:
    rule = project.attributes[name].missing
    if rule == "never":
        return {}
    absent = values.is_null()
    public = rule == "public"
    known = absent if public else pc.if_else(boolean(shows), absent, pa.scalar(None, pa.bool_()))
    return {missing(name): known}
