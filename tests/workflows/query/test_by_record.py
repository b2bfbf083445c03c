"""Answers beside record coins, and what two who ask at once are given."""

from __future__ import annotations

import math
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.workflows.query.wards import project
from unspoken.assessment.deciding import judged
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.core.mechanisms import Geometric, InEpoch, Together
from unspoken.planning import Limits
from unspoken.storage.ledger import Answered, Ledger
from unspoken.workflows.query import NoisyAnswer, Promised, flow, offers, query
from unspoken.workflows.query.asking import Asking
from unspoken.workflows.query.exact import Exact
from unspoken.workflows.release import prepare, release

TEXT = "SELECT disease, COUNT(*) FROM wards GROUP BY disease"


def by_record(folder: Path) -> Path:
    path = project(folder, noise=2.0)
    text = path.read_text().replace('by = "cell"', 'by = "record"').replace("close = false", "")
    path.write_text(text.replace('confidence = "none"', "confidence = 0.95"))
    return path


@pytest.mark.slow
def test_beside_the_coins_of_a_plan_an_answer_is_judged(tmp_path: Path) -> None:
    """The plan's own coins were checked when it was made; a histogram beside them was not."""
    path = by_record(tmp_path)
    before = query(path, TEXT, epsilon=0.9, dry_run=True)
    assert isinstance(before, Promised)
    release(path)
    with pytest.raises(LimitExceeded, match="query: the odds of "):
        query(path, TEXT, epsilon=0.9)
    assert Ledger(tmp_path / "ledger.sqlite").answers() == []


@pytest.mark.slow
def test_coins_beside_an_answer_are_judged(tmp_path: Path) -> None:
    path = by_record(tmp_path)
    assert isinstance(query(path, TEXT), NoisyAnswer)
    with pytest.raises(LimitExceeded, match=r"the cap is 3; .*write a smaller \[plan\] odds_cap"):
        release(path)


@pytest.mark.slow
def test_a_plan_for_a_smaller_cap_leaves_room(tmp_path: Path) -> None:
    """Of a set of beliefs coins are looked at by themselves: what is between the caps is left."""
    path = by_record(tmp_path)
    text = path.read_text()
    path.write_text(text.replace("[plan]\n", "[plan]\nodds_cap = 2.5\n"))
    assert path.read_text() != text
    assert release(path).event.limits["planned"] == {"odds_cap": 2.5}
    path.write_text(text)  # what was adopted stays adopted
    room = query(path, TEXT, dry_run=True)
    assert isinstance(room, Promised)
    assert room.epsilon >= 0.98 * math.log(3 / 2.5)
    assert isinstance(query(path, TEXT), NoisyAnswer)
    release(path)


@pytest.mark.slow
def test_beside_a_plan_an_offer_counts_what_its_reader_sees(tmp_path: Path) -> None:
    """Not what others get who do not pool with it: they are shown more than it ever is."""
    path = by_record(tmp_path)
    text = path.read_text().replace("[plan]\n", "[plan]\nodds_cap = 2.5\n")
    text = text.replace('reads = ["disease", "age", "stay"]', 'reads = ["disease"]')
    text = text.replace("[limit]\n", '[limit]\ncoalitions = [["city"], ["ward"]]\n')
    path.write_text(text)
    ready = prepare(path)
    (offer,) = offers(ready, ready.findings(curve=False))
    assert (offer.beside, offer.reader) == (True, "city")
    release(path, reader="city")
    room = query(path, offer.query, reader="city", dry_run=True)
    assert isinstance(room, Promised)
    assert room.epsilon >= 0.98 * math.log(3 / 2.5)
    assert offer.epsilon == pytest.approx(room.epsilon, rel=0.02)


@pytest.mark.slow
def test_what_is_offered_beside_a_plan_may_be_asked_before_it_is_released(tmp_path: Path) -> None:
    """As it is typed: without an epsilon a first question has the plan's part, too."""
    path = by_record(tmp_path)
    path.write_text(path.read_text().replace("[plan]\n", "[plan]\nodds_cap = 2.5\n"))
    ready = prepare(path)
    (offer,) = offers(ready, ready.findings(curve=False))
    words = shlex.split(str(offer).split(": ", 2)[-1])
    assert words[:2] == ["unspoken", "query"]
    assert words[3] == "--epsilon"
    whole = query(path, words[2], dry_run=True)
    assert isinstance(whole, Promised)
    assert whole.epsilon > 3 * offer.epsilon
    given = query(path, words[2], epsilon=float(words[4]))
    assert isinstance(given, NoisyAnswer)
    assert math.ceil(given.promised.first[0]) == offer.error
    release(path)


@pytest.mark.slow
def test_of_many_attributes_a_plan_is_known_by_its_cap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where neither noise nor coins can be looked at, a plan keeps what it was made for."""
    monkeypatch.setattr(judged, "ASKED", 0)
    monkeypatch.setattr(judged, "ANSWERS", 0)
    path = by_record(tmp_path)
    path.write_text(path.read_text().replace("[plan]\n", "[plan]\nodds_cap = 2.5\n"))
    release(path)
    room = query(path, TEXT, dry_run=True)
    assert isinstance(room, Promised)
    assert 0.98 * math.log(3 / 2.5) <= room.epsilon <= math.log(3 / 2.5)
    with pytest.raises(
        LimitExceeded, match=r"query: the odds of .* would fit \(± .* rows\), or leave it out$"
    ):
        query(path, TEXT, epsilon=1.01 * math.log(3 / 2.5))
    assert isinstance(query(path, TEXT), NoisyAnswer)
    with pytest.raises(LimitExceeded, match="noise alone"):
        query(path, "SELECT age, COUNT(*) FROM wards GROUP BY age")
    with pytest.raises(LimitExceeded, match=r"would fit \(± .* rows\), but as noise alone$"):
        query(path, "SELECT age, COUNT(*) FROM wards GROUP BY age", epsilon=0.3)


@pytest.mark.parametrize("label", ["", "label 2027"])
def test_coins_of_any_label_count(
    label: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They may be about the same rows: where they are not looked at they are not forgotten."""
    monkeypatch.setattr(judged, "ASKED", 0)
    ready = prepare(by_record(tmp_path))
    (coin,) = ready.plan().mechanism.record_coins()
    noise = Geometric(0.9, terms={"disease": {"hiv": 1.0}})
    judge = judged.Judge(
        ready.project, ready.learned.belief, lambda: ready.beliefs, ready.sensitive
    )
    limits = Limits({}, 10.0)
    assert judge.broken(noise, limits) is None
    assert judge.broken(Together([InEpoch(label, coin), noise]), limits) is not None
    planned = judged.PlannedCoins(coin, [coin.delivered], math.log(3.0))
    known = replace(judge, planned=planned)
    assert known.broken(Together([coin, noise]), limits) is None
    assert known.broken(Together([coin, InEpoch("label 2027", coin), noise]), limits) is not None


def test_two_who_ask_at_once_are_given_one_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both draw; what was kept first is what both are shown."""
    path, drawn = project(tmp_path), flow._drawn
    first: list[Any] = []

    def slow(*given: Any) -> Answered:
        mine = drawn(*given)
        if not first:
            first.append(None)
            first[0] = query(path, TEXT)
        return mine

    monkeypatch.setattr(flow, "_drawn", slow)
    second = query(path, TEXT)
    assert isinstance(second, NoisyAnswer)
    assert [list(row) for row in second.rows] == [list(row) for row in first[0].rows]
    ledger = Ledger(tmp_path / "ledger.sqlite")
    assert (len(ledger.answers()), second.number, first[0].number) == (1, 1, 1)


def test_two_who_ask_at_once_are_charged_for_one_noise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who is charged for more noise after the first was is not: the draw is the first one's."""
    path, exact = project(tmp_path), Asking.exact
    first: list[Any] = []

    def slow(asking: Asking) -> Exact:
        if not first:
            first.append(None)
            first[0] = query(path, TEXT, share=0.5)
        return exact(asking)

    monkeypatch.setattr(Asking, "exact", slow)
    with pytest.raises(InputError, match="charged for other noise; ask again"):
        query(path, TEXT)
    again = query(path, TEXT)
    assert isinstance(again, NoisyAnswer)
    assert (again.rows, again.again) == (first[0].rows, True)
    (event,) = [event for _, event in Ledger(tmp_path / "ledger.sqlite").answers()]
    assert event.unit_epsilon == first[0].promised.unit_epsilon
