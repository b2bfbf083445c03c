"""The error beside an answer covers the true values of its rows, for all there is to err by."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from tests.selection import slow_values
from tests.workflows.query.test_answers import AGES, answered
from tests.workflows.query.wards import project, wards
from unspoken.interfaces.command_line.cli import run
from unspoken.workflows.query import intervals as module
from unspoken.workflows.query.attribute_cells import Span
from unspoken.workflows.query.exact import Exact
from unspoken.workflows.query.intervals import error_bars, intervals
from unspoken.workflows.query.noise import AnswerNoise, by_epsilon
from unspoken.workflows.query.question import bound
from unspoken.workflows.release import prepare

DRAWS = 400
EDGES = [20, 40, 60.5]
CASES = {
    "all": ("SELECT AVG(age), SUM(age), AVG(stay), SUM(stay) FROM wards", "true"),
    "few": ("SELECT AVG(age), SUM(age), AVG(stay), SUM(stay) FROM wards WHERE person < 2", "few"),
    "rare": ("SELECT AVG(age), SUM(age) FROM wards WHERE disease = 'hiv' AND person < 2", "rare"),
    "one bin": ("SELECT AVG(age), SUM(age) FROM wards WHERE age >= 60.5", "old"),
}
WHICH: dict[str, Callable[[pa.Table], np.ndarray]] = {
    "true": lambda rows: np.full(rows.num_rows, True),
    "few": lambda rows: rows["person"].to_numpy() < 2,
    "rare": lambda rows: (
        (rows["person"].to_numpy() < 2) & (np.array(rows["disease"].to_pylist()) == "hiv")
    ),
    "old": lambda rows: pc.fill_null(pc.greater_equal(rows["age"], 60.5), False).to_numpy(),
}
AGES_OF: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "as they are": lambda age: age,
    "at lower edges": lambda age: np.array([0, 20, 40, 60.5])[np.digitize(age, EDGES)],
    "below upper edges": lambda age: np.array([19.9, 39.9, 60.4, 100])[np.digitize(age, EDGES)],
    "of either sign": lambda age: 3 * age - 50,
}


def table(name: str) -> pa.Table:
    rows = wards()
    moved = AGES_OF[name](rows["age"].to_numpy(zero_copy_only=False))
    return rows.set_column(3, "age", pa.array(moved, mask=rows["age"].is_null().to_numpy()))


def truth(rows: pa.Table, chosen: np.ndarray, low: float) -> list[float]:
    """The average and the sum of the ages, and of the stays, each within the bounds."""
    age = rows["age"].to_numpy(zero_copy_only=False)[chosen]
    age = np.clip(age[~np.isnan(age)], low, 100)
    stay = rows["stay"].to_numpy()[chosen]
    return [age.mean(), age.sum(), stay.mean() if stay.size else math.nan, stay.sum()]


@pytest.mark.parametrize("epsilon", [0.02, 5.0])
@pytest.mark.parametrize("ages", AGES_OF)
@pytest.mark.parametrize("case", ["all", *slow_values("few", "rare", "one bin")])
def test_true_values_are_covered(case: str, ages: str, epsilon: float, tmp_path: Path) -> None:
    text, which = CASES[case]
    low = -50 if ages == "of either sign" else 0
    path = project(tmp_path, table(ages), cap=1e6)
    path.write_text(path.read_text().replace("[0, 100]", f"[{low}, 100]"))
    ready = prepare(path)
    question = bound(ready.project, ready.table, ready.learned, text)
    noise = AnswerNoise(
        question.numbers, by_epsilon(question.numbers, epsilon), ready.learned.labelling
    )
    exact, rng = Exact.of(question, ready.table, None), np.random.default_rng(5)
    true = dict(
        zip(
            ["avg(age)", "sum(age)", "avg(stay)", "sum(stay)"],
            truth(table(ages), WHICH[which](table(ages)), low),
            strict=True,
        )
    )
    covered = np.zeros(len(question.columns))
    for _ in range(DRAWS):
        drawn = [
            int(sums[0] + draw(rng, noise.scale(number)))
            for sums, number in zip(exact.sums, question.numbers, strict=True)
        ]
        (row,) = intervals(question, noise, [[int(exact.rows[0])], *([n] for n in drawn)])
        for at, (column, (least, most)) in enumerate(zip(question.columns, row, strict=True)):
            slack = 1e-9 * max(1.0, abs(true[column.title]))
            covered[at] += least - slack <= true[column.title] <= most + slack
    # A bar of a sum alone is as narrow as 95 % allow, so as many more may miss it by chance.
    assert (covered >= 0.95 * DRAWS - 3 * math.sqrt(DRAWS * 0.95 * 0.05)).all(), covered


def draw(rng: np.random.Generator, scale: float) -> int:
    """Noise as it is drawn: the difference of two geometric numbers."""
    p = -math.expm1(-1.0 / scale)
    return int(rng.geometric(p) - rng.geometric(p))


def spans(*edges: float) -> tuple[Span, ...]:
    ends = [*map(Fraction, map(str, edges))]
    return tuple(Span((a + b) / 2, a, b) for a, b in pairwise(ends))


def test_no_rows_of_the_same_middles_are_further_off() -> None:
    """Against all averages of three rows, with each row at either end of its bin."""
    bins = spans(-3, -1, 4, 4.5, 10)
    for several in [bins, bins[:1], bins[1:3], (*bins, module.NOTHING)]:
        every = [(a, b, c) for a in several for b in several for c in several]
        for rows in every:
            middle = sum((each.middle for each in rows), Fraction(0)) / 3
            low, high = module._of_bins(several, 1, (middle, middle))
            assert low <= sum(each.low for each in rows) / 3
            assert high >= sum(each.high for each in rows) / 3
    low, high = module._of_bins(bins, 1, (bins[0].middle, bins[0].middle))
    assert (low, high) == (bins[0].low, bins[0].high)


@pytest.mark.slow
def test_an_average_is_in_the_range_that_is_declared(tmp_path: Path) -> None:
    """However few rows there are, and whatever the noise made of their number."""
    path = project(tmp_path, cap=1e6)
    text = "SELECT AVG(age) FROM wards WHERE disease = 'hiv' AND person < 2"
    for k in range(20):
        done = answered(path, text, epsilon=0.02 + k / 10_000)
        ((bar,),) = done.bars
        assert 0 <= bar.interval.low < bar.interval.high <= 100
        if bar.value is not None:
            assert bar.error >= max(bar.interval.high - bar.value, bar.value - bar.interval.low)


@pytest.mark.slow
def test_the_error_is_beside_the_value(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = project(tmp_path, cap=1e6)
    assert run(["query", AGES, str(path), "--epsilon", "0.5", "--json"]) == 0
    (answer,) = (found := json.loads(capsys.readouterr().out))["answers"]
    mean = answer["avg(age)"]
    assert mean["low"] < mean["value"] < mean["high"]
    assert mean["error"] == max(mean["high"] - mean["value"], mean["value"] - mean["low"])
    assert found["error"]["avg(age)"] == [mean["error"]]
    assert mean["error_of_all"] == mean["error"]
    assert run(["query", AGES, str(path), "--epsilon", "0.5"]) == 0
    printed = capsys.readouterr().out
    assert f"{mean['value']:.6g} ±" in printed
    assert answered(path, "SELECT AVG(age) FROM wards", epsilon=0.5).error > 9.75  # half a bin


def test_all_groups_at_once_are_further_off(tmp_path: Path) -> None:
    path = project(tmp_path, cap=1e6)
    text = "SELECT disease, AVG(stay), COUNT(*) FROM wards GROUP BY disease"
    for _, mean, count in answered(path, text, epsilon=5.0).bars:
        assert mean.all.low < mean.interval.low < mean.interval.high < mean.all.high
        assert count.error < count.all.error(count.value)


def test_an_answer_whose_numbers_were_not_kept_has_no_error(tmp_path: Path) -> None:
    path = project(tmp_path, cap=1e6)
    ready = prepare(path)
    question = bound(ready.project, ready.table, ready.learned, AGES)
    ((mean, count),) = error_bars(question, None, [[48.0, 270]], ())
    assert mean.as_json()["error"] == count.as_json()["error"] == "inf"


def test_quotients_of_all_sums_and_counts() -> None:
    """Against every sum and every count of at least one row in their ranges."""
    for low, high, least, most in [(-3, 4, 0, 5), (2, 9, 2, 4), (-9, -2, -3, 3), (0, 7, -5, 0)]:
        sums, counts = (Fraction(low), Fraction(high)), (Fraction(least), Fraction(most))
        every = [
            Fraction(s, c) for s in range(low, high + 1) for c in range(max(least, 1), most + 1)
        ] or [Fraction(low), Fraction(high)]  # noise made the count too small: it is one at least
        assert module._quotients(sums, counts) == (min(every), max(every))
