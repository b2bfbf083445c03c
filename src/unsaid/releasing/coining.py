"""Coins meet cells: what is shown of some rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unsaid.numerics.arrays import Mask
from unsaid.numerics.coins import MasterKey, attribute_keys, draw, encode_keys, released, threshold
from unsaid.policy import Project
from unsaid.releasing.reading import Part, Reading, boolean

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
        columns: dict[str, pa.Array] = dict(zip(reading.table.keys, part.keys, strict=True))
        for name, values in part.values.items():
            seen = part.free[name] & _heads(part, name, master, below[name])
            columns[name] = pc.if_else(boolean(seen), values, pa.scalar(None, values.type))
            columns.update(_missing(reading.project, name, values, seen))
        yield pa.RecordBatch.from_pydict(columns)


def _heads(part: Part, name: str, master: MasterKey, below: int) -> Mask:
    """Whether each row's coin, of this attribute in the row's own epoch, is below the threshold."""
    heads = np.zeros(len(part.epochs), dtype=bool)
    for epoch in dict.fromkeys(part.epochs.tolist()):
        own = part.epochs == epoch
        rows = [column.filter(boolean(own)) for column in part.keys]
        coins = draw(attribute_keys(master, name, epoch), encode_keys(rows))
        heads[own] = released(coins, below)
    return heads


def _missing(project: Project, name: str, values: pa.Array, seen: Mask) -> dict[str, pa.Array]:
    rule = project.attributes[name].missing
    if rule == "never":
        return {}
    missing = values.is_null()
    public = rule == "public"
    known = missing if public else pc.if_else(boolean(seen), missing, pa.scalar(None, pa.bool_()))
    return {f"{name}__missing": known}
