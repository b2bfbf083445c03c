"""What is carried on from event to event is what all events say, added up anew each time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.storage.ledger.charging import under
from tests.storage.ledger.histories import event
from unspoken.core.mechanisms import Geometric
from unspoken.storage.ledger import Account, AnswerEvent, Ledger, Release

WHO = [(), ("r",), ("s",), ("r", "s")]


def answer(
    number: int, request: str, readers: tuple[str, ...], epochs: list[str], epsilon: float,
    label: str, unit: str, of_epoch: float = 0.0,
) -> AnswerEvent:  # fmt: skip
    return AnswerEvent(
        f"t{number}", label, True, Geometric(0.5, {"a": [1, 0]}),
        {epoch: {"a": "same"} for epoch in epochs}, "k", "c", {}, {},
        readers=readers, request=request, query=request, unit=(unit,), unit_epsilon=epsilon,
        epoch_epsilon=of_epoch,
    )  # fmt: skip


ANSWERS = st.lists(
    st.builds(
        answer,
        st.integers(0, 99),
        st.sampled_from(["q1", "q2", "q3"]),
        st.sampled_from(WHO),
        st.lists(st.sampled_from(["x", "y"]), unique=True),
        st.sampled_from([0.1, 0.2, 0.7]),
        st.sampled_from(["day", "day", "week"]),
        st.sampled_from(["office", "office", "office", "desk"]),
        st.sampled_from([0.0, 0.05, 0.1]),
    ),
    max_size=8,
)  # fmt: skip


@given(ANSWERS, st.lists(st.sampled_from(WHO), unique=True), st.sampled_from(["", "q1", "q2"]))
def test_streams_are_the_sums_of_what_was_given(
    answers: list[AnswerEvent], audience: list[tuple[str, ...]], but: str
) -> None:
    latest = {(each.request, each.readers): each for each in answers}  # the last one of each counts
    seen = [
        each for (draw, who), each in latest.items() if who in audience and draw != but
    ]  # fmt: skip
    expected: Fraction | None = None
    if all(each.unit == ("office",) for each in seen):
        by_draw: dict[str, list[Fraction]] = {}
        for each in seen:
            by_draw.setdefault(each.request, []).append(Fraction(str(each.unit_epsilon)))
        expected = sum(map(max, by_draw.values()), Fraction(0))
    streams = Account.of(answers).draws.streams
    assert streams.spent(audience, ["office"], but) == expected


@given(ANSWERS, st.lists(st.sampled_from(WHO), unique=True), st.sampled_from(["", "q1", "q2"]))
def test_streams_of_an_epoch_are_the_sums_of_what_was_given_of_it(
    answers: list[AnswerEvent], audience: list[tuple[str, ...]], but: str
) -> None:
    """Of the epochs of a function; by another function it may be of any rows, so all counts."""

    def told(each: AnswerEvent, epoch: str) -> Fraction:
        if each.epoch != "day":
            return Fraction(str(each.unit_epsilon))
        known = each.epoch_epsilon or each.unit_epsilon
        return Fraction(str(known)) if epoch in each.readings else Fraction(0)

    latest = {(each.request, each.readers): each for each in answers}
    seen = [each for (draw, who), each in latest.items() if who in audience and draw != but]
    streams, expected = Account.of(answers).draws.streams, dict[str, Fraction]()
    for epoch in ("x", "y", "z"):
        by_draw: dict[str, list[Fraction]] = {}
        for each in seen:
            by_draw.setdefault(each.request, []).append(told(each, epoch))
        expected[epoch] = sum(map(max, by_draw.values()), Fraction(0))
    known = all(each.unit == ("office",) for each in seen)
    found = streams.spent_of(audience, ["office"], "of day", ["x", "y", "z"], but)
    assert found == (expected if known else None)


@pytest.mark.slow
@given(ANSWERS, st.lists(st.sampled_from(WHO), unique=True), st.sampled_from(["x", "y", "z"]))
def test_draws_are_those_of_the_epoch_and_of_other_labels(
    answers: list[AnswerEvent], audience: list[tuple[str, ...]], epoch: str
) -> None:
    draws = Account.of(answers).draws
    words = [f"[{', '.join(f'{chr(34)}{name}{chr(34)}' for name in who)}]" for who in audience]
    seen = [each for each in answers if each.readers in audience]
    every = {each.request for each in seen}
    about = {e.request for e in seen if e.epoch != "day" or epoch in e.readings}
    assert len(draws.shown(words)) == len(every)
    assert len(draws.shown(words, "of day", epoch)) == len(about)
    assert len(draws.shown(words, "of day", epoch, "q1")) == len(about - {"q1"})


def passes(_account: Account) -> None:
    pass


def test_a_ledger_that_is_open_is_the_same_one(tmp_path: Path) -> None:
    """While somebody has it; another file in its place is another one."""
    path = tmp_path / "l.sqlite"
    own = Ledger.opened(path)
    own = Ledger.opened(path)
    assert Ledger.opened(path) is own
    own.charge(event("1", a=0.5), passes, under(tmp_path))
    other = Ledger(path)  # somebody else's
    other.charge(event("2", a=0.5), passes, under(tmp_path))
    assert own.releases() == len(own.events()) == 2
    found: list[float] = []
    own.look(lambda account: found.append(account.exposure([()]).exponents()["a"]), under(tmp_path))
    assert found == [1.0]
    path.rename(tmp_path / "away")
    assert Ledger.opened(path) is not own


def calls_of(run: Callable[[], object]) -> int:
    """How many functions it calls."""
    calls = 0

    def called(_frame: object, kind: str, _argument: object) -> None:
        nonlocal calls
        calls += kind in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        run()
    finally:
        sys.setprofile(before)
    return calls


def work(account: Account, events: Sequence[Release], first: int) -> int:
    """What it takes to look at these and to count them in."""

    def run() -> None:
        for number, each in enumerate(events, start=first):
            audience = account.reaching(["r", "s"], ["r", "s"])
            account.covers(each, audience)
            account.before(each, audience)
            account.draws.streams.spent(audience, ["office"], each.noise)
            account.draws.streams.spent_of(
                audience, ["office"], "of day", each.readings, each.noise
            )
            account.add(each, number)

    return calls_of(run)


def test_all_epochs_of_shared_answers_are_not_as_much_work_as_their_square() -> None:
    def looked(count: int) -> int:
        days = [f"day {n}" for n in range(count)]
        shared = [
            answer(n, f"q{n}", who, [day], 0.1, "day", "office")
            for n, day in enumerate(days)
            for who in (("r",), ("s",))
        ]
        streams = Account.of(shared).draws.streams
        return calls_of(lambda: streams.spent_of([("r",), ("s",)], ["office"], "of day", days))

    assert looked(80) <= 4.5 * looked(20)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["cells", "answers", "labels"])
def test_one_event_more_is_as_much_work_after_many(kind: str) -> None:
    """Counted in calls, which no other program on the machine disturbs."""

    def made(first: int, last: int) -> list[Release]:
        numbers = range(first, last)
        if kind == "answers":
            who = [("r",), ("s",)]
            return [
                answer(n, f"q{n}", who[n % 2], [f"day {n}"], 0.1, "day", "office") for n in numbers
            ]
        if kind == "labels":
            return [replace(event(f"label {n}", a=0.1), readers=("r",)) for n in numbers]
        readings = [{f"day {n}": {"a": "same"}} for n in numbers]
        return [replace(event("month", a=0.1), readings=each, readers=("r",)) for each in readings]

    account = Account.of(made(0, 50))
    work(account, made(50, 60), 51)  # what is kept of audiences is made
    few = work(account, made(60, 70), 61)
    for number, each in enumerate(made(70, 2_000), start=71):
        account.add(each, number)
    assert work(account, made(2_000, 2_010), 2_001) <= few * 1.05


def test_releases_are_counted_without_answers(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "l.sqlite")
    events: list[Release] = [event("1", a=0.5), answer(0, "q", (), ["x"], 0.1, "day", "office")]
    for each in [*events, replace(events[0], epoch="2")]:
        ledger.charge(each, passes, under(tmp_path))
    assert ledger.releases() == len(ledger.history()) == 2
