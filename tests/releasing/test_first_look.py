"""A table and nothing else: each number against counts made here, and who is never named."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import unspoken
from unspoken import Finite, Independent
from unspoken.errors import InputError
from unspoken.releasing.assessing.leaks import leak
from unspoken.releasing.assessing.prose import percent
from unspoken.releasing.assessing.rare import FEW, Grouped

ROWS = 400


@pytest.fixture
def table(tmp_path: Path) -> str:
    """Who is ill smokes more often; one town has three people; a number of its own for each."""
    ill = np.arange(ROWS) % 4 == 0
    smokes = np.where(ill, np.arange(ROWS) % 8 == 0, np.arange(ROWS) % 16 == 1)
    town = np.array(["A", "B"])[np.arange(ROWS) % 2].astype(object)
    town[:3] = "Hamlet"
    columns = {
        "person": np.arange(ROWS),
        "ill": np.where(ill, "yes", "no"),
        "smokes": smokes,
        "town": town.tolist(),
        "ticket": np.random.default_rng(1).permutation(10 * ROWS)[:ROWS],
    }
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    return str(tmp_path / "t.parquet")


def expected(table: str, secret: list[bool], seen: list[bool]) -> tuple[float, float]:
    """The largest factor on the odds of the secret, and the mutual information, by hand."""
    counts = np.zeros((2, 2))
    for x, y in zip(secret, seen, strict=True):
        counts[int(x), int(y)] += 1
    law = counts / ROWS
    lift = (law[1] / law[0]) / (law[1].sum() / law[0].sum())
    independent = np.outer(law.sum(1), law.sum(0))
    return float(lift.max()), float((law * np.log(law / independent)).sum())


def test_what_a_column_tells_is_what_its_counts_say(table: str) -> None:
    look = unspoken.leak(table, secret="ill = 'yes'")
    ((about, leaks),) = look.leaks.items()
    entry = next(entry for entry in leaks if entry.who == "smokes")
    rows = pq.read_table(table).to_pylist()
    odds, nats = expected(table, [r["ill"] == "yes" for r in rows], [r["smokes"] for r in rows])
    assert entry.odds.odds == pytest.approx(odds, rel=1e-12)
    assert entry.information.nats == pytest.approx(nats, rel=1e-9)
    assert look.before[about] == {"false": 0.75, "true": 0.25}
    assert entry.answer is not None
    assert entry.answer.before < entry.answer.after
    assert look.left_out["ill"] == "is what the secret is made of"


def test_that_null_counts_as_true_is_said(table: str) -> None:
    rows = pq.read_table(table)
    town = [None, *rows["town"].to_pylist()[1:]]
    pq.write_table(rows.set_column(3, "town", [town]), table)
    counted = "Rows for which town = 'A' is NULL count as rows for which it is true."
    for secret, unsure in (("town = 'A'", True), ("coalesce(town = 'A', false)", False)):
        look = unspoken.leak(table, secret=secret)
        assert look.unsure == unsure
        assert (counted in look.remarks()) == unsure


def test_every_column_is_a_secret_in_turn_and_the_most_telling_stands_first(table: str) -> None:
    look = unspoken.leak(table)
    assert set(look.leaks) == {"ill", "smokes", "town"}
    assert [entry.who for entry in look.leaks["ill"]] == [
        "town",
        "smokes",
    ]  # of an even and an odd row
    assert "ill" not in [entry.who for entry in look.leaks["ill"]]
    assert 0 < look.share_learned(look.leaks["ill"][0]) < 1


def test_what_names_a_row_is_left_out_with_the_reason(table: str) -> None:
    look = unspoken.leak(table)
    assert look.left_out == {
        "person": "names each row",
        "ticket": "has a value of its own in nearly every row",
    }


def test_a_group_of_fewer_than_five_rows_is_never_named(table: str) -> None:
    look = unspoken.leak(table, secret="ill = 'yes'")
    assert "Hamlet" not in look.before
    for leaks in unspoken.leak(table).leaks.values():
        for entry in leaks:
            assert entry.answer is not None
            assert entry.answer.mass * ROWS > FEW - 1
            assert "Hamlet" not in (entry.answer.secret, *map(str, entry.answer.seen.values()))


def test_rare_values_are_joined_until_they_are_not_few() -> None:
    grouped = Grouped.of("x", ["a", "b", "c", "d"], np.array([100.0, 1.0, 2.0, 50.0]))
    assert grouped.values == ("a", "b or c or d")
    assert (np.array([100.0, 1.0, 2.0, 50.0]) @ grouped.way).tolist() == [100, 53]
    many = Grouped.of("x", list("abcdefg"), np.array([90.0, 1, 1, 1, 1, 1, 9]))
    assert many.values == ("a", "g", "one of 5 rare values")
    assert Grouped.of("x", ["a", "b"], np.array([2.0, 1.0])).values == ("a or b",)


def test_few_rows_are_said(table: str, tmp_path: Path) -> None:
    assert not unspoken.leak(table).few_rows
    short = pq.read_table(table).slice(0, 30)
    pq.write_table(short, tmp_path / "short.parquet")
    many = {"a": [k % 5 for k in range(30)], "b": [k % 3 for k in range(30)]}
    pq.write_table(pa.table(many), tmp_path / "many.parquet")
    assert unspoken.leak(str(tmp_path / "many.parquet")).few_rows


@pytest.mark.parametrize(
    ("secret", "words"),
    [
        ("ill = 'Yes'", "false in every row, so there is nothing to tell. ill has 'no', 'yes'"),
        ("ill IS NOT NULL", "true or NULL in every row"),
        ("il = 'yes'", 'Did you mean "ill"?'),
        ("town", "a condition is true or false"),
        ("true) FROM x --", "leak.secret"),
    ],
)
def test_a_secret_that_is_none_is_refused(table: str, secret: str, words: str) -> None:
    with pytest.raises(InputError, match=r"^leak.secret") as refusal:
        unspoken.leak(table, secret=secret)
    assert words in str(refusal.value)


@pytest.mark.parametrize("second", [["a", "b", "a"], ["a", "a", "a"], [b"a", b"b", b"c"]])
def test_a_table_without_two_columns_to_compare_is_refused(
    tmp_path: Path, second: list[object]
) -> None:
    pq.write_table(pa.table({"id": [1, 2, 3], "x": second}), tmp_path / "one.parquet")
    with pytest.raises(InputError, match="no two columns to look at: id: names each row"):
        unspoken.leak(str(tmp_path / "one.parquet"))


@pytest.mark.parametrize(
    ("values", "rows", "few"), [(2, 30, True), (2, 48, False), (5, 60, False), (5, 40, True)]
)
def test_few_rows_are_as_few_as_in_a_project(
    tmp_path: Path, values: int, rows: int, few: bool
) -> None:
    """Ten for each combination that occurs: of two columns of 5 values, one a copy, there are 5."""
    first = [k % values for k in range(rows)]
    second = first if values > 2 else [k // 2 % 2 for k in range(rows)]
    pq.write_table(pa.table({"a": first, "b": second}), tmp_path / "t.parquet")
    assert unspoken.leak(str(tmp_path / "t.parquet")).few_rows is few


@pytest.mark.parametrize("secrets", [3, 7, 10, 13])
def test_what_is_certain_is_so_however_its_sum_rounds(secrets: int) -> None:
    """After "one of them" nothing else is possible: 1, of some of them an ulp less as a sum."""
    values = [f"s{k}" for k in range(secrets)]
    belief = Independent({"x": [*range(1, secrets + 1), 97]}, values={"x": [*values, "free"]})
    shows = np.eye(2)[[0] * secrets + [1]]
    found = leak(belief, Finite("x", shows), "anybody", ("x",), "x", values)
    assert found.answer is not None
    assert found.answer.after == 1.0


def test_pairs_of_people_are_not_to_be_grouped(tmp_path: Path) -> None:
    """Who knows whom: no group of names is proposed, so none is promised."""
    pairs = {"user_a": np.arange(ROWS) // 4, "user_b": np.arange(ROWS) % 90}
    pq.write_table(pa.table(pairs), tmp_path / "friends.parquet")
    with pytest.raises(InputError, match=r"user_b: 90 .* names of people say nothing in groups"):
        unspoken.leak(str(tmp_path / "friends.parquet"))


def test_what_is_not_certain_is_never_1() -> None:
    """Seen "yes", all else is one in 10^20: as a double that is 1; odds stay finite."""
    belief = Independent({"x": [1, 1]}, values={"x": ["s", "free"]})
    shows = np.array([[1.0, 0.0], [1e-20, 1.0]])
    found = leak(belief, Finite("x", shows), "anybody", ("x",), "x", ["s"])
    assert found.answer is not None
    assert found.odds.odds < math.inf
    assert 0.999 < found.answer.after < 1.0
    assert percent(found.answer.after) == ">\N{NO-BREAK SPACE}99.9\N{NO-BREAK SPACE}%"


def test_pay_that_is_written_with_a_comma_is_looked_at_by_bins(tmp_path: Path) -> None:
    """Each row has a pay of its own: as text it would look like a name, and tell nothing."""
    rng = np.random.default_rng(5)
    ill = rng.random(ROWS) < 0.4
    pay = [f"{k}.{m:03d},{c:02d} €" for k, m, c in zip(
        np.where(ill, 2, 4), rng.permutation(ROWS), rng.integers(0, 100, ROWS), strict=True
    )]  # fmt: skip
    lines = [f"{'yes' if a else 'no'};{b}" for a, b in zip(ill, pay, strict=True)]
    file = tmp_path / "pay.csv"
    file.write_text("\n".join(["ill;pay (€)", *lines]), "utf-8-sig")
    look = unspoken.leak(file, "ill = 'yes'")
    ((told,),) = look.leaks.values()
    assert told.who == "pay (€)"
    assert told.odds.odds == np.inf
    assert look.grouped == {"pay (€)": "number"}


def test_what_chance_shows_as_well_is_said() -> None:
    """Of columns that do not go together, nearly always; of those that do, never."""
    rng, missed = np.random.default_rng(3), 0
    for _ in range(25):
        free = {name: rng.integers(0, k, 500) for name, k in (("a", 2), ("b", 7), ("c", 4))}
        look = unspoken.leak(pa.table(free))
        missed += len(look.by_chance) < 6
        assert "chance?: so many rows" in repr(look) or not look.lines()
    assert missed <= 2
    rows = rng.integers(0, 4, 500)
    same = {"a": rows, "b": np.where(rng.random(500) < 0.3, rows, rng.integers(0, 4, 500))}
    look = unspoken.leak(pa.table(same))
    assert look.by_chance == frozenset()
    assert "chance?" not in repr(look)
    assert look.to_frame()["by_chance"].tolist() == [False, False]


# --- from Python

HANDED: dict[str, Callable[[str], Any]] = {
    "path": Path,
    "arrow": pq.read_table,
    "pandas": pd.read_parquet,
    "polars": pl.read_parquet,
    "duckdb": lambda file: duckdb.connect().from_parquet(file),
}


@pytest.mark.parametrize("secret", [None, "ill = 'yes'"])
@pytest.mark.parametrize("kind", HANDED)
def test_a_frame_tells_what_its_file_does(kind: str, secret: str | None, table: str) -> None:
    by_file = unspoken.leak(table, secret)
    found = unspoken.leak(HANDED[kind](table), secret)
    assert {**found.as_json(), "table": table} == by_file.as_json()
    assert repr(found) == repr(by_file)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_columns_of_too_many_values_are_grouped_in_frames_too(kind: str, tmp_path: Path) -> None:
    """As those of a file are; the frame itself stays as it was."""
    days = pd.date_range("2026-01-01", periods=ROWS, freq="D").date
    twice = np.repeat(days[: ROWS // 2], 2)
    columns = {"seen_on": twice, "ill": np.arange(ROWS) % 3 == 0, "x": np.arange(ROWS) % 2}
    frame = pd.DataFrame(columns)
    file = tmp_path / "t.parquet"
    frame.to_parquet(file)
    found = unspoken.leak(frame if kind == "pandas" else pl.from_pandas(frame))
    assert found.grouped == unspoken.leak(file).grouped
    assert "seen_on" in found.grouped
    assert frame["seen_on"].tolist() == list(twice)


def test_a_look_shows_itself(table: str) -> None:
    look = unspoken.leak(pd.read_parquet(table), "ill = 'yes'")
    text, page = repr(look), look._repr_html_()
    assert text.startswith("400 rows. Who tells whether ill = 'yes' (25")
    for said in ("smokes: true", "is what the secret is made of", "A plug-in from 400 rows"):
        assert said in " ".join(text.split())
        assert said in page
    frame = look.to_frame()
    assert [*frame["who"]] == [entry.who for entry in look.leaks["secret"]]
    first = next(entry for entry in look.leaks["secret"] if entry.who == "smokes")
    row = frame[frame["who"] == "smokes"].iloc[0]
    assert (row["odds"], row["bits"]) == (first.odds.odds, first.information.bits)
    assert (row["seen"], row["secret"]) == ("true", "true")


def test_a_look_at_nothing_worth_a_line_has_no_head_of_a_table() -> None:
    look = unspoken.leak(pl.DataFrame({"a": [0, 1] * 50, "b": [0, 0, 1, 1] * 25}))
    assert look.cells() == []
    assert "of, who" not in repr(look) + look._repr_html_()
    assert "Of a and b no other column tells 0.001 bit." in repr(look)


def test_a_look_is_drawn(table: str, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="needs the extra `report`: vl-convert-python")
    drawn = unspoken.leak(table).plot()
    cells = drawn.described["data"]["values"]
    assert {(cell["who"], cell["about"]) for cell in cells} == {
        (who, about) for who in ("ill", "smokes", "town") for about in ("ill", "smokes", "town")
        if who != about
    }  # fmt: skip
    assert drawn.save(tmp_path / "leak.svg").read_text().count("bit") >= len(cells)
    assert "What each column tells" in repr(drawn)


def test_what_is_no_table_is_one_line(table: str, tmp_path: Path) -> None:
    (tmp_path / "unspoken.toml").write_text("format = 1\n")
    frame: Any = pl.read_parquet(table)
    slips: list[tuple[dict[str, Any], str]] = [
        ({"table": tmp_path}, r"is a project; unspoken.prepare\(.*\).openly\(\) says"),
        ({"table": tmp_path / "unspoken.toml"}, "is a project"),
        ({"table": frame.lazy()}, r"leak.table: LazyFrame is no table, so .collect\(\) it"),
        ({"table": 3}, "leak.table: int is no table"),
        ({"table": frame["ill"]}, r"leak.table: a Series is one column; .to_frame\(\) is a table"),
        ({"table": pd.Series([1, 2])}, "leak.table: a Series is one column"),
        ({"table": pd.DataFrame([[1, 2]], columns=["a", "a"])}, "give every column a name of its"),
        ({"table": frame.select("ill")}, "no two columns to look at: there is ill alone. Make"),
        ({"table": frame, "secret": 3}, "leak.secret: 3 is no str; write SQL"),
        ({"table": frame, "secret": "il = 'yes'"}, r'leak.secret, .*Did you mean "ill"'),
        ({"table": frame, "database": "x.duckdb"}, "leak.database: has tables of names"),
        ({"table": frame, "secret": "CAST(town AS INT) > 3"}, "leak.secret: Could not convert"),
        ({"table": str(tmp_path / "t.csv")}, "leak.table, file: there is no"),
    ]
    for given, words in slips:
        with pytest.raises(InputError, match=words):
            unspoken.leak(**given)


def test_a_name_that_no_file_can_have_is_no_table() -> None:
    for name in ("A" * 10_000, "a\0b"):
        with pytest.raises(InputError, match=r"^leak\.table: "):
            unspoken.leak(name)
