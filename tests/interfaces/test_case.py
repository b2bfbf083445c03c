"""Case files give what the library gives, and one line where they are wrong."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

import unspoken
from unspoken.core.beliefs import BELIEFS
from unspoken.core.errors import UnspokenError
from unspoken.core.mechanisms import (
    MECHANISMS,
    Finite,
    Geometric,
    Laplace,
    RandomizedResponse,
    Together,
)
from unspoken.core.mechanisms.record_chain import EARLIER
from unspoken.interfaces.case import Case
from unspoken.interfaces.wording import as_json

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
plan = { limit_bits = 0.1, account = "bit", odds_cap = "inf" }
"""
ANSWERS = ["mutual-information", "max-log-ratio", "odds", "plan"]


def answered(tmp_path: Path, text: str, suffix: str = ".toml") -> dict[str, Any]:
    path = tmp_path / f"case{suffix}"
    path.write_text(text)
    return as_json.case(Case.read(path).answer())


def test_the_contract_s_example(tmp_path: Path) -> None:
    told = answered(tmp_path, CASE)
    assert list(told) == ["unspoken", "format", *ANSWERS]
    assert (told["unspoken"], told["format"]) == ("case", 1)
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
plan = { limit_bits = 0.05, account = "bit" }
""",
    )
    belief = unspoken.Pairwise(
        {"A": [0.3, 0.7], "B": [0.3, 0.7]}, {("A", "B"): [[0.2, 0.1], [0.1, 0.6]]}
    )
    plan = unspoken.plan(belief, limit_bits=0.05, account="bit")
    assert told["plan"]["p"] == dict(plan.p)
    assert not math.isnan(told["plan"]["multiplier"])


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            'kind = "joint"',
            'kind = "jont"',
            'belief.kind: there is no "jont". Did you mean "joint"',
        ),
        ('kind = "joint"', "kind = 3", "belief.kind: 3 is not what it takes: a word"),
        ('kind = "joint"\n', "", "belief.kind: is missing; give one of"),
        ("[adversary]", "[advrsary]", "adversary"),
        ("[ask]", "[ask2]\n", "ask2"),
        ('measures = ["mutual-information"', 'measures = ["mutual information"', "mutual-inform"),
        ('measures = ["mutual-information"', "measures = [{eps = 1}", "has no name; write"),
        ('measures = ["mutual-information"', 'measures = [{name = "delta", eps = "x"}', "a number"),
        ('measures = ["mutual-information"', 'measures = [{name = "delta", ep = 1}', '"eps"'),
        ('measures = ["mutual-information"', 'measures = [{name = "odds", eps = 1}', "no options"),
        (
            'measures = ["mutual-information", "max-log-ratio"]',
            'measures = "odds"',
            "a list of mea",
        ),
        (
            "secret = [0]",
            "secrets = [0]",
            'adversary: there is no "secrets". Did you mean "secret"',
        ),
        ("secret = [0]", "secret = 0", "adversary.secret: 0 is not what it takes: a list"),
        ('target = "B"\n', "", "adversary.target: is missing"),
        ('target = "B"', 'target = ["A", "B", "C"]', 'adversary.target: there is no "C"'),
        ('sees = ["A"]', 'sees = "A"', "adversary.sees: 'A' is not what it takes: a list of names"),
        ('sees = ["A"]', 'asks = "often"', "adversary.asks"),
        ('sees = ["A"]', "knows = 3", "adversary.knows: 3"),
        ("table = [[0.2, 0.1], [0.1, 0.6]]", "table = [[0.2, 0.1], [0.1, 0.5]]", "sums to 0.9"),
        ("table = [[0.2, 0.1], [0.1, 0.6]]", "table = [[0.2], [0.1, 0.5]]", "joint.table"),
        ("epsilon = { A = 1.0 }", "epsilon = 1.0", "mechanism.epsilon: 1.0 is not what it takes"),
        ("epsilon = { A = 1.0 }", "epsilon = { A = -1.0 }", "one-sided.epsilon of A: -1.0"),
        ("sensitive = { A = [0] }", "sensitive = { A = 0 }", "mechanism.sensitive"),
        ('shows = "bit"', 'shows = "bits"', '"bit"'),
        ("[belief]", "[belief", "case.toml"),
        ('odds = { A = "withheld" }', 'odds = { C = "withheld" }', 'no "C"'),
        ('odds = { A = "withheld" }', "odds = { A = [1] }", "ask.odds: {'A': [1]} is not"),
        ('odds = { A = "withheld" }', 'odds = "withheld"', "ask.odds: 'withheld'"),
        ("plan = { limit_bits = 0.1,", "plan = { limit_bits = -0.1,", "-0.1"),
        (
            "plan = { limit_bits = 0.1,",
            'plan = { limit_bits = "much",',
            "ask.plan.limit_bits: 'much' is not",
        ),
        ("plan = { limit_bits = 0.1,", "plan = { limit = 0.1,", 'ask.plan: there is no "limit"'),
        ("[ask]", "[ask]\nworst = 3", "ask.worst"),
        ("[ask]", "[ask]\ncalibrate = true", "ask.calibrate"),
    ],
)
def test_mistakes_are_one_line(tmp_path: Path, old: str, new: str, says: str) -> None:
    """They name the file, the table, the key, what is there and what should be."""
    assert old in CASE
    with pytest.raises(UnspokenError, match=re.escape(says)) as refusal:
        answered(tmp_path, CASE.replace(old, new))
    assert "\n" not in str(refusal.value)
    assert str(refusal.value).count("case.toml") == 1


@pytest.mark.parametrize(
    ("mechanism", "says"),
    [
        ('kind = "laplace"', "mechanism.scale: is missing"),
        ('kind = "laplace"\nscale = "x"', "mechanism.scale: 'x' is not what it takes: a number"),
        ('kind = "laplace"\nscale = 0', "[mechanism] laplace.scale: 0 must be positive"),
        ('kind = "laplace"\nscale = 1.0\nweights = 3', "laplace.weights: 1 for 2 variables"),
        ('kind = "laplace"\nscale = 1.0\nweights = {C = 1}', 'laplace.weights: there is no "C"'),
        ('kind = "geometric"\nalpha = 2', "geometric.alpha: 2 must lie between 0 and 1"),
        ('kind = "geometric"\nalpha = 0.5\nweights = [0.5, 1]', "not always a whole number"),
        ('kind = "finite"\nname = "A"', "mechanism.matrix: is missing"),
        ('kind = "finite"\nname = "A"\nmatrix = [[1, "x"]]', "mechanism.matrix: [[1, 'x']] is not"),
        ('kind = "finite"\nname = "A"\nmatrix = [[0.5, 0.6]]', "row 0: sums to 1.1"),
        ('kind = "randomized-response"\nname = "A"\nepsilon = {A = 1}', "mechanism.epsilon"),
        ('kind = "randomized-response"\nname = 3\nepsilon = 1', "mechanism.name: 3"),
        ('kind = "together"', "mechanism.parts: is missing"),
        ('kind = "together"\nparts = [1]', "mechanism.parts: [1] is not what it takes"),
        ('kind = "together"\nparts = []', "at least one mechanism"),
        ('kind = "together"\nparts = [{kind = "laplace"}]', "mechanism.parts[0].scale: is missing"),
        (
            'kind = "together"\nparts = [{kind = "together", parts = [{kind = "x"}]}]',
            'mechanism.parts[0].parts[0].kind: there is no "x"',
        ),
        ('kind = "laplace"\nparts = [{kind = "laplace", scale = 1}]', 'no "parts"'),
    ],
)
def test_mistakes_about_mechanisms(tmp_path: Path, mechanism: str, says: str) -> None:
    text = CASE[: CASE.index("[mechanism]")] + f"[mechanism]\n{mechanism}\n"
    text += '[adversary]\ntarget = "B"\n[ask]\nmeasures = ["max-log-ratio"]\n'
    with pytest.raises(UnspokenError, match=re.escape(says)) as refusal:
        answered(tmp_path, text)
    assert "\n" not in str(refusal.value)


SUPPRESSION = {
    "names": ["A", "B"],
    "values": {"A": [0, 1], "B": [0, 1]},
    "sensitive": {"B": [0]},
    "codes": [[1, 1]],
    "masks": [[1, 3]],
    "weights": [[2**60, 2**61]],
}
ADDED = {
    "names": ["A", "B", EARLIER],
    "values": {"A": [0, 1], "B": [0, 1], EARLIER: ["[[]]"]},
    "sensitive": {"B": [0], EARLIER: ["[[]]"]},
    "codes": [[1, 1, 0]],
    "masks": [[2]],
    "weights": [[2**60]],
}
MECHANISM: dict[str, tuple[dict[str, Any], Any]] = {
    "laplace": ({"scale": 2.0, "weights": {"A": 1, "B": 2}}, Laplace(2.0, {"A": 1, "B": 2})),
    "geometric": ({"alpha": 0.25}, Geometric(0.25)),
    "one-sided-noise": (
        {
            "alpha": 0.25,
            "terms": {"A": [[1, 1]], "B": [[1, 2]]},
            "sensitive": {"A": [0], "B": [0]},
        },
        unspoken.OneSidedNoise(0.25, {"A": {1: 1}, "B": {1: 2}}, {"A": [0], "B": [0]}),
    ),
    "record-counts": (
        {"alpha": 0.25, "values": {"A": [0], "B": [0, 1]}, "adds": [[[1, -1]]]},
        unspoken.RecordCounts(0.25, {"A": [0], "B": [0, 1]}, [[[1, -1]]]),
    ),
    "finite": (
        {"name": "A", "matrix": [[3, 1], [0, 1]], "outputs": ["x", "y"]},
        Finite("A", [[3, 1], [0, 1]], ["x", "y"]),
    ),
    "randomized-response": ({"name": "A", "epsilon": 0.5}, RandomizedResponse("A", 0.5)),
    "one-sided": (
        {"epsilon": {"A": "inf", "B": 1}, "shows": "bit"},
        unspoken.OneSided({"A": math.inf, "B": 1.0}, shows="bit"),
    ),
    "suppression": (
        SUPPRESSION,
        unspoken.Suppression(
            {(1, 1): {("A",): 2**60, ("A", "B"): 2**61}}, ["A", "B"], [[0, 1]] * 2, {"B": [0]}
        ),
    ),
    "extension": (
        {
            "first": {"kind": "suppression", **SUPPRESSION},
            "added": {"kind": "suppression", **ADDED},
        },
        unspoken.Extension(
            unspoken.Suppression(
                {(1, 1): {("A",): 2**60, ("A", "B"): 2**61}}, ["A", "B"], [[0, 1]] * 2, {"B": [0]}
            ),
            unspoken.Suppression(
                {(1, 1, "[[]]"): {("B",): 2**60}},
                ["A", "B", EARLIER],
                [[0, 1], [0, 1], ["[[]]"]],
                {"B": [0], EARLIER: ["[[]]"]},
            ),
        ),
    ),
    "together": (
        {
            "parts": [
                {"kind": "laplace", "scale": 2.0, "weights": [[1, 0], [0, 1]]},
                {"kind": "together", "parts": [{"kind": "geometric", "alpha": 0.5}]},
            ]
        },
        Together([Laplace(2.0, [[1, 0], [0, 1]]), Together([Geometric(0.5)])]),
    ),
}


def test_every_kind_of_mechanism_is_asked() -> None:
    assert set(MECHANISM) == set(MECHANISMS)


@pytest.mark.slow
@pytest.mark.parametrize("kind", MECHANISM)
def test_every_kind_of_mechanism(tmp_path: Path, kind: str) -> None:
    """The keys are the arguments, and the numbers the library's."""
    keys, mechanism = MECHANISM[kind]
    names = ["max-log-ratio", "odds", "mutual-information"]
    case = {
        "belief": {"kind": "joint", "names": ["A", "B"], "table": [[2, 1], [1, 6]]},
        "mechanism": {"kind": kind, **keys},
        "adversary": {"target": "B", "secret": [0], "sees": None, "asks": 2},
        "ask": {"measures": [*names, {"name": "delta", "eps": 0.25}]},
    }
    del case["adversary"]["sees"]
    told = answered(tmp_path, json.dumps(case), ".json")
    belief = unspoken.Joint([[2, 1], [1, 6]], names=["A", "B"])
    adversary = unspoken.Adversary("B", secret=[0], asks=2)
    name: Any
    for name in names:
        assert told[name] == unspoken.leakage(belief, mechanism, adversary, name).as_json()
    delta = unspoken.leakage(belief, mechanism, adversary, "delta", eps=0.25)
    assert told["delta"] == delta.as_json()


BELIEF: dict[str, dict[str, Any]] = {
    "joint": {"table": [[2, 1], [1, 6]], "names": ["A", "B"], "values": [[1, 2], [3, 4.5]]},
    "independent": {"marginals": {"A": [1, 2], "B": [3, 4]}},
    "pairwise": {
        "marginals": {"A": [3, 7], "B": [3, 7]},
        "tables": {"A, B": [[2, 1], [1, 6]]},
    },
    "chain": {
        "start": [0.5, 0.5],
        "step": [[0.9, 0.1], [0.2, 0.8]],
        "names": ["A", "B", "C"],
        "length": 3,
    },
    "tree": {"parent": {"B": "A"}, "root": [0.5, 0.5], "tables": {"B": [[0.9, 0.1], [0.2, 0.8]]}},
    "network": {
        "parents": {"A": [], "B": ["A"]},
        "tables": {"A": [0.5, 0.5], "B": [[0.9, 0.1], [0.2, 0.8]]},
    },
    "exchangeable": {"counts": [1, 2, 3], "n": 2, "names": ["A", "B"]},
    "gaussian": {"covariance": [[1, 0.5], [0.5, 1]], "ranges": [1, 1], "names": ["A", "B"]},
}


@pytest.mark.parametrize("kind", BELIEFS)
def test_every_kind_of_belief(tmp_path: Path, kind: str) -> None:
    """As soon as a belief is registered its constructor's arguments are keys."""
    case = {
        "belief": {"kind": kind, **BELIEF[kind]},
        "mechanism": {"kind": "laplace", "scale": 2.0, "weights": {"A": 1, "B": 1}},
        "adversary": {"target": "A"},
        "ask": {"measures": ["max-log-ratio"]},
    }
    told = answered(tmp_path, json.dumps(case), ".json")
    assert 0.5 - 1e-12 <= told["max-log-ratio"]["value"] <= 2.0


BIF = """
network small { }
variable A { type discrete [ 2 ] { yes, no }; }
variable B { type discrete [ 2 ] { yes, no }; }
probability ( A ) { table 0.25, 0.75; }
probability ( B | A ) { (yes) 0.5, 0.5; (no) 0.125, 0.875; }
"""


def test_a_network_from_a_file(tmp_path: Path) -> None:
    """The file lies beside the case, wherever that is."""
    (tmp_path / "small.bif").write_text(BIF)
    case: dict[str, Any] = {
        "belief": {"kind": "network", "file": "small.bif"},
        "mechanism": {"kind": "randomized-response", "name": "B", "epsilon": 1.0},
        "adversary": {"target": "A", "secret": ["yes"]},
        "ask": {"measures": ["odds"]},
    }
    assert answered(tmp_path, json.dumps(case), ".json")["odds"]["value"] > 1
    case["belief"]["file"] = "gone.bif"
    with pytest.raises(UnspokenError, match=r"gone\.bif"):
        answered(tmp_path, json.dumps(case), ".json")


def test_odds_of_a_noisy_answer(tmp_path: Path) -> None:
    told = answered(
        tmp_path,
        """
[belief]
kind = "joint"
table = [0.5, 0.5]
[mechanism]
kind = "laplace"
scale = 2.0
[adversary]
target = "x0"
secret = [1]
[ask]
odds = { answer = 40 }
measures = [{name = "delta", eps = 0.0}, {name = "delta", eps = 0.25}]
""",
    )
    assert told["odds"]["value"] == pytest.approx(math.exp(0.5))
    assert told["delta eps=0"]["value"] == pytest.approx(1 - math.exp(-0.25))
    assert told["delta eps=0.25"]["value"] == pytest.approx(1 - math.exp((0.25 - 0.5) / 2))
