"""learn() against a count by hand, in dictionaries, on small random tables."""

import math
import tempfile
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.effort import examples
from tests.tables.learning.conftest import project_of, whole
from unspoken.core.errors import InputError
from unspoken.tables.learning import Learned, table_of
from unspoken.tables.learning.counts import counting
from unspoken.tables.learning.counts import rows as counted_rows
from unspoken.tables.learning.counts.counting import Combinations
from unspoken.tables.learning.marks import marked

EDGES = [2, 4.5]
CELLS = ["below 2", "2-4.5", "4.5 or more"]
# Predicates about x in SQL and in Python; None is what SQL calls NULL.
PREDICATES: dict[str, Any] = {
    "x > 3": lambda row: None if row["x"] is None else row["x"] > 3,
    "kind = 'a'": lambda row: None if row["kind"] is None else row["kind"] == "a",
    "x > 3 AND flag": lambda row: conjunction(
        None if row["x"] is None else row["x"] > 3, row["flag"]
    ),
    "flag IS NOT NULL": lambda row: row["flag"] is not None,
    "NULL": lambda row: None,
}
ROW = st.fixed_dictionaries(
    {
        "x": st.none() | st.sampled_from([0.0, 2.0, 3.0, 4.0, 4.5, 9.0]),
        "kind": st.none() | st.sampled_from(["a", "b", "missing"]),
        "flag": st.none() | st.booleans(),
    }
)


def conjunction(a: bool | None, b: bool | None) -> bool | None:
    if a is False or b is False:
        return False
    return None if a is None or b is None else True


def attributes(predicate: str, missing: str) -> str:
    return f"""[attribute.x]
bins = [2, 4.5]
sensitive = "{predicate}"
missing = "{missing}"
[attribute.kind]
missing = "value"
[attribute.flag]
values = [false, true]
missing = "public"
"""


def learned(rows: list[dict], predicate: str, missing: str, belief: str = "") -> Learned:
    with tempfile.TemporaryDirectory() as folder:
        columns = {name: [row[name] for row in rows] for name in ("x", "kind", "flag")}
        types = {"x": pa.float64(), "kind": pa.string(), "flag": pa.bool_()}
        typed = {name: pa.array(values, types[name]) for name, values in columns.items()}
        pq.write_table(pa.table({"id": list(range(len(rows))), **typed}), f"{folder}/t.parquet")
        source = 'table = "t.parquet"\nkeys = ["id"]'
        own = project_of(attributes(predicate, missing), source, belief, Path(folder))
        return Learned.of(own, table_of(own))


def by_hand(rows: list[dict], predicate: str, missing: str) -> tuple[dict, dict, Counter]:
    """Labels and sensitive labels of each attribute, and how often each combination occurs."""

    def cell(row: dict, name: str) -> str:
        value = row[name]
        if value is None:
            called = name == "kind" and any(other["kind"] == "missing" for other in rows)
            return "missing (no value)" if called else "missing"
        if name == "x":
            return CELLS[sum(value >= edge for edge in EDGES)]
        return str(value).lower()

    def hidden(row: dict, name: str) -> bool:
        public = missing == "public" and row["x"] is None
        return name == "x" and not public and PREDICATES[predicate](row) is not False

    cells = {
        "x": [*CELLS, "missing"],
        "kind": [*sorted({row["kind"] for row in rows} - {None}), cell({"kind": None}, "kind")],
        "flag": ["false", "true", "missing"],
    }
    held = {name: {(cell(row, name), hidden(row, name)) for row in rows} for name in cells}
    labels: dict[str, list[str]] = {name: [] for name in cells}
    sensitive: dict[str, list[str]] = {name: [] for name in cells}
    for name, own in cells.items():
        for one in own:
            free, hide = (one, False) in held[name], (one, True) in held[name]
            split = [one, f"{one} (sensitive)"] if free and hide else [one]
            public = one == "missing" and missing == "public"
            unseen = name == "x" and not (free or hide or public)
            labels[name] += split
            sensitive[name] += split[1:] if free and hide else split if hide or unseen else []
    counts: Counter = Counter()
    for row in rows:
        names = []
        for name in cells:
            plain = cell(row, name)
            apart = hidden(row, name) and f"{plain} (sensitive)" in labels[name]
            names.append(f"{plain} (sensitive)" if apart else plain)
        counts[tuple(names)] += 1
    return labels, sensitive, counts


@examples(60)
@given(
    st.lists(ROW, min_size=1, max_size=25),
    st.sampled_from(list(PREDICATES)),
    st.sampled_from(["value", "public"]),
)
def test_learning_is_counting(rows: list[dict], predicate: str, missing: str) -> None:
    labels, sensitive, counts = by_hand(rows, predicate, missing)
    held = [{one[axis] for one in counts} for axis in range(3)]
    if min(map(len, held)) == 1:
        with pytest.raises(InputError, match="in every row"):
            learned(rows, predicate, missing)
        return
    found = learned(rows, predicate, missing)
    assert found.labels == {name: tuple(own) for name, own in labels.items()}
    assert found.sensitive == {name: tuple(own) for name, own in sensitive.items()}
    table = whole(found)
    for cell, one in zip(table.ravel().tolist(), product(*labels.values()), strict=True):
        assert math.isclose(cell, counts[one] / len(rows), rel_tol=1e-12, abs_tol=0.0)


@pytest.mark.slow
@examples(25)
@given(st.lists(ROW, min_size=4, max_size=40), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_no_bit(rows: list[dict], rng: Any) -> None:
    shuffled = list(rows)
    rng.shuffle(shuffled)
    try:
        first = learned(rows, "x > 3 AND flag", "value")
    except InputError:
        return
    again = learned(shuffled, "x > 3 AND flag", "value")
    assert whole(first).tobytes() == whole(again).tobytes()
    assert (first.labels, first.sensitive, first.counts, first.labelling) == (
        again.labels,
        again.sensitive,
        again.counts,
        again.labelling,
    )


@pytest.mark.parametrize("table", [1, 30, 2**22])
def test_combinations_are_counted_as_they_come(table: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "TABLE", table)
    rng, sizes = np.random.default_rng(1), [7, 4, 9]
    found, by_hand, rows = Combinations(sizes), Counter[tuple[int, ...]](), []
    for most in (1, 2, 4):  # marks that were not there before come later
        marks = [rng.integers(0, min(size, 2 * most), 200) for size in sizes]
        rows.append((marks, found.add(marks)))
        by_hand.update(zip(*(mark.tolist() for mark in marks), strict=True))
    marks, counts = found.held()
    combinations = list(zip(*(mark.tolist() for mark in marks), strict=True))
    assert combinations == sorted(by_hand)
    assert dict(zip(combinations, counts.tolist(), strict=True)) == by_hand
    for marks, which in rows:
        for own, mark in zip(found.marks, marks, strict=True):
            assert own[which].tolist() == mark.tolist()


def test_the_first_attribute_may_get_more_marks() -> None:
    counted = Combinations([0, 2])
    for most in (1, 3, 40, 41):
        counted.add([np.arange(most), np.arange(most) % 2], first=most)
    (first, second), counts = counted.held()
    assert first.tolist() == list(range(41))
    assert second.tolist() == [x % 2 for x in range(41)]
    assert counts.tolist() == [4, 3, 3, *[2] * 37, 1]


LISTED = """[attribute.kind]
missing = "value"
sensitive = "kind = 'a' AND flag"
[attribute.flag]
values = [false, true]
missing = "public"
[attribute.x]
missing = "value"
"""


@pytest.mark.slow
@examples(25)
@given(st.lists(ROW, min_size=4, max_size=40))
def test_groups_of_the_engine_are_counted_like_rows(rows: list[dict]) -> None:
    """Of listed values alone an engine is asked for the different rows."""
    with tempfile.TemporaryDirectory() as folder:
        columns = {
            "x": pa.array([None if row["x"] is None else int(row["x"]) for row in rows]),
            "kind": pa.array([row["kind"] for row in rows], pa.string()),
            "flag": pa.array([row["flag"] for row in rows], pa.bool_()),
        }
        pq.write_table(pa.table({"id": list(range(len(rows))), **columns}), f"{folder}/t.parquet")
        own = project_of(LISTED, 'table = "t.parquet"\nkeys = ["id"]', "", Path(folder))
        found: list[Learned | str] = []
        for groups in (counted_rows.GROUPS, 0):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(counted_rows, "GROUPS", groups)
                try:
                    found.append(Learned.of(own, table_of(own)))
                except InputError as error:
                    found.append(str(error))
    grouped, one_by_one = found
    assert type(grouped) is type(one_by_one)
    if isinstance(grouped, str) or isinstance(one_by_one, str):
        assert grouped == one_by_one
    else:
        assert grouped.labelling == one_by_one.labelling
        assert whole(grouped).tobytes() == whole(one_by_one).tobytes()


@pytest.mark.parametrize("belief", ["", '[belief]\nform = "tree"'])
def test_rows_are_the_same_however_many_are_counted_at_once(
    belief: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(6)
    rows = [
        {"x": float(x), "kind": "ab"[y] if y < 2 else None, "flag": bool(y % 2)}
        for x, y in rng.integers(0, (9, 3), (500, 2)).tolist()
    ]
    at_once = learned(rows, "x > 3 AND flag", "value", belief)
    monkeypatch.setattr(marked, "FEW", 0)
    each = learned(rows, "x > 3 AND flag", "value", belief)
    assert at_once.rows == each.rows == 500
    assert at_once.counts == each.counts
    assert at_once.belief == each.belief


def test_groups_tell_texts_apart_that_a_collation_does_not(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "t.duckdb")) as base:
        base.execute("CREATE TABLE t (id INT, kind VARCHAR COLLATE NOCASE, other VARCHAR)")
        base.execute("INSERT INTO t VALUES (1,'a','u'),(2,'A','u'),(3,'a','u'),(4,'b','v')")
    attributes = "[attribute.kind]\nvalues = ['a', 'A', 'b']\n[attribute.other]\n"
    source = 'database = "t.duckdb"\ntable = "t"\nkeys = ["id"]'
    own = project_of(attributes, source, "", tmp_path)
    assert Learned.of(own, table_of(own)).counts["kind"] == (2, 1, 1)
