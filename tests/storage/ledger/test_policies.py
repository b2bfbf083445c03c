"""What was declared then, against all events looked at one by one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.storage.ledger.histories import event, histories
from unspoken.core.mechanisms import OneSided
from unspoken.storage.ledger import Account, EarlierPolicy, Release, tossing
from unspoken.storage.ledger.entries import Entries

POLICIES: list[dict[str, Any]] = [{}, {"sensitive": "x"}, {"sensitive": "x", "bins": [1.0, 2.0]}]


@st.composite
def declared(draw: st.DrawFn) -> list[Release]:
    """Events that declare now this, now that, of what they show."""
    events = []
    for one in draw(histories()):
        exponents = one.mechanism.exponents()
        hidden = {name: draw(st.sampled_from([(), ("1",), ("0", "1")])) for name in exponents}
        policy = {name: draw(st.sampled_from(POLICIES)) for name in exponents}
        shown = OneSided(dict(exponents.items()), hidden)
        events.append(replace(one, mechanism=shown, policy=policy))
    return events


def expected(event: Release, earlier: list[Release]) -> Iterator[tuple[int, str]]:
    """By what the module says, over all events."""
    for epoch in event.readings:
        of = [one for one in earlier if epoch in one.readings]
        for name in {name for one in of for name in one.shows} - {*event.readings[epoch]}:
            first = next(one for one in of if name in one.shows)
            yield earlier.index(first) + 1, said(first, name, epoch)
    for name in {name for one in earlier for name in one.shows}:
        rows: list[Release] = [one for one in earlier if name in one.shows]
        while rows:  # all that declared the same of it
            same = [one for one in rows if one.declared(name) == rows[0].declared(name)]
            rows = [one for one in rows if one.declared(name) != rows[0].declared(name)]
            for first in [one for one in same if tossing(one) != tossing(event)][:1]:
                yield earlier.index(first) + 1, said(first, name, first.epoch)


def said(event: Release, name: str, epoch: str) -> str:
    policy, hidden = event.declared(name)
    return words(EarlierPolicy(name, policy, hidden, epoch))


def words(earlier: EarlierPolicy) -> str:
    return json.dumps([earlier.attribute, earlier.policy, [*earlier.hidden], earlier.epoch])


def carried_over(account: Account) -> Account:
    """As another program reads it that opens the ledger."""
    entries = Entries()
    for key, value in account._entries.below(()):
        entries.put({key: json.loads(json.dumps(value))})
    return Account(entries)


@pytest.mark.slow
@given(declared(), st.data())
def test_what_was_declared_is_found_again(events: list[Release], data: Any) -> None:
    account = Account.of(())
    for number, one in enumerate(events):
        found = [words(each) for each in account.policies(one)]
        oldest = sorted(
            (n, json.loads(each)[0], each) for n, each in expected(one, events[:number])
        )
        assert sorted(found) == sorted(each for *_, each in oldest)
        assert [json.loads(each)[0] for each in found] == [name for _, name, _ in oldest]
        if data.draw(st.booleans()):
            account = carried_over(account)
        account.add(one, number + 1)


def test_the_same_mechanism_with_another_declaration() -> None:
    """And under other coins: each is an earlier policy of the third."""
    first = replace(event("1", a=0.5), policy={"a": POLICIES[1]})
    events = [first, replace(first, policy={"a": POLICIES[2]}), replace(first, draw=2)]
    account = Account.of([*events, *events])
    asked = replace(first, epoch="2", readings={"2": {"a": "same"}})
    assert [each.policy for each in account.policies(asked)] == POLICIES[1:]
    assert [each.policy for each in account.policies(first)] == [POLICIES[1]]
