"""What a mechanism draws has the law it states: every registered one, within six sigma."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

import unspoken
from unspoken.core.mechanisms import MECHANISMS, Mechanism
from unspoken.core.mechanisms.record_chain import EARLIER
from unspoken.core.types.domain import Domain
from unspoken.core.types.sums import term

ROWS = 40_000
DOMAIN = Domain.of([3, 2], ["A", "B"], [[0, 1, 4], [0, 2]])
RELEASE = unspoken.OneSided({"A": 0.7, "B": 1.5}, {"A": [1], "B": [0]})
LOCAL: dict[str, Mechanism] = {
    "one-sided": RELEASE,
    "finite": unspoken.Finite("A", [[0.2, 0.8], [0.5, 0.5], [1.0, 0.0]], outputs=["yes", "no"]),
    "randomized-response": unspoken.RandomizedResponse("A", 1.2),
    "together": unspoken.Together([RELEASE, unspoken.RandomizedResponse("A", 0.4)]),
}
NOISY: dict[str, tuple[Mechanism, Any]] = {
    "laplace": (unspoken.Laplace(2.0, {"A": 1.5, "B": -1}), lambda z: 0.5 * math.exp(-abs(z) / 2)),
    "geometric": (
        unspoken.Geometric(0.6, {"A": 1, "B": -1}),
        lambda z: 0.6 ** math.ceil(abs(z)) / 1.6,
    ),
}


TERMS: Any = {"A": {1: 3.0, 4: -1.0}}
NOISY_TERMS = {
    "laplace": (unspoken.Laplace(2.0, {"B": 2.0}, TERMS), NOISY["laplace"][1]),
    "geometric": (unspoken.Geometric(0.6, {"B": 2.0}, TERMS), NOISY["geometric"][1]),
}


def near(drawn: int, expected: float) -> bool:
    return abs(drawn - ROWS * expected) <= 6 * math.sqrt(ROWS * expected * (1 - expected)) + 1e-9


def test_every_mechanism_is_here() -> None:
    assert {*LOCAL, *NOISY, "suppression", "extension", "one-sided-noise", "record-counts"} == set(
        MECHANISMS
    )


@pytest.mark.parametrize("kind", LOCAL)
@pytest.mark.parametrize("cell", [(0, 0), (1, 0), (2, 1)])
def test_local_outputs(kind: str, cell: tuple[int, int]) -> None:
    mechanism = LOCAL[kind]
    drawn = mechanism.sample(DOMAIN, np.tile(cell, (ROWS, 1)), np.random.default_rng(7))
    channels = mechanism.parts(DOMAIN, unspoken.Adversary("A")).by_name()
    assert set(drawn) == set(channels)
    for name, channel in channels.items():
        counts, law = Counter(drawn[name]), channel.law[cell[DOMAIN.axis(name)]]
        assert set(counts) <= set(channel.outputs)
        for output, probability in zip(channel.outputs, law, strict=True):
            assert near(counts[output], float(probability)), (name, output)


@pytest.mark.parametrize("cell", [(0, 1), (2, 1), (2, 0)])
def test_what_is_shown_of_records(cell: tuple[int, int]) -> None:
    """Beside a release of A, whose output is the second of two."""
    shows: dict[Any, dict[Any, int]] = {
        (4, 2): {("A",): 2**60, ("A", "B"): 2**61},
        (0, 2): {("B",): 2**60},
    }
    coin = unspoken.Suppression(shows, ["A", "B"], [[0, 1, 4], [0, 2]], {"A": [1]})
    both = unspoken.Together([coin, RELEASE])
    drawn: Any = both.sample(DOMAIN, np.tile(cell, (ROWS, 1)), np.random.default_rng(9))
    alone = RELEASE.sample(DOMAIN, np.tile(cell, (ROWS, 1)), np.random.default_rng(9))
    assert [y[1] for y in drawn["A"]] == alone["A"]
    counts: Any = Counter((a[0], b[0]) for a, b in zip(drawn["A"], drawn["B"], strict=True))
    record = tuple(DOMAIN.values[axis][code] for axis, code in enumerate(cell))
    shown = shows.get(record, {})
    for pattern in [(), ("A",), ("B",), ("A", "B")]:
        seen = tuple(
            v if n in pattern else unspoken.WITHHELD for n, v in zip("AB", record, strict=True)
        )
        weight = shown.get(pattern, 2**62 - sum(shown.values()) if not pattern else 0)
        assert near(counts[seen], weight / 2**62), (seen, counts)


@pytest.mark.parametrize("cell", [(0, 1), (2, 1)])
def test_what_is_added_to_records(cell: tuple[int, int]) -> None:
    """Pairs of what was shown and of what is shown then."""
    record = tuple(DOMAIN.values[axis][code] for axis, code in enumerate(cell))
    names, values, shown = ["A", "B"], [[0, 1, 4], [0, 2]], ["[[]]", '[["A"]]']
    first = unspoken.Suppression({record: {("A",): 2**61}}, names, values, {"A": [1]})
    adds: dict[Any, Any] = {
        (*record, "[[]]"): {("A", "B"): 2**60},
        (*record, '[["A"]]'): {("B",): 2**61},
    }
    hidden: dict[str, Any] = {"A": [1], EARLIER: shown}
    added = unspoken.Suppression(adds, [*names, EARLIER], [*values, shown], hidden)
    both = unspoken.Together([first, unspoken.Extension(first, added)])
    drawn: Any = both.sample(DOMAIN, np.tile(cell, (ROWS, 1)), np.random.default_rng(9))
    pairs = zip(drawn["A"], drawn["B"], strict=True)
    counts = Counter("".join("01"[y is not unspoken.WITHHELD] for y in (*a, *b)) for a, b in pairs)
    law = {"0000": 0.375, "0101": 0.125, "1100": 0.25, "1101": 0.25}
    assert {*counts} == {*law}
    assert all(near(counts[pair], p) for pair, p in law.items())


@pytest.mark.parametrize(("mechanism", "tail"), [*NOISY.values(), *NOISY_TERMS.values()])
def test_noisy_answers(mechanism: Mechanism, tail: Any) -> None:
    """P(answer - sum > z) = tail(z) for z >= 0, and below -z as often."""
    drawn = mechanism.sample(DOMAIN, np.tile((2, 1), (ROWS, 1)), np.random.default_rng(8))
    query = mechanism.parts(DOMAIN, unspoken.Adversary("A")).queries[0]
    exact = sum(term(DOMAIN, query.weights[n], n)[code] for n, code in (("A", 2), ("B", 1)))
    noise = np.array(drawn["answer"]) - exact
    for z in (0.5, 1.5, 2.5, 6.5):
        assert near(int((noise > z).sum()), tail(z))
        assert near(int((noise < -z).sum()), tail(z))


def test_noise_that_takes_away() -> None:
    """P(noise <= -z) = alpha^z, and nothing is ever added."""
    mechanism = unspoken.OneSidedNoise(0.6, {"A": {1: 3.0, 4: 1.0}}, {"A": [0]})
    drawn = mechanism.sample(DOMAIN, np.tile((2, 1), (ROWS, 1)), np.random.default_rng(8))
    noise = np.array(drawn["answer"]) - 1.0
    assert noise.max() == 0
    assert all(near(int((noise <= -z).sum()), 0.6**z) for z in (1, 2, 5))


@pytest.mark.parametrize(("cell", "exact"), [((0, 1), (0, 1)), ((2, 1), (2, 0)), ((1, 0), (0, 0))])
def test_counts_of_records(cell: tuple[int, int], exact: tuple[int, int]) -> None:
    """Every outcome as often as geometric noise, moved to the nearest that can be added, is there.

    A value that is not named adds 0.
    """
    adds = [[[1, 0], [0, 2]], [[0, 1], [-1, 0]]]
    mechanism = unspoken.RecordCounts(0.6, {"A": [0, 4], "B": [0, 2]}, adds)
    drawn = mechanism.sample(DOMAIN, np.tile(cell, (ROWS, 1)), np.random.default_rng(8))
    counts: Any = Counter(drawn["answer of A, B"])
    laws = []
    for f, low, high in zip(exact, (0, -1), (2, 1), strict=True):
        law = dict.fromkeys(range(low, high + 1), 0.0)
        for z in range(-80, 81):
            law[min(max(f + z, low), high)] += 0.25 * 0.6 ** abs(z)
        laws.append(law)
    assert all(near(counts[y, x], laws[0][y] * laws[1][x]) for y in laws[0] for x in laws[1])


def test_noise_is_drawn_anew_for_each_request() -> None:
    mechanism = unspoken.Laplace(1.0)
    drawn = mechanism.sample(DOMAIN, np.zeros((9, 2), int), np.random.default_rng(1), asks=2)
    assert set(drawn) == {"answer 1", "answer 2"}
    assert not set(drawn["answer 1"]) & set(drawn["answer 2"])
