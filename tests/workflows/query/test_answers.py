"""Charged, drawn once and kept: the same question is the same answer, whoever asks and when."""

from __future__ import annotations

import gzip
import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import csv

from tests.workflows.query.wards import added, project, wards
from unspoken.assessment.leaks import views
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.core.measures import MEASURES
from unspoken.core.mechanisms import OneSided, Together
from unspoken.storage.custody.custody import verified
from unspoken.storage.ledger import Ledger
from unspoken.workflows.query import NoisyAnswer, Promised, offers, query
from unspoken.workflows.query.noise import AnswerNoise, moved
from unspoken.workflows.query.question import bound
from unspoken.workflows.release import learn_project, prepare, release

DISEASES = "SELECT disease, COUNT(*) AS n FROM wards GROUP BY disease"
BOTH = "SELECT age, disease, COUNT(*) FROM wards WHERE age < 40 GROUP BY age, disease"
ILL_STAY = "SELECT AVG(stay), COUNT(*) FROM wards WHERE disease = 'hiv'"
AGES = "SELECT AVG(age), COUNT(age) FROM wards"


def answered(path: Path, text: str = DISEASES, *given: Any, **named: Any) -> NoisyAnswer:
    found = query(path, text, *given, **named)
    assert isinstance(found, NoisyAnswer)
    return found


def left(path: Path, text: str) -> float:
    """The epsilon that one record may be paid now."""
    try:
        trial = query(path, text, dry_run=True)
    except LimitExceeded:
        return 0.0
    assert isinstance(trial, Promised)
    return trial.epsilon


def charges(path: Path) -> int:
    held = path.parent / "ledger.sqlite"
    return len(Ledger(held).answers()) if held.exists() else 0


def test_the_same_question_is_the_same_answer(tmp_path: Path) -> None:
    path = project(tmp_path)
    first = answered(path, epsilon=0.3)
    again = answered(path, DISEASES.replace("COUNT(*) AS n", "count( * )   AS n"), epsilon=0.3)
    assert (first.again, again.again) == (False, True)
    assert list(map(list, first.rows)) == list(map(list, again.rows))
    assert (first.number, again.number, charges(path)) == (1, 1, 1)
    assert verified(path).head.number == 2
    assert [row[0] for row in first.rows] == ["none", "flu", "hiv"]
    assert first.table.column_names == ["disease", "n"]


def test_an_answer_has_the_columns_that_were_asked_for(tmp_path: Path) -> None:
    """By their names and in their order, also where the same was asked before with others."""
    path, rest = project(tmp_path), "FROM wards WHERE disease = 'hiv' GROUP BY person"
    bare = answered(path, f"SELECT COUNT(*) {rest}", epsilon=0.3)
    named = answered(path, f"SELECT COUNT(*) AS n, person {rest}", epsilon=0.3)
    assert (bare.again, named.again, charges(path)) == (False, True, 1)
    assert (list(bare.titles), list(named.titles)) == (["COUNT(*)"], ["n", "person"])
    assert named.rows == [[n, person] for person, (n,) in enumerate(bare.rows)]


def test_a_group_may_be_infinite(tmp_path: Path) -> None:
    """JSON has no such number: what was charged is kept all the same."""
    by = "SELECT 1 / (person - 1) AS g, COUNT(*) FROM wards WHERE disease = 'hiv' GROUP BY g"
    assert "inf" in [row[0] for row in answered(project(tmp_path), by, epsilon=0.3).rows]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([1e9, 1e-5], "too many steps to draw noise for; round its values"),
        ([1e-300, 1e300], "too many steps to draw noise for; round its values"),
        ([1e7, 1e-3], r"its sums may have more than .*; round the values, or ask of fewer rows"),
    ],
)
def test_sums_too_large_for_noise_cost_nothing(
    values: list[float], said: str, tmp_path: Path
) -> None:
    stays = np.array(values)[np.arange(300) % 2]
    path = project(tmp_path, wards().set_column(4, "stay", [stays]))
    path.write_text(path.read_text().replace("values = [1, 2, 5]", f"values = {values}"))
    with pytest.raises(InputError, match=said):
        query(path, "SELECT SUM(stay) FROM wards", epsilon=1.0)
    assert charges(path) == 0


def test_what_keys_count_is_free_and_has_no_noise(tmp_path: Path) -> None:
    path = project(tmp_path)
    assert answered(path, "SELECT COUNT(*) FROM wards").value == 300
    by = answered(path, "SELECT substr(day, 1, 7) AS m, COUNT(*) FROM wards GROUP BY m")
    assert [list(row) for row in by.rows] == [["2026-01", 150], ["2026-02", 150]]
    assert not (tmp_path / "ledger.sqlite").exists()


def test_a_dry_run_says_what_it_would_be_and_leaves_nothing(tmp_path: Path) -> None:
    path = project(tmp_path)
    trial = query(path, DISEASES, dry_run=True)
    assert isinstance(trial, Promised)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["unspoken.toml", "wards.parquet"]
    heard: list[Promised] = []
    done = answered(path, tell=heard.append)
    assert heard == [done.promised]
    assert trial.as_json() == done.promised.as_json()
    assert trial.epsilon > 0
    assert trial.unit_epsilon == pytest.approx(10 * trial.epsilon)


def test_noise_is_as_wide_as_promised(tmp_path: Path) -> None:
    """Of many draws, about one in twenty lies beyond the bar: 1.96 of 40 on average."""
    path = project(tmp_path, cap=1e6)
    exact = np.array([wards()["disease"].to_pylist().count(d) for d in ("none", "flu", "hiv")])
    off = []
    for k in range(6):
        done = answered(path, epsilon=0.5 + k / 1000)
        off += [abs(row[1] - true) for row, true in zip(done.rows, exact, strict=True)]
    (bar,) = done.promised.errors["n"]
    scale = 2 / 0.505
    assert bar == math.ceil(math.log(20) * scale)
    assert np.mean(np.array(off) > bar) < 0.25
    assert scale / 3 < np.mean(off) < scale * 3


@pytest.mark.slow
def test_limits_hold_over_answers_and_cells_together(tmp_path: Path) -> None:
    """What is left for one depends on what was given of the other, in any order."""
    path = project(tmp_path, cap=4.0, epoch='label = "1"')
    trial = left(path, DISEASES)
    answered(path)
    with pytest.raises(LimitExceeded, match="the cap is 4"):
        release(path)
    assert left(path, AGES) < trial / 5
    assert charges(path) == 1
    other = tmp_path / "other"
    other.mkdir()
    first = project(other, cap=4.0, epoch='label = "1"')
    release(first, scale=0.3)
    assert 0 < left(first, DISEASES) < trial


def test_too_large_an_epsilon_is_refused_and_costs_nothing(tmp_path: Path) -> None:
    path = project(tmp_path)
    with pytest.raises(LimitExceeded, match=r"query: the odds of disease.*epsilon .* would fit"):
        answered(path, epsilon=8.0)
    with pytest.raises(InputError, match="epsilon 0: write a number"):
        answered(path, epsilon=0.0)
    with pytest.raises(InputError, match="share 0: is of what is left"):
        answered(path, share=0.0)
    assert charges(path) == 0


@pytest.mark.slow
def test_a_share_leaves_something_for_later(tmp_path: Path) -> None:
    path = project(tmp_path)
    whole, half = left(path, DISEASES), answered(path, share=0.5)
    assert half.promised.epsilon == pytest.approx(whole / 2)
    assert left(path, AGES) > 0.1


APART = 'coalitions = [["city"], ["ward"]]'


@pytest.mark.slow
def test_to_another_application_it_is_the_same_draw(tmp_path: Path) -> None:
    """Charged there, too; of both together it is counted once."""
    path = project(tmp_path, limit=APART)
    ages = "SELECT age, COUNT(*) FROM wards GROUP BY age"
    first = answered(path, ages, "city", epsilon=0.5)
    other = answered(path, ages, "ward", epsilon=0.5)
    assert first.rows == other.rows
    assert (first.number, charges(path)) == (1, 2)
    both = [event for _, event in Ledger(tmp_path / "ledger.sqlite").answers()]
    assert [event.readers for event in both] == [("city",), ("ward",)]
    assert both[0].noise == both[1].noise
    with pytest.raises(InputError, match='column that ward reads: there is no "disease"'):
        answered(path, DISEASES, "ward")
    with pytest.raises(InputError, match="--for"):
        answered(path, ages)


def test_whoever_pools_is_counted_once(tmp_path: Path) -> None:
    """Given to everybody, one application is given nothing new."""
    path = project(tmp_path)
    path.write_text(path.read_text().replace('reads = ["age"]', 'reads = ["age", "disease"]'))
    first = answered(path, DISEASES, "city")  # all that is left
    assert answered(path, DISEASES, "ward").rows == first.rows
    assert charges(path) == 2
    whole = tmp_path / "whole"
    whole.mkdir()
    path = project(whole)
    first = answered(path)
    assert answered(path, DISEASES, "city").rows == first.rows
    assert charges(path) == 1


@pytest.mark.slow
def test_epochs_that_are_not_asked_about_are_not_charged(tmp_path: Path) -> None:
    """Rows of January tell nothing of rows of February: each has its own account."""
    path = project(tmp_path, epoch='of = "substr(day, 1, 7)"')
    january = DISEASES.replace("wards", "wards WHERE day < '2026-02'")
    february = DISEASES.replace("wards", "wards WHERE day >= '2026-02'")
    first, second = answered(path, january), answered(path, february)
    assert first.promised.epsilon == second.promised.epsilon > 0
    assert left(path, DISEASES) < first.promised.epsilon / 10


@pytest.mark.slow
def test_a_set_of_beliefs_asks_for_more_noise(tmp_path: Path) -> None:
    """What the noisy counts leave possible: no more may be told than of the likeliest belief."""
    told = []
    for level in ('"none"', "0.95"):
        folder = tmp_path / level.strip('"')
        folder.mkdir()
        path = project(folder, noise=2.0)
        text = path.read_text().replace('confidence = "none"', f"confidence = {level}")
        path.write_text(text.replace('by = "cell"', 'by = "record"').replace("close = false", ""))
        learn_project(path)
        told.append(left(path, "SELECT age, COUNT(*) FROM wards GROUP BY age"))
    assert 0 < told[1] < told[0]


@pytest.mark.slow
def test_a_plan_says_what_it_cannot_give(tmp_path: Path) -> None:
    """Beside its cells while anything is left; a query then asks for as much noise."""
    path = project(tmp_path, cap=4.0)
    ready = prepare(path)
    (offer,) = offers(ready, ready.findings(curve=False))
    assert offer.attribute == "disease"
    assert "cells never show its sensitive values; counts with noise do" in str(offer)
    assert "unspoken query " in str(offer)
    asked = query(path, offer.query, dry_run=True)
    assert isinstance(asked, Promised)
    assert (asked.epsilon == pytest.approx(offer.epsilon)) == (not offer.beside)
    assert offer.epsilon <= asked.epsilon


@pytest.mark.slow
def test_values_that_were_counted_stay_declared(tmp_path: Path) -> None:
    """More values may come; one that an answer was about cannot go."""
    path = project(tmp_path)
    text = path.read_text()
    path.write_text(text.replace('"hiv"]', '"hiv", "cold"]'))
    answered(path, epsilon=0.1)
    path.write_text(text.replace('label = "2026"', 'label = "2027"'))
    with pytest.raises(InputError, match=r'no "cold".*keep the bins and values'):
        answered(path, epsilon=0.1)
    assert charges(path) == 1


def test_an_answer_waits_for_a_limit(tmp_path: Path) -> None:
    path = project(tmp_path)
    path.write_text(path.read_text().replace("sensitive = \"disease = 'hiv'\"", ""))
    with pytest.raises(InputError, match="give an epsilon"):
        query(path, DISEASES, dry_run=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", [DISEASES, "SELECT COUNT(*) FROM wards WHERE age < 40", AGES, BOTH, ILL_STAY]
)
def test_cells_and_answers_together_are_as_enumerated(text: str, tmp_path: Path) -> None:
    """P(coins, answers | record) one by one, for every answer between those without noise."""
    ready = prepare(project(tmp_path))
    question = bound(ready.project, ready.table, ready.learned, text)
    labelling, belief = ready.learned.labelling, ready.learned.belief
    coins = {"disease": 0.3, "age": 0.2}
    one_sided = OneSided(coins, ready.learned.sensitive)
    noise = AnswerNoise(question.numbers, 2.0 if text != AGES else 0.02, labelling)
    seen = Together([one_sided, noise.mechanism])
    (view,) = views(belief, seen, ready.learned.sensitive).values()
    law = belief.marginal(belief.domain.names)
    records = list(itertools.product(*map(range, law.shape)))
    prior = np.array([law[r] for r in records])
    labels = [[belief.domain.values[a][c] for a, c in enumerate(r)] for r in records]
    names = belief.domain.names
    secret = np.array([row[names.index("disease")] == "hiv" for row in labels])
    worst = 0.0
    exact = np.array(
        [
            [added(number, labelling, dict(zip(names, row, strict=True))) for row in labels]
            for number in question.numbers
        ]
    )
    alphas = [math.exp(-1 / (noise.times * n.reach)) for n in question.numbers]
    grids = [sorted(set(e)) for e in exact]
    for answers in itertools.product(*grids):
        likely = np.ones(len(records))
        for alpha, e, r in zip(alphas, exact, answers, strict=True):
            likely *= alpha ** np.abs(e - r)
        for shown in itertools.product(*[[None, *belief.domain.values_of(n)] for n in coins]):
            both = likely.copy()
            for (name, eps), value in zip(coins.items(), shown, strict=True):
                hidden = ready.learned.sensitive[name]
                for i, row in enumerate(labels):
                    own = row[names.index(name)]
                    out = 0.0 if own in hidden else -math.expm1(-eps)
                    both[i] *= 1 - out if value is None else out * (value == own)
            a, b = prior[secret] @ both[secret], prior[~secret] @ both[~secret]
            if a:
                worst = max(worst, (a / prior[secret].sum()) / (b / prior[~secret].sum()))
    assert MEASURES["odds"].of(view).odds == pytest.approx(worst, rel=1e-9)


def test_what_one_record_moves_is_what_epsilon_counts(tmp_path: Path) -> None:
    ready = prepare(project(tmp_path))
    labelling = ready.learned.labelling
    for text, most in ((DISEASES, 2.0), (AGES, 2.0), ("SELECT SUM(stay), AVG(age) FROM wards", 3)):
        numbers = bound(ready.project, ready.table, ready.learned, text).numbers
        assert moved(numbers) == pytest.approx(most, abs=0.2)
        assert AnswerNoise(numbers, 4.0, labelling).epsilon == pytest.approx(moved(numbers) / 4)


def test_the_error_of_an_average_is_one_of_an_average(tmp_path: Path) -> None:
    """Over rows that keys count its error is that of the sum, divided by the fewest of a group."""
    path = project(tmp_path)
    text = "SELECT person, {}(stay) AS m FROM wards WHERE person < 3 GROUP BY person"
    both = [query(path, text.format(f), epsilon=0.5, dry_run=True) for f in ("SUM", "AVG")]
    total, mean = (promised.errors["m"] for promised in both if isinstance(promised, Promised))
    assert mean == pytest.approx([total[0] / 10])
    assert mean[0] < 4


def test_the_error_of_several_sums_is_that_of_the_worst(tmp_path: Path) -> None:
    """A bin further up moves its sum further."""
    text = "SELECT stay, SUM(stay) AS s FROM wards GROUP BY stay"
    promised = query(project(tmp_path), text, epsilon=1.0, dry_run=True)
    assert isinstance(promised, Promised)
    (scale,), (error,) = promised.scales["s"], promised.errors["s"]
    assert scale >= 5 * 1.99
    assert error >= 5 * 5


def test_an_answer_from_before_still_says_how_far_off_it_is(tmp_path: Path) -> None:
    path = project(tmp_path)
    first, again = answered(path, epsilon=0.3), answered(path, epsilon=0.3)
    assert again.again
    assert again.promised.errors == first.promised.errors
    assert again.promised.lines()[0] == first.promised.lines()[0]
    assert "with 95 %" in again.promised.lines()[0]
    for disease, count in again.rows:
        assert f"{disease}, {count}" in repr(again)


@pytest.mark.slow
def test_a_table_is_called_by_its_name_without_what_it_is_packed_in(tmp_path: Path) -> None:
    path = project(tmp_path)
    csv.write_csv(wards(), path.with_name("wards.csv"))
    packed = path.with_name("wards.csv.gz")
    packed.write_bytes(gzip.compress(path.with_name("wards.csv").read_bytes()))
    path.write_text(path.read_text().replace("wards.parquet", packed.name))
    for name in ("wards", "wards.csv", "'wards.csv.gz'"):
        assert answered(path, f"SELECT COUNT(*) FROM {name}").value == 300
    with pytest.raises(InputError, match='Did you mean "wards"'):
        answered(path, "SELECT COUNT(*) FROM ward")


@pytest.mark.slow
def test_noise_alone_is_not_paid_for(tmp_path: Path) -> None:
    """Who says no epsilon does not mean to pay for what says nothing."""
    path = project(tmp_path)
    with pytest.raises(LimitExceeded, match="noise alone"):
        query(path, DISEASES, share=1e-6)
    assert charges(path) == 0
    answered(path, epsilon=1e-6)
    assert charges(path) == 1


def test_an_average_of_one_attribute_by_another_is_in_a_histogram_of_both(tmp_path: Path) -> None:
    """As docs/answers.md says it."""
    path = project(tmp_path, cap=1e6)
    pairs = [f"{d} / {s}" for d in ("none", "flu", "hiv") for s in (1, 2, 5)]
    made = "SELECT *, disease || ' / ' || stay AS disease_stay FROM 'wards.parquet'"
    text = path.read_text().replace('table = "wards.parquet"', f'sql = "{made}"')
    text = text.replace('reads = ["disease",', 'reads = ["disease_stay", "disease",')
    rows = f"[attribute.disease_stay]\nvalues = {pairs}\nsensitive = \"disease = 'hiv'\"\n"
    path.write_text(text.replace("[attribute.age]", f"{rows}[attribute.age]"))
    both = "SELECT disease_stay, COUNT(*) FROM source GROUP BY disease_stay"
    done = answered(path, both, epsilon=10.0)
    counts = dict(map(tuple, done.rows))
    total = sum(stay * counts[f"none / {stay}"] for stay in (1, 2, 5))
    well = [row for row in wards().to_pylist() if row["disease"] == "none"]
    true = np.mean([row["stay"] for row in well])
    assert total / sum(counts[f"none / {s}"] for s in (1, 2, 5)) == pytest.approx(true, rel=0.1)
