"""Branch and bound stopped at any moment still says what is certified."""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from tests.core.searching.clocks import Ticking, give
from tests.core.searching.gaussian_cases import Case, covariance
from unspoken.core.numerics.arrays import Array
from unspoken.core.searching.gaussian import branching as gaussian_branching
from unspoken.core.searching.gaussian import worst as gaussian_worst
from unspoken.core.searching.gaussian.branching import (
    State,
    _foreseen,
    _quantities,
    branch_and_bound,
)
from unspoken.core.searching.gaussian.certificates import reflected
from unspoken.core.searching.gaussian.exhaustive import exhaustive
from unspoken.core.searching.gaussian.problem import KEYBOARD, GaussianProblem, gaussian_problem
from unspoken.core.searching.gaussian.worst import worst_gaussian

pytestmark = pytest.mark.slow


def bound(state: State) -> Array:
    """T5 of every part, without what rounding is allowed."""
    at = _quantities(state)
    made: Array = np.abs(at.w + at.c0) + np.sqrt(np.maximum(at.a * at.c, 0.0))
    return made / 2


def completions(problem: GaussianProblem, state: State) -> float:
    """The largest |c| of the target over all that the free variables of a part may be."""
    free, known = (np.flatnonzero(own[0]).tolist() for own in (state.free, state.known))
    return max(
        abs(problem.coefficient(int(state.target[0]), [*known, *more])[0])
        for size in range(len(free) + 1)
        for more in itertools.combinations(free, size)
    )


@pytest.mark.parametrize("family", ["dense", "spatial", "factor", "negative", "sparse"])
def test_a_part_is_bounded_by_what_was_foreseen_for_it(family: str) -> None:
    """Down to no free variable; the first bound is the certificate, the last is exact."""
    rng = np.random.default_rng(8)
    n, count = 7, 0
    table, weights = covariance(family, n, rng), rng.normal(size=n)
    problem = gaussian_problem(table, np.ones(n), weights, 1.0)
    state = State(
        np.array([3]),
        problem.precision[None].copy(),
        problem.covariance[None].copy(),
        problem.weights[None].copy(),
        np.arange(n)[None] != 3,
        np.zeros((1, n), dtype=bool),
    )
    assert bound(state)[0] == pytest.approx(reflected(problem)[3], rel=1e-9)
    for k in rng.permutation([j for j in range(n) if j != 3]).tolist():
        side = bool(rng.random() < 0.5)
        foreseen = _foreseen(state, _quantities(state), problem.eta)[side][0, k]
        gaussian_branching._decide(state, np.array([0]), np.array([k]), side)
        assert bound(state)[0] == pytest.approx(foreseen, rel=1e-5)
        assert completions(problem, state) <= bound(state)[0] * (1 + 1e-9)
        count += 1
    assert count == n - 1
    assert completions(problem, state) == pytest.approx(bound(state)[0], rel=1e-9)


@pytest.mark.parametrize("family", ["dense", "factor", "negative", "sparse"])
def test_what_is_not_searched_is_certified(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a wide gap, and nothing found before, parts are left that hold the worst adversary."""
    monkeypatch.setattr(gaussian_branching, "GAP", 0.5)
    monkeypatch.setattr(
        gaussian_branching, "climbed", lambda problem, *_: (0.0, np.zeros(problem.n, dtype=bool))
    )
    rng, wide = np.random.default_rng(9), 0
    for _ in range(30):
        n = int(rng.integers(4, 9))
        case = Case(covariance(family, n, rng), np.ones(n), rng.normal(size=n), 1.0, None)
        problem = gaussian_problem(*case)
        answer, truth = branch_and_bound(problem), exhaustive(problem).low
        assert answer.low <= truth * (1 + 1e-12)
        assert truth <= answer.high * (1 + 1e-12)
        wide += answer.low < truth * (1 - 1e-6)
    assert wide


def hard(n: int, seed: int) -> GaussianProblem:
    rng = np.random.default_rng(seed)
    table, weights = covariance("equicorrelated", n, rng), rng.choice([-1.0, 1.0], n)
    return gaussian_problem(table, np.ones(n), weights, 1.0)


class Clock:
    """Stands still, and is interrupted at its so manieth look."""

    def __init__(self, looks: int) -> None:
        self.left: Iterator[int] = iter(range(looks))

    def __call__(self) -> float:
        if next(self.left, None) is None:
            raise KeyboardInterrupt
        return 0.0


@pytest.mark.parametrize("looks", [1, 3, 20, 150, 190])
def test_a_stop_from_the_keyboard(looks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = hard(30, 1)
    truth = branch_and_bound(problem)
    monkeypatch.setattr(gaussian_branching, "monotonic", Clock(looks))
    answer = branch_and_bound(problem)
    assert "keyboard" in answer.how
    assert answer.low <= truth.high
    assert truth.low <= answer.high


@pytest.mark.parametrize("rounds", [0, 1, 5, 20])
def test_a_stop_in_the_middle_of_a_round(rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts that have left the list, and are not yet back in pieces, are not forgotten."""
    problem, seen, left = hard(30, 2), gaussian_branching._foreseen, itertools.count()
    truth = branch_and_bound(problem)

    def interrupted(*given):
        if next(left) == rounds:
            raise KeyboardInterrupt
        return seen(*given)

    monkeypatch.setattr(gaussian_branching, "_foreseen", interrupted)
    answer = branch_and_bound(problem)
    assert "keyboard" in answer.how
    assert truth.low <= answer.high


def test_more_time_never_certifies_more() -> None:
    """High falls, and ends at low."""
    problem = hard(14, 3)
    highs = [branch_and_bound(problem, parts=parts).high for parts in (1, 50, 200, 800, 10**6)]
    assert highs == sorted(highs, reverse=True)
    last = branch_and_bound(problem)
    assert last.stopped == ""
    assert last.high == pytest.approx(last.low, rel=1e-9)


def test_a_search_ends_with_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its clock goes on by a second with each round: the more rounds, the more is certified."""
    problem, highs = hard(30, 2), list[float]()
    truth = branch_and_bound(problem)
    for seconds in (0.0, 20.0, 40.0, 80.0):
        give(Ticking(), monkeypatch)
        answer = branch_and_bound(problem, seconds=seconds)
        assert answer.stopped == f"stopped after {seconds:.2g} s"
        assert answer.low <= truth.high
        assert truth.low <= answer.high
        highs.append(answer.high)
    assert highs == sorted({*highs}, reverse=True)


def test_when_room_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last part first: the same end, with few parts open."""
    problem = hard(13, 4)
    plain = branch_and_bound(problem)
    monkeypatch.setattr(gaussian_branching, "KEPT", 13**2 * 20)
    short = branch_and_bound(problem)
    assert short.stopped == ""
    assert short.high == pytest.approx(plain.high, rel=1e-9)


@pytest.mark.parametrize("step", [0.0, 0.01, 1.0])
def test_too_many_to_branch(step: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether there is time to climb to the end, or for some steps, or for none."""
    give(Ticking(step), monkeypatch)
    rng = np.random.default_rng(5)
    n = gaussian_branching.MANY + 1
    case = Case(covariance("dense", n, rng), np.ones(n), np.ones(n), 1.0, [3, 7])
    worst = worst_gaussian(*case, seconds=0.2)
    assert "not begun" in worst.how
    assert worst.target in {3, 7}
    assert 0 < worst.low < worst.high
    assert step or worst.high < 3 * worst.low  # where it climbed to the end


def test_an_interrupted_block_ends_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks that come after it are bounded at once."""
    n, rng = 20, np.random.default_rng(6)
    table = np.zeros((2 * n, 2 * n))
    for k in range(2):
        part = slice(k * n, k * n + n)
        table[part, part] = covariance("dense", n, rng)
    weights = rng.choice([-1.0, 1.0], 2 * n)
    truth = worst_gaussian(table, np.ones(2 * n), weights, 1.0)
    looks = itertools.count()

    def clock() -> float:
        look = next(looks)
        if look == 2:
            raise KeyboardInterrupt
        return float(look)

    monkeypatch.setattr(gaussian_worst, "LISTING", 1.0)
    monkeypatch.setattr(gaussian_branching, "monotonic", clock)
    stopped = worst_gaussian(table, np.ones(2 * n), weights, 1.0)
    assert truth.settled
    assert stopped.low <= truth.high
    assert truth.low <= stopped.high
    assert next(looks) < 10
    assert KEYBOARD in stopped.how or "stopped after 0 s" in stopped.how
