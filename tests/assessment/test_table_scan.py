"""A table and nothing else: each number against counts made here, and who is never named."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import permutations
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
from unspoken.assessment.leaks import leak
from unspoken.assessment.rare import FEW, Grouped
from unspoken.assessment.table_scan import TableScan
from unspoken.core.errors import InputError
from unspoken.storage.prose import percent

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


def about(scan: TableScan, secret: str) -> list[str]:
    """Who tells of a secret, the most revealing first."""
    return [finding.who for finding in scan.findings if finding.about == secret]


def reasons(scan: TableScan) -> dict[str, str]:
    return {column.name: column.reason for column in scan.not_looked_at}


def test_what_a_column_tells_is_what_its_counts_say(table: str) -> None:
    scan = unspoken.leak(table, secret="ill = 'yes'")
    found = next(finding for finding in scan.findings if finding.who == "smokes")
    rows = pq.read_table(table).to_pylist()
    odds, nats = expected(table, [r["ill"] == "yes" for r in rows], [r["smokes"] for r in rows])
    assert found.factor == pytest.approx(odds, rel=1e-12)
    assert found.nats == pytest.approx(nats, rel=1e-9)
    assert scan.before["ill = 'yes'"] == {"false": 0.75, "true": 0.25}
    assert found.before < found.after
    assert found.records == sum(r["smokes"] for r in rows)
    assert reasons(scan) == {"ill": "it is what the secret is made of"}


def test_that_null_counts_as_true_is_said(table: str) -> None:
    rows = pq.read_table(table)
    town = [None, *rows["town"].to_pylist()[1:]]
    pq.write_table(rows.set_column(3, "town", [town]), table)
    counted = "Rows for which town = 'A' is NULL count as rows for which it is true."
    for secret, unsure in (("town = 'A'", True), ("coalesce(town = 'A', false)", False)):
        look = unspoken.leak(table, secret=secret)
        assert look.unsure == ((secret,) if unsure else ())
        assert (counted in look.remarks()) == unsure


def test_every_column_is_a_secret_in_turn_and_the_most_telling_stands_first(table: str) -> None:
    scan = unspoken.leak(table)
    assert {finding.about for finding in scan.findings} == {"ill", "smokes", "town"}
    assert about(scan, "ill") == ["town", "smokes"]  # certain, of a row of town B
    odds = [finding.factor for finding in scan.findings]
    assert odds == sorted(odds, reverse=True)
    assert all(0 < finding.share_learned < 1 for finding in scan.findings)


def test_numbers_of_rows_are_looked_at_by_range(table: str) -> None:
    """They may go with a secret: where rows were sorted by it before they were numbered."""
    scan = unspoken.leak(table)
    assert scan.not_looked_at == ()
    assert {*scan.grouped} == {"person", "ticket"}
    assert not {"person", "ticket"} & {finding.who for finding in scan.findings}
    rows = pq.read_table(table).sort_by("ill")
    rows = rows.set_column(0, "person", pa.array(range(ROWS)))
    told = unspoken.leak(rows, "ill = 'yes'").findings
    assert told[0].who == "person"
    assert told[0].factor == np.inf


def test_a_group_of_fewer_than_five_rows_is_never_named(table: str) -> None:
    scan = unspoken.leak(table)
    assert scan.findings
    assert "Hamlet" not in str(scan.as_json()) + repr(scan)
    assert all(finding.records >= FEW for finding in scan.findings)


def test_rare_values_are_joined_until_they_are_not_few() -> None:
    grouped = Grouped.of("x", ["a", "b", "c", "d"], np.array([100.0, 1.0, 2.0, 50.0]))
    assert grouped.values == ("a", "one of 3 rare values")
    assert (np.array([100.0, 1.0, 2.0, 50.0]) @ grouped.way).tolist() == [100, 53]
    many = Grouped.of("x", list("abcdefg"), np.array([90.0, 1, 1, 1, 1, 1, 9]))
    assert many.values == ("a", "g", "one of 5 rare values")
    assert Grouped.of("x", ["a", "b"], np.array([2.0, 1.0])).values == ("one of 2 rare values",)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("secret", "words"),
    [
        ("ill = 'Yes'", "false in every row, so there is nothing to tell. ill has 'no', 'yes'"),
        ("ill IS NOT NULL", "true or NULL in every row"),
        ("il = 'yes'", 'Did you mean "ill"?'),
        ("person + 1", "a condition is true or false"),
        ("nobody", "nobody"),
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
    with pytest.raises(InputError, match=r"no two columns to look at: .*x: "):
        unspoken.leak(str(tmp_path / "one.parquet"))


@pytest.mark.parametrize("secrets", [3, 7, 10, 13])
def test_what_is_certain_is_so_however_its_sum_rounds(secrets: int) -> None:
    """After "one of them" nothing else is possible: 1, of some of them an ulp less as a sum."""
    values = [f"s{k}" for k in range(secrets)]
    belief = Independent({"x": [*range(1, secrets + 1), 97]}, values={"x": [*values, "free"]})
    shows = np.eye(2)[[0] * secrets + [1]]
    found = leak(belief, Finite("x", shows), "anybody", ("x",), "x", values)
    assert found.answer is not None
    assert found.answer.after == 1.0


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
    (told,) = look.findings
    assert told.who == "pay (€)"
    assert told.factor == np.inf
    assert look.grouped == {"pay (€)": "number"}


@pytest.mark.slow
def test_what_chance_shows_as_well_is_not_listed() -> None:
    """Of columns that do not go together nothing is; of those that do, what goes together."""
    rng = np.random.default_rng(3)
    for _ in range(25):
        free = {name: rng.integers(0, k, 500) for name, k in (("a", 2), ("b", 7), ("c", 4))}
        look = unspoken.leak(pa.table(free))
        assert look.findings == ()
        assert look.comparisons == 2 * 7 + 2 * 4 + 7 * 4
        assert "No column tells of another more than chance would." in repr(look)
        assert "50 pairs of values were compared." in repr(look)
    rows = rng.integers(0, 4, 500)
    same = {"a": rows, "b": np.where(rng.random(500) < 0.3, rows, rng.integers(0, 4, 500))}
    look = unspoken.leak(pa.table(same))
    assert look.found == 2
    assert look.to_frame()["who"].tolist() in (["a", "b"], ["b", "a"])


# --- from Python

HANDED: dict[str, Callable[[str], Any]] = {
    "path": Path,
    "arrow": pq.read_table,
    "pandas": pd.read_parquet,
    "polars": pl.read_parquet,
    "duckdb": lambda file: duckdb.connect().from_parquet(file),
}


@pytest.mark.slow
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
    for said in ("smokes: true", "is what the secret is made of", "The shares of 400 rows"):
        assert said in " ".join(text.split())
        assert said in page
    frame = look.to_frame()
    assert [*frame["who"]] == about(look, "ill = 'yes'")
    first = next(finding for finding in look.findings if finding.who == "smokes")
    row = frame[frame["who"] == "smokes"].iloc[0]
    assert (row["odds"], row["bits"]) == (first.factor, first.information.bits)
    assert (row["seen"], row["secret"]) == ("true", "true")


def test_a_look_at_nothing_worth_a_line_has_no_head_of_a_table() -> None:
    look = unspoken.leak(pl.DataFrame({"a": [0, 1] * 50, "b": [0, 0, 1, 1] * 25}))
    assert look.cells() == []
    assert "of, who" not in repr(look) + look._repr_html_()
    assert "No column tells of another more than chance would." in repr(look)


def test_a_look_is_drawn(table: str, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="needs the extra `report`: vl-convert-python")
    drawn = unspoken.leak(table).plot()
    cells = drawn.described["data"]["values"]
    assert {(cell["who"], cell["about"]) for cell in cells} == {
        (one, other) for one, other in permutations(("ill", "smokes", "town"), 2)
        if "ill" in (one, other)
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
        ({"table": frame, "secret": [3]}, "leak.secret: 3 is no str; write SQL"),
        ({"table": frame, "secret": "il = 'yes'"}, r'leak.secret, .*Did you mean "ill"'),
        ({"table": frame, "database": "x.duckdb"}, "leak.database: has tables of names"),
        (
            {"table": frame, "secret": "CAST(town AS INT) > 3"},
            "leak.secret: Could not convert a text",
        ),
        ({"table": str(tmp_path / "t.csv")}, "leak.table, file: there is no"),
    ]
    for given, words in slips:
        with pytest.raises(InputError, match=words):
            unspoken.leak(**given)


def test_a_name_that_no_file_can_have_is_no_table() -> None:
    for name in ("A" * 10_000, "a\0b"):
        with pytest.raises(InputError, match=r"^leak\.table: "):
            unspoken.leak(name)
