"""The best release with one coin a record, through public names only: optima of linear programs."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import unspoken

VECTORS = json.loads((Path(__file__).parent / "vectors" / "best-release.json").read_text())[
    "vectors"
]
WHOLE = 2**62


def kinds(*names: str) -> pytest.MarkDecorator:
    chosen = [vector for vector in VECTORS if vector["kind"] in names]
    return pytest.mark.parametrize("vector", chosen, ids=[vector["id"] for vector in chosen])


def asked(vector: dict[str, Any], **more: Any) -> unspoken.Plan:
    given = vector["inputs"]
    names = [f"x{k}" for k in range(len(given["sensitive"]))]
    belief, contexts = None, None
    if "counts_by_context" in given:
        contexts = [(float(np.sum(t)), unspoken.Joint(t)) for t in given["counts_by_context"]]
    else:
        belief = unspoken.Joint(given["counts"])
    return unspoken.plan(
        belief,
        by="record",
        contexts=contexts,
        sensitive=dict(zip(names, given["sensitive"], strict=True)),
        reads=[names[i] for i in given["reads"]],
        coalitions=[[names[i] for i in each] for each in given["coalitions"]],
        odds_cap=given["cap"],
        events="default" if vector["kind"] == "record_default" else events_of(given["sensitive"]),
        **more,
    )


def events_of(sensitive: list[list[int]]) -> list[dict[str, list[int]]]:
    """Every sensitive label, and any of an attribute, each against all else."""
    found = []
    for k, labels in enumerate(sensitive):
        found += [{f"x{k}": [label]} for label in labels]
        found += [{f"x{k}": labels}] if len(labels) > 1 else []
    return found


def within(got: float, optimum: float, less: float = 2e-5) -> None:
    assert optimum * (1 - less) <= got <= optimum * (1 + 1e-9)


@kinds("record_odds", "record_coalitions", "record_default", "record_context")
def test_the_optimum_is_reached_and_bounded(vector: dict[str, Any]) -> None:
    plan, optimum = asked(vector), vector["expected"]["objective"]
    within(plan.objective, optimum)
    assert optimum * (1 - 1e-9) <= plan.bound.high <= optimum * (1 + 1e-5)
    assert plan.objective == plan.bound.low
    assert plan.odds.value <= vector["inputs"]["cap"]


@kinds("record_fair")
def test_the_smallest_share_comes_first(vector: dict[str, Any]) -> None:
    groups = vector["inputs"]["applications"]
    shares = {f"app{k}": [f"x{i}" for i in group] for k, group in enumerate(groups)}
    plan = asked(vector, shares=shares)
    within(min(plan.shares.values()), vector["expected"]["smallest_share"])
    assert plan.bound.high <= plan.objective * (1 + 1e-5)


@pytest.mark.slow
@kinds("record_information")
def test_bits_are_kept_beside_the_cap(vector: dict[str, Any]) -> None:
    optimum, limit = vector["expected"]["objective"], vector["inputs"]["limit_nats"]
    plan = asked(vector, limit_bits=limit / np.log(2))
    within(plan.objective, optimum)
    assert optimum * (1 - 1e-5) <= plan.bound.high <= optimum * (1 + 2e-5)
    assert all(bound.high <= limit for bound in plan.information.values())
    assert plan.odds.value <= vector["inputs"]["cap"]


def told(vector: dict[str, Any], weights: dict[Any, dict[tuple[int, ...], int]]) -> Fraction:
    """The worst factor any answer has on any of the events, by plain loops over whole numbers."""
    given, worst = vector["inputs"], Fraction(0)
    tables = [np.array(t) for t in given.get("counts_by_context") or [given["counts"]]]
    secret = {i: labels for i, labels in enumerate(given["sensitive"]) if labels}
    for inside, outside in events(secret, vector["kind"] == "record_default"):
        for sees in given["coalitions"]:
            given_inside, given_outside = [], []
            for table in tables:
                sums: list[dict[Any, Fraction]] = [{}, {}]
                for x in product(*map(range, table.shape)):
                    count, side = int(table[x]), 0 if inside(x) else 1
                    for pattern, weight in weights[x].items() if side == 0 or outside(x) else ():
                        seen = tuple((i, x[i]) for i in pattern if i in sees)
                        mass = sums[side].get(seen, Fraction(0)) + Fraction(count * weight)
                        sums[side][seen] = mass
                given_inside.append(sums[0])
                given_outside.append(sums[1])
            answers = {y for sums_ in given_inside for y in sums_}
            for y, k in product(answers, range(len(tables))):
                s, n = sum(given_inside[k].values()), sum(given_outside[k].values())
                if s and n and given_inside[k].get(y):
                    below = given_outside[k].get(y, Fraction(0)) / n
                    assert below, (y, k)
                    worst = max(worst, given_inside[k][y] / s / below)
    return worst


def events(secret: dict[int, list[int]], default: bool) -> list[Any]:
    """(inside, outside) of the default events, or of those of single attributes."""
    any_of = {i: (lambda x, i=i, v=v: x[i] in v) for i, v in secret.items()}
    found: list[Any] = []
    for i, values in secret.items():
        for v in values:
            is_v = lambda x, i=i, v=v: x[i] == v  # noqa: E731
            found.append((is_v, (lambda x, i=i: not any_of[i](x)) if default else negated(is_v)))
        found.append((any_of[i], negated(any_of[i])))
        if default:
            found += [
                ((lambda x, i=i, v=v: x[i] == v), (lambda x, i=i, w=w: x[i] == w))
                for v, w in permutations(values, 2)
            ]
    if default:
        some = lambda x: any(f(x) for f in any_of.values())  # noqa: E731
        found.append((some, negated(some)))
        for i, j in combinations(any_of, 2):
            both = lambda x, i=i, j=j: any_of[i](x) and any_of[j](x)  # noqa: E731
            found.append((both, negated(both)))
    return found


def negated(event: Any) -> Any:
    return lambda x: not event(x)


def weights_of(plan: unspoken.Plan) -> dict[tuple[int, ...], dict[tuple[int, ...], int]]:
    """{record: {positions shown: integer}}, as the mechanism says them."""
    told = plan.mechanism.describe()
    names, values = told["names"], told["values"]
    shows: dict[tuple[int, ...], dict[tuple[int, ...], int]] = {}
    at = [int(name[1:]) for name in names]
    for codes, masks, weights in zip(told["codes"], told["masks"], told["weights"], strict=True):
        record = [0] * len(names)
        for k, code in enumerate(codes):
            record[at[k]] = values[names[k]][code]
        patterns = (tuple(sorted(at[k] for k in range(len(at)) if m >> k & 1)) for m in masks)
        own = dict(zip(patterns, weights, strict=True))
        own[()] = WHOLE - sum(w for s, w in own.items() if s)
        shows[tuple(record)] = own
    return shows


@pytest.mark.slow
@kinds("record_odds", "record_coalitions", "record_default", "record_context")
def test_caps_are_kept_in_whole_numbers(vector: dict[str, Any]) -> None:
    """By plain loops over every record, pattern, event and answer; per context too."""
    weights = weights_of(asked(vector))
    given = vector["inputs"]
    tables = given.get("counts_by_context") or [given["counts"]]
    for x in product(*map(range, np.array(tables[0]).shape)):
        own = weights.setdefault(x, {(): WHOLE})
        assert all(x[i] not in given["sensitive"][i] for pattern in own for i in pattern)
    # The belief's floats are counts over their sum, rounded.
    assert told(vector, weights) <= Fraction(given["cap"]) * (1 + Fraction(1, 10**12))
