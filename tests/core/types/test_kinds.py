"""Objects of a wrong kind get one line at the door, that says what to give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import numpy as np
import pytest

import unspoken
from unspoken.core.measures import MEASURES, MeasureName
from unspoken.core.types.kinds import expect

BELIEF = unspoken.Joint([[3, 2], [1, 8]])
SHOWN = unspoken.OneSided({"x1": 1.0})
WHO = unspoken.Adversary("x0", secret=[0])
ASKED: dict[str, Callable[..., Any]] = {
    "view": unspoken.view,
    "leakage": unspoken.leakage,
    "odds": lambda b, m, who: unspoken.odds(b, m, who, {"x1": unspoken.WITHHELD}),
    "leakages": lambda belief, shown, _: unspoken.leakages(belief, shown),
}
WRONG = [None, 3, "x0", [[0.5, 0.5]], np.eye(2), {"x1": 1.0}, unspoken.Joint, BELIEF, SHOWN, WHO]


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("name", ASKED)
def test_wrong_kinds_get_a_line(name: str, place: int) -> None:
    word = ("belief", "mechanism", "adversary")[place]
    for wrong in WRONG:
        given: list[Any] = [BELIEF, SHOWN, WHO]
        if type(wrong) is type(given[place]) or (name == "leakages" and place == 2):
            continue
        given[place] = wrong
        with pytest.raises(unspoken.UnspokenError, match=f"{name}.{word}: .* is no {word}; give"):
            ASKED[name](*given)


def test_every_measure_has_its_word_in_the_signatures() -> None:
    assert [*get_args(MeasureName)] == sorted(MEASURES) == [*MEASURES]


def test_a_measure_is_a_word() -> None:
    wrong: Any
    for wrong in (WHO, None, 3, ["odds"], {}, "max-log-ration"):
        for ask in (unspoken.leakages, lambda b, m, measure: unspoken.leakage(b, m, WHO, measure)):
            with pytest.raises(unspoken.UnspokenError, match="measure: ") as refused:
                ask(BELIEF, SHOWN, wrong)
            assert "\n" not in str(refused.value)
    with pytest.raises(unspoken.UnspokenError, match="list is expected"):
        unspoken.leakages(BELIEF, SHOWN, targets="x0")
    with pytest.raises(unspoken.UnspokenError, match="say what is seen"):
        unspoken.odds(BELIEF, SHOWN, WHO, wrong)


def test_what_is_shown_of_a_wrong_object_is_one_short_line() -> None:
    with pytest.raises(unspoken.UnspokenError) as refused:
        expect(np.zeros((40, 40)), int, "here", "give a number")
    assert len(str(refused.value)) < 90
    assert "\n" not in str(refused.value)
    expect(3, int, "here", "give a number")
