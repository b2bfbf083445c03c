"""Learning and closure on the real tables kept beside the checkout, recounted by hand."""

import csv
import gzip
from bisect import bisect_right
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tests.planning.test_closure import check
from tests.tables.learning.conftest import coded, project_of
from unspoken.planning import closure
from unspoken.tables.learning import Learned, table_of

pytestmark = pytest.mark.slow

SPACE_DAYS = """
[attribute.first_arrival_h]
bins = [9, 10, 12]
sensitive = "first_arrival_h > 11"
missing = "value"
[attribute.mean_occ_8_17]
bins = [0.1, 0.3, 0.6]
sensitive = "mean_occ_8_17 < 0.3"
[attribute.last_leave_h]
bins = [12, 16, 18]
missing = "value"
[attribute.n_exits]
bins = [1, 2, 4]
"""
WHERE = "source IN ('carleton', 'keti') AND weekday < 5 AND coverage >= 0.9"

ADULT = """
[attribute.age]
bins = [25, 35, 45, 60]
[attribute.marital-status]
sensitive = "\\"marital-status\\" IN ('Divorced', 'Separated', 'Widowed')"
[attribute.hours-per-week]
bins = [35, 41, 55]
sensitive = "\\"hours-per-week\\" < 20"
[attribute.occupation]
[attribute.income]
values = ["<=50K", ">50K"]
"""


WIDE = """
[attribute.age]
bins = [28, 36, 50]
[attribute.workclass]
[attribute.education-num]
bins = [7, 10, 13]
[attribute.marital-status]
[attribute.occupation]
[attribute.relationship]
[attribute.race]
[attribute.sex]
[attribute.hours-per-week]
bins = [30, 44, 50]
[attribute.income]
sensitive = "income = '>50K'"
"""


def rows_of(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt", newline="") as file:
        return list(csv.DictReader(file))


def share_of(found: Learned, **labels: str) -> float:
    index = [found.labels[name].index(label) for name, label in labels.items()]
    return float(found.belief.marginal(list(labels))[tuple(index)])


@pytest.fixture(scope="module")
def space_days(shared: Path) -> tuple[Learned, list[dict[str, str]]]:
    folder = shared / "data/occupancy_space_day"
    query = f"SELECT * FROM 'space_day.csv.gz' WHERE {WHERE}"
    source = f'sql = """{query}"""\nkeys = ["source", "space", "day"]\nunit = ["source", "space"]'
    own = project_of(SPACE_DAYS, source, folder=folder)
    kept = [
        row
        for row in rows_of(folder / "space_day.csv.gz")
        if row["source"] in ("carleton", "keti")
        and int(row["weekday"]) < 5
        and float(row["coverage"]) >= 0.9
    ]
    return Learned.of(own, table_of(own)), kept


def test_space_days_are_counted(space_days: tuple[Learned, list[dict[str, str]]]) -> None:
    found, rows = space_days
    assert found.rows == len(rows) > 6000
    names = ["below 12", "12-16", "16-18", "18 or more"]
    held = Counter(
        "missing" if not row["last_leave_h"]
        else names[bisect_right([12, 16, 18], float(row["last_leave_h"]))]
        for row in rows
    )  # fmt: skip
    assert found.labels["last_leave_h"] == (*names, "missing")
    assert (
        dict(zip(found.labels["last_leave_h"], found.counts["last_leave_h"], strict=True)) == held
    )
    late = sum(row["first_arrival_h"] == "" or float(row["first_arrival_h"]) > 11 for row in rows)
    hidden = set(found.sensitive["first_arrival_h"])
    assert hidden == {"10-12 (sensitive)", "12 or more", "missing"}
    counts = zip(found.labels["first_arrival_h"], found.counts["first_arrival_h"], strict=True)
    assert sum(count for label, count in counts if label in hidden) == late
    both = sum(
        row["first_arrival_h"] != ""
        and float(row["first_arrival_h"]) < 9
        and float(row["mean_occ_8_17"]) >= 0.6
        for row in rows
    )
    share = share_of(found, first_arrival_h="below 9", mean_occ_8_17="0.6 or more")
    assert share == pytest.approx(both / len(rows), rel=1e-12)


def test_leaving_before_noon_is_telling(space_days: tuple[Learned, list[dict[str, str]]]) -> None:
    """Nobody who left before noon was in for 30 % of the time: closure finds it, and ends."""
    found, _ = space_days
    closed = closure(found.belief, found.sensitive, 4.0)
    first = {(told.name, told.value): told for told in closed.telling}
    assert first["last_leave_h", "below 12"].target == "mean_occ_8_17"
    assert first["last_leave_h", "below 12"].factor > 20
    check(found.belief, found.sensitive, 4.0, closed)
    some = closure(found.belief, found.sensitive, 4.0, released=["first_arrival_h"])
    assert some.sensitive["last_leave_h"] == ()


def test_adult_is_counted_and_closed(shared: Path) -> None:
    folder = shared / "data/adult"
    query = "SELECT row_number() OVER () AS person, * FROM 'adult.csv.gz'"
    own = project_of(ADULT, f'sql = "{query}"\nkeys = ["person"]', folder=folder)
    found = Learned.of(own, table_of(own))
    rows = rows_of(folder / "adult.csv.gz")
    assert found.rows == len(rows) == 32_561
    assert len(found.labels["occupation"]) == 15  # "?" is a value like any other here
    held = Counter(row["marital-status"] for row in rows)
    assert (
        dict(zip(found.labels["marital-status"], found.counts["marital-status"], strict=True))
        == held
    )
    few = sum(int(row["hours-per-week"]) < 20 for row in rows)
    assert (
        dict(zip(found.labels["hours-per-week"], found.counts["hours-per-week"], strict=True))[
            "below 35 (sensitive)"
        ]
        == few
    )
    rich = sum(row["income"] == ">50K" and row["marital-status"] == "Divorced" for row in rows)
    share = share_of(found, income=">50K", **{"marital-status": "Divorced"})
    assert share == pytest.approx(rich / len(rows), abs=0.003)
    closed = closure(found.belief, found.sensitive, 4.0)
    check(found.belief, found.sensitive, 4.0, closed)
    codes = coded(found, own)
    for name, counts in found.counts.items():
        assert tuple(np.bincount(codes[name], minlength=len(counts))) == counts


def bits(rows: list[dict[str, str]], first: str, second: str) -> float:
    """What one column tells of another, counted by hand."""
    n = len(rows)
    pairs = Counter((row[first], row[second]) for row in rows)
    one, other = (Counter(row[name] for row in rows) for name in (first, second))
    return sum(k / n * np.log2(k * n / one[a] / other[b]) for (a, b), k in pairs.items())


def test_ten_attributes_of_adult_are_a_tree(shared: Path) -> None:
    """7,257,600 and more combinations: the strongest pairs are kept, and what is lost is said."""
    folder = shared / "data/adult"
    query = "SELECT row_number() OVER () AS person, * FROM 'adult.csv.gz'"
    source, tree = f'sql = "{query}"\nkeys = ["person"]', '[belief]\nform = "tree"'
    own = project_of(WIDE, source, tree, folder)
    found = Learned.of(own, table_of(own))
    assert (found.form, found.rows) == ("tree", 32_561)
    rows = rows_of(folder / "adult.csv.gz")
    held = Counter(row["occupation"] for row in rows)
    assert dict(zip(found.labels["occupation"], found.counts["occupation"], strict=True)) == held
    assert found.tree is not None
    links = {(one.first, one.second): one.bits for one in found.tree.links}
    assert len(links) == 9
    for first, second in [("marital-status", "relationship"), ("workclass", "occupation")]:
        assert links[first, second] == pytest.approx(bits(rows, first, second), rel=1e-9)
    (lost,) = found.tree.lost
    assert (lost.target, lost.name) == ("income", "occupation")
    assert lost.table == pytest.approx(bits(rows, "income", "occupation"), rel=1e-9)
    assert lost.table > 0.09 > 0.01 > lost.tree
    assert "occupation tells 0.093 bit of what is sensitive of income" in found.tree.said()[1]
