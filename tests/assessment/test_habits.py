"""What all rows of a unit tell of its habit, by listing every way that rows can fall out."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest

from unspoken.assessment.habits import Blanks, guessed, told_apart
from unspoken.core.errors import InputError, TooLarge
from unspoken.core.numerics.arrays import Array
from unspoken.core.numerics.entropy import entropy

Ways = Mapping[tuple[int, ...], float]  # P(X_1 .. X_T), 1: secret


def mutual_information(joint: Array) -> float:
    apart = np.outer(joint.sum(1), joint.sum(0))
    seen = joint > 0
    return float((joint[seen] * np.log(joint[seen] / apart[seen])).sum())


def by_counting(blanks: Blanks, prior: Sequence[float], often: Sequence[int]) -> Array:
    """P(H, N), N blanks, of n = 0 .. T secret rows, which are ``often``."""
    joint = np.zeros((2, len(prior)))
    for secret, (mass, habit) in enumerate(zip(prior, often, strict=True)):
        joint[habit] += mass * blanks.law(len(prior) - 1, secret)
    return joint


def summed(habit: Sequence[float], rows: Sequence[float]) -> float:
    """min(H(H), the sum over rows)."""
    return min(entropy(np.asarray(habit, float)), math.fsum(rows)) + 1e-12


def capped(cap: float) -> Blanks:
    """What tells no less than any answers that keep this cap."""
    return Blanks(1.0, 1.0 / cap)


def answers(ways: Ways, channel: Array, habit: Callable[[tuple[int, ...]], int]) -> Array:
    """P(H, Y_1 .. Y_T), one by one: ``channel[x, y]``, each row by itself."""
    rows = len(next(iter(ways)))
    joint = np.zeros((2, channel.shape[1] ** rows))
    for way, mass in ways.items():
        for place, seen in enumerate(itertools.product(range(channel.shape[1]), repeat=rows)):
            likely = math.prod(channel[x, y] for x, y in zip(way, seen, strict=True))
            joint[habit(way), place] += mass * likely
    return joint


def alike(prior: Sequence[float]) -> Ways:
    """All rows alike: of n secret ones any may be."""
    rows = len(prior) - 1
    return {
        way: prior[sum(way)] / math.comb(rows, sum(way))
        for way in itertools.product((0, 1), repeat=rows)
    }


def of_blanks(blanks: Blanks) -> Array:
    return np.array([[blanks.other, 1 - blanks.other], [blanks.secret, 1 - blanks.secret]])


@pytest.mark.parametrize("blanks", [Blanks.released(0.4), Blanks(0.9, 0.2), Blanks(1, 0)])
def test_counting_blanks_is_all_that_there_is(blanks: Blanks) -> None:
    """Rows being alike, who sees which ones are blank knows no more than who counts them."""
    prior = [0.5, 0.1, 0.0, 0.25, 0.15]
    often = [int(n >= 2) for n in range(5)]
    joint = answers(alike(prior), of_blanks(blanks), lambda way: int(sum(way) >= 2))
    told = mutual_information(by_counting(blanks, prior, often))
    assert mutual_information(joint) == pytest.approx(told, abs=1e-9)
    bound = guessed(blanks, prior, often)
    assert bound.low <= joint.max(0).sum() <= bound.high <= bound.low + 1e-8


def test_no_answers_within_the_cap_tell_more_than_blanks_of_the_cap() -> None:
    """Information, and how often a guess is right, for channels that nearly reach it and others."""
    rng, cap = np.random.default_rng(3), 3.0
    prior = [0.4, 0.2, 0.1, 0.3]
    often = [0, 0, 1, 1]
    told = mutual_information(by_counting(capped(cap), prior, often))
    most = told + 1e-9, guessed(capped(cap), prior, often).high
    for _ in range(30):
        secret, rest = rng.dirichlet([0.5, 0.5, 0.5], 2)
        share = rng.choice([1 / cap, rng.uniform(1 / cap, 1)])
        channel = np.array([share * secret + (1 - share) * rest, secret])
        assert (channel[1] / channel[0]).max() <= cap * (1 + 1e-12)
        joint = answers(alike(prior), channel, lambda way: int(sum(way) >= 2))
        assert mutual_information(joint) <= most[0]
        assert joint.max(0).sum() <= most[1]


@pytest.mark.parametrize(("cap", "p"), [(4.0, 0.75), (4.0, 0.3), (1.5, 0.2)])
def test_the_best_test(cap: float, p: float) -> None:
    """From below by counting; from above by who knows which rows it would be."""
    bound = told_apart(Blanks.released(p), 6, 2, cap)
    prior = [0.5, 0, 0.5, 0, 0, 0, 0]
    counting = answers(alike(prior), of_blanks(Blanks.released(p)), lambda way: int(sum(way) > 0))
    assert bound.low == pytest.approx(counting.max(0).sum(), abs=1e-8)
    known: Ways = {(0,) * 6: 0.5, (1, 1, 0, 0, 0, 0): 0.5}
    reading = answers(known, of_blanks(capped(cap)), lambda way: int(sum(way) > 0))
    assert bound.high == pytest.approx(reading.max(0).sum(), abs=1e-8)
    assert bound.low <= bound.high


@pytest.mark.slow
def test_sixty_rows_find_nearly_everybody() -> None:
    """46 % of what is free shown, odds x 1.86 a row: half of 60 rows secret is no secret."""
    blanks = Blanks.released(0.46)
    bound = told_apart(blanks, 60, 30, 4.0)
    assert 0.982 < bound.low < 0.983
    assert bound.high == pytest.approx(1.0)
    assert told_apart(blanks, 10**5, 5 * 10**4, 4.0).low == pytest.approx(1.0, abs=1e-8)


# ---------------------------------------------------------------- which sums hold


def per_row(
    ways: Ways, channel: Array, about: Callable[[tuple[int, ...], int], int]
) -> list[float]:
    """I(about; Y_t) of each row."""
    rows, told_by = len(next(iter(ways))), []
    for t in range(rows):
        joint = np.zeros((8, channel.shape[1]))
        for way, mass in ways.items():
            joint[about(way, t)] += mass * channel[way[t]]
        told_by.append(mutual_information(joint))
    return told_by


def test_what_each_row_tells_of_the_habit_does_not_add_up_to_what_all_tell() -> None:
    """ "At least once" in two rows that are alike and shown: .811 bit, and .623 by the sum."""
    ways = alike([0.25, 0.5, 0.25])
    shown = np.eye(2)

    def once(way: tuple[int, ...]) -> int:
        return int(sum(way) >= 1)

    truth = mutual_information(answers(ways, shown, once)) / math.log(2)
    plain = math.fsum(per_row(ways, shown, lambda way, _: once(way))) / math.log(2)
    assert truth == pytest.approx(0.8113, abs=1e-4)
    assert plain == pytest.approx(0.6226, abs=1e-4)
    cells = summed([0.25, 0.75], per_row(ways, shown, lambda way, t: way[t]))
    assert truth <= cells / math.log(2) <= 0.8114


def test_nor_does_it_in_a_chain() -> None:
    """Rows that keep or change by habit: each alone is a fair coin, both together are not."""
    stays, channel = (0.9, 0.1), np.array([[0.7, 0.3], [0.0, 1.0]])
    chains = {
        (habit, first, second): 0.25 * (stays[habit] if first == second else 1 - stays[habit])
        for habit, first, second in itertools.product((0, 1), repeat=3)
    }
    joint = sum(
        mass * np.eye(2)[:, [habit]] * np.kron(channel[first], channel[second])
        for (habit, first, second), mass in chains.items()
    )
    truth = mutual_information(np.asarray(joint))
    first_row, second_row, plain = np.zeros((2, 2)), np.zeros((4, 2)), np.zeros((2, 2))
    for (habit, first, second), mass in chains.items():
        first_row[habit] += mass * channel[first]
        plain[habit] += mass * channel[second]
        second_row[2 * habit + first] += mass * channel[second]
    assert mutual_information(plain) < 1e-12 < 0.05 < truth
    assert truth <= summed(
        [0.5, 0.5], [mutual_information(first_row), mutual_information(second_row)]
    )


def test_it_does_where_rows_are_independent_given_the_habit() -> None:
    channel, rates = np.array([[0.6, 0.4], [0.1, 0.9]]), (0.2, 0.7)
    seen = [np.array([1 - rate, rate]) @ channel for rate in rates]
    joint = 0.5 * np.array([np.kron(np.kron(law, law), law) for law in seen])
    one = mutual_information(0.5 * np.array(seen))
    assert mutual_information(joint) <= summed([0.5, 0.5], [one] * 3)
    assert summed([0.5, 0.5], [one] * 10**4) == pytest.approx(math.log(2))


def test_what_is_no_law_is_refused() -> None:
    with pytest.raises(InputError, match=r"blanks\.other: 1\.5 is no probability"):
        Blanks(1, 1.5)
    with pytest.raises(TooLarge, match="1,000,000 rows at most"):
        Blanks(1, 0.5).law(10**7, 3)
    with pytest.raises(InputError, match="give a probability, and the habit"):
        guessed(Blanks(1, 0.5), [0.5, 0.6], [0, 1])
    assert entropy(np.array([1.0, 0.0])) == 0
