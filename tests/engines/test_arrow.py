"""Arrow columns and arrays, there and back."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tests.house.source import ask
from unspoken.engines.arrow import boolean, missing, numbers, plain, texts

MASKS = [[], [True], [True, False, False, True, True, False, True, False, True, True, False]]


@pytest.mark.parametrize("mask", MASKS, ids=len)
def test_truth_values_keep_their_order(mask: list[bool]) -> None:
    made = boolean(np.array(mask, dtype=bool))
    assert made.to_pylist() == mask
    assert numbers(made).astype(bool).tolist() == mask
    assert numbers(made[3:]).astype(bool).tolist() == mask[3:]


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


def test_pandas_stays_out() -> None:
    """It would take as long as a small release, in every command, where it is installed."""
    program = """
import json, sys
import numpy as np
from unspoken.engines.arrow import kept, texts
from unspoken.engines.row_sql import RowSQL
kept(texts(["a", "b"]), np.array([True, False]))
held = RowSQL({"a": "BIGINT"}, "t").held("a", [1, "x"])
print(json.dumps([held.to_pylist(), "pandas" in sys.modules]))
"""
    rows, there = ask(Path(__file__).parents[2], program)
    assert [row["a"] for row in rows] == [1, None, None]
    assert not there
