"""What all answers tell of one epoch of a unit: held to a limit for a chain, and never above it."""

from __future__ import annotations

import itertools
import math
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tests.workflows.query.test_stream import APART, PROJECT, asked, charged, late
from tests.workflows.query.test_stream import project as six_days
from unspoken import Chain, temporal, temporal_budget
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.core.mechanisms import Geometric
from unspoken.storage.custody.custody import Custody
from unspoken.storage.ledger import AnswerEvent
from unspoken.tables.policy import Project
from unspoken.workflows.query import Promised, offers, query
from unspoken.workflows.query.unit import share_of_epoch
from unspoken.workflows.release import prepare
from unspoken.workflows.serve.stream import streams

STAYS = [[0.8, 0.2], [0.2, 0.8]]
LIMIT = "epoch_epsilon = 0.5\nepoch_chain = {}"
MOST = 0.5


def project(folder: Path, chain: list[list[float]] = STAYS) -> Path:
    return six_days(folder, LIMIT.format(chain))


def share(path: Path) -> float:
    return share_of_epoch(Project.read(path))


def test_each_epoch_has_its_share_and_no_more(tmp_path: Path) -> None:
    """However many are asked about: what one may be told of is the same on the last day."""
    path = project(tmp_path)
    each = share(path)
    assert each == temporal_budget(Chain(None, STAYS, 2), MOST, any_length=True).epsilon[0]
    assert 0.1 < each < MOST / 2
    with pytest.raises(LimitExceeded, match=r"in epoch 2 answers .* of 0\.3,") as no:
        asked(path, 2, 0.3)
    fits = float(no.value.fits.split()[1])
    assert 0.9 * each < fits <= each
    for day in range(6):
        asked(path, day, fits)
    asked(path, 2, fits)  # again: free
    with pytest.raises(LimitExceeded, match=r"epoch_epsilon = 0\.5 each epoch has 0\.1"):
        query(path, f"{late('day = 2')} AND office < 20", epsilon=0.1)
    assert [event.of_epoch for event in charged(path)] == pytest.approx([fits] * 6)


@pytest.mark.slow
def test_what_is_asked_of_several_epochs_counts_in_each_once(tmp_path: Path) -> None:
    path = project(tmp_path)
    query(path, late("day < 3"), epsilon=0.1)
    (event,) = charged(path)
    assert (event.unit_epsilon, event.epoch_epsilon) == pytest.approx((0.3, 0.1))
    asked(path, 3, 0.1)
    with pytest.raises(LimitExceeded, match="in epoch 1 "):
        asked(path, 1, 0.1)
    kept = Custody.there(Project.read(path))
    assert kept is not None
    (stream,) = streams(Project.read(path), kept)
    assert stream.fullest is not None
    assert stream.fullest.name in {"0", "1", "2", "3"}
    said = stream.as_json()
    assert (said["spent_of_it"], said["epoch_epsilon"]) == (0.1, MOST)
    assert said["left_of_it"] == pytest.approx(share(path) - 0.1)


def test_an_epoch_that_had_more_before_is_told_of_by_those_beside_it(tmp_path: Path) -> None:
    """Nothing limited the first day: answers about the next two would tell of both of them too
    much, the first one's included, however little they had. The limit that it had fits them all.
    """
    path = six_days(tmp_path, "")
    asked(path, 0, 1.0)
    within = share(project(tmp_path))
    with pytest.raises(LimitExceeded, match=r"in epoch 0 answers have an epsilon of 1, .* Raise"):
        asked(path, 1, 0.01)
    asked(path, 0, 1.0)  # again: free
    part = math.floor(within * 1e6) / 1e6
    six_days(tmp_path, "")
    for day in (1, 2):
        asked(path, day, part)
    assert min(_told(charged(path), 0.8)[1:]) > MOST
    most = float(temporal(Chain(None, STAYS, 2), 1.0).supremum.value)
    six_days(tmp_path, f"epoch_epsilon = {most + 1e-9}\nepoch_chain = {STAYS}")
    for day in (3, 4, 5):
        asked(path, day, 0.9)


@pytest.mark.slow
def test_epochs_that_two_had_are_added_up_once_they_pool(tmp_path: Path) -> None:
    path = six_days(tmp_path, f"{LIMIT.format(STAYS)}\n{APART}")
    part = math.floor(0.6e6 * share(path)) / 1e6
    for office, who in ((38, "lighting"), (39, "planning")):
        query(path, f"{late('day = 0')} AND office < {office}", who, epsilon=part)
    asked(path, 1, part, "lighting")
    project(tmp_path)
    with pytest.raises(LimitExceeded, match="in epoch 0 answers have"):
        asked(path, 4, 0.01, "lighting")


@pytest.mark.slow
def test_rows_of_one_epoch_are_added_up(tmp_path: Path) -> None:
    """Two days are an epoch: a question of one epoch counts both, of several all that enter."""
    path = project(tmp_path)
    path.write_text(path.read_text().replace('of = "day"', 'of = "day // 2"'))
    query(path, late("day < 2"), epsilon=0.05)
    query(path, late("day > 1"), epsilon=0.01)
    assert [each.of_epoch for each in charged(path)] == pytest.approx([0.1, 0.04])


@pytest.mark.slow
def test_a_secret_that_never_changes_leaves_no_epoch_anything(tmp_path: Path) -> None:
    path = project(tmp_path, [[0.999999, 0.000001], [0.000001, 0.999999]])
    with pytest.raises(LimitExceeded, match=r"under limit\.epoch_chain"):
        asked(path, 0, 0.1)
    path = project(tmp_path, [[0.5, 0.5], [0.5, 0.5]])  # and one that forgets at once, all of it
    asked(path, 0, MOST)


@pytest.mark.slow
@pytest.mark.parametrize("stays", [0.8, 0.55, 0.95])
def test_no_epoch_is_told_of_more(stays: float, tmp_path: Path) -> None:
    """Every trajectory of three days, and every answer: to two questions of one day, and to one of
    all three. Who knows all other offices sees the sum of the days it is of, and noise, so that
    P(y | s) is alpha^|y - s| but for a factor, and y matters between 0 and as many days.
    """
    chain = [[stays, 1 - stays], [1 - stays, stays]]
    path = project(tmp_path, chain)
    part = math.floor(share(path) * 1e6 / 3) / 1e6
    for day in (0, 2):
        asked(path, day, part)
    query(path, late("day < 3"), epsilon=part)
    for day, left in enumerate((part, 2 * part, part)):
        query(path, f"{late(f'day = {day}')} AND office < 39", epsilon=round(left, 6))
    events = charged(path)
    told = _told(events, stays)
    assert max(told) <= MOST * (1 + 1e-12)
    exact = [(each.readings, Fraction(repr(each.of_epoch))) for each in events]
    of_day = [sum(own for days, own in exact if str(day) in days) for day in range(3)]
    assert max(of_day) <= share(path)
    assert min(of_day) > 0.999 * share(path)
    bounds = temporal(Chain(None, chain, 3), [float(each) for each in of_day]).total
    for growth, bound in zip(told, bounds, strict=True):
        assert 0.8 * bound <= growth <= bound + 1e-9


def _told(events: list[AnswerEvent], stays: float) -> list[float]:
    """By how much the log odds of each day's secret move at most, over every answer there is."""
    days = list(itertools.product((0, 1), repeat=3))
    kept = np.array([sum(a == b for a, b in itertools.pairwise(x)) for x in days])
    law = stays**kept * (1 - stays) ** (2 - kept) / 2
    seen = []
    for event in events:
        assert isinstance(event.mechanism, Geometric)
        sums = np.array([sum(x[int(day)] for day in event.readings) for x in days])
        ends = range(len(event.readings) + 1)
        seen.append([event.mechanism.alpha ** abs(y - sums) for y in ends])
    most = [0.0] * 3
    for likelihoods in itertools.product(*seen):
        told = law * np.prod(likelihoods, axis=0)
        for day in range(3):
            late_then = np.array([x[day] == 1 for x in days])
            odds = told[late_then].sum() / told[~late_then].sum()
            most[day] = max(most[day], abs(math.log(odds)))
    return most


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ("epoch_epsilon = 0.5", r"limit\.epoch_epsilon: needs epoch_chain beside it"),
        (f"epoch_chain = {STAYS}", r"limit\.epoch_chain: needs epoch_epsilon beside it"),
        (LIMIT.format([[1.0, 0.0], [0.0, 1.0]]), r"is no chain .*depends on the first"),
        (LIMIT.format([[0.8, 0.2], [0.0, 1.0]]), r"is no chain .*state of row 1 is left for good"),
        (LIMIT.format([[0.5, 0.5]]), r"limit\.epoch_chain: is no chain .*each state needs a row"),
        (LIMIT.format([[0.5, 0.5], [0.5]]), r"limit\.epoch_chain: is no chain .*each state needs"),
        (LIMIT.format([]), r"limit\.epoch_chain: is no chain .*each state needs a row"),
        (LIMIT.format([[0.5, 0.5], [0.5, 0.6]]), r"is no chain .*\(row 2: sums to 1\.1;"),
        (LIMIT.format([[0.5, -0.5], [1.0, 0.0]]), r"limit\.epoch_chain: is no chain"),
        (LIMIT.format([[]]), r"limit\.epoch_chain: is no chain"),
        ("epoch_epsilon = -1.0\nepoch_chain = [[1.0]]", "is negative"),
    ],
)  # fmt: skip
def test_limits_that_are_none(limit: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said) as refusal:
        Project.read(six_days(tmp_path, limit))
    assert "\n" not in str(refusal.value)


@pytest.mark.slow
@pytest.mark.parametrize("limit", [LIMIT.format(STAYS), "unit_epsilon = 0.5"])
def test_a_plan_offers_what_a_unit_may_be_told(limit: str, tmp_path: Path) -> None:
    """Six days of an office enter: as much as a question that is asked first is given."""
    path = six_days(tmp_path, limit)
    ready = prepare(path)
    (offer,) = offers(ready, ready.findings(curve=False))
    asked = query(path, offer.query, dry_run=True)
    assert isinstance(asked, Promised)
    assert offer.epsilon == pytest.approx(asked.epsilon, rel=1e-3)
    assert offer.epsilon < 0.2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limit", "first"), [(LIMIT.format(STAYS), 0.05), ("unit_epsilon = 0.5", 0.2), ("", 2.5)]
)
def test_a_plan_offers_what_is_left(limit: str, first: float, tmp_path: Path) -> None:
    """Of the share of an epoch, of a unit's, of the cap: what answers had of it is not there."""
    path = six_days(tmp_path, limit)

    def offered() -> float:
        ready = prepare(path)
        (offer,) = offers(ready, ready.findings(curve=False))
        fits = query(path, offer.query, dry_run=True)
        assert isinstance(fits, Promised)
        assert offer.epsilon == pytest.approx(fits.epsilon, rel=1e-3)
        return offer.epsilon

    before = offered()
    asked(path, 2, first)
    assert offered() < 0.97 * before
    with suppress(LimitExceeded):  # all that is left, if it is more than noise alone
        query(path, late("day = 2"))
    ready = prepare(path)
    for offer in offers(ready, ready.findings(curve=False)):
        query(path, offer.query, epsilon=0.999 * offer.epsilon, dry_run=True)


@pytest.mark.slow
def test_what_was_answered_is_not_offered_again(tmp_path: Path) -> None:
    """The same question is the same answer, however much would fit by now."""
    path = six_days(tmp_path, "")
    ready = prepare(path)
    (offer,) = offers(ready, ready.findings(curve=False))
    query(path, offer.query, share=0.5)
    again = query(path, offer.query, dry_run=True)
    assert isinstance(again, Promised)
    assert again.epsilon == pytest.approx(offer.epsilon / 2, rel=1e-2)
    ready = prepare(path)
    assert not offers(ready, ready.findings(curve=False))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["unit_epsilon", "epoch_epsilon"])
def test_refusals_name_the_limit_of_a_unit(name: str, tmp_path: Path) -> None:
    chain = f"\nepoch_chain = {STAYS}" if name == "epoch_epsilon" else ""
    path = six_days(tmp_path, f"{name} = 0.02{chain}")
    with pytest.raises(LimitExceeded, match=f"noise alone .*Raise limit.odds_cap or limit.{name},"):
        query(path, late())
    path = six_days(tmp_path, f"{name} = 0.0{chain}")
    with pytest.raises(LimitExceeded, match=rf"limit\.{name} .*Raise that limit;"):
        query(path, late())


def test_an_epoch_is_what_keys_decide(tmp_path: Path) -> None:
    path = project(tmp_path)
    path.write_text(path.read_text().replace('of = "day"', 'label = "2026"'))
    with pytest.raises(InputError, match=r"limit\.epoch_epsilon: .*epochs that keys decide"):
        Project.read(path)
    assert "label" not in PROJECT
