"""Several draws of one question: independent, each charged, and looked at together."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

from tests.workflows.query.wards import project
from unspoken.assessment.leaks import views
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.core.measures import MEASURES
from unspoken.core.mechanisms import Geometric, Together
from unspoken.storage.ledger import Account, AnswerEvent, Ledger
from unspoken.workflows.query import NoisyAnswer, query
from unspoken.workflows.release import prepare

ILL = "SELECT COUNT(*) FILTER (WHERE disease = 'hiv') FROM wards"


def drawn(path: Path, draw: int, epsilon: float | None = 0.3, text: str = ILL) -> NoisyAnswer:
    found = query(path, text, epsilon=epsilon, draw=draw)
    assert isinstance(found, NoisyAnswer)
    return found


def charged(path: Path) -> list[AnswerEvent]:
    return [event for _, event in Ledger(path.parent / "ledger.sqlite").answers()]


def test_each_draw_is_charged_once_and_kept(tmp_path: Path) -> None:
    path = project(tmp_path)
    first, second = drawn(path, 1), drawn(path, 2)
    assert (first.again, second.again) == (False, False)
    for draw, before in ((1, first), (2, second)):
        again = drawn(path, draw)
        assert (again.again, again.rows, again.number) == (True, before.rows, before.number)
    events = charged(path)
    assert len({event.request for event in events}) == len(events) == 2
    assert [event.query for event in events] == [ILL, f"{ILL} -- draw 2"]
    assert charged(path)[0].mechanism == charged(path)[1].mechanism


@pytest.mark.slow
def test_draws_are_independent(tmp_path: Path) -> None:
    """Twenty of them, of noise of a known width: not all alike, and not all in one place."""
    path = project(tmp_path, cap=1e9)
    found = [float(drawn(path, draw, 0.2).value) for draw in range(1, 21)]
    assert len({*found}) > 5
    ends = sorted(found)
    assert ends[-1] - ends[0] > 5  # no more than 1 with a chance below 1e-10


@pytest.mark.slow
@pytest.mark.parametrize("draws", [1, 2, 3])
def test_the_account_of_draws_is_as_enumerated(draws: int, tmp_path: Path) -> None:
    """Corollary 1: of n fresh draws every answer of each, one by one, for every record.

    P(y | x) goes as alpha^|y - x|, which is one ratio for y <= 0 and another above: two answers.
    """
    path = project(tmp_path, cap=20.0)
    for draw in range(1, draws + 1):
        drawn(path, draw, 0.4)
    ready, events = prepare(path), charged(path)
    belief = ready.learned.belief
    anew = Account.of(events).exposure([()]).anew
    assert len(anew) == draws
    mechanism = Together(anew) if draws > 1 else anew[0]
    (view,) = views(belief, mechanism, ready.learned.sensitive).values()
    law = belief.marginal(["disease"])
    ill = np.array([value == "hiv" for value in belief.domain.values_of("disease")])
    kept = events[0].mechanism
    assert isinstance(kept, Geometric)
    prior = float(law[ill].sum())
    worst, told = 0.0, 0.0
    for seen in itertools.product((0, 1), repeat=draws):
        likely = [
            math.prod((1.0 if x == y else kept.alpha) / (1.0 + kept.alpha) for y in seen)
            for x in (0, 1)
        ]
        whole = (1 - prior) * likely[0] + prior * likely[1]
        worst = max(worst, likely[1] / likely[0])
        for mass, chance in zip((1 - prior, prior), likely, strict=True):
            told += mass * chance * math.log(chance / whole)
    assert MEASURES["odds"].of(view).odds == pytest.approx(worst, rel=1e-9)
    assert worst == pytest.approx(math.exp(0.4 * draws), rel=1e-9)
    assert MEASURES["mutual-information"].of(view).nats == pytest.approx(told, rel=1e-7)


@pytest.mark.slow
def test_draws_are_refused_together(tmp_path: Path) -> None:
    """Each by itself is within the cap of 3; three of them are e^1.2."""
    path = project(tmp_path)
    drawn(path, 1, 0.4)
    drawn(path, 2, 0.4)
    with pytest.raises(LimitExceeded) as refused:
        drawn(path, 3, 0.4)
    fits = float(refused.value.fits.split()[1])
    assert 0.8 + fits <= math.log(3.0) < 0.8 + fits * 1.03
    drawn(path, 3, fits)


@pytest.mark.parametrize("draw", [0, -1, 10**7, True, 1.0, "2"])
def test_what_is_no_draw(draw: int, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^draw"):
        drawn(project(tmp_path), draw)
