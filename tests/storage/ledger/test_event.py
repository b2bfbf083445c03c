"""What an event is written as, and what is not one."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from unspoken.core.errors import InputError
from unspoken.core.mechanisms import Geometric, Laplace, Mechanism, OneSided, Together
from unspoken.storage.ledger import Release

READINGS = {"2026": {"a": "00"}}


def event(mechanism: Mechanism) -> Release:
    return Release("t", "2026", False, mechanism, READINGS, "k", "c", {}, {}, readers=("one",))


@pytest.mark.parametrize(
    "mechanism",
    [
        OneSided({"a": math.inf, "b": 0.25}, {"a": ["late", 1, 1.5, True, None]}),
        Laplace(2.0, {"a": 1.0}),
        Together([OneSided({"a": 0.5}), Together([Geometric(0.5)])]),
    ],
)
def test_any_mechanism_is_an_event(mechanism: Mechanism) -> None:
    one = event(mechanism)
    assert Release.from_json(one.to_json()) == one
    body = json.loads(one.to_json())
    assert body["mechanism"] == mechanism.describe()
    assert one.to_json() == json.dumps(body, sort_keys=True)


ONE_SIDED = {"kind": "one-sided", "epsilon": {"a": 1.0}}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"mechanism": {"kind": "magic"}}, 'event.mechanism.kind: there is no "magic"'),
        ({"mechanism": {**ONE_SIDED, "epsilon": {"a": -1}}}, "epsilon of a: -1 must be 0 or more"),
        ({"mechanism": {**ONE_SIDED, "epsilon": {"a": "x"}}}, "event.mechanism.epsilon: "),
        ({"mechanism": {**ONE_SIDED, "shows": "bits"}}, 'one-sided.shows: there is no "bits"'),
        ({"mechanism": [1]}, "event.mechanism: is no table"),
        ({"format": 2}, "event.format: Input should be less than or equal to 1"),
        ({"format": True}, "event.format: Input should be a valid integer"),
        ({"per_key": 1}, "event.per_key: Input should be a valid boolean"),
        ({"table": None}, "event.table: Input should be a valid string"),
        ({"readers": "one"}, "event.readers: Input should be a valid tuple"),
        ({"readings": {"2026": {"a": 1}}}, "event.readings.2026.a: Input should be a valid string"),
        ({"epsilon": {"a": 1}}, "event.epsilon: Unexpected keyword argument"),
    ],
)
def test_what_is_none_is_one_line(change: dict[str, Any], says: str) -> None:
    body = {**json.loads(event(OneSided({"a": 1.0})).to_json()), **change}
    with pytest.raises(InputError) as refusal:
        Release.from_json(json.dumps(body))
    assert says in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "event: cannot be read: "),
        ("[1]", "event: Input should be a dictionary"),
        ("{}", "event.table: Field required"),
        ('{"table": NaN}', "NaN is no number"),
        ('{"table": 1e999}', "1e999 is no number"),
        ('{"table": 5e-324}', "5e-324 is no number"),
        ('{"table": 1' + "0" * 400 + "}", "an integer of more than 64 bits"),
        ('{"table": 1' + "0" * 5_000 + "}", "event: cannot be read"),
        ('{"table": ' + "[" * 100_000 + "]" * 100_000 + "}", "event: cannot be read"),
    ],
)
def test_what_is_no_event_at_all(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        Release.from_json(text)


def test_numbers_that_are_none_are_not_in_an_event() -> None:
    for word in ("NaN", "1e400", "-Infinity"):
        text = event(OneSided({"a": 1.0})).to_json().replace("1.0", word)
        with pytest.raises(InputError, match=f"{word} is no number"):
            Release.from_json(text)
