"""The account of coins of whole records: one answer a table and label, however often."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspoken import Adversary, Joint, Suppression, leakage
from unspoken.core.mechanisms import InEpoch, Mechanism, OneSided, Together
from unspoken.storage.ledger import Account, Disclosure, Exposure, Release, fold

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


# Of a row of any epoch: the coins that its own epoch had, and no others.

TABLE, OTHER = table(), table(HALF // 2)
CELLS = OneSided({"a": 0.5, "b": 0.25}, {"a": ["s"]})
ALONE, MORE = (OneSided(one, {"a": ["s"]}) for one in ({"a": 1.5}, {"b": 1.5}))
LABELS = ("day // 30", "day // 7")
BELIEF = Joint([[0.4, 0.1], [0.2, 0.3]], names="ab", values=[["u", "s"], ["v", "w"]])


def by_key(
    shown: Mechanism,
    *epochs: str,
    label: str = "day // 30",
    readers: Sequence[str] = (),
    draw: int = 1,
) -> Release:
    readings = dict.fromkeys(epochs, dict.fromkeys("ab", "x"))
    made = Release("t", label, True, shown, readings, "k", "c", {}, {}, readers=tuple(readers))
    return replace(made, draw=draw)


def leaks(mechanisms: Iterable[Mechanism], knows: Sequence[str] = ()) -> list[float]:
    who = Adversary("a", knows=tuple(knows), secret=["s"])
    return [leakage(BELIEF, one, who, "odds").nats for one in mechanisms]


def said(*epochs: str, of: str = "day // 30", to: Sequence[str] = ()) -> Disclosure:
    return Disclosure(
        "t", ("b",), of, True, tuple(sorted({*epochs})), tuple(to), "k", "somebody", "why"
    )


def test_what_is_known_of_one_epoch_is_not_of_another() -> None:
    """Nor of a row that is in it, beside what was shown of others."""
    account = Account.of([by_key(ALONE, "1", "2"), by_key(TABLE, "3")])
    account.enter(said("2"), 3)
    found = account.exposures(EVERYBODY)
    told = [(dict(each.exponents()), len(each.other_records), each.known) for each in found]
    assert sorted(told, key=str) == [({"a": 1.5}, 0, (("b",),)), ({}, 1, ())]
    account.enter(said("9"), 4)
    assert len(account.exposures(EVERYBODY)) == 2  # of epoch 9 no more is known than of epoch 2
    account.enter(said(), 5)
    assert {each.known for each in account.exposures(EVERYBODY)} == {(("b",),)}


def test_no_row_has_the_coins_of_plans_that_followed_one_another() -> None:
    for first, second in [(TABLE, OTHER), (ALONE, MORE), (MORE, TABLE)]:
        account = Account.of([by_key(first, "1", "2"), by_key(second, "3")])
        found = [each.fold({"a": ["s"]}) for each in account.exposures(EVERYBODY)]
        assert leaks(found) == pytest.approx(leaks([first, second]))
        (whole,) = leaks([account.exposure(EVERYBODY).fold({"a": ["s"]})])
        assert whole > 1.2 * max(leaks([first, second]))


def test_epochs_that_were_shown_less_are_not_looked_at() -> None:
    """Nor are they apart where there are too many: then a row had them all."""
    parts = [by_key(OneSided(dict.fromkeys("ab"[:n], 0.5)), "12"[n - 1]) for n in (1, 2)]
    (one,) = Account.of(parts).exposures(EVERYBODY)
    assert one.exponents() == {"a": 0.5, "b": 0.5}
    many = [by_key(OneSided({f"{n}": 0.5}), str(n)) for n in range(65)]
    assert len(Account.of(many[:64]).exposures(EVERYBODY)) == 64
    assert Account.of(many).exposures(EVERYBODY) == [Account.of(many).exposure(EVERYBODY)]


@pytest.mark.slow
@given(
    st.lists(
        st.builds(
            said,
            st.sampled_from("1234"),
            of=st.sampled_from([*LABELS, "day // 2"]),
            to=st.sampled_from([(), ("s",)]),
        ),
        max_size=2,
    ),
    st.lists(
        st.builds(
            by_key,
            st.sampled_from([TABLE, TABLE.showing(["a"]), OTHER, CELLS, MORE]),
            st.sampled_from("12"),
            st.sampled_from("23"),
            readers=st.sampled_from([(), ("r",), ("s",)]),
            label=st.sampled_from(LABELS),
            draw=st.sampled_from([1, 1, 2]),
        ),
        max_size=5,
    ),
)
def test_of_a_row_of_any_epoch(otherwise: list[Disclosure], events: list[Release]) -> None:
    """What those of its epoch alone show, by each function of the key; and what is known of it."""
    account = Account.of(events)
    for number, disclosure in enumerate(otherwise, start=len(events) + 1):
        account.enter(disclosure, number)
    audience = account.reaching(["r"], ["r", "s"])
    expected, found = list[float](), list[float]()
    for row in (dict(zip(LABELS, each, strict=True)) for each in product("1234", repeat=2)):
        had = [one for one in events if one.readers != ("s",) and row[one.epoch] in one.readings]
        own = [replace(one, readings={row[one.epoch]: {"a": "x", "b": "x"}}) for one in had]
        expected += leaks([fold(own, {"a": ["s"]})])
        if any(not d.readers and row.get(d.epoch, d.epochs[0]) in d.epochs for d in otherwise):
            expected += leaks([fold(own, {"a": ["s"]})], "b")
    for each in account.exposures(audience):
        found += leaks([each.fold({"a": ["s"]})])
        for knows in each.known:
            found += leaks([each.fold({"a": ["s"]})], knows)
    assert max(found) == pytest.approx(max(expected), rel=1e-9, abs=1e-12)
