"""A belief straight from a table of few values: the counts, and what is refused."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import unspoken
from unspoken.core.errors import InputError
from unspoken.tables import learning
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.engines.protocol import Scan


def test_counts_by_hand() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 3, 500), rng.integers(0, 2, 500)
    b = np.where(a == 2, 1, b)
    belief = unspoken.learn(pa.table({"a": a, "b": [("x", "y")[i] for i in b]}))
    for x, y in itertools.product(range(3), range(2)):
        share = np.mean((a == x) & (b == y))
        assert belief.table[x, y] == pytest.approx(share, abs=1e-15)
    assert belief.domain.values == ((0, 1, 2), ("x", "y"))
    assert belief.premise == "learned(500)"


def test_nothing_is_smoothed() -> None:
    """Smoothing towards independence lowers every leakage."""
    belief = unspoken.learn(pa.table({"a": [0, 0, 1, 1], "b": [0, 0, 1, 1]}))
    assert belief.table.tolist() == [[0.5, 0.0], [0.0, 0.5]]


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


TEXT, NUMBER = ["u", "v", "u", "v"], [1, 2, 1, 1]


PANDAS = pd.DataFrame({"a": TEXT, "b": NUMBER})
POLARS = pl.DataFrame({"a": TEXT, "b": NUMBER})
# The same rows as everybody has them; of an index without a name nobody wants to know.
FRAMES: dict[str, Callable[[], Any]] = {
    "pandas": lambda: PANDAS,
    "pandas objects": lambda: PANDAS.astype({"a": object}),
    "pandas categories": lambda: PANDAS.astype("category"),
    "pandas, some rows of more": lambda: pd.concat([PANDAS.assign(a="w"), PANDAS]).iloc[4:],
    "pandas, another index": lambda: PANDAS.set_index(pd.Index([7, 5, 3, 1])),
    "polars": lambda: POLARS,
    "polars categories": lambda: POLARS.with_columns(pl.col("a").cast(pl.Categorical)),
    "polars enum": lambda: POLARS.with_columns(pl.col("a").cast(pl.Enum(["v", "w", "u"]))),
    "arrow": POLARS.to_arrow,
    "arrow batch": lambda: POLARS.to_arrow().combine_chunks().to_batches()[0],
    "arrow reader": lambda: POLARS.to_arrow().to_reader(),
    "duckdb": lambda: duckdb.connect(":memory:").from_arrow(POLARS.to_arrow()),
}


@pytest.mark.parametrize("name", FRAMES)
def test_any_table_is_learned_from(name: str) -> None:
    found = unspoken.learn(FRAMES[name]())
    assert found.domain.values == (("u", "v"), (1, 2))
    assert found.table.tolist() == [[0.5, 0.0], [0.25, 0.25]]


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (lambda: pl.DataFrame({"a": TEXT}).lazy(), r"so \.collect\(\) it"),
        (lambda: pl.Series(TEXT), r"a Series is one column; .to_frame\(\) is a table"),
        (lambda: pd.DataFrame({"a": ["u", 1]}), "cannot be read as Arrow"),
        (lambda: pl.DataFrame({"a": pl.Series([1, 2], dtype=pl.Int128)}), "as Arrow"),
        (lambda: pl.DataFrame({"a": [b"u", b"v"]}), "binary_view in its cells; make it text"),
        (lambda: pl.DataFrame({"a": [["u"], ["v"]]}), "in its cells; make it text"),
        (lambda: pa.table({"a": pa.array([1.0, 2.0], pa.float16())}), "has real numbers"),
        (dict, "dict is no table"),
    ],
)
def test_tables_that_cannot_be_learned_from(table: Any, says: str) -> None:
    with pytest.raises(InputError, match=says) as refused:
        unspoken.learn(table())
    assert "\n" not in str(refused.value)


def test_what_python_has_no_word_for_is_text() -> None:
    times = pa.array([1, 2, None], pa.time64("ns"))
    found = unspoken.learn(pa.table({"a": times}))
    assert found.domain.values == (("00:00:00.000000001", "00:00:00.000000002", None),)


@pytest.mark.parametrize("name", ["pandas", "polars", "arrow"])
def test_a_frame_is_no_law(name: str) -> None:
    with pytest.raises(InputError, match=r"unspoken\.learn\(frame\) counts its rows"):
        unspoken.Joint(FRAMES[name]())
    with pytest.raises(InputError, match=r"plan.belief: a \w+ is no belief; give"):
        unspoken.plan(FRAMES[name](), limit_bits=0.1)


def test_columns_are_lists_of_numbers() -> None:
    columns: list[Any] = [pl.Series([1.0, 2.0]), pd.Series([1.0, 2.0]), pa.array([1.0, 2.0])]
    for given in columns:
        noise = unspoken.Laplace(2.0, given)
        assert repr(noise) == repr(unspoken.Laplace(2.0, [1.0, 2.0]))
        assert unspoken.Independent([given, [0.5, 0.5]]).marginal(["x0"])[0] == 1 / 3


@pytest.mark.parametrize("name", ["t.parquet", "t.csv"])
def test_a_file_is_a_table_too(name: str, tmp_path: Path) -> None:
    table = pa.table({"a": ["u", "v", None, "u"], "b": [0, 1, 1, 1]})
    write = pq.write_table if name.endswith("parquet") else pyarrow.csv.write_csv
    write(table, tmp_path / name)
    found = unspoken.learn(tmp_path / name)
    assert (found.table == unspoken.learn(table).table).all()
    with pytest.raises(InputError, match=r"^learn, file: there is no"):
        unspoken.learn(str(tmp_path / "no.csv"))


def test_of_a_file_only_what_is_asked_for_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wide file costs what its few columns cost."""
    table = pa.table({"a": [0, 1, 1], "b": ["u", "v", "v"], "day": [1, 1, 2], "who": [1, 2, 3]})
    pq.write_table(table.append_column("x", [[0.5, 0.25, 0.125]]), tmp_path / "t.parquet")
    read, batches = list[tuple[str, ...]](), DuckTable.batches

    def noted(opened: DuckTable, scan: Scan) -> pa.RecordBatchReader:
        read.append(tuple(scan.names))
        return batches(opened, scan)

    monkeypatch.setattr(DuckTable, "batches", noted)
    found = unspoken.learn(tmp_path / "t.parquet", ["b", "a"])
    assert (found.table == unspoken.learn(table, ["b", "a"]).table).all()
    asked: Any = {"columns": ["b"], "contexts": ["day"], "unit": ["who"], "rows_per_unit": 1}
    parts, others = unspoken.learn(tmp_path / "t.parquet", **asked), unspoken.learn(table, **asked)
    for (rows, belief), (same, other) in zip(parts, others, strict=True):
        assert rows == same
        assert (belief.table == other.table).all()
    assert read == [("b", "a"), ("b", "day", "who")]
    with pytest.raises(InputError, match=r"^learn: the table has no rows or no columns"):
        unspoken.learn(tmp_path / "t.parquet", [])


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
        ({"a": [1, 2]}, {"columns": ["a", "a"]}, "a is there twice"),
        ({"a": [[1], [2]]}, {}, "a has list<item: int64> in its cells"),
    ],
)
def test_refusals(columns: dict[str, Any], options: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        unspoken.learn(pa.table(columns), **options)
