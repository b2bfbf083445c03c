"""Where accounts stand, after many answers: an answer more is looked at once, and by itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from unspoken.adversary import Adversary
from unspoken.ledger import Account, Answer
from unspoken.mechanisms import Geometric
from unspoken.mechanisms.parts import Parts
from unspoken.serving import Curator
from unspoken.types.domain import Domain


def passes(_account: Account) -> None:
    pass


def test_an_answer_more_is_looked_at_by_itself(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    curator = Curator.of(path)
    curator.answer("planning", "SELECT count(*) FROM visits WHERE use = 'low'", epsilon=1e-3)
    _, kept = curator.current()
    first = kept.ledger.answers()[-1][1]

    def answered(number: int) -> None:
        one: Answer = replace(first, request=f"{number:064x}", readings={f"epoch {number}": {}})
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
