"""What is asked: every form that is answered, and of every other one the nearest that is."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.workflows.query.wards import added, project, wards
from unspoken.assessment.deciding.coins_and_noise import CoinsAndNoise
from unspoken.core.errors import InputError
from unspoken.tables.engines import duckdb
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.engines.protocol import ContributionBound, Scan
from unspoken.tables.engines.sql import Expression
from unspoken.tables.learning import Labeller, table_of
from unspoken.workflows.query import NoisyAnswer, query
from unspoken.workflows.query.answer import Promised
from unspoken.workflows.query.attribute_cells import AttributeCells
from unspoken.workflows.query.exact import Exact
from unspoken.workflows.query.noise import AnswerNoise, moved
from unspoken.workflows.query.numbers import Number
from unspoken.workflows.query.question import Question, bound
from unspoken.workflows.release import Prepared, prepare

ANSWERED = {
    "SELECT COUNT(*) FROM wards WHERE disease = 'flu'": 1,
    "select count(*) from source where disease in ('flu', 'hiv') and day < '2026-02'": 1,
    "SELECT disease, COUNT(*) FROM wards GROUP BY disease": 3,
    "SELECT person, disease, COUNT(*) AS n FROM wards GROUP BY 1, 2": 3,
    "SELECT substr(day, 1, 7) AS month, AVG(age) FROM wards GROUP BY month": 2,
    "SELECT SUM(age), COUNT(age), AVG(stay) FROM wards": 3,
    "SELECT AVG(age) FROM wards WHERE age < 60.5": 2,
    "SELECT COUNT(*) FROM wards WHERE NOT (age >= 20 AND age < 40)": 1,
    "SELECT COUNT(*) FROM wards WHERE age IS NULL": 1,
    "SELECT COUNT(*) FILTER (WHERE disease = 'hiv') AS hiv, SUM(stay) FROM wards": 2,
    "SELECT age, COUNT(*), SUM(age) FROM 'wards.parquet' GROUP BY age": 5,
    "SELECT disease, stay, COUNT(*) FROM wards GROUP BY stay, disease": 9,
    "SELECT disease, AVG(age) FROM wards GROUP BY disease": 6,
    "SELECT disease, COUNT(*), SUM(stay) FROM wards GROUP BY disease": 6,
    "SELECT COUNT(*) FROM wards WHERE disease = 'flu' AND age < 20": 1,
    "SELECT COUNT(*) FILTER (WHERE stay = 5), AVG(age) FROM wards WHERE disease = 'hiv'": 3,
    "SELECT age, stay, COUNT(*) FROM wards WHERE disease = 'hiv' AND stay < 5 GROUP BY 2, 1": 10,
    # No record changes all three: they move by 2 together, and by 3 one by one.
    "SELECT COUNT(*) FILTER (WHERE disease = 'flu'), COUNT(*) FILTER (WHERE disease = 'hiv' AND"
    " stay = 1), COUNT(*) FILTER (WHERE disease = 'hiv' AND stay = 5) FROM wards": 3,
}
REFUSED = {
    "SELECT * FROM wards": "shows rows as they are; ask for numbers",
    "SELECT COUNT(*) FROM ward": 'there is no "ward". Did you mean "wards"',
    "SELECT MAX(age) FROM wards": "GROUP BY the attribute counts its bins",
    "SELECT COUNT(DISTINCT age) FROM wards": "with GROUP BY counts each",
    "SELECT COUNT(*) + 1 FROM wards": "calculate with the noisy answers",
    "SELECT SUM(age * 2) FROM wards": "takes a column as it is",
    "SELECT SUM(disease) FROM wards": "holds no numbers.*GROUP BY disease",
    "SELECT SUM(person) FROM wards": "keys are public",
    "SELECT COUNT(*) FROM wards WHERE name = 'a'": "no .name.",
    "SELECT COUNT(*) FROM wards WHERE age < 30": "compare it with their edges, such as age >= 20",
    "SELECT COUNT(*) FROM wards WHERE age > 20": "write >= or < in place of > or <=",
    "SELECT COUNT(*) FROM wards WHERE disease = 'flu' OR person = 1": "or make it an attribute",
    "SELECT age // 10, COUNT(*) FROM wards GROUP BY 1": "group by age itself",
    "SELECT COUNT(*) FROM wards ORDER BY 1": "come sorted by their groups",
    "SELECT person, COUNT(*) FROM wards GROUP BY person HAVING COUNT(*) > 3": "HAVING",
    "SELECT COUNT(*) FROM wards JOIN wards USING (person)": "joins and subqueries into",
    "SELECT COUNT(*) FROM wards; SELECT 1": "2 statements",
    "DROP TABLE wards": "only one SELECT",
    "SELECT person, COUNT(*) FROM wards GROUP BY ROLLUP (person, day)": "ROLLUP",
    "SELECT COUNT(*) FROM wards WHERE random() < person": "random",
    "SELECT COUNT(*) FILTER (WHERE person = 1) FROM wards": "write it as WHERE",
}  # fmt: skip


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return prepare(project(tmp_path_factory.mktemp("wards")))


def asked(ready: Prepared, text: str) -> Question:
    return bound(ready.project, ready.table, ready.learned, text)


def labelled(ready: Prepared, question: Question) -> list[list[int]]:
    """The same numbers from the labels of rows, which beliefs know, one by one."""
    reading = {}
    labels = ready.learned.labelling
    from_labels = []
    labeller = Labeller(list(labels.values()), ready.table.columns)
    for batch in ready.table.batches(Scan(list(labeller.reads), ordered=False)):
        reading = labeller.codes(batch)
        from_labels.append(
            [
                sum(
                    added(number, labels, {n: labels[n].names[reading[n][i]] for n in number.names})
                    for i in range(batch.num_rows)
                )
                for number in question.numbers
            ]
        )
    return [list(column) for column in zip(*from_labels, strict=True)]


@pytest.mark.parametrize("text", ANSWERED)
def test_what_is_answered(text: str, ready: Prepared) -> None:
    question = asked(ready, text)
    assert len(question.numbers) == ANSWERED[text]
    assert all(number.reach > 0 for number in question.numbers)
    exact = Exact.of(question, ready.table, None)
    assert len(exact.groups) == len(exact.rows)
    if not question.where:
        assert [int(s.sum()) for s in exact.sums] == [sum(n) for n in labelled(ready, question)]


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_answered(text: str, ready: Prepared) -> None:
    with pytest.raises(InputError, match=REFUSED[text]) as refused:
        asked(ready, text)
    assert str(refused.value).startswith("query")
    assert "\n" not in str(refused.value)


def test_plain_sql_says_the_same(ready: Prepared) -> None:
    """Counts and averages without noise are those of SQL, where values are their own cells."""
    exact = Exact.of(
        asked(ready, "SELECT person, COUNT(*) FILTER (WHERE disease = 'flu'), SUM(stay) FROM wards "
              "WHERE day < '2026-02' GROUP BY person"),
        ready.table, None,
    )  # fmt: skip
    rows = [row for row in wards().to_pylist() if row["day"] < "2026-02"]
    for (person,), flu, stay in zip(exact.groups, *exact.sums, strict=True):
        own = [row for row in rows if row["person"] == person]
        assert flu == sum(row["disease"] == "flu" for row in own)
        assert stay == sum(row["stay"] for row in own)


def test_many_numbers_at_once_are_those_of_each_by_itself(ready: Prepared) -> None:
    """Numbers about the same attributes are counted by cells at once: also where a key is NaN."""
    by = "CASE WHEN person < 3 THEN 'nan'::DOUBLE ELSE person % 4 END"
    text = (
        f"SELECT {by} AS g, disease, age, COUNT(*), AVG(stay) FROM wards WHERE day < '2026-02' "
        "GROUP BY g, disease, age"
    )
    question = asked(ready, text)
    assert len({number.names for number in question.numbers}) < len(question.numbers) // 2
    together = Exact.of(question, ready.table, None)
    assert math.isnan(together.groups[-1][0])
    for place, number in enumerate(question.numbers):
        alone = Exact.of(replace(question, numbers=(number,)), ready.table, None)
        assert alone.sums[0].tolist() == together.sums[place].tolist()
    assert sum(map(sum, together.sums)) > 0


def test_rows_of_two_attributes(tmp_path: Path) -> None:
    """Every combination of declared cells, in the order that is asked for, and averages there."""
    path = project(tmp_path, cap=1e9)
    by = "SELECT stay, disease, COUNT(*), AVG(stay) FROM wards WHERE disease <> 'none' "
    done = query(path, by + "GROUP BY disease, stay", epsilon=10.0)
    assert isinstance(done, NoisyAnswer)
    assert [list(row[:2]) for row in done.rows] == [
        [stay, disease] for disease in ("flu", "hiv") for stay in ("1", "2", "5")
    ]
    rows = wards().to_pylist()
    for stay, disease, count, mean in done.rows:
        true = sum(r["disease"] == disease and r["stay"] == int(stay) for r in rows)
        assert abs(count - true) < 40
        assert mean is None or mean == pytest.approx(float(stay), rel=0.5) or true < 20


def test_middles_of_bins_between_bounds(ready: Prepared) -> None:
    question = asked(ready, "SELECT SUM(age) FROM wards")
    ((_, step),) = question.columns[0].above
    assert [float(adds * step) for adds in question.numbers[0].adds] == [10, 30, 50.25, 80.25, 0]


def test_bounds_are_declared(tmp_path: Path) -> None:
    path = project(tmp_path)
    path.write_text(path.read_text().replace("bounds = { age = [0, 100] }", ""))
    with pytest.raises(InputError, match=r"age: has no bounds.*\[query\] bounds = "):
        asked(prepare(path), "SELECT AVG(age) FROM wards")


def test_groups_are_declared(tmp_path: Path) -> None:
    path = project(tmp_path)
    path.write_text(path.read_text().replace('values = ["none", "flu", "hiv"]', ""))
    with pytest.raises(InputError, match=r"write values = \[.*under \[attribute\.disease\] in"):
        asked(prepare(path), "SELECT disease, COUNT(*) FROM wards GROUP BY disease")


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        ("{ age = [3] }", "takes two numbers"),
        ("{ age = [30, 100] }", "do not hold the edge 20"),
        ("{ agee = [0, 9] }", 'Did you mean "age"'),
    ],
)
def test_bounds_that_cannot_be(bounds: str, said: str, tmp_path: Path) -> None:
    path = project(tmp_path)
    path.write_text(path.read_text().replace("{ age = [0, 100] }", bounds))
    with pytest.raises(InputError, match=said):
        prepare(path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("stay", 3, "attribute.stay: holds none of its values in 1 of the rows"),
        ("age", float("nan"), "attribute.age: is NaN or infinite"),
        ("age", float("inf"), "attribute.age: is NaN or infinite"),
        ("disease", None, "attribute.disease: is missing"),
    ],
)
def test_rows_without_a_cell(column: str, value: Any, said: str, tmp_path: Path) -> None:
    """Refused before there is any noise: a row that nobody counted."""
    ready = prepare(project(tmp_path))
    table = wards()
    place = table.column_names.index(column)
    values = table[column].to_pylist()
    changed = pa.array([value, *values[1:]], table.schema.types[place])
    project(tmp_path, table.set_column(place, column, changed))
    now = table_of(ready.project)  # as it is now; what was learned stays
    with pytest.raises(InputError, match=said):
        Exact.of(asked(ready, f"SELECT COUNT({column}), AVG(stay), COUNT(*) FILTER (WHERE disease "
                       "= 'flu'), COUNT(age) FROM wards"), now, None)  # fmt: skip


@pytest.mark.slow
def test_claimed_sensitivity_is_the_measured_one(ready: Prepared) -> None:
    """Random neighbours, which differ in what one row holds: no number moves further than it says,
    and each moves.
    """
    rng = np.random.default_rng(11)
    rows, copies = wards(8).to_pylist(), []
    for copy in range(400):
        own = [{**row, "person": copy} for row in rows]
        if copy:
            own[int(rng.integers(8))] |= {
                "disease": str(rng.choice(["none", "flu", "hiv"])),
                "age": None if rng.random() < 0.3 else float(rng.choice([-1e9, 10, 30, 50, 1e9])),
                "stay": int(rng.choice([1, 2, 5])),
            }
        copies += own
    table = DuckTable.open(pa.Table.from_pylist(copies, wards(8).schema), keys=("person", "day"))
    by_copy = (Expression("person", "BIGINT", ("person",)),)
    for text in ANSWERED:
        question = replace(asked(ready, text), groups=by_copy, where=())
        sums = Exact.of(question, table, None).sums
        moved = [int(np.abs(each - each[0]).max()) for each in sums]
        claimed = [number.reach for number in question.numbers]
        assert all(0 < m <= c for m, c in zip(moved, claimed, strict=True)), (text, moved, claimed)


@pytest.mark.parametrize("text", [text for text in ANSWERED if "WHERE day" not in text])
def test_claimed_epsilon_is_the_measured_one(text: str, ready: Prepared) -> None:
    """Of all pairs of records that there may be, how far all numbers move together, in their own
    reach: what lambda eps is.
    """
    ages = [None, 10.0, 30.0, 50.0, 1e9]
    rows = [
        {"person": place, "day": "2026-01-01", "disease": disease, "age": age, "stay": stay}
        for place, (disease, age, stay) in enumerate(
            itertools.product(["none", "flu", "hiv"], ages, [1, 2, 5])
        )
    ]
    table = DuckTable.open(pa.Table.from_pylist(rows, wards(8).schema), keys=("person", "day"))
    each = (Expression("person", "BIGINT", ("person",)),)
    question = replace(asked(ready, text), groups=each, where=())
    added = np.array(Exact.of(question, table, None).sums)
    reaches = np.array([number.reach for number in question.numbers])
    apart = np.abs(added[:, :, None] - added[:, None, :]) / reaches[:, None, None]
    assert moved(question.numbers) == pytest.approx(apart.sum(0).max(), rel=1e-12)
    noise = AnswerNoise(question.numbers, 3.0, ready.learned.labelling)
    domain = ready.learned.belief.domain
    judged = CoinsAndNoise(noise.mechanism, domain).epsilon
    assert judged >= noise.epsilon * (1 - 1e-9)
    if len({number.names for number in question.numbers}) == 1:
        assert judged == pytest.approx(noise.epsilon, rel=1e-6)


def test_at_most_so_many_rows_of_a_unit(ready: Prepared) -> None:
    """A hash of keys chooses: the same whatever rows hold, other ones with another secret."""
    question = asked(ready, "SELECT person, SUM(stay) FROM wards GROUP BY person")
    chosen = [Exact.of(question, ready.table, ContributionBound(["person"], 3, s)) for s in "aab"]
    assert set(chosen[0].rows.tolist()) == {3}
    assert (chosen[0].sums[0] == chosen[1].sums[0]).all()
    assert (chosen[0].sums[0] != chosen[2].sums[0]).any()
    assert "'a'" not in repr(ContributionBound(["person"], 3, "a"))


def test_by_heaps_or_in_order_the_same_rows_are_chosen(
    ready: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of units that several keys make, some of which have fewer rows than may enter."""
    table = ready.table
    question = asked(ready, "SELECT person, day, SUM(stay), SUM(age) FROM wards GROUP BY 1, 2")
    found = []
    for heap in (10**6, 1):
        monkeypatch.setattr(duckdb, "HEAP", heap)
        found += [
            Exact.of(question, table, ContributionBound(["day"], k, "a")) for k in (1, 7, 10**5)
        ]
    for heaps, ordered in zip(found[:3], found[3:], strict=True):
        assert heaps.groups == ordered.groups
        assert all((a == b).all() for a, b in zip(heaps.sums, ordered.sums, strict=True))
    assert [int(each.rows.sum()) for each in found[:3]] == [10, 70, 300]


def test_an_average_of_bins_is_said_to_be_one(ready: Prepared) -> None:
    """And that the error beside each number has in it how far rows are from the middles."""
    said = []
    for text in ("SELECT AVG(age), AVG(stay) FROM wards", "SELECT COUNT(age) FROM wards"):
        question = asked(ready, text)
        noise = AnswerNoise(question.numbers, 1.0, ready.learned.labelling)
        said.append([x for x in Promised.of(question, noise, [9], None).lines() if "middles" in x])
    line = "age counts by the middles of its bins, up to 19.8 off for each row: the error beside "
    ((first,), none) = said
    assert first.startswith(f"{line}each number of the answer has that in it.")
    assert none == []


def test_no_row_is_farther_from_the_middle_of_its_bin(ready: Prepared) -> None:
    """Looked at age by age: up to half of the widest bin, which has all above 60.5."""
    question = asked(ready, "SELECT AVG(age) FROM wards")
    ages, edges = np.linspace(0, 100, 2001), [0, 20, 40, 60.5, 100]
    at = np.clip(np.searchsorted(edges, ages, "right") - 1, 0, 3)
    middles = (np.array(edges[:-1]) + edges[1:]) / 2
    assert question.reads["age"].off == pytest.approx(np.abs(ages - middles[at]).max())


def test_what_many_pairs_of_attributes_move_is_found_without_all_their_combinations() -> None:
    """Eight attributes of ten cells have 10^8; what each pair moves by itself is no less."""
    one = np.zeros((10, 10), np.int64)
    one[0, 0] = 1
    pairs = [Number.of([f"x{k}", f"x{k + 1}"], one) for k in range(7)]
    assert moved(pairs) == 7.0
    # Of four cells each the largest is found by adding up along the row of attributes.
    some = np.array([[1, 0, 0, 0], [0, 2, 0, 0], [0, 0, 0, 3], [5, 0, 0, 0]])
    for many in (3, 7):
        numbers = [Number.of([f"x{k}", f"x{k + 1}"], some) for k in range(many - 1)]
        best = np.zeros((4, 4))  # over all pairs of rows, by what both have last
        for _ in range(many - 1):
            apart = np.abs(some[:, None, :, None] - some[None, :, None, :]) / 5
            best = (best[:, :, None, None] + apart).max((0, 1))
        exact = best.max()
        assert moved(numbers) >= exact * (1 - 1e-12)
        if many == 3:
            assert moved(numbers) == pytest.approx(exact, rel=1e-12)


@pytest.mark.slow
def test_one_attribute_may_have_many_values(tmp_path: Path) -> None:
    """Only of combinations of several are there too many."""
    table = wards().set_column(4, "stay", pa.array(np.arange(300)))
    path = project(tmp_path, table)
    listed = str([*range(450)])
    path.write_text(path.read_text().replace("values = [1, 2, 5]", f"values = {listed}"))
    assert isinstance(query(path, "SELECT AVG(stay) FROM wards", epsilon=0.5), NoisyAnswer)
    with pytest.raises(InputError, match="disease and stay together, which have 1,350"):
        query(path, "SELECT disease, AVG(stay) FROM wards GROUP BY disease", epsilon=0.5)


def test_rows_that_cells_make_are_groups_too(tmp_path: Path) -> None:
    text = (
        "SELECT day, disease, stay, COUNT(*) FROM wards WHERE day < '2026-01-04' GROUP BY 1, 2, 3"
    )
    trial = query(project(tmp_path), text, epsilon=1.0, dry_run=True)
    assert isinstance(trial, Promised)
    assert trial.groups == 2 * 9
    assert f"all {trial.groups} groups at once ±" in trial.lines()[0]


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("BIGINT", "write bins = [10, 20], the edges that part them, or values = [1, 2],"),
        ("DATE", "write values = [2026-01-01, 2026-01-02],"),
        ("BOOLEAN", "write values = [true, false],"),
        ("VARCHAR", 'write values = ["a", "b"],'),
    ],
)
def test_what_to_write_is_of_the_kind_of_the_column(kind: str, said: str) -> None:
    rule: Any = SimpleNamespace(name="the ward")
    none: Any = None
    text = AttributeCells(none, rule, kind).to_declare
    assert text.startswith(said)
    assert 'under [attribute."the ward"] in' in text
