"""Where accounts stand, after many answers: an answer more is looked at once, and by itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.workflows.serve import building
from unspoken import leakage
from unspoken.core.adversary import Adversary
from unspoken.core.errors import LimitExceeded
from unspoken.core.mechanisms import Geometric
from unspoken.core.mechanisms.parts import Parts
from unspoken.core.types.domain import Domain
from unspoken.storage.ledger import Account, AnswerEvent
from unspoken.workflows.release import adopt_plan
from unspoken.workflows.serve import Curator
from unspoken.workflows.serve.request import Request

pytestmark = pytest.mark.slow


def passes(_account: Account) -> None:
    pass


def test_an_answer_more_is_looked_at_by_itself(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    curator = Curator.of(path)
    curator.answer("planning", "SELECT count(*) FROM visits WHERE use = 'low'", epsilon=1e-3)
    _, kept = curator.current()
    first = kept.ledger.answers()[-1][1]

    def answered(number: int) -> None:
        one: AnswerEvent = replace(
            first, request=f"{number:064x}", readings={f"epoch {number}": {}}
        )
        kept.ledger.charge(one, passes, kept.seal)

    looked, parts = list[Domain](), Geometric.parts

    def counted(own: Geometric, domain: Domain, adversary: Adversary) -> Parts:
        looked.append(domain)
        return parts(own, domain, adversary)

    for number in range(12):
        answered(number)
    before = curator.standings()
    monkeypatch.setattr(Geometric, "parts", counted)
    answered(12)
    now = curator.standings()
    assert len(looked) == 1
    monkeypatch.undo()
    told = [each.odds.odds for each in (*before, *now) if each.odds is not None]
    assert told == sorted(told)
    assert told[-1] > told[0]
    assert [each.as_json() for each in Curator.of(path).standings()] == [e.as_json() for e in now]


def test_what_applications_know_is_counted_as_admission_counts_it(tmp_path: Path) -> None:
    """Of coins: who has an attribute from elsewhere; of noise that took all that was left: all."""
    terms = 'knows = ["use"]\n[plan]\nodds_cap = 2.0'
    path = building.project(tmp_path, application=terms)
    adopt_plan(path, by="a steward", why="a test")
    curator = Curator.of(path)
    curator.cells("lighting", Request(("arrival",), epochs=("0",)))
    ready, _ = curator.current()
    belief, mechanism = ready.learned.belief, ready.plan().mechanism

    def odds(*knows: str) -> float:
        looks = Adversary("arrival", secret=["late"], knows=knows, sees=["arrival"])
        return leakage(belief, mechanism, looks, "odds").value

    (pair,), (alone,) = curator.standings(), curator.standings([("lighting",)])
    assert pair.odds is not None
    assert alone.odds is not None
    assert odds("use") > odds() * (1 + 1e-6)
    assert pair.knows == ("use",)
    assert pair.odds.value == pytest.approx(odds("use"))
    assert alone.knows == ()
    assert alone.odds.value == pytest.approx(odds())

    curator.answer("lighting", "SELECT COUNT(*) FROM visits WHERE arrival = 'late'")
    with pytest.raises(LimitExceeded):
        curator.answer(
            "lighting", "SELECT COUNT(*) FROM visits WHERE arrival = 'early'", epsilon=0.1
        )
    (full,) = curator.standings()
    assert full.knows == ("use",)
    assert full.spent is not None
    assert full.spent == pytest.approx(1.0, abs=0.02)
    assert not full.broken
