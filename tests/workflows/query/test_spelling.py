"""However a question is spelled it is the same one; another one is another."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workflows.query.wards import project
from unspoken.workflows.query import NoisyAnswer, query
from unspoken.workflows.query.question import bound
from unspoken.workflows.release import Prepared, prepare

SAME = [
    [
        "COUNT(*) FROM wards WHERE disease = 'flu' AND person > 3",
        "COUNT(*) FROM wards WHERE 3 < person AND 'flu' = disease",
        "COUNT(*) FROM wards WHERE NOT (person <= 3) AND disease IN ('flu') AND person > 3",
        "count(*) AS n FROM wards w WHERE NOT NOT w.person > 3 AND disease ILIKE 'FLU'",
    ],
    [
        "SUM(stay), COUNT(*) FILTER (WHERE disease = 'flu') AS n FROM wards",
        "COUNT(*) FILTER (WHERE 'flu' = disease), SUM(stay) FROM wards",
        "SUM(stay), SUM(stay) AS again, COUNT(*) FILTER (WHERE disease = 'flu') FROM wards",
    ],
    [
        "AVG(stay) FROM wards WHERE person BETWEEN 2 AND 7",
        "AVG(stay) FROM wards WHERE person <= 7 AND person >= 2",
    ],
    [
        "SUM(stay) FROM wards WHERE person IN (5, 3)",
        "SUM(stay) FROM wards WHERE person IN (3, 5)",
    ],
    [
        "disease, day, COUNT(*) FROM wards GROUP BY disease, day",
        "day AS d, COUNT(*), disease FROM wards GROUP BY d, disease",
    ],
]


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return prepare(project(tmp_path_factory.mktemp("wards")))


def named(ready: Prepared, text: str) -> str:
    return bound(ready.project, ready.table, ready.learned, f"SELECT {text}").digest()


def test_spellings_of_one_question(ready: Prepared) -> None:
    digests = [{named(ready, text) for text in texts} for texts in SAME]
    assert [len(each) for each in digests] == [1] * len(SAME)
    assert len(set().union(*digests)) == len(SAME)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("COUNT(*) FROM wards WHERE disease = 'flu' AND person > 3", "person >= 3"),
        ("COUNT(*) FROM wards WHERE disease = 'flu' AND person > 3", "person < 3"),
        ("COUNT(*) FROM wards WHERE disease = 'flu' AND person > 3", "NOT person > 3"),
        ("COUNT(*) FROM wards WHERE disease = 'flu' AND person > 3", "person != 3"),
        ("COUNT(*) FROM wards WHERE disease = 'flu' AND person > 3", "person IN (3, 4)"),
        ("COUNT(*) FROM wards WHERE disease = 'flu' AND person > 3", "person BETWEEN 3 AND 4"),
    ],
)
def test_other_questions(one: str, other: str, ready: Prepared) -> None:
    assert named(ready, one) != named(ready, one.replace("person > 3", other))


@pytest.mark.slow
def test_each_is_shown_what_it_asks_for(tmp_path: Path) -> None:
    """Columns in their order, by their names, and rows sorted by what is grouped by first."""
    path, rest = project(tmp_path), "FROM wards WHERE person < 3 GROUP BY"
    first = query(
        path, f"SELECT disease, person, COUNT(*) AS n {rest} disease, person", epsilon=0.5
    )
    again = query(
        path, f"SELECT COUNT(*), person AS p, disease {rest} person, disease", epsilon=0.5
    )
    assert isinstance(first, NoisyAnswer)
    assert isinstance(again, NoisyAnswer)
    assert (first.again, again.again) == (False, True)
    assert list(first.titles) == ["disease", "person", "n"]
    assert list(again.titles) == ["COUNT(*)", "p", "disease"]
    labels = ["none", "flu", "hiv"]
    assert [tuple(row[:2]) for row in first.rows] == [(d, p) for d in labels for p in range(3)]
    assert [tuple(row[1:]) for row in again.rows] == [(p, d) for p in range(3) for d in labels]
    assert {(d, p, n) for d, p, n in first.rows} == {(d, p, n) for n, p, d in again.rows}


@pytest.mark.slow
def test_two_numbers_in_either_order(tmp_path: Path) -> None:
    path = project(tmp_path)
    sums = ["SUM(stay)", "COUNT(*) FILTER (WHERE disease = 'flu') AS flu"]
    one, two = (query(path, f"SELECT {', '.join(s)} FROM wards", epsilon=0.2)
                for s in (sums, sums[::-1]))  # fmt: skip
    assert isinstance(one, NoisyAnswer)
    assert isinstance(two, NoisyAnswer)
    assert two.again
    assert [*one.rows[0]] == [*two.rows[0]][::-1]
    assert list(one.promised.errors) == list(two.promised.errors)[::-1]
    assert one.promised.errors == two.promised.errors
