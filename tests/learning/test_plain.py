"""A belief straight from a table of few values: the counts, the prior, and what is refused."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import unspoken
from unspoken import learning
from unspoken.errors import InputError


def test_counts_by_hand() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 3, 500), rng.integers(0, 2, 500)
    b = np.where(a == 2, 1, b)
    belief = unspoken.learn(pa.table({"a": a, "b": [("x", "y")[i] for i in b]}), prior_rows=0)
    for x, y in itertools.product(range(3), range(2)):
        share = np.mean((a == x) & (b == y))
        assert belief.table[x, y] == pytest.approx(share, abs=1e-15)
    assert belief.domain.values == ((0, 1, 2), ("x", "y"))
    assert belief.premise == "learned(500)"


def test_the_prior_leaves_nothing_impossible() -> None:
    belief = unspoken.learn(pa.table({"a": [0, 0, 1, 1], "b": [0, 0, 1, 1]}))
    assert (belief.table > 0).all()
    assert belief.table[0, 0] > belief.table[0, 1]


def test_missing_is_a_value() -> None:
    belief = unspoken.learn(pa.table({"a": [1, None, 1], "b": [0, 1, 1]}))
    assert belief.domain.values_of("a") == (1, None)


def test_categories_are_their_values() -> None:
    text = pa.array(["u", "v", None, "u"])
    views = pa.array(["v", "u"], pa.string_view())  # as polars has text and categories
    coded = pa.DictionaryArray.from_arrays(pa.array([1, 0, None, 1], pa.uint32()), views)
    plain, *others = (
        unspoken.learn(pa.table({"a": a, "b": [0, 1, 1, 1]}))
        for a in (text, text.dictionary_encode(), text.cast(pa.string_view()), coded)
    )
    for other in others:
        assert other.domain == plain.domain
        assert (other.table == plain.table).all()


@pytest.mark.parametrize("name", ["t.parquet", "t.csv"])
def test_a_file_is_a_table_too(name: str, tmp_path: Path) -> None:
    table = pa.table({"a": ["u", "v", None, "u"], "b": [0, 1, 1, 1]})
    write = pq.write_table if name.endswith("parquet") else pyarrow.csv.write_csv
    write(table, tmp_path / name)
    found = unspoken.learn(tmp_path / name, prior_rows=2)
    assert (found.table == unspoken.learn(table, prior_rows=2).table).all()
    with pytest.raises(InputError, match=r"^learn, file: there is no"):
        unspoken.learn(str(tmp_path / "no.csv"))


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(InputError, match="dict is no table; give one of pandas, polars or Arrow"):
        unspoken.learn({"a": [1, 2]})  # type: ignore[call-overload]
    assert unspoken.learn is learning.learn


def test_two_columns_of_one_name_are_refused() -> None:
    with pytest.raises(InputError, match="a is there twice"):
        unspoken.learn(pa.table([[1, 2], [3, 4]], names=["a", "a"]))


@pytest.mark.parametrize(
    ("columns", "options", "says"),
    [
        ({"a": [0.5, 1.5]}, {}, "bins"),
        ({"a": [1, 2]}, {"columns": ["b"]}, "there is no"),
        ({"a": pa.array([], pa.int64())}, {}, "no rows"),
        ({"a": [1, 2]}, {"prior_rows": -1.0}, "0 or more"),
        ({"a": [1, 2]}, {"prior_rows": float("inf")}, "a finite number"),
        ({"a": [1, 2]}, {"columns": ["a", "a"]}, "a is there twice"),
        ({"a": [[1], [2]]}, {}, "a has list<item: int64> in its cells"),
    ],
)
def test_refusals(columns: dict[str, Any], options: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        unspoken.learn(pa.table(columns), **options)
