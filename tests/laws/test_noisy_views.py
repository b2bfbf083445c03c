"""Noisy answers and local channels: low <= truth <= high, exact where promised."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

import unspoken
from tests import noisy_measures, noisy_oracle
from tests.effort import EFFORT
from tests.laws.cases import FAMILIES
from tests.laws.noisy_cases import KINDS, PAIRS, Question, asked, laplace, question
from tests.noisy_measures import MEANS, SUPS
from unspoken.core.measures import MEASURES
from unspoken.core.mechanisms import finite, parts, randomized_response
from unspoken.core.types.noise import Arrivals, Bins, Noise
from unspoken.core.types.secret import Secret
from unspoken.core.views import quadrature

pytestmark = [pytest.mark.slow, pytest.mark.stress]

FAMILY = {family: number for number, family in enumerate(FAMILIES)}


def questions(kind: str, family: str, rounds: int, cells: int = 20) -> Iterator[Question]:
    number = list({**KINDS, **PAIRS}).index(kind)
    for i in range(rounds):
        rng = np.random.default_rng([100, number, FAMILY[family], i])
        yield question(rng, family, kind, cells)


def fault(bound: unspoken.Bound, truth: float, slack: float, exact: bool, narrow: float) -> str:
    """What is wrong with a bound; nothing, mostly.

    Exact: to a relative 1e-9. Else the truth lies inside, and the interval is narrow. Both up to
    what the rounding of the belief's own numbers can move.
    """
    told = f"{truth} in [{bound.low}, {bound.high}]"
    if exact and not bound.exact:
        return f"not exact: {told}"
    if exact and not (bound.high == truth or abs(bound.high - truth) <= 1e-9 * truth + slack):
        return f"wrong: {told}"
    if not exact and not (
        bound.low <= truth * (1 + 1e-12) + slack and truth <= bound.high * (1 + 1e-12) + slack
    ):
        return f"outside: {told}"
    wide = not exact and bound.high - bound.low > narrow * bound.high + slack
    return f"wide: {told}" if wide else ""


def faults(asked: Iterable[Question], names: Sequence[str], narrow: float = 1e-8) -> list[str]:
    """Every measure of every question that is not as promised."""
    found = []
    for one in asked:
        for name, truth in one.truths(*names).items():
            slack = one.rounding(name, truth)
            wrong = fault(one.bound(name), truth, slack, name in SUPS, narrow)
            found += [f"{name} {wrong}: {one}"] if wrong else []
    return found


def some(family: str, kind: str) -> list[str]:
    """All largest values, and some of the means, in turn: they take the library a while each."""
    turn = itertools.cycle(MEANS)
    start = FAMILY[family] + list(KINDS).index(kind)
    return [*SUPS, *itertools.islice(turn, start, start + (len(MEANS) if EFFORT > 1 else 2))]


def test_every_measure_has_a_definition_here() -> None:
    assert set(MEASURES) == set(noisy_measures.MEASURES)
    assert {name for name, own in MEASURES.items() if own.over == "sup"} == set(SUPS)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("family", FAMILIES)
def test_one_continuous_answer_or_none(kind: str, family: str) -> None:
    # Beside whole answers there is less room for nodes of the other.
    narrow = 1e-6 if kind == "geometric and laplace" else 1e-8
    assert faults(questions(kind, family, EFFORT), some(family, kind), narrow) == []


@pytest.mark.parametrize("kind", PAIRS)
@pytest.mark.parametrize("family", FAMILIES)
def test_two_continuous_answers(kind: str, family: str) -> None:
    """Largest values are exact on the product of the answers; the mean is bounded less tightly."""
    assert faults(questions(kind, family, EFFORT), list(SUPS)) == []
    if FAMILY[family] % 3 == 0 or EFFORT > 1:
        small = questions(kind, family, 1, cells=6)
        assert faults(small, ["mutual-information"], narrow=1e-3) == []


@pytest.mark.parametrize("scale", [1e-2, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("family", ["dirichlet", "sparse", "copies", "rare"])
def test_small_leakages_keep_their_digits(family: str, scale: float) -> None:
    """At 1e6 times the range leakages are 1e-6 and less: nine digits of them, in every measure."""
    rng = np.random.default_rng([101, FAMILY[family], int(scale)])
    for _ in range(EFFORT):
        world = question(rng, family, "laplace").world
        own = laplace(rng, world, scale=scale * 6.0)
        one = replace(asked(rng, world, own), options={"eps": 0.0})
        assert faults([one], [*SUPS, "mutual-information", "delta"]) == []


@pytest.mark.parametrize("kind", ["laplace", "geometric", "geometric and laplace", "vector"])
@pytest.mark.parametrize("family", ["dirichlet", "sparse", "copies"])
def test_the_odds_of_one_answer(kind: str, family: str) -> None:
    """At any answer, not only where measures are largest."""
    rng = np.random.default_rng([102, FAMILY[family]])
    for one in questions(kind, family, 2 * EFFORT):
        names = [f"answer {i}" for i in range(1, len(one.world.answers) + 1)]
        names = ["answer"] if len(names) == 1 else names
        secret = one.look.secret
        if one.adversary.sees is not None or secret is None or everything_secret(one):
            continue
        seen = {
            name: float(rng.integers(-9, 9)) if answer.alpha is not None else rng.normal() * 5
            for name, answer in zip(names, one.world.answers, strict=True)
        }
        got = unspoken.odds(one.belief, one.mechanism, one.adversary, seen)
        slack = one.rounding("odds", got.value)
        assert got.value == pytest.approx(odds_at(one, list(seen.values())), rel=1e-9, abs=slack)


def everything_secret(one: Question) -> bool:
    return len(one.look.secret or ()) == math.prod(
        len(one.world.values[n]) for n in one.look.targets
    )


def odds_at(one: Question, place: list[float]) -> float:
    """The factor on the odds of "any of the secrets", by the definition of the mixtures."""
    with mpmath.workdps(noisy_oracle.DIGITS):
        worst = mpmath.mpf(0)
        for context in noisy_oracle.contexts(one.world, one.look):
            after = context.at([Fraction(r) for r in place], context.tables[0])
            before = context.prior
            if all(context.secret) or not any(context.secret):
                worst = max(worst, mpmath.mpf(1))
                continue
            ratio = [
                mpmath.fsum(w for w, own in zip(weights, context.secret, strict=True) if own)
                / mpmath.fsum(w for w, own in zip(weights, context.secret, strict=True) if not own)
                for weights in (after, before)
            ]
            worst = max(worst, ratio[0] / ratio[1])
        return float(worst)


@pytest.mark.parametrize("kind", ["laplace", "geometric", "geometric and laplace", "vector"])
def test_the_points_of_the_cloud_are_answers(kind: str) -> None:
    """What a view says an outcome tells is what `odds` says of that very outcome."""
    checked = 0
    for family in FAMILIES:
        for one in questions(kind, family, 2):
            if not isinstance(one.adversary.target, str) or one.adversary.sees == []:
                continue
            adversary = replace(
                one.adversary, secret=list(one.world.values[one.adversary.target])[:1]
            )
            for point in unspoken.view(one.belief, one.mechanism, adversary).outcomes()[:4]:
                knowing = replace(adversary, knows=dict(point.known))
                view: Any = one.mechanism.view(one.belief, knowing, dict(point.outcome))
                (again,) = view.outcomes()
                assert again.posterior == pytest.approx(point.posterior, rel=1e-9, abs=1e-15), one
                checked += 1
    assert checked > 20


# Planted faults: each has to be noticed by the comparison above.


def flat_nodes(cls: type[Bins], nodes: Any, rate: float) -> Bins:
    """All nodes alike."""
    return cls(nodes, nodes, np.full(len(nodes), 1 / len(nodes)), rate)


def no_tail(cls: type[Bins], nodes: Any, rate: float) -> Bins:
    """Nothing beyond the last node."""
    shares = np.tanh(np.concatenate([[math.inf], rate * np.diff(nodes), [0.0]]) / 2)
    return cls(nodes, nodes, (shares[:-1] + shares[1:]) / 2, rate)


def open_cells(cls: type[Bins], nodes: Any, rate: float) -> Bins:
    """The cells' masses by their left ends."""
    ends = np.concatenate([[-math.inf], nodes, [math.inf]])
    return cls(ends[:-1], ends[1:], -np.expm1(-rate * np.diff(ends)), rate)


GAUSS = quadrature._gauss


def uneven_rule(count: int) -> Any:
    """Gauss's points, all of one weight."""
    at, weight = GAUSS(count)
    return at, np.full_like(weight, weight.mean())


ARRIVALS, LOST = Arrivals.of, Arrivals.lost


def wrong_gap(cls: Any, mass: Any, points: Any, at: Any, before: Any, rate: float) -> Arrivals:
    """Gaps of the recursion a little too wide."""
    return ARRIVALS(mass, points * 1.001, at, before, rate)


def less_lost(self: Arrivals) -> Any:
    """A little less lost on the way, where that is what gives small leakages their digits."""
    return LOST(self) * 0.999


FINER = Noise.finer


def half_answers(self: Noise, nodes: Any, pieces: Any) -> Any:
    """New nodes between whole answers too."""
    return FINER(replace(self, whole=False), nodes, pieces)


def coins_apart(tosses: Any) -> Any:
    """A coin for each release."""
    channels = [SHARED([toss]) for toss in tosses]
    return channels[0] if len(channels) == 1 else channels[0].beside(channels[1])


SHARED = parts.shared_coin
SECRET = Secret.of
PLANTED: dict[str, tuple[str, str, Any, str, Callable[..., Any]]] = {
    "weights of the nodes": ("laplace", "maximal-leakage", Bins, "nodes", flat_nodes),
    "a tail dropped": ("laplace", "maximal-leakage", Bins, "nodes", no_tail),
    "masses of the cells": ("laplace", "maximal-leakage", Bins, "cells", open_cells),
    "weights of the rule": ("laplace", "mutual-information", quadrature, "_gauss", uneven_rule),
    "a wrong gap": ("laplace", "max-log-ratio", Arrivals, "of", wrong_gap),
    "a wrong loss": ("laplace", "max-log-ratio", Arrivals, "lost", less_lost),
    "a coin each": ("shared coin", "mutual-information", parts, "shared_coin", coins_apart),
    "half answers": ("geometric and laplace", "mutual-information", Noise, "finer", half_answers),
    "asked once": (
        "asked twice",
        "max-information",
        finite,
        "fresh",
        lambda channel, adversary, name: channel,
    ),
    "no secret": (
        "laplace",
        "odds",
        Secret,
        "of",
        lambda cls, domain, target, values: SECRET(domain, target, None),
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, measure, where, attribute, wrong = PLANTED[name]
    rounds = 8 if measure in SUPS else 3
    asked = [one for f in ("dirichlet", "copies") for one in questions(kind, f, rounds)]
    assert faults(asked, [measure]) == []
    bound_to_class = where in (Bins, Secret, Arrivals) and attribute != "lost"
    monkeypatch.setattr(where, attribute, classmethod(wrong) if bound_to_class else wrong)
    if attribute == "fresh":
        monkeypatch.setattr(randomized_response, "fresh", wrong)
    if attribute == "finer":
        monkeypatch.setattr(Noise, "lists", lambda self, nodes: False)
    noticed = []
    for one in asked:
        try:
            noticed += faults([one], [measure])
        except unspoken.UnspokenError as refusal:  # some wrong numbers are refused by Bound itself
            noticed.append(str(refusal))
    assert noticed
