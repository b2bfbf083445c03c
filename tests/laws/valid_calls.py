"""One valid call of every public function and constructor, to be mutated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

import unspoken
from unspoken.noise import published
from unspoken.noise.models import Neighbour

__all__ = ["CALLS", "RECORDS", "joint"]

Call = tuple[Callable[..., Any], dict[str, Any]]
HALF = [0.5, 0.5]
TABLE = [[0.2, 0.1], [0.1, 0.6]]
STEP = [[0.9, 0.1], [0.2, 0.8]]


def joint() -> unspoken.Joint:
    return unspoken.Joint(TABLE, names=["A", "B"])


def chain() -> unspoken.Chain:
    return unspoken.Chain(HALF, STEP, 4)


def coins() -> unspoken.OneSided:
    return unspoken.OneSided({"A": 1.0, "B": 0.5}, {"A": [0], "B": [0]})


def noise() -> unspoken.Laplace:
    return unspoken.Laplace(2.0, {"A": 1.0, "B": 1.0})


def who() -> unspoken.Adversary:
    return unspoken.Adversary("B", secret=[0], knows=[], sees=["A"], asks=1)


def about() -> dict[str, Any]:
    return {"belief": joint(), "mechanism": coins()}


def of_weights(**more: Any) -> dict[str, Any]:
    return {"belief": joint(), "weights": {"A": 1.0, "B": 2.0}, "limit": 1.0, **more}


NAMED = {"names": ["A", "B"], "values": {"A": [3, 5], "B": [0, 1]}, "premise": "stated"}
TREE = {"x0": None, "x1": "x0", "x2": "x0"}
INTERVALS: dict[str, Any] = {
    "belief": joint(),
    "intervals": {("A", (0,)): [[[0.1, 0.1], [0.1, 0.1]], [[0.9, 0.9], [0.9, 0.9]]]},
    "probability": {("A", (0,)): [0.1, 0.9]},
}
BELIEFS: dict[str, Call] = {
    "Joint": (unspoken.Joint, {"table": TABLE, **NAMED}),
    "Independent": (unspoken.Independent, {"marginals": [HALF, [0.3, 0.7]], **NAMED}),
    "Pairwise": (
        unspoken.Pairwise,
        {"marginals": [[0.3, 0.7]] * 2, "tables": {("A", "B"): TABLE}, **NAMED},
    ),
    "Chain": (
        unspoken.Chain,
        {"start": HALF, "step": STEP, "length": 3, "values": [2, 4]},
    ),
    "Chain of steps": (unspoken.Chain, {"start": HALF, "step": [STEP, STEP]}),
    "Tree": (
        unspoken.Tree,
        {"parent": TREE, "root": HALF, "tables": {"x1": STEP, "x2": STEP}},
    ),
    "Network": (
        unspoken.Network,
        {"parents": {"A": [], "B": ["A"]}, "tables": {"A": HALF, "B": STEP}},
    ),
    "Network.read": (unspoken.Network.read, {"path": "no such file.bif"}),
    "Exchangeable": (
        unspoken.Exchangeable,
        {"counts": [1, 2, 3], "n": 2, "names": ["A", "B"]},
    ),
    "Gaussian": (
        unspoken.Gaussian,
        {
            "covariance": [[1.0, 0.3], [0.3, 2.0]],
            "ranges": [1.0, 2.0],
            "mean": [0.0, 1.0],
            "names": ["A", "B"],
        },
    ),
    "Beliefs": (unspoken.Beliefs, {"members": [joint(), joint()]}),
    "Box": (
        unspoken.Box,
        {"lower": [[0.1, 0.1], [0.1, 0.5]], "upper": [[0.3, 0.2], [0.2, 0.7]]},
    ),
    "Rows": (
        unspoken.Rows,
        {"lower": [[0.1, 0.1], [0.1, 0.5]], "upper": [[0.9, 0.9], [0.9, 0.9]]} | {"given": ["x0"]},
    ),
    "Intervals": (unspoken.Intervals, INTERVALS),
    "Frechet": (
        unspoken.Frechet,
        {"tables": {"A": [0.3, 0.7], "B": [0.5, 0.5]}, "values": {"A": ["no", "yes"]}},
    ),
    "Intervals with margins": (
        unspoken.Intervals,
        {**INTERVALS, "margins": [unspoken.Intervals(**INTERVALS)]},
    ),
    "Box.within": (unspoken.Box.within, {"centre": joint(), "eta": 0.1}),
    "GaussianBall": (
        unspoken.GaussianBall,
        {"centre": unspoken.Gaussian([[1.0, 0.3], [0.3, 2.0]], [1.0, 2.0]), "eta": 0.1},
    ),
}


MECHANISMS: dict[str, Call] = {
    "OneSided": (
        unspoken.OneSided,
        {
            "epsilon": {"A": 1.0, "B": 0.5},
            "sensitive": {"A": [0], "B": [0]},
            "shows": "value",
            "coins": "persistent",
        },
    ),
    "Laplace": (unspoken.Laplace, {"scale": 2.0, "weights": {"A": 1.0, "B": 1.0}}),
    "Laplace of vectors": (
        unspoken.Laplace,
        {"scale": 2.0, "weights": {"A": [1.0, 0.0], "B": [1.0, 2.0]}},
    ),
    "Laplace of a list": (unspoken.Laplace, {"scale": 2.0, "weights": [1.0, 1.0]}),
    "Geometric": (unspoken.Geometric, {"alpha": 0.5, "weights": {"A": 1, "B": 2}}),
    "OneSidedNoise": (
        unspoken.OneSidedNoise,
        {"alpha": 0.5, "terms": {"A": {1: 1}}, "sensitive": {"A": [0]}},
    ),
    "RecordCounts": (
        unspoken.RecordCounts,
        {"alpha": 0.5, "values": {"A": [0], "B": [0, 1]}, "adds": [[[1, 0]], [[0, 1]]]},
    ),
    "Finite": (
        unspoken.Finite,
        {"name": "A", "matrix": [[0.9, 0.1], [0.2, 0.8]], "outputs": ["u", "v"]},
    ),
    "RandomizedResponse": (unspoken.RandomizedResponse, {"name": "A", "epsilon": 1.0}),
    "Suppression": (
        unspoken.Suppression,
        {
            "records": {(1, 0): {("A",): 2**61}},
            "names": ["A", "B"],
            "values": {"A": [0, 1], "B": [0, 1]},
            "sensitive": {"B": [0]},
            "reads": ["A"],
        },
    ),
    "Extension": (
        unspoken.Extension,
        {
            "first": unspoken.Suppression({}, ["A"], [[0, 1]], {}),
            "added": unspoken.Suppression(
                {}, ["A", "shown before"], [[0, 1], ["[[]]"]], {"shown before": ["[[]]"]}
            ),
            "reads": ["A"],
        },
    ),
    "Together": (unspoken.Together, {"mechanisms": [coins(), noise()]}),
}


ADVERSARIES: dict[str, Call] = {
    "Adversary": (
        unspoken.Adversary,
        {"target": "B", "secret": [0], "knows": ["A"], "sees": ["B"], "asks": {"B": 2}},
    ),
    "Adversary of values": (
        unspoken.Adversary,
        {"target": ["B"], "knows": {"A": 0}, "sees": None, "asks": 1},
    ),
}


FRESH = {"A": unspoken.WITHHELD}
QUESTIONS: dict[str, Call] = {
    "view": (unspoken.view, {**about(), "adversary": who()}),
    "leakage": (
        unspoken.leakage,
        {**about(), "adversary": who(), "measure": "delta", "eps": 0.1},
    ),
    "leakages": (unspoken.leakages, {**about(), "measure": "odds", "targets": ["A", "B"]}),
    "odds": (unspoken.odds, {**about(), "adversary": who(), "outcome": FRESH}),
    "odds of an answer": (
        unspoken.odds,
        {
            "belief": joint(),
            "mechanism": noise(),
            "adversary": unspoken.Adversary("B", secret=[0]),
            "outcome": {"answer": 1.5},
        },
    ),
    "worst": (
        unspoken.worst,
        {"belief": joint(), "mechanism": noise(), "measure": "max-log-ratio"}
        | {"targets": ["A"], "seconds": 5.0},
    ),
    "plan": (
        unspoken.plan,
        {
            "belief": joint(),
            "limit_bits": {"A": 0.1, "B": 0.2},
            "sensitive": {"A": [0], "B": [0]},
            "secrets": {"B": [0]},
            "objective": "released",
            "weights": {"A": 1.0, "B": 2.0},
            "caps": {"A": 3.0},
            "odds_cap": 4.0,
            "exceed": 0.0,
            "account": "value",
            "coalitions": [["A"], ["A", "B"]],
        },
    ),
    "plan of bits": (
        unspoken.plan,
        {"belief": joint(), "limit_bits": 0.1, "objective": "epsilon", "account": "bit"}
        | {"weights": [1.0, 1.0], "caps": [3.0, 3.0]},
    ),
    "plan by record": (
        unspoken.plan,
        {
            "belief": joint(),
            "limit_bits": {"A": 0.1, "B": 0.2},
            "sensitive": {"A": [0], "B": [0]},
            "weights": {"A": {0: 1.0, 1: 2.0}, "B": 2.0},
            "coalitions": [["A"], ["A", "B"]],
            "by": "record",
            "reads": ["A", "B"],
            "shares": {"one": ["A"]},
            "events": [{"A": [0]}],
            "pooled_cap": 8.0,
        },
    ),
    "calibrate": (
        unspoken.calibrate,
        of_weights(measure="max-log-ratio", knows="anything", method="exact", floor=True),
    ),
    "calibrate one-sided noise": (
        unspoken.calibrate,
        {"belief": joint(), "terms": {"A": {1: 1}}, "limit": 1.0, "measure": "exclusion"}
        | {"knows": ["B"], "noise": "one-sided", "sensitive": {"A": [0]}},
    ),
    "calibrate a chain": (
        unspoken.calibrate,
        {"belief": chain(), "weights": [1.0] * 4, "limit": 1.0, "knows": "nothing"}
        | {"method": "quilt"},
    ),
    "compare": (unspoken.compare, of_weights(knows="nothing")),
}


CONVERSIONS: dict[str, Call] = {
    "temporal": (unspoken.temporal, {"chain": chain(), "epsilon": [0.1, 0.2, 0.1, 0.3]}),
    "temporal_budget": (
        unspoken.temporal_budget,
        {"chain": chain(), "limit": 1.0, "any_length": False},
    ),
    "bound_from_dp": (unspoken.bound_from_dp, {"epsilon": 1.0, "k": 3, "sigma": 0.2}),
    "bound_from_dp of a belief": (
        unspoken.bound_from_dp,
        {"epsilon": 1.0, "belief": joint()},
    ),
    "dp_budget": (unspoken.dp_budget, {"limit": 1.0, "k": 3, "sigma": 0.2}),
    "dp_budget of a belief": (unspoken.dp_budget, {"limit": 1.0, "belief": joint()}),
    "accuracy": (
        unspoken.accuracy,
        {"scale": 2.0, "alpha": 1.0, "beta": None, "dimension": 2, "norm": "l1"},
    ),
}


ROWS = pa.table({"A": [0, 1, 1, 0], "B": [7, 8, 8, 7]})
DAYS = pa.table({"who": [*range(4)] * 3, "A": [0, 1, 1, 0] * 3, "B": [7, 8, 8, 7, 7, 8] * 2})
TABLES: dict[str, Call] = {
    "learn": (
        unspoken.learn,
        {"table": ROWS, "columns": ["A", "B"], "form": "joint"},
    ),
    "learn with noise": (
        unspoken.learn,
        {"table": DAYS, "columns": ["A", "B"], "values": {"A": [0, 1], "B": [7, 8]}, "noise": 1.0}
        | {"unit": ["who"], "rows_per_unit": 4},
    ),
    "learn intervals": (
        unspoken.learn,
        {"table": DAYS, "secrets": {"A": [0]}, "confidence": 0.95, "unit": ["who"]}
        | {"rows_per_unit": 4},
    ),
    "leak": (unspoken.leak, {"table": DAYS, "secret": "B = 7", "database": None}),
    "prepare": (unspoken.prepare, {"project": "no such project.toml"}),
    "release": (
        unspoken.release,
        {"project": "no such project.toml", "scale": 1.0, "reader": "desk"},
    ),
    "query": (
        unspoken.query,
        {"project": "no such project.toml", "text": "SELECT COUNT(*) FROM t", "epsilon": 0.5},
    ),
    "audit": (unspoken.audit, {"project": "no such project.toml"}),
}


GRAPH = {"A": ["B"]}
LAW = Neighbour.by_distance([0.0, 1.0])
AS_PRINTED: dict[str, Call] = {
    "graph": (published.graph, {"belief": joint(), "weights": [1.0, 1.0], "scale": 2.0}),
    "dpm": (published.dpm, of_weights(reading="B")),
    "dpm_any_query": (
        published.dpm_any_query,
        {"moves": {"A": 1.0, "B": 1.0}, "pairs": {("A", "B"): LAW}, "limit": 1.0}
        | {"reading": "B"},
    ),
    "dpm_neighbours": (published.dpm_neighbours, of_weights(neighbours=GRAPH, reading="B")),
    "dpm_one_endpoint": (published.dpm_one_endpoint, of_weights()),
    "dpm_pairwise": (published.dpm_pairwise, of_weights()),
    "pearson": (published.pearson, of_weights(threshold=0.1)),
    "pairs": (
        published.pairs,
        {"belief": joint(), "neighbours": GRAPH, "ranges": {"A": (0.0, 1.0)}},
    ),
    "baseline": (published.baseline, of_weights(neighbours=GRAPH)),
    "parallel": (published.parallel, {"epsilons": [1.0, 0.5]}),
    "sequential": (published.sequential, {"epsilons": [1.0, 0.5]}),
    "entropy_drop": (published.entropy_drop, {"epsilon": 1.0}),
    "accuracy_of_vectors": (published.accuracy_of_vectors, {"scale": 1.0, "alpha": 2.0}),
    "information_group": (published.information_group, {"limit": 1.0, "size": 3}),
    "information_sequential": (published.information_sequential, {"limits": [1.0, 2.0]}),
    "picture": (
        published.picture,
        {"graph": published.graph(joint(), [1.0, 1.0], 2.0)},
    ),
}


RESULTS: dict[str, Call] = {
    "Bound": (unspoken.Bound, {"low": 0.1, "high": 0.2, "unit": "nat", "why": "said"}),
    "Estimate": (unspoken.Estimate, {"value": 0.1, "unit": "nat", "why": "said"}),
}


CALLS: dict[str, Call] = {
    **BELIEFS,
    **MECHANISMS,
    **ADVERSARIES,
    **QUESTIONS,
    **CONVERSIONS,
    **TABLES,
    **{f"published.{name}": call for name, call in AS_PRINTED.items()},
    **RESULTS,
}
# Records that only the library fills in.
RECORDS = {"Calibrated", "Compared", "Plan", "Worst", "Claim", "Edge", "Graph", "Node"}
