"""What answers tell of a unit, day after day: held to a limit, and no less than is ever told."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unspoken import Chain, temporal
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.core.mechanisms import Geometric
from unspoken.storage.ledger import Account, AnswerEvent, Ledger
from unspoken.workflows.query import NoisyAnswer, query

Law = dict[tuple[int, ...], Fraction]
OFFICES, DAYS = 40, 6
PROJECT = """\
format = 1
[source]
table = "visits.parquet"
keys = ["office", "day"]
unit = ["office"]
[epoch]
of = "day"
[attribute.arrival]
values = ["early", "late"]
sensitive = "arrival = 'late'"
[application.lighting]
reads = ["arrival"]
[application.planning]
reads = ["arrival"]
[plan]
by = "cell"
[limit]
odds_cap = 20.0
{limit}
[belief]
noise = "none"
confidence = "none"
"""
HOUSEHOLD = "unit_epsilon = 1.0"
APART = 'coalitions = [["lighting"], ["planning"]]'


def project(folder: Path, limit: str = HOUSEHOLD) -> Path:
    drawn = np.random.default_rng(5).random(OFFICES * DAYS) < 0.3
    rows = {
        "office": np.repeat(np.arange(OFFICES), DAYS),
        "day": np.tile(np.arange(DAYS), OFFICES),
        "arrival": np.where(drawn, "late", "early"),
    }
    pq.write_table(pa.table(rows), folder / "visits.parquet")
    path = folder / "unspoken.toml"
    path.write_text(PROJECT.format(limit=limit))
    return path


def late(where: str = "true") -> str:
    return f"SELECT COUNT(*) FILTER (WHERE arrival = 'late') FROM visits WHERE {where}"


def asked(path: Path, day: int, epsilon: float | None = 0.4, who: str | None = None) -> NoisyAnswer:
    found = query(path, late(f"day = {day}"), who, epsilon=epsilon)
    assert isinstance(found, NoisyAnswer)
    return found


def charged(path: Path) -> list[AnswerEvent]:
    return [event for _, event in Ledger(path.parent / "ledger.sqlite").answers()]


@pytest.mark.slow
def test_days_are_charged_until_nothing_more_fits(tmp_path: Path) -> None:
    """Each is within what one row may be told; together they are held to what a unit may be."""
    path = project(tmp_path)
    for day in range(2):
        asked(path, day)
    with pytest.raises(LimitExceeded, match=r"would tell e\^1\.2, limit\.unit_epsilon is 1") as no:
        asked(path, 2)
    fits = float(no.value.fits.split()[1])
    assert 0.19 < fits <= 0.2
    asked(path, 2, fits)
    asked(path, 1)  # again: free
    with pytest.raises(LimitExceeded, match=r"limit\.unit_epsilon") as none:
        asked(path, 3, 0.1)
    assert none.value.fits
    spent = [event.unit_epsilon for event in charged(path)]
    assert spent == pytest.approx([0.4, 0.4, fits])
    assert sum(map(Fraction, spent)) <= 1
    asked(project(tmp_path, ""), 3, 0.1)  # where nobody limits it


@pytest.mark.slow
def test_what_is_asked_of_no_epsilon_is_given_what_is_left(tmp_path: Path) -> None:
    path = project(tmp_path)
    asked(path, 0)
    asked(path, 1, None)
    first, last = charged(path)
    assert 0.59 < last.unit_epsilon <= Fraction(1) - Fraction(first.unit_epsilon)


def test_all_rows_of_a_unit_that_enter_are_counted(tmp_path: Path) -> None:
    """As many as keys say: six days at once tell six times what one does."""
    path = project(tmp_path)
    with pytest.raises(LimitExceeded, match=r"e\^1\.2"):
        query(path, late(), epsilon=0.2)
    found = query(path, late("day < 3 AND office <> 7"), epsilon=0.2)
    assert isinstance(found, NoisyAnswer)
    assert found.promised.rows_per_unit == 3
    (event,) = charged(path)
    assert event.unit_epsilon == pytest.approx(0.6)
    assert event.unit == ("office",)


def test_who_pools_has_one_stream_and_who_does_not_has_two(tmp_path: Path) -> None:
    for limit, refused in ((HOUSEHOLD, True), (f"{HOUSEHOLD}\n{APART}", False)):
        folder = tmp_path / str(refused)
        folder.mkdir()
        path = project(folder, limit)
        asked(path, 0, 0.6, "lighting")
        asked(path, 0, 0.6, "planning")  # the same draw: whoever pools learns nothing by it
        if refused:
            with pytest.raises(LimitExceeded, match="unit_epsilon"):
                asked(path, 1, 0.6, "planning")
        else:
            asked(path, 1, 0.3, "planning")
            asked(path, 2, 0.3, "lighting")


@pytest.mark.slow
def test_those_who_ask_at_once_are_charged_one_after_the_other(tmp_path: Path) -> None:
    path = project(tmp_path)
    asked(path, 0, 0.1)

    def ask(day: int) -> bool:
        try:
            asked(path, day, 0.4)
        except LimitExceeded:
            return False
        return True

    with ThreadPoolExecutor(5) as pool:
        assert sum(pool.map(ask, range(1, 6))) == 2
    assert sum(Fraction(event.unit_epsilon) for event in charged(path)) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("stays", [1.0, 0.9, 0.5, 0.2])
def test_no_belief_about_the_days_learns_more(stays: float, tmp_path: Path) -> None:
    """Every trajectory of three days, every answer, every event about them, in fractions.

    Who knows all other offices sees X_t and noise. P(y | 0) / P(y | 1) is 1 / alpha for y <= 0 and
    alpha above, so each day's answer is one of two.
    """
    path = project(tmp_path)
    for day, epsilon in enumerate((0.4, 0.35, 0.25)):
        asked(path, day, epsilon)
    events = charged(path)
    alphas = list[Fraction]()
    for event in events:
        assert isinstance(event.mechanism, Geometric)
        alphas.append(Fraction(event.mechanism.alpha))
    spent = sum(Fraction(event.unit_epsilon) for event in events)
    assert spent <= 1
    law = _law(Fraction(3, 10), Fraction(stays))
    days = list(law)
    most, of_day = Fraction(0), [Fraction(0)] * 3
    for seen in days:
        told = _told(law, seen, alphas)
        for size in range(1, len(days)):
            for event_of in itertools.combinations(days, size):
                growth = _growth(law, told, {*event_of})
                most = max(most, growth)
        for day in range(3):
            growth = _growth(law, told, {x for x in days if x[day]})
            of_day[day] = max(of_day[day], growth)
    assert most <= Fraction(math.exp(float(spent))) * (1 + Fraction(1, 10**12))
    if stays == 1.0:  # a secret that never changes: there the sum is what is told
        assert float(most) == pytest.approx(math.exp(float(spent)), rel=1e-9)
    else:
        chain = Chain([1 - 0.3, 0.3], [[stays, 1 - stays], [1 - stays, stays]], 3)
        bounds = temporal(chain, [event.unit_epsilon for event in events]).total
        for growth, bound in zip(of_day, bounds, strict=True):
            assert math.log(growth) <= bound + 1e-9 <= float(spent) + 2e-9


def _law(start: Fraction, keep: Fraction) -> Law:
    """Of every trajectory of three days."""
    return {
        x: math.prod(
            (keep if a == b else 1 - keep for a, b in pairwise(x)),
            start=start if x[0] else 1 - start,
        )
        for x in itertools.product((0, 1), repeat=3)
    }


def _told(law: Law, seen: Sequence[int], alphas: Sequence[Fraction]) -> Law:
    """After these answers, but for a factor that all have."""
    return {
        x: math.prod(
            (a if s != v else Fraction(1) for s, v, a in zip(seen, x, alphas, strict=True)),
            start=law[x],
        )
        for x in law
    }


def _growth(law: Law, told: Law, event: set[tuple[int, ...]]) -> Fraction:
    """By how much the odds of an event grow; 0 where it is certain, or cannot be."""
    none = Fraction(0)
    before, after = sum((law[x] for x in event), none), sum((told[x] for x in event), none)
    rest, left = sum(law.values(), none) - before, sum(told.values(), none) - after
    return (after / left) / (before / rest) if before and rest else none


def test_of_what_is_not_known_all_is_counted(tmp_path: Path) -> None:
    """An answer of an older version, or for other units, stands in the way of each one more."""
    path = project(tmp_path)
    asked(path, 0, 0.1)
    (event,) = charged(path)
    older = replace(event, unit=(), unit_epsilon=0.0)
    assert "unit" not in older.to_json().replace("unit_", "")
    assert AnswerEvent.from_json(older.to_json()) == older
    for kept, expected in ((event, Fraction(1, 10)), (older, None)):
        streams = Account.of([kept]).draws.streams
        assert streams.spent([()], ["office"]) == expected
        assert streams.spent([()], ["office"], kept.noise) == 0
        assert streams.spent([], ["office"]) == 0
    assert Account.of([event]).draws.streams.spent([()], ["day"]) is None
    path.write_text(path.read_text().replace('unit = ["office"]', 'unit = ["day"]'))
    with pytest.raises(LimitExceeded, match=r"or for another \[source\] unit"):
        asked(path, 1, 0.1)


@pytest.mark.parametrize(
    ("limit", "unit", "said"),
    [
        ("unit_epsilon = -1.0", '["office"]', "is negative"),
        (HOUSEHOLD, '["office", "day"]', "whose rows they are"),
    ],
)
def test_limits_that_are_none(limit: str, unit: str, said: str, tmp_path: Path) -> None:
    path = project(tmp_path, limit)
    path.write_text(path.read_text().replace('unit = ["office"]', f"unit = {unit}"))
    with pytest.raises(InputError, match=rf"limit\.unit_epsilon: .*{said}"):
        asked(path, 0)
