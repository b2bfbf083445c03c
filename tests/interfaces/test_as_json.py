"""What --json prints is JSON, whatever was released."""

import json
import math

from unspoken.core.mechanisms import OneSided
from unspoken.interfaces.wording import as_json
from unspoken.storage.ledger import Release


def event(epsilon: float) -> Release:
    return Release(
        table="t",
        epoch="1",
        per_key=False,
        mechanism=OneSided({"x": epsilon}, {"x": ["late"]}),
        readings={"1": {"x": "0" * 32}},
        key="k",
        coins="c",
        limits={},
        leakage={},
    )


def test_an_infinite_epsilon_is_a_word() -> None:
    shown = as_json.ledger([("2026-01-01T00:00:00+00:00", event(math.inf))])
    assert json.loads(json.dumps(shown, allow_nan=False)) == shown
    assert shown["unspoken"] == "ledger"
    assert (shown["events"][0]["epsilon"], shown["exposure"]) == ({"x": "inf"}, {"x": "inf"})
