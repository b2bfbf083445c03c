"""The account against the formulas: the same numbers, from a few entries, whatever the order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.storage.ledger.histories import added_to, eps, event, exposure, histories, nothing_new
from tests.storage.ledger.test_account import FAIR, Case, adding, cases, held
from unspoken import Adversary, OneSided, leakage
from unspoken.core.mechanisms import Laplace, Together
from unspoken.storage.ledger import Account, Release, fold, reaches


@given(histories())
def test_the_account_is_what_the_formulas_say(events: list[Release]) -> None:
    """Of every event and coalition, after those before it; numbers as they always were."""
    for coalition in (["r"], ["s"], ["r", "s"]):
        for k, one in enumerate(events):
            account = Account.of(events[:k])
            audience = account.reaching(coalition, ["r", "s"])
            seen = [own for own in events[:k] if reaches(own.readers, coalition, ["r", "s"])]
            assert account.covers(one, audience) == nothing_new(one, seen)
            got, expected = adding(one, account, audience), added_to(one, seen)
            assert len(got) == len(expected)
            assert all(pytest.approx(own, rel=1e-12) in expected for own in got)
            assert account.exposure(audience).exponents() == pytest.approx(
                exposure(seen), rel=1e-12
            )


def read(fingerprint: str, **epsilon: float) -> Release:
    return replace(event("1", **epsilon), readings={"1": dict.fromkeys(epsilon, fingerprint)})


@given(histories(most=4))
def test_a_reading_that_differs_from_any_before_is_found(events: list[Release]) -> None:
    *earlier, last = events
    differ = any(
        one.readings.get(epoch, {}).get(name, now) != now
        for one in earlier
        for epoch, own in last.readings.items()
        for name, now in own.items()
    )
    assert bool(Account.of(earlier).changed(last)) == differ


def test_every_reading_of_an_epoch_counts() -> None:
    """Of attributes read later, and of those read anew."""
    account = Account.of([read("then", a=0.5), read("then", b=0.5), read("now", a=0.75)])
    assert account.changed(read("then", c=1.0)) == []
    assert account.changed(read("now", b=1.0)) == [("1", "b", "t")]
    assert account.changed(read("then", a=1.0)) == [("1", "a", "t")]
    everybody = account.readers()
    assert account.covers(read("then", a=0.5, b=0.5), everybody)
    assert account.covers(read("now", a=0.75), everybody)
    assert not account.covers(read("then", a=0.75), everybody)
    assert not account.covers(read("now", b=0.25), everybody)


@given(histories())
def test_what_is_kept_between_questions_is_what_it_is_without(events: list[Release]) -> None:
    """Whoever is asked for, again and again, by one account and by another for each question."""
    kept = Account.of(())
    for number, one in enumerate(events, start=1):
        for other in events:
            for audience in ([("r",)], [("r",), ("s",)], kept.readers()):
                fresh = Account.of(events[: number - 1])
                assert kept.before(other, audience) == fresh.before(other, audience)
        kept.add(one, number)


@pytest.mark.slow
@given(histories(), st.data())
def test_the_account_does_not_depend_on_the_order(events: list[Release], data: Any) -> None:
    """Sums are exact: no digit depends on who came first."""
    other = data.draw(st.permutations(events))
    one, two = Account.of(events), Account.of(other)
    audience = one.readers()
    assert one.exposure(audience) == two.exposure(audience)
    assert one.exposure(audience).fold({}) == two.exposure(two.readers()).fold({})
    last = events[-1]
    assert all(shown in two.before(last, audience) for shown in one.before(last, audience))


@pytest.mark.slow
@given(histories())
def test_sums_that_are_carried_on_are_those_added_up_at_the_end(events: list[Release]) -> None:
    carried = Account.of(())
    for number, one in enumerate(events, start=1):
        carried.add(one, number)
        for audience in ([("r",)], [("r",), ("s",)], [()], carried.readers()):
            assert carried.exposure(audience) == Account.of(events[:number]).exposure(audience)


@pytest.mark.slow
@given(cases(["1", "2", "month"], most=3))
def test_the_fold_is_the_events_together(case: Case) -> None:
    """As mechanisms, each under its own coins; and enumerated."""
    events = [replace(one, mechanism=OneSided(eps(one), case.secrets)) for one in case.events]
    together = fold(events)
    for truth, said in held(case, together):
        assert said == pytest.approx(truth, rel=1e-9, abs=1e-12)
    small = fold(events, case.secrets)
    for target in case.names:
        if case.secrets[target]:
            for name in ("mutual-information", "odds"):
                one, other = (
                    leakage(case.belief(), mechanism, Adversary(target), name).value
                    for mechanism in (together, small)
                )
                assert one == pytest.approx(other, rel=1e-9, abs=1e-12)


@pytest.mark.slow
@given(cases(["1", "2", "month"], most=3), st.data())
def test_what_was_withheld_then_and_is_free_now_counts_as_shown(case: Case, data: Any) -> None:
    """Events that hid more, or showed bits only, tell no more than the account says."""
    events = []
    for one in case.events:
        hidden = {
            name: tuple(v for v in own if v in case.secrets[name] or data.draw(st.booleans()))
            for name, own in zip(case.names, case.values, strict=True)
        }
        shows = data.draw(st.sampled_from(["value", "bit"]))
        events.append(replace(one, mechanism=OneSided(eps(one), hidden, shows)))
    truth, account = fold(events), fold(events, case.secrets)
    for target in case.names:
        if case.secrets[target]:
            for name in ("mutual-information", "odds"):
                adversary = Adversary(target, secret=case.secrets[target])
                less, more = (
                    leakage(case.belief(), mechanism, adversary, name).value
                    for mechanism in (truth, account)
                )
                assert less <= more * (1 + 1e-9) + 1e-12


def test_noise_is_drawn_anew_and_never_folded_away() -> None:
    """Any mechanism is an event; what has no coins is beside them, as often as it was given."""
    noisy = replace(event("1", a0=0.5), mechanism=Together([OneSided({"a0": 0.5}), Laplace(2.0)]))
    account = Account.of([noisy])
    audience = account.readers()
    assert not account.covers(noisy, audience)
    (shown,) = account.before(noisy, audience)
    expected = Together([OneSided({"a0": 0.5}, {}), Laplace(2.0), Laplace(2.0)])
    assert shown.fold({}, noisy.mechanism) == expected
    both = FAIR.belief()
    told_once, told_twice = (
        leakage(both, mechanism, Adversary("a0"), "odds").value
        for mechanism in (shown.fold({"a0": (0,)}), shown.fold({"a0": (0,)}, noisy.mechanism))
    )
    assert told_once < told_twice
