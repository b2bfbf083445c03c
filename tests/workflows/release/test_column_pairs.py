"""Two-way counts and findings against enumeration of rows in plain Python."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import permutations, product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import unspoken
from unspoken.assessment.table_scan import TableScan
from unspoken.assessment.telling_cells import CHANCE
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.workflows.release import column_pairs, leaking, two_way
from unspoken.workflows.release.coded_columns import CodedColumn, coded_columns
from unspoken.workflows.release.two_way import blocks_of, two_way_counts

FEW = 5


def divergence(q: float, p: float) -> float:
    return sum(a * math.log(a / b) for a, b in ((q, p), (1 - q, 1 - p)) if a > 0)


def expected(
    columns: dict[str, list[str]], secrets: Mapping[str, tuple[list[str], Sequence[str]]]
) -> list[tuple[float, int, str, str, str, str]]:
    """(-odds, -records, who, value, about, label) of each pair's best cell, by counting rows."""
    rows = len(next(iter(columns.values())))
    asked = [
        (who, value, about, label)
        for who, seen in columns.items()
        for about, (_, labels) in secrets.items()
        if who != about
        for value in {*seen}
        for label in labels
    ]
    tests = len({frozenset({(who, v), (about, s)}) for who, v, about, s in asked})
    best: dict[tuple[str, str], tuple[float, int, str, str, str, str]] = {}
    for who, value, about, label in asked:
        told = secrets[about][0]
        n, held = columns[who].count(value), told.count(label)
        k = sum(a == value and b == label for a, b in zip(columns[who], told, strict=True))
        if k * rows <= n * held or min(n, held) < FEW:
            continue
        bounds = (n * divergence(k / n, held / rows), held * divergence(k / held, n / rows))
        if max(bounds) <= math.log(tests / CHANCE):
            continue
        odds = math.inf if k == n else (k / held) / ((n - k) / (rows - held))
        found = (-odds, -n, who, value, about, label)
        best[who, about] = min(best.get((who, about), found), found)
    return sorted(best.values())


def made(rng: np.random.Generator, rows: int) -> dict[str, list[str]]:
    """Columns of few values, some of which go together more or less."""
    hidden = rng.integers(0, 3, rows)
    columns = {}
    for name in "abcdef":
        size, kept = int(rng.integers(2, 6)), rng.random()
        mixed = np.where(rng.random(rows) < kept**2, hidden % size, rng.integers(0, size, rows))
        columns[name] = [f"{name}{k}" for k in mixed]
    columns["copy"] = [f"copy of {x}" for x in columns["a"]]
    return columns


def without_rare(values: list[str]) -> list[str]:
    """As `Grouped` has it: rare values together, and the next with them as long as all are few."""
    counts = Counter(values)
    order = sorted(counts, key=lambda value: (counts[value], value))
    below = sum(counts[value] < FEW for value in order)
    while 0 < below < len(order) and sum(counts[value] for value in order[:below]) < FEW:
        below += 1
    rare = {*order[:below]}
    return [f"one of {len(rare)} rare values" if value in rare else value for value in values]


def listed(scan: TableScan) -> list[tuple[float, int, str, str, str, str]]:
    return [(-f.factor, -f.records, f.who, f.value, f.about, f.secret) for f in scan.findings]


def close(found: list[Any], wanted: list[Any]) -> None:
    """The same findings, odds to their last digits, in an order that ties may change."""

    def by_name(entry: tuple[Any, ...]) -> tuple[Any, ...]:
        return entry[2:]

    assert [entry[0] for entry in found] == pytest.approx([entry[0] for entry in wanted])
    for one, other in zip(sorted(found, key=by_name), sorted(wanted, key=by_name), strict=True):
        assert one[0] == pytest.approx(other[0])
        assert one[1] == other[1]
        assert (one[2], one[4]) == (other[2], other[4])


@pytest.mark.parametrize("seed", range(20))
def test_findings_are_those_of_enumeration(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(20, 400))
    columns = made(rng, rows)
    merged = {name: without_rare(values) for name, values in columns.items()}
    merged = {name: values for name, values in merged.items() if len({*values}) > 1}
    monkeypatch.setattr(two_way, "ROWS", 64)
    every = {name: (values, sorted({*values})) for name, values in merged.items()}
    wanted = expected(merged, every)
    for levels in (5, 10_000):  # a block has one column, or there is one block
        monkeypatch.setattr(column_pairs, "blocks_of", lambda sizes, n=levels: blocks_of(sizes, n))
        scan = unspoken.leak(pa.table(columns))
        close(listed(scan), wanted)
        assert scan.found == len(wanted)
        label = sorted({*columns["a"]})[0]
        told = [str(value == label).lower() for value in columns["a"]]
        if min(told.count("true"), told.count("false")) >= FEW and len(merged) == len(columns):
            rest = {name: values for name, values in merged.items() if name != "a"}
            given = unspoken.leak(pa.table(columns), f"a = '{label}'")
            secret = f"a = '{label}'"
            close(listed(given), expected(rest, {secret: (told, ["true"])}))


def test_several_secrets_and_every_value_of_a_column() -> None:
    rng = np.random.default_rng(5)
    columns = made(rng, 300)
    table = pa.table(columns)
    scan = unspoken.leak(table, ["a", "b = 'b0'"])
    rest = {name: values for name, values in columns.items() if name not in "a"}
    of_a = expected(rest | {"a": columns["a"]}, {"a": (columns["a"], sorted({*columns["a"]}))})
    told = [str(value == "b0").lower() for value in columns["b"]]
    of_b = expected({k: v for k, v in columns.items() if k != "b"}, {"b = 'b0'": (told, ["true"])})
    who = {(finding.who, finding.about) for finding in scan.findings}
    alone = {(entry[2], entry[4]) for entry in [*of_a, *of_b]}
    assert who <= alone  # of more comparisons each has to show a little more
    assert ("copy", "a") in who
    assert not {("a", "a"), ("b", "b = 'b0'")} & who
    assert next(f.factor for f in scan.findings if f.who == "copy") == math.inf
    assert scan.not_looked_at == ()


def test_counts_are_exact_whatever_the_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    sizes = [2, 5, 3, 21]
    codes = [rng.integers(0, size, 1000).astype(np.uint8) for size in sizes]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    for rows in (1, 7, 1000, 8192):
        monkeypatch.setattr(two_way, "ROWS", rows)
        counts = two_way_counts(codes, sizes, codes[1:], sizes[1:])
        for i, j in permutations(range(4), 2):
            if j:
                pairs = Counter(zip(codes[i].tolist(), codes[j].tolist(), strict=True))
                part = counts[starts[i] : starts[i + 1], starts[j] - 2 : starts[j + 1] - 2]
                assert all(part[x, y] == n for (x, y), n in pairs.items())
                assert part.sum() == 1000
    assert [*blocks_of([3, 3, 9, 1, 1], 6)] == [range(2), range(2, 3), range(3, 5)]
    assert [*blocks_of([])] == []


@pytest.mark.slow
def test_unrelated_columns_show_nothing_in_99_of_100_tables() -> None:
    """Many comparisons, and rare secrets: nothing is listed that chance explains."""
    rng = np.random.default_rng(2)
    wrong = 0
    for _ in range(60):
        table: dict[str, Any] = {
            f"c{k}": rng.integers(0, rng.integers(2, 9), 300) for k in range(20)
        }
        table["secret"] = rng.random(300) < 0.03
        wrong += bool(unspoken.leak(pa.table(table)).findings)
    assert wrong <= 3


def test_the_bound_holds_for_every_hypergeometric_law() -> None:
    """By enumeration: of 24 rows, whatever the margins, however many have both."""
    rows = 24
    for n, held in product(range(1, rows), repeat=2):
        ways = [math.comb(held, k) * math.comb(rows - held, n - k) for k in range(n + 1)]
        for k in range(math.ceil(n * held / rows), min(n, held) + 1):
            tail = sum(ways[k:]) / math.comb(rows, n)
            by_value = n * divergence(k / n, held / rows)
            most = max(by_value, held * divergence(k / held, n / rows))
            assert tail <= math.exp(-most) * (1 + 1e-9)


def coded(name: str, values: Any) -> Any:
    table = pa.table({name: values, "other": [k % 2 for k in range(len(values))]})
    opened = leaking._opened(table, None, "leak.{}".format)
    (found,) = coded_columns(opened, [name], len(values), "leak")
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "called"),
    [
        ([True, False, None] * 10, ("false", "true", "missing")),
        ([1.5, math.nan, 2.0] * 10, ("1.5", "2", "missing")),
        ([3, 1, 2] * 10, ("1", "2", "3")),
        (["b", "a"] * 9 + ["c"], None),
        ([0.0] * 980 + [float(k) for k in range(1, 21)] * 1, ("0", "another value")),
        ([*range(200)], "ten"),
        (np.random.default_rng(0).normal(size=500).tolist(), "ten"),
        (np.arange("2020-01", "2021-01", dtype="datetime64[D]").tolist(), "months"),
    ],
)
def test_each_kind_of_column_has_few_values(values: Any, called: Any) -> None:
    column = coded("x", values)
    assert isinstance(column, CodedColumn)
    assert column.rows.sum() == len(values)
    assert np.array_equal(np.bincount(column.codes), column.rows)
    assert column.rows.min() >= FEW
    if called == "ten":
        assert len(column.values) == 10
        assert column.rows.max() < 2 * column.rows.min()
    elif called == "months":
        assert "2020-02" in column.values
    elif called is not None:
        assert {*column.values} == {*called}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["one"] * 30, "one value in every row"),
        ([7] * 30, "one value in every row"),
        ([None] * 29 + [1.0], "one value in all but a few rows"),
        ([math.inf, 1.0] * 30, "some of its values are infinite"),
        ([f"text {k:c}" for k in range(300, 500)], "a value of its own in nearly every row"),
        ([f"a{k}@example.org" for k in range(200)], "looks like e-mail addresses"),
        ([[1], [2]] * 10, "neither numbers, text, dates nor true or false"),
    ],
)
def test_what_is_not_looked_at_has_a_reason(values: Any, words: str) -> None:
    assert words in coded("x", values).reason


def test_a_frequent_code_stands_by_itself_beside_the_beginnings_of_others() -> None:
    """All 227 of one secret have the code s07, as 79 others do: others begin as it does."""
    sites = [f"s{k:02}" for k in range(40)]
    rows = [*[("flu", "s07")] * 227, *[("no", "s07")] * 79]
    rows += [("no", site) for site in sites * 67 if site != "s07"]
    table = {"ill": [ill for ill, _ in rows], "site": [site for _, site in rows]}
    (found,) = unspoken.leak(pa.table(table), secret="ill = 'flu'", columns=["site"]).findings
    assert (found.value, found.records) == ("s07", 227 + 79)
    (column,) = coded_values(table["site"])
    assert set(column) == {"s07", "another s0", "s1", "s2", "s3"}


def coded_values(values: list[str]) -> list[tuple[str, ...]]:
    table = DuckTable.open(pa.table({"x": values}))
    found = coded_columns(table, ["x"], len(values), "x")
    return [column.values for column in found if type(column) is CodedColumn]
