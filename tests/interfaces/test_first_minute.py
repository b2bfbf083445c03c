"""`unspoken leak TABLE`: a table and a suspicion, before there is any project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.interfaces.conftest import Run
from unspoken.interfaces.command_line import running


def test_a_table_is_told_from_a_project_by_what_the_file_is(run: Run, folder: Path) -> None:
    done = run("leak", "occupancy.parquet")
    assert (done.code, done.err) == (0, "")
    words = " ".join(done.out.replace("\u00a0", " ").split())
    assert "800 rows. Who tells what of a column, by itself:" in words
    assert "pairs of values were compared" in words
    assert "Next: unspoken init occupancy.parquet" in words
    assert [path.name for path in folder.iterdir()] == ["occupancy.parquet"]


def test_a_secret_is_sql_over_the_row(run: Run) -> None:
    done = run("leak", "occupancy.parquet", "--secret", "first_arrival >= 11")
    words = " ".join(done.out.replace("\u00a0", " ").split())
    assert "Who tells whether first_arrival >= 11 (" in words
    assert "A blank in its own place, where nothing else is left out, tells a secret" in words
    told = run("leak", "occupancy.parquet", "--secret", "first_arrival >= 11", "--json").json
    assert (told["unspoken"], told["format"], told["rows"]) == ("leak", 1, 800)
    assert set(told["shares"]["first_arrival >= 11"]) == {"false", "true"}
    odds = [float(finding["odds"]) for finding in told["findings"]]
    assert odds == sorted(odds, reverse=True)
    keys = {"columns", "value", "from", "to", "records", "odds"}
    assert all(keys < {*finding} for finding in told["findings"])
    reason = "it is what the secret is made of"
    assert {"column": "first_arrival", "reason": reason} in told["not_looked_at"]


@pytest.mark.slow
def test_a_table_of_a_database(run: Run, folder: Path) -> None:
    with duckdb.connect(str(folder / "b.duckdb")) as con:
        con.execute("CREATE TABLE days AS FROM 'occupancy.parquet'")
    plain = run("leak", "occupancy.parquet", "--json").json
    found = run("leak", "days", "--database", "b.duckdb", "--json").json["findings"]
    assert found == plain["findings"] != []
    secret = ("--secret", "first_arrival >= 11", "--json")
    of_file = run("leak", "occupancy.parquet", *secret).json["findings"]
    assert run("leak", "days", "--database", "b.duckdb", *secret).json["findings"] == of_file
    run("leak", "dys", "--database", "b.duckdb").refused_with(2, 'Did you mean "days"?')


def test_names_and_values_are_whole_where_lines_are_short(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    names = ["Separated-from-spouse", "Married-civ-spouse"]
    with duckdb.connect() as con:
        con.execute(
            "COPY (SELECT i % 4 AS number_of_weeks_in_all, if(i % 2 > 0, $1, $2) AS "
            "marital_status_then FROM range(400) t(i)) TO 'wide.parquet'",
            names,
        )
    words = run("leak", "wide.parquet").out.split()
    assert {"number_of_weeks_in_all:", "marital_status_then:"} <= {*words}
    assert {*names} & {*words}


def test_numbers_that_are_nan_are_missing(run: Run, folder: Path) -> None:
    with duckdb.connect() as con:
        con.execute(
            "COPY (SELECT if(i % 5 = 0, 'nan'::DOUBLE, i % 7) AS x, i % 2 = 0 AS y "
            "FROM range(400) t(i)) TO 'nan.parquet'"
        )
    done = run("leak", "nan.parquet")
    assert (done.code, done.err) == (0, "")
    assert "No column tells of another more than chance would." in done.out
    assert "if it is" not in done.out
    told = run("leak", "nan.parquet", "--secret", "x IS NULL", "--secret", "y", "--json").json
    assert told["shares"]["x IS NULL"]["true"] == 0.2
    assert told["looked_at"] == ["x", "y"]


def test_an_address_is_no_file(run: Run) -> None:
    run("leak", "s3://b/x.parquet").refused_with(2, "is an address", "copy it first")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["leak.svg", "leak.png"])
def test_the_picture(run: Run, folder: Path, name: str) -> None:
    done = run("leak", "occupancy.parquet", "--picture", name)
    assert (done.code, done.err) == (0, f"Wrote {name}\n")
    assert (folder / name).stat().st_size > 2_000


@pytest.mark.parametrize("option", [("--secret", "x = 1"), ("--picture", "leak.svg")])
def test_what_is_for_tables_is_refused_of_a_project(
    run: Run, edited: Path, option: tuple[str, str]
) -> None:
    run("leak", *option).refused_with(2, option[0], "is for a table")


@pytest.mark.parametrize("width", [30, 45, 59])
def test_on_a_narrow_terminal_names_are_whole(
    run: Run, folder: Path, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running.out, "_width", width)
    done = run("leak", "occupancy.parquet")
    lines = done.out.splitlines()
    assert max(map(len, lines)) <= width
    whole = {line.split(":")[0].strip() for line in lines}
    assert {"office", "first_arrival", "mean_occupancy"} <= whole
    words = done.out.replace("\u00a0", " ")
    assert "of rows" in words
    assert "odds" in words


@pytest.mark.slow
def test_on_a_narrow_terminal_a_plan_is_whole(
    run: Run, edited: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running.out, "_width", 32)
    lines = run("plan").out.splitlines()
    assert "  first_arrival" in lines
    assert max(map(len, lines)) <= 32


@pytest.mark.slow
def test_of_many_columns_the_most_telling_are_listed_and_the_rest_counted(
    run: Run, folder: Path
) -> None:
    """Seven copies of one column, and seven of half of it: fourteen that others tell of."""
    columns = [f"i // {2 if k < 7 else 4} % 2 AS c{k}" for k in range(14)]
    with duckdb.connect() as con:
        con.execute(
            f"COPY (SELECT {', '.join(columns)} FROM range(400) t(i)) TO '{folder}/many.csv'"
        )
    done = run("leak", "many.csv")
    words = " ".join(done.out.replace("\u00a0", " ").split())
    assert "These are 36 of 84 findings; --picture FILE draws most" in words
    listed = [line.strip() for line in done.out.splitlines() if line.strip().startswith("c")]
    assert sum(line in {f"c{k}" for k in range(14)} for line in listed) == 12
    assert len(run("leak", "many.csv", "--json").json["findings"]) == 84


@pytest.mark.slow
def test_columns_that_give_a_secret_away_are_found_at_any_width(run: Run, folder: Path) -> None:
    rng = np.random.default_rng(8)
    secret = rng.random(3000) < 0.1
    table: dict[str, Any] = {f"c{k}": rng.integers(0, 4, 3000) for k in range(70)}
    table |= {"tell1": np.where(secret, rng.integers(0, 2, 3000), rng.integers(1, 4, 3000))}
    table |= {"tell2": rng.normal(4.0 * secret, 1.0), "secret": secret}
    pq.write_table(pa.table(table), "wide.parquet")
    told = run("leak", "wide.parquet", "--secret", "secret", "--json").json
    assert [finding["columns"] for finding in told["findings"]] == [["tell1"], ["tell2"]]
    assert [column["column"] for column in told["not_looked_at"]] == ["secret"]
    every = run("leak", "wide.parquet", "--json").json
    assert {finding["columns"][0] for finding in every["findings"]} == {"tell1", "tell2", "secret"}
    assert every["not_looked_at"] == []
    some = run(
        "leak", "wide.parquet", "--columns", "c1, tell2", "--secret", "secret", "--json"
    ).json
    assert some["looked_at"] == ["c1", "tell2"]
    others = {column["column"]: column["reason"] for column in some["not_looked_at"]}
    assert {*others} == {*table} - {"c1", "tell2"}
    assert {*others.values()} == {"it is not among the chosen columns"}
    run("leak", "wide.parquet", "--columns", "c1,tel2").refused_with(2, "--columns", '"tell2"')
    run("leak", "wide.parquet", "--columns", "c1").refused_with(2, "no two columns to look at")
