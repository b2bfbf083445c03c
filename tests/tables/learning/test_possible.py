"""The labels that rules make possible are all that rows can have, and no row makes another."""

from __future__ import annotations

import random
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unspoken.tables.engines.protocol import Scan
from unspoken.tables.learning import Labeller, table_of
from unspoken.tables.learning.counts.rows import cells_of
from unspoken.tables.learning.marks.possible import possible_labels
from unspoken.tables.policy import Project

pytestmark = pytest.mark.slow

PROJECT = """\
format = 1
[source]
table = "t.parquet"
keys = ["id"]
[epoch]
label = "1"
[attribute.x]
{rule}
[attribute.y]
values = ["a", "b"]
[application.one]
reads = ["x", "y"]
[belief]
confidence = "none"
[plan]
by = "cell"
[limit]
limit_bits = 0.5
"""


def labels(folder: Path, rule: str, kind: str = "DOUBLE") -> tuple[tuple[str, ...], set[str]]:
    rows = duckdb.sql(f"SELECT 1::BIGINT AS id, CAST(NULL AS {kind}) AS x, 'a' AS y")
    assert rows is not None
    pq.write_table(rows.to_arrow_table(), folder / "t.parquet")
    project = Project.parse(PROJECT.format(rule=rule), folder / "unspoken.toml")
    table = table_of(project)
    found = possible_labels(cells_of(project, table), table)[0]
    return found.names, set(found.sensitive)


@pytest.mark.parametrize(
    ("rule", "names", "sensitive"),
    [
        ("bins = [5]", ["below 5", "5 or more"], []),
        ("bins = [5]\nsensitive = 'x >= 5'", ["below 5", "5 or more"], ["5 or more"]),
        ("bins = [5]\nsensitive = 'x > 5'",
         ["below 5", "5 or more", "5 or more (sensitive)"], ["5 or more (sensitive)"]),
        ("bins = [5]\nsensitive = 'x BETWEEN 2 AND 3'",
         ["below 5", "below 5 (sensitive)", "5 or more"], ["below 5 (sensitive)"]),
        ("bins = [5]\nsensitive = 'x < 5 OR x < 9'",
         ["below 5", "5 or more", "5 or more (sensitive)"], ["below 5", "5 or more (sensitive)"]),
        ("bins = [5]\nsensitive = 'x + 1 > 6'",  # it calculates: anything may be
         ["below 5", "below 5 (sensitive)", "5 or more", "5 or more (sensitive)"],
         ["below 5 (sensitive)", "5 or more (sensitive)"]),
        ("bins = [5]\nsensitive = \"y = 'a'\"",  # it reads another column
         ["below 5", "below 5 (sensitive)", "5 or more", "5 or more (sensitive)"],
         ["below 5 (sensitive)", "5 or more (sensitive)"]),
        ("values = [1, 2, 3]\nsensitive = 'x % 2 = 1'", ["1", "2", "3"], ["1", "3"]),
        ("bins = [5]\nmissing = 'value'\nsensitive = 'x >= 5'",
         ["below 5", "5 or more", "missing"], ["5 or more", "missing"]),
        ("bins = [5]\nmissing = 'value'\nsensitive = 'x IS NOT NULL AND x >= 5'",
         ["below 5", "5 or more", "missing"], ["5 or more"]),
        ("bins = [5]\nmissing = 'value'\nsensitive = 'coalesce(x >= 5, false)'",
         ["below 5", "5 or more", "missing"], ["5 or more"]),
        ("bins = [5]\nmissing = 'public'\nsensitive = 'x >= 5'",
         ["below 5", "5 or more", "missing"], ["5 or more"]),
    ],
)  # fmt: skip
def test_by_rules_alone(tmp_path: Path, rule: str, names: list[str], sensitive: list[str]) -> None:
    assert labels(tmp_path, rule) == (tuple(names), set(sensitive))


def test_an_integer_between_two_points(tmp_path: Path) -> None:
    rule = "bins = [0, 2]\nsensitive = 'x > 0.5 AND x < 1.5'"
    names, sensitive = labels(tmp_path, rule, "UTINYINT")
    assert names == ("below 0", "0-2", "0-2 (sensitive)", "2 or more")
    assert sensitive == {"0-2 (sensitive)", "below 0"}


CONDITIONS = [
    "x > {a}", "x <= {a}", "x = {a}", "x <> {a}", "x IN ({a}, {b})", "x NOT IN ({a}, {b})",
    "x BETWEEN {a} AND {b}", "NOT (x < {a} AND x <> {b})", "x IS NULL OR x > {a}", "{a} < x",
    "CASE WHEN x > {a} THEN x < {b} ELSE x = {b} END", "coalesce(x, {a}) > {b}",
    "abs(x - {a}) < {b}", "x::INTEGER = {a}", "x IS NOT DISTINCT FROM {a}",
    "coalesce(x > {a}, x IS NULL, true) AND NOT ifnull(x = {b}, true)",
]  # fmt: skip


@pytest.mark.parametrize("kind", ["DOUBLE", "INTEGER", "DECIMAL(6, 1)", "FLOAT"])
@pytest.mark.parametrize("condition", CONDITIONS)
def test_no_row_has_another_label(tmp_path: Path, kind: str, condition: str) -> None:
    rng = random.Random(f"{kind} {condition}")
    a, b = (rng.choice([-1, 0, 0.5, 2, 2.5, 7]) for _ in range(2))
    values = [None, *(k / 4 for k in range(-12, 48))]
    rule = f"bins = [0, 2, 5]\nmissing = 'value'\nsensitive = '{condition.format(a=a, b=b)}'"
    project = Project.parse(PROJECT.format(rule=rule), tmp_path / "unspoken.toml")
    rows = pa.table({"id": range(len(values)), "x": values, "y": ["a"] * len(values)})
    typed = duckdb.from_arrow(rows).project(f"id, x::{kind} AS x, y").to_arrow_table()
    pq.write_table(typed, tmp_path / "t.parquet")
    table = table_of(project)
    cells = cells_of(project, table)
    labelling = possible_labels(cells, table)
    labeller = Labeller(labelling, table.columns, {}, table.timezone)
    for batch in table.batches(Scan(list(labeller.reads), ordered=False)):
        assert (labeller.codes(batch)["x"] >= 0).all()
