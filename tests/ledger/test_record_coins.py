"""The account of coins of whole records: one answer a table and label, however often."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from unspoken import Suppression
from unspoken.ledger import Account, Exposure, Release, fold
from unspoken.mechanisms import InEpoch, OneSided, Together

HALF = 1 << 61
EVERYBODY = ((),)


def table(weight: int = HALF) -> Suppression:
    shows: dict[Any, Any] = {("u", "v"): {("a", "b"): weight}, ("u", "w"): {("a",): HALF}}
    return Suppression(shows, ["a", "b"], [["u", "s"], ["v", "w"]], {"a": ["s"]})


def release(
    shown: Suppression, epoch: str = "1", reading: str = "x", readers: Sequence[str] = ()
) -> Release:
    readings = {epoch: dict.fromkeys(shown.names, reading)}
    return Release("t", epoch, False, shown, readings, "k", "c", {}, {}, readers=tuple(readers))


def exposure(*events: Release, asking: Release) -> Exposure:
    (only,) = Account.of(events).before(asking, Account.of(events).readers())
    return only


def test_the_same_answer_is_covered_and_changes_nothing() -> None:
    first = release(table())
    account = Account.of([first])
    assert account.covers(first, EVERYBODY)
    assert account.covers(release(table().showing(["a"])), EVERYBODY)
    assert not account.covers(release(table().showing(["a"])), (("lighting",),))
    before = exposure(first, asking=first)
    assert before.fold({}, first.mechanism) == before.fold({})


def test_who_is_delivered_more_names_sees_more_of_the_same_answer() -> None:
    one, two = (release(table().showing([n]), readers=[n]) for n in ("a", "b"))
    assert not Account.of([one]).covers(two, (("a",), ("b",)))
    before = exposure(one, asking=two)
    assert before.records == (table().showing(["a"]),)
    assert before.fold({}, two.mechanism) == Together([OneSided({}, {}), table()])
    assert Account.of([one, two]).covers(release(table()), (("a",), ("b",)))


@pytest.mark.parametrize("change", ["table", "reading", "epoch"])
def test_another_answer_is_not_covered(change: str) -> None:
    first = release(table())
    other = {
        "table": release(table(HALF // 2)),
        "reading": release(table(), reading="y"),
        "epoch": release(table(), "2"),
    }[change]
    assert not Account.of([first]).covers(other, EVERYBODY)


def test_what_it_depends_on_counts_though_it_is_not_delivered() -> None:
    first = release(table().showing(["b"]))
    changed = {"1": {"a": "changed", "b": "x"}}
    again = Release("t", "1", False, table().showing(["b"]), changed, "k", "c", {}, {})
    assert not Account.of([first]).covers(again, EVERYBODY)


def test_coins_of_other_labels_and_tables_are_others() -> None:
    first, second = release(table()), release(table(), "2")
    before = exposure(first, asking=second)
    assert before.records == ()
    told = before.fold({}, second.mechanism)
    assert told == Together([OneSided({}, {}), InEpoch("label 1", table()), table()])
    both = exposure(first, asking=release(table(HALF // 2)))
    assert [*both.fold({}, table(HALF // 2)).record_coins()] == sorted(
        [table(), table(HALF // 2)], key=lambda each: each.digest
    )


def test_epochs_by_a_function_of_the_key_hold_other_records() -> None:
    months = [
        Release("t", "month", True, table(), {m: dict.fromkeys("ab", "x")}, "k", "c", {}, {})
        for m in ("jan", "feb")
    ]
    account = Account.of(months[:1])
    (before,) = account.before(months[1], account.readers())
    assert before == Exposure()


def test_all_that_was_shown_is_named() -> None:
    account = Account.of([release(table().showing(["b"]))])
    assert account.released() == {"b": "t"}
    assert [policy.attribute for policy in account.policies(release(table(), "2"))] == ["b"]


def test_folding_all_is_what_each_shows_together() -> None:
    events = [release(table().showing(["a"])), release(table().showing(["b"]))]
    assert fold(events, {}) == Together([OneSided({}, {}), InEpoch("label 1", table())])
