"""Sets of beliefs go wherever a case file has a belief."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.test_case import answered
from unspoken.core.errors import UnspokenError
from unspoken.core.families import FAMILIES

JOINT: dict[str, Any] = {"kind": "joint", "table": [[2, 1], [1, 6]], "names": ["A", "B"]}
FAMILY: dict[str, dict[str, Any]] = {
    "beliefs": {
        "members": [JOINT, {"kind": "independent", "marginals": {"A": [3, 7], "B": [1, 1]}}]
    },
    "box": {
        "lower": [[0.1, 0.05], [0.05, 0.5]],
        "upper": [[0.3, 0.2], [0.2, 0.7]],
        "names": ["A", "B"],
    },
    "frechet": {
        "tables": [
            {"names": ["A", "B"], "table": [[0.2, 0.1], [0.1, 0.6]]},
            {"names": ["C"], "table": [0.5, 0.5]},
        ]
    },
    "intervals": {
        "belief": {**JOINT},
        "intervals": [
            {
                "name": "A",
                "values": [0],
                "lower": [[0.6, 0.2], [0.1, 0.8]],
                "upper": [[0.8, 0.4], [0.2, 0.9]],
                "probability": [0.2, 0.4],
            }
        ],
    },
    "rows": {
        "lower": [[0.6, 0.1], [0.1, 0.7]],
        "upper": [[0.8, 0.4], [0.3, 0.9]],
        "given": ["A"],
        "names": ["A", "B"],
    },
}


@pytest.mark.parametrize("kind", FAMILIES)
def test_every_kind_of_set(tmp_path: Path, kind: str) -> None:
    """As soon as a set of beliefs is registered it goes where a belief does."""
    case = {
        "belief": {"kind": kind, **FAMILY[kind]},
        "mechanism": {"kind": "randomized-response", "name": "B", "epsilon": 1.0},
        "adversary": {"target": "A", "secret": [0]},
        "ask": {"measures": ["max-log-ratio"]},
    }
    told = answered(tmp_path, json.dumps(case), ".json")
    assert 0 < told["max-log-ratio"]["value"] < math.inf


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ([], "is empty"),
        ([{"kind": "joint"}], "belief.members[0].table: is missing"),
        ([JOINT, {"kind": "jont"}], 'belief.members[1].kind: there is no "jont"'),
        ([JOINT, 3], "beliefs"),
    ],
)
def test_mistakes_about_sets(tmp_path: Path, members: Any, says: str) -> None:
    case = {"belief": {"kind": "beliefs", "members": members}, "ask": {"measures": ["odds"]}}
    with pytest.raises(UnspokenError, match=re.escape(says)) as refusal:
        answered(tmp_path, json.dumps(case), ".json")
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("change", [{"name": "C"}, {"values": 0}, {"lower": [[2]]}, {"lowest": 0}])
def test_mistakes_about_intervals(tmp_path: Path, change: dict[str, Any]) -> None:
    (interval,) = FAMILY["intervals"]["intervals"]
    for tables in ([{**interval, **change}], [3], []):
        belief = {"kind": "intervals", "belief": JOINT, "intervals": tables}
        with pytest.raises(UnspokenError) as refusal:
            answered(tmp_path, json.dumps({"belief": belief, "ask": {"worst": True}}), ".json")
        assert "\n" not in str(refusal.value)


def test_beliefs_in_beliefs_without_end(tmp_path: Path) -> None:
    text = '{"kind": "beliefs", "members": [' * 150 + json.dumps(JOINT) + "]}" * 150
    with pytest.raises(UnspokenError):
        answered(tmp_path, f'{{"belief": {text}, "ask": {{"worst": true}}}}', ".json")
