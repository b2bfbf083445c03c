"""Chains: what they are given as, published numbers, and long ones."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

import unspoken
from tests.computed import computed
from unspoken.core.beliefs import chain
from unspoken.core.beliefs.chain import Chain
from unspoken.core.beliefs.forests import markov
from unspoken.core.beliefs.forests import sums as messages_sums
from unspoken.core.errors import InputError, TooLarge
from unspoken.core.mechanisms import Laplace
from unspoken.core.types.channel import Channel

FOLDER = Path(__file__).parents[2] / "vectors"
PDP = json.loads((FOLDER / "pdp-ip.json").read_text("utf-8"))["vectors"]
DDP = json.loads((FOLDER / "ddp.json").read_text("utf-8"))["vectors"]
STICKY = [[0.8, 0.2], [0.3, 0.7]]
STATIONARY = [0.6, 0.4]


def vectors(rows: list[dict[str, Any]], kind: str) -> list[Any]:
    return [pytest.param(v, id=str(v["id"])) for v in rows if v["kind"] == kind]


def leakage(belief: Chain, scale: float, target: str, knows: tuple[str, ...] = ()) -> float:
    return computed(belief, Laplace(scale), unspoken.Adversary(target, knows=knows)).value


@pytest.mark.slow
@pytest.mark.parametrize("vector", vectors(PDP, "markov_chain"))
def test_laplace_sum_over_a_chain(vector: dict[str, Any]) -> None:
    given, known = vector["input"], vector["output"]
    belief = Chain(given["pi"], given["P"], None, None, given["values"])
    scale, names = float(given["lam"]), belief.domain.names
    weakest = [leakage(belief, scale, name) for name in names]
    assert weakest == pytest.approx(known["weakest"], rel=1e-12)
    found = {
        (i, knows): leakage(belief, scale, name, tuple(names[k] for k in knows))
        for i, name in enumerate(names)
        for count in range(len(names))
        for knows in itertools.combinations([k for k in range(len(names)) if k != i], count)
    }
    assert max(found.values()) == pytest.approx(known["worst"], rel=1e-12)
    target, knows = known["argworst"]
    assert found[target, tuple(knows)] == pytest.approx(known["worst"], rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("vector", vectors(PDP, "markov_chain_long_tail"))
def test_a_thousand_steps(vector: dict[str, Any]) -> None:
    given = vector["input"]
    belief = Chain(given["pi"], given["P"], given["n"], None, given["values"])
    known = pytest.approx(vector["output"]["weakest_max_tail"], rel=1e-12)
    assert leakage(belief, float(given["lam"]), "x500") == known
    query = dict.fromkeys(belief.domain.names, 1 / float(given["lam"]))
    each = belief.sums_of_each(belief.domain.names, [query])
    assert each is not None
    with np.errstate(divide="ignore"):
        law = np.log(each.table) - np.log(each.table.sum(2, keepdims=True))
    tails = [np.logaddexp.reduce(law + sign * each.points[0], axis=2) for sign in (-1, 1)]
    assert max(np.abs(tail[:, 0] - tail[:, 1]).max() for tail in tails) == known


@pytest.mark.parametrize("vector", vectors(DDP, "infinite_chain"))
def test_an_endless_chain(vector: dict[str, Any]) -> None:
    """Long enough, a chain leaks as an endless one: the closed form."""
    flip = float(mpmath.mpf(vector["input"]["flip"].split("/")[0])) / float(
        vector["input"]["flip"].split("/")[1]
    )
    top, _, bottom = vector["input"]["eps"].partition("/")
    belief = Chain([0.5, 0.5], [[1 - flip, flip], [flip, 1 - flip]], 701 if flip < 0.1 else 101)
    scale = float(vector["expected"]["sigma_Rinf"])
    middle = belief.domain.names[len(belief.domain.names) // 2]
    assert leakage(belief, scale, middle) == pytest.approx(
        float(top) / float(bottom or 1), rel=1e-9
    )


def test_one_matrix_is_kept_once() -> None:
    belief = Chain(STATIONARY, STICKY, 5000)
    assert len(belief.steps) == 4999
    assert len({id(step) for step in belief.steps}) == 1
    assert belief.start.tolist() == STATIONARY
    np.testing.assert_allclose(np.stack(belief.marginals), [STATIONARY] * 5000, rtol=1e-12)
    later = belief.given({"x10": 1})
    assert isinstance(later, Chain)
    assert len({id(step) for step in later.steps}) < 20
    assert later.blocks() == [belief.domain.names[:10], belief.domain.names[11:]]


@pytest.mark.slow
def test_far_apart_variables_keep_their_law() -> None:
    belief = Chain([0.9, 0.1], STICKY, 100_000)
    far = belief.marginal(["x99999", "x0", "x40"])
    assert far.shape == (2, 2, 2)
    np.testing.assert_allclose(far.sum((1, 2)), STATIONARY, rtol=1e-12)
    near = np.linalg.matrix_power(np.array(STICKY), 40)
    np.testing.assert_allclose(far.sum(0), np.array([[0.9], [0.1]]) * near, rtol=1e-12)


def test_counts_names_and_values() -> None:
    belief = Chain([6, 4], [[8, 2], [30, 70]], 3, "abc", ["low", "high"])
    assert belief.domain.values == (("low", "high"),) * 3
    assert belief.steps[0].tolist() == STICKY
    assert belief.given({"b": "low"}).marginal(["c"]).tolist() == [0.8, 0.2]
    one = Chain([1, 1], [], names=["only"])
    assert one.marginal(["only"]).tolist() == [0.5, 0.5]
    steps: list[Any] = [[[0.2, 0.3, 0.5]], [[1, 0], [0, 1], [1, 1]]]
    uneven = Chain([1.0], steps, values=[[0], ["a", "b", "c"], (1, 2)])
    assert uneven.domain.sizes == (1, 3, 2)
    assert uneven.blocks() == [("x0",), ("x1", "x2")]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (([0.5, 0.5], [[0.5, 0.5], [0.5, 0.6]], 3), r"chain.step, row 1: sums to 1.1"),
        (([0.5, 0.5], STICKY), "how many variables"),
        (([0.5, 0.5], STICKY, 0), "how many variables"),
        (([0.5, 0.5], [STICKY, STICKY], 5), "5, but 2 steps join 3"),
        (([0.5, 0.5], [STICKY, [[1.0]]]), r"chain.step\[1\]: 1 rows, but .* 2 values"),
        (([0.5, 0.5], [[0.5, 0.2, 0.3], [0.1, 0.1, 0.8]], 3), "must be square"),
        (([[0.5, 0.5]], STICKY, 2), "chain.start: must be a flat list"),
        (([0.5, 0.6], STICKY, 2), "chain.start: sums to"),
        (([0.5, 0.5], [0.5, 0.5], 2), "give a matrix, each row a law"),
        (([0.5, 0.5], [[[0.5, 0.5], [1.0]]]), r"chain.step\[0\]: not a table"),
        (([0.5, 0.5], STICKY, 2, None, [0, 1, 2]), "3 values for 2"),
        (([0.5, 0.5], STICKY, 2, ["a"]), "1 names for 2"),
    ],
)
def test_wrong_chains_are_refused(arguments: tuple[Any, ...], says: str) -> None:
    with pytest.raises(InputError, match=says) as raised:
        Chain(*arguments)
    assert "\n" not in str(raised.value)


def test_what_is_too_large_is_refused_with_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    belief = Chain(STATIONARY, STICKY, 100)
    with pytest.raises(TooLarge, match=f"{2**40:,} cells"):
        belief.marginal(belief.domain.names[:40])
    with pytest.raises(TooLarge, match="keep fewer"):
        belief.sums(belief.domain.names[:18], [dict.fromkeys(belief.domain.names, 1.0)])
    several: list[dict[str, float]] = [dict.fromkeys(belief.domain.names, w) for w in (1, 2)]
    with pytest.raises(TooLarge, match=f"{2**100:,} cells"):
        belief.sums(["x0"], [several[0], {**several[1], "x0": 7.5 * 1e5}])
    monkeypatch.setattr(messages_sums, "CELLS", 2**12)
    query = {name: math.sqrt(2 + i) for i, name in enumerate(belief.domain.names)}
    with pytest.raises(TooLarge, match=r"8,192 cells for its different answers.* use coarser"):
        belief.sums(["x0"], [query])
    with pytest.raises(InputError, match="nothing left to believe"):
        Chain(STATIONARY, STICKY, 2).given({"x0": 0, "x1": 1})


def exact_sums(start: list[float], step: list[list[float]], n: int, at: int) -> Any:
    """log P(x_at, S = s) at 50 digits, summed forwards with the state beside the sum."""
    states = range(len(start))
    law = {(x, x if at == 0 else None, x): mpmath.mpf(p) for x, p in enumerate(start)}
    for t in range(1, n):
        later: dict[Any, Any] = {}
        for (x, kept, total), p in law.items():
            for y in states:
                key = (y, y if t == at else kept, total + y)
                later[key] = later.get(key, 0) + p * mpmath.mpf(step[x][y])
        law = later
    table: dict[Any, Any] = {}
    for (_, kept, total), p in law.items():
        table[kept, total] = table.get((kept, total), 0) + p
    found = np.full((len(start), n * (len(start) - 1) + 1), -np.inf)
    for cell, p in table.items():
        if p > 0:
            found[cell] = float(mpmath.log(p))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("rare", [1e-5, 0.2])
def test_tails_beyond_the_floats(rare: float) -> None:
    """Probabilities down to 1e-500 keep their digits, from either side."""
    n = 100
    step = [[1 - rare, rare], [1 - rare / 2, rare / 2]]
    belief = Chain([1 - rare, rare], step, n)
    query = dict.fromkeys(belief.domain.names, 1.0)
    targets = ["x0", "x70", "x99"]
    with mpmath.workdps(50):
        true = [exact_sums([1 - rare, rare], step, n, int(name[1:])) for name in targets]
    together = belief.sums_of_each(targets, [query])
    assert together is not None
    for row, name in enumerate(targets):
        alone = belief.sums([name], [query])
        assert alone.in_logs == together.in_logs == (rare < 0.1)
        for table in (alone.table, together.table[row]):
            with np.errstate(divide="ignore"):
                logs = table if alone.in_logs else np.log(table)
            np.testing.assert_allclose(logs, true[row], rtol=1e-13, atol=1e-13)


def exact_event(belief: Chain, events: list[Channel], at: int) -> list[Any]:
    """P(x_at = a, event) - P(x_at = a) c for each a, at 60 digits."""
    chances = [
        [mpmath.exp(e.log_common[0]) + mpmath.mpf(x) for x in e.excess[:, 0]] for e in events
    ]
    common = mpmath.exp(mpmath.fsum(mpmath.mpf(e.log_common[0]) for e in events))
    found = []
    for a in range(2):
        plain = [mpmath.mpf(p) for p in belief.start]
        seen = list(plain)
        for t, likely in enumerate(chances):
            if t > 0:
                step = belief.steps[t - 1]
                plain = [sum(plain[x] * mpmath.mpf(step[x, y]) for x in range(2)) for y in range(2)]
                seen = [sum(seen[x] * mpmath.mpf(step[x, y]) for x in range(2)) for y in range(2)]
            seen = [own * chance for own, chance in zip(seen, likely, strict=True)]
            if t == at:
                plain = [p if x == a else mpmath.mpf(0) for x, p in enumerate(plain)]
                seen = [p if x == a else mpmath.mpf(0) for x, p in enumerate(seen)]
        found.append(sum(seen) - sum(plain) * common)
    return found


@pytest.mark.parametrize("epsilon", [1e-12, 0.7, 50.0])
@pytest.mark.parametrize("seen", [unspoken.WITHHELD, 1])
def test_events_of_any_strength(epsilon: float, seen: Any) -> None:
    """200 answers: leakages of 1e-12 with all digits, and likelihoods of e^-10,000."""
    n = 200
    belief = Chain([0.3, 0.7], [[0.9, 0.1], [0.05, 0.95]], n)
    channel = unspoken.OneSided({"x0": epsilon}, {"x0": [0]}).channel(belief.domain, "x0")
    outputs = [unspoken.WITHHELD if t % 5 else seen for t in range(n)]
    events = [channel.event("seen", [output]) for output in outputs]
    found = belief.outputs(["x77"], dict(zip(belief.domain.names, events, strict=True)))
    with mpmath.workdps(60 + 200):
        true = [float(mpmath.log(own)) for own in exact_event(belief, events, 77)]
    with np.errstate(divide="ignore"):
        logs = found.excess if found.in_logs else np.log(found.excess)
    np.testing.assert_allclose(logs.ravel(), true, rtol=1e-14, atol=1e-12)
    silent = seen is unspoken.WITHHELD
    assert found.log_common[0] == pytest.approx(-n * epsilon if silent else -math.inf, rel=1e-13)
    np.testing.assert_allclose(found.prior, belief.marginal(["x77"]), rtol=1e-14)


def test_a_chain_may_start_in_the_law_its_step_keeps() -> None:
    chain = unspoken.Chain(None, [[3, 1], [2, 2]], length=4)
    for law in chain.marginals:
        assert law == pytest.approx([2 / 3, 1 / 3], rel=1e-14)
    cases: list[Any] = [
        (np.eye(2), 3),  # keeps many
        ([STICKY, np.eye(2)], None),
        (STICKY, 1),
        ([[0.5, 0.2, 0.3], [0.1, 0.1, 0.8]], 2),
    ]
    for step, length in cases:
        with pytest.raises(InputError, match=r"chain\.start: None is the one law"):
            unspoken.Chain(None, step, length)


def test_of_many_known_values_those_beside_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every measure is what it is with all of them as contexts; what is between is left out."""
    rng = np.random.default_rng(4)
    steps = [*(rng.dirichlet(np.ones(2), 2) for _ in range(7)), np.array([[0.5, 0.5]] * 2), STICKY]
    belief, knows = Chain([0.3, 0.7], list[Any](steps)), ("x0", "x1", "x3", "x5", "x6", "x8", "x9")
    noisy, local = Laplace(0.8), unspoken.RandomizedResponse("x7", 1.0)
    who = unspoken.Adversary("x4", knows=knows)
    mechanisms = [noisy, unspoken.Together([noisy, local])]
    questions = [
        (mechanism, measure)
        for mechanism in mechanisms
        for measure in ("max-log-ratio", "mutual-information", "relative-entropy")
    ]
    before = [unspoken.leakage(belief, m, who, measure).value for m, measure in questions]  # type: ignore[arg-type]
    monkeypatch.setattr(chain, "CONTEXTS", 1)
    later, matter = belief.knowing(knows)
    assert matter == ("x1", "x3", "x5", "x6", "x8")
    assert later.domain.names == ("x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8")
    now = [unspoken.leakage(belief, m, who, measure).value for m, measure in questions]  # type: ignore[arg-type]
    assert now == pytest.approx(before, rel=1e-12)


def test_somebody_who_knows_a_thousand_values() -> None:
    """Two of them matter; the same as in the stretch that is left."""
    who = unspoken.Adversary("x500", knows=[f"x{t}" for t in range(1000) if abs(t - 500) > 3])
    long = unspoken.leakage(Chain(STATIONARY, STICKY, 1000), Laplace(2.0), who)
    short = Chain(STATIONARY, STICKY, 9)
    weights = {f"x{t}": 1.0 for t in range(1, 8)}
    near = unspoken.Adversary("x4", knows=["x0", "x8"])
    assert long.value == pytest.approx(
        unspoken.leakage(short, Laplace(2.0, weights), near).value, rel=1e-12
    )


def test_values_may_be_anything_that_can_be_listed_once() -> None:
    once: Any = iter(["low", "high"])
    chain = unspoken.Chain([0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]], 3, values=once)
    assert chain.domain.values == (("low", "high"),) * 3


@pytest.mark.parametrize("values", [[0.0, 1.0], [-1.0, 2.0]])
def test_everybody_is_asked_as_many_at_a_time_as_there_is_room_for(
    values: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    chain = Chain(STATIONARY, STICKY, 23, values=values)
    noise, names = Laplace(1.5), chain.domain.names
    together = dict(unspoken.leakages(chain, noise))
    asked: list[Any] = []
    monkeypatch.setattr(markov, "CELLS", 5 * 2 * 24)
    each = chain.sums_of_each

    def noted(_: Chain, some: Any, queries: Any) -> Any:
        asked.append(some)
        return each(some, queries)

    monkeypatch.setattr(Chain, "sums_of_each", noted)
    halved = unspoken.leakages(chain, noise)
    assert asked == [names[k : k + 5] for k in range(0, 23, 5)]
    for name, bound in halved.items():
        assert bound.value == pytest.approx(together[name].value, rel=1e-12)
        assert bound.low <= together[name].high
        assert together[name].low <= bound.high
    with pytest.raises(TooLarge, match="name up to 10 as targets, or ask for a measure"):
        unspoken.leakages(chain, noise, "mutual-information")
    assert len(unspoken.leakages(chain, noise, "mutual-information", names[:10])) == 10
