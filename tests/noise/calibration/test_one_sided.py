"""One-sided noise by limit: the least scale against listing, and limits that it cannot keep."""

import itertools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import unspoken
from unspoken.core.errors import InputError, NotKnown
from unspoken.core.numerics.arrays import Array

WELL = {name: {"well": 1, "ill": 0} for name in "AB"}
ILL = {"A": ["ill"], "B": ["ill"]}
TABLES = ([[1, 1], [1, 5]], [[4, 1], [2, 1]], [[1, 0], [0, 3]])


def belief(table: npt.ArrayLike) -> unspoken.Joint:
    return unspoken.Joint(table, names="AB", values=[["ill", "well"]] * 2)


def calibrated(table: npt.ArrayLike, **asked: Any) -> unspoken.Calibrated:
    given = {"terms": WELL, "noise": "one-sided", "sensitive": ILL} | asked
    return unspoken.calibrate(belief(table), **given)


def told(table: Array, scale: float, factor: Mapping[str, int]) -> float:
    """max over answers, and over what is known of the other, of log P(y | ill) / P(y | well)."""
    alpha, most = math.exp(-1 / scale), -math.inf
    for me, known in itertools.product((0, 1), (None, 0, 1)):
        law = table if me == 0 else table.T
        law = law if known is None else law * (np.arange(2) == known)
        if law.sum(1).min() == 0:
            continue
        for y in range(-5, sum(factor.values()) + 1):
            seen = np.array([
                sum(
                    law[own, other] * (1 - alpha) * alpha ** (s - y)
                    for other in (0, 1)
                    if (s := own * factor["AB"[me]] + other * factor["BA"[me]]) >= y
                )
                for own in (0, 1)
            ])  # fmt: skip
            ill, well = seen / law.sum(1)
            most = max(most, math.log(ill / well) if ill else most)
    return most


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("factor", [{"A": 1, "B": 1}, {"A": 2, "B": 3}])
@pytest.mark.parametrize("limit", [0.2, 1.0])
def test_the_least_scale(table: list[list[float]], factor: dict[str, int], limit: float) -> None:
    """Halved by hand: at the scale found nobody is above the limit, at a little less somebody."""
    terms = {name: {"well": add, "ill": 0} for name, add in factor.items()}
    found = calibrated(table, terms=terms, limit=limit, measure="exclusion")
    law = np.array(table, dtype=np.float64)
    low, high = 1e-3, 1e3
    for _ in range(80):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if told(law, middle, factor) > limit else (low, middle)
    assert found.scale == pytest.approx(high, rel=1e-7)
    assert told(law, found.scale, factor) <= limit * (1 + 1e-9)
    assert told(law, 0.999 * found.scale, factor) > limit
    odds = calibrated(table, terms=terms, limit=math.exp(limit), measure="odds")
    assert odds.scale == pytest.approx(found.scale, rel=1e-7)


def test_what_is_returned_hides_the_sensitive() -> None:
    found = calibrated(TABLES[0], limit=1.0, measure="exclusion")
    assert isinstance(found.mechanism, unspoken.OneSidedNoise)
    assert found.mechanism.alpha == pytest.approx(math.exp(-1 / found.scale))
    assert found.mechanism.sensitive == {"A": ("ill",), "B": ("ill",)}
    again = unspoken.leakage(
        belief(TABLES[0]), found.mechanism, unspoken.Adversary("A"), "exclusion"
    )
    assert again.value == pytest.approx(1.0)


def test_averages_fall_with_the_scale() -> None:
    found = calibrated(TABLES[0], limit=0.05, measure="mutual-information")
    for knows in ([], ["B"]):
        who = unspoken.Adversary("A", knows=knows)
        told_of_it = unspoken.leakage(belief(TABLES[0]), found.mechanism, who, "mutual-information")
        assert told_of_it.value <= 0.05 * (1 + 1e-9)


@pytest.mark.parametrize("knows", ["anything", "nothing", ["B"]])
@pytest.mark.parametrize(
    ("measure", "limit"),
    [("max-log-ratio", 1.0), ("max-information-two-sided", 1.0), ("max-information", 0.1)],
)
def test_limits_it_cannot_keep(measure: Any, limit: float, knows: Any) -> None:
    """Who is seen not to be sensitive is known by it, at any scale: log 1 / P(well) is left."""
    with pytest.raises(NotKnown, match=r'not sensitive.* noise="geometric"') as refused:
        calibrated(TABLES[0], limit=limit, measure=measure, knows=knows)
    assert "\n" not in str(refused.value)


def test_a_variable_that_hides_nothing() -> None:
    """Of B every value is a secret, and answers show that it is well."""
    with pytest.raises(NotKnown, match=r"about B, .* of variables that are sensitive"):
        calibrated(TABLES[0], limit=1.0, measure="exclusion", sensitive={"A": ["ill"]})


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"noise": "laplace"}, 'calibrate.sensitive: is what noise="one-sided" hides'),
        ({"terms": None}, "give terms"),
        ({"terms": None, "weights": [1, 1]}, "give terms"),
        ({"sensitive": {"A": ["il"]}}, "sensitive"),
        ({"sensitive": {"C": ["ill"]}}, "sensitive"),
        ({"sensitive": ["ill"]}, r"give {name: values}"),
        ({"terms": {"A": {"ill": 1, "well": 2}}}, "sensitive ones 0"),
    ],
)
def test_what_is_refused(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        calibrated(TABLES[0], **{"limit": 1.0, "measure": "exclusion"} | asked)
