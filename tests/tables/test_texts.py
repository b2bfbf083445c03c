"""Text is cut into blocks in two ways, fast where all rows are alike: the numbers are the same."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from unspoken.storage.coins import Coins, MasterKey, encode_keys
from unspoken.storage.fingerprint import RowFingerprint

MASTER = MasterKey(bytes(range(32)))
ROWS = 300
LABELS = ["", "x", "fifteen bytes..", "sixteen bytes...", "seventeen bytes..", "ü" * 20]


def coins(columns: list[pa.Array]) -> list[int]:
    return Coins(MASTER, "e", encode_keys(columns)).of_attribute("a").tolist()


def numbers(columns: dict[str, pa.Array]) -> list[list[int]]:
    batch = pa.RecordBatch.from_pydict(columns)
    return RowFingerprint(MASTER, "e", list(columns)).numbers(batch).tolist()


def keys(width: int) -> pa.Array:
    return pa.array([f"{row:0{width}d}"[:width] for row in range(ROWS)])


@pytest.mark.parametrize("widths", [(3,), (16,), (17,), (40,), (3, 13), (14, 10), (16, 16), (0, 5)])
def test_rows_that_are_as_long_have_the_coins_they_have_among_others(
    widths: tuple[int, ...],
) -> None:
    even = [keys(width) for width in widths]
    odd = [pa.concat_arrays([column, pa.array(["of another length" * 3])]) for column in even]
    assert coins(even) == coins(odd)[:-1]


@pytest.mark.slow
@pytest.mark.parametrize("widths", [(), (5,), (16,), (9, 23)])
@pytest.mark.parametrize("labels", [LABELS, LABELS[1:2], LABELS[3:4], LABELS[:1], LABELS[-2:]])
@pytest.mark.parametrize("missing", [False, True])
def test_few_texts_count_as_what_they_say(
    labels: list[str], widths: tuple[int, ...], missing: bool
) -> None:
    codes = np.arange(ROWS) % len(labels)
    value = pa.DictionaryArray.from_arrays(
        pa.array(codes, pa.int8(), mask=(codes == 0) & missing), pa.array(labels)
    )
    before = {f"key {i}": keys(width) for i, width in enumerate(widths)}
    others = {"free": pa.array(codes > 1), "key": pa.array(np.arange(ROWS)), **before}
    told = numbers({**others, "value": value})
    assert told == numbers({**others, "value": value.cast(pa.string())})
    assert told[7:9] == numbers({n: c[7:9] for n, c in {**others, "value": value}.items()})
    # Behind a text that is not as long in every row.
    odd = {**others, "key x": pa.array([str(row) for row in range(ROWS)])}
    assert numbers({**odd, "value": value}) == numbers({**odd, "value": value.cast(pa.string())})
