"""Arrow columns and arrays, there and back."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tests.structure.source import ask
from unspoken.tables.engines.arrow import boolean, coded, flags, missing, numbers, plain, texts

MASKS = [[], [True], [True, False, False, True, True, False, True, False, True, True, False]]


@pytest.mark.parametrize("mask", MASKS, ids=len)
def test_truth_values_keep_their_order(mask: list[bool]) -> None:
    made = boolean(np.array(mask, dtype=bool))
    assert made.to_pylist() == mask
    assert numbers(made).astype(bool).tolist() == mask
    assert numbers(made[3:]).astype(bool).tolist() == mask[3:]


@pytest.mark.parametrize("mask", MASKS, ids=len)
def test_truth_values_as_a_dictionary_are_the_same(mask: list[bool]) -> None:
    made = flags(np.array(mask, dtype=bool))
    assert plain(made).equals(boolean(np.array(mask, dtype=bool)))
    assert made[3:].to_pylist() == mask[3:]


@pytest.mark.parametrize("count", [2, 128, 129])
def test_nothing_stands_where_a_value_is_absent(count: int) -> None:
    """Not even what the code was, however large."""
    names, codes = texts([str(k) for k in range(count)]), np.array([1, 2**40 + 7, count - 1])
    made = coded(codes, names, np.array([False, True, False]))
    assert made.to_pylist() == ["1", None, str(count - 1)]
    assert numbers(made.indices)[1] == 0
    assert coded(codes[::2], names, np.zeros(2, bool)).null_count == 0


def test_numbers_begin_where_a_slice_does() -> None:
    assert numbers(pa.array([1.5, 2.5, 3.5])[1:]).tolist() == [2.5, 3.5]
    assert missing(pa.array([1, None, 3, None])[1:]).tolist() == [True, False, True]


def test_texts_of_any_length() -> None:
    words = ["", "a", "büro", "室🏢"]
    assert texts(words).to_pylist() == words


def test_dictionaries_and_views_are_made_plain() -> None:
    words = pa.array(["b", "a", None, "b"])
    assert plain(words.dictionary_encode()).equals(words)
    assert plain(words.cast(pa.string_view())).equals(words)
    assert plain(pa.chunked_array([words, words])).to_pylist() == [*words.to_pylist()] * 2


@pytest.mark.slow
def test_pandas_stays_out() -> None:
    """It would take as long as a small release, in every command, where it is installed."""
    program = """
import json, sys
import numpy as np
from unspoken.tables.engines.arrow import kept, texts
from unspoken.tables.engines.row_sql import RowSQL
kept(texts(["a", "b"]), np.array([True, False]))
held = RowSQL({"a": "BIGINT"}, "t").held("a", [1, "x"])
print(json.dumps([held.to_pylist(), "pandas" in sys.modules]))
"""
    rows, there = ask(Path(__file__).parents[3], program)
    assert [row["a"] for row in rows] == [1, None, None]
    assert not there
