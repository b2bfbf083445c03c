"""Case files give what the library gives, and one line where they are wrong."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import unsaid
from unsaid.doors.case import Case
from unsaid.errors import UnsaidError

CASE = """
[belief]
kind = "joint"
names = ["A", "B"]
table = [[0.2, 0.1], [0.1, 0.6]]
[mechanism]
kind = "one-sided"
epsilon = { A = 1.0 }
sensitive = { A = [0] }
shows = "bit"
[adversary]
target = "B"
secret = [0]
sees = ["A"]
[ask]
measures = ["mutual-information", "max-log-ratio"]
odds = { A = "withheld" }
plan = { limit = 0.1, account = "bit", odds_cap = "inf" }
"""


def answered(tmp_path: Path, text: str, suffix: str = ".toml") -> dict[str, Any]:
    path = tmp_path / f"case{suffix}"
    path.write_text(text)
    return Case.read(path).answer().as_json()


def test_the_contract_s_example(tmp_path: Path) -> None:
    told = answered(tmp_path, CASE)
    assert told["mutual-information"]["value"] == pytest.approx(0.0492969480022, rel=1e-11)
    assert told["mutual-information"]["unit"] == "nat"
    assert told["odds"]["value"] == pytest.approx(1.72266, rel=1e-5)
    assert told["plan"]["bound"]["low"] <= told["plan"]["bound"]["high"]
    json.dumps(told, allow_nan=False)


def test_json_says_the_same(tmp_path: Path) -> None:
    import_free = {
        "belief": {"kind": "independent", "marginals": {"A": [3, 7]}},
        "mechanism": {"kind": "one-sided", "epsilon": {"A": "inf"}, "shows": "bit"},
        "adversary": {"target": "A"},
        "ask": {"measures": ["odds"], "odds": {"A": "released"}},
    }
    told = answered(tmp_path, json.dumps(import_free), ".json")
    assert told["odds"]["value"] == "inf"
    assert told["odds-of-outcome"]["value"] == 0.0


def test_an_impossible_event_has_a_status(tmp_path: Path) -> None:
    told = answered(
        tmp_path, CASE.replace("A = 1.0", "A = 0.0").replace('"withheld"', '"released"')
    )
    assert told["odds"]["status"] == "impossible"


def test_pairwise_pairs_are_words(tmp_path: Path) -> None:
    told = answered(
        tmp_path,
        """
[belief]
kind = "pairwise"
marginals = { A = [0.3, 0.7], B = [0.3, 0.7] }
tables = { "A,B" = [[0.2, 0.1], [0.1, 0.6]] }
[ask]
plan = { limit = 0.05, account = "bit" }
""",
    )
    belief = unsaid.Pairwise(
        {"A": [0.3, 0.7], "B": [0.3, 0.7]}, {("A", "B"): [[0.2, 0.1], [0.1, 0.6]]}
    )
    plan = unsaid.plan(belief, limit=0.05, account="bit")
    assert told["plan"]["p"] == dict(plan.p)
    assert not math.isnan(told["plan"]["multiplier"])


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('kind = "joint"', 'kind = "jont"', "joint"),
        ("[adversary]", "[advrsary]", "adversary"),
        (
            'measures = ["mutual-information"',
            'measures = ["mutual information"',
            "mutual-information",
        ),
        ("secret = [0]", "secrets = [0]", "secrets"),
        ("table = [[0.2, 0.1], [0.1, 0.6]]", "table = [[0.2, 0.1], [0.1, 0.5]]", "sums to 0.9"),
        ("[belief]", "[belief", "case.toml"),
        ('odds = { A = "withheld" }', 'odds = { C = "withheld" }', "A, B"),
        ("plan = { limit = 0.1,", "plan = { limit = -0.1,", "-0.1"),
    ],
)
def test_mistakes_are_one_line(tmp_path: Path, old: str, new: str, says: str) -> None:
    assert old in CASE
    with pytest.raises(UnsaidError, match=says) as refusal:
        answered(tmp_path, CASE.replace(old, new))
    assert "\n" not in str(refusal.value)
