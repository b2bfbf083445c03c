"""Each attack finds what it is there to find, as far as it goes, and nothing where nothing is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
import pytest

from tests.faults.planted import faults
from unspoken.workflows.audit.attacks import ATTACKS, PublicKnowledge
from unspoken.workflows.audit.judging import ClaimedBound, Verdict, attacked
from unspoken.workflows.audit.trials import WITHHELD_AS, Trials

TRIALS = 8_000
OFTEN, SELDOM = 0.75, 0.15  # how often a mark comes with the secret, and without: odds x 5
NUMBER = 0  # the size of a column that is no label
Seen = Callable[[np.random.Generator, np.ndarray], np.ndarray]


def places(rng: np.random.Generator, marks: np.ndarray) -> np.ndarray:
    """Two cells are blank, or one: whichever of six."""
    order = rng.random((len(marks), 6)).argsort(1)
    return np.where(order < 1 + marks[:, None], WITHHELD_AS, 0.0)


def parts_of(total: Callable[[np.ndarray], np.ndarray]) -> Seen:
    """Two numbers that are anything, and whose sum is this."""

    def seen(rng: np.random.Generator, marks: np.ndarray) -> np.ndarray:
        first = rng.normal(0, 9, len(marks))
        return np.stack([first, total(marks) - first], 1)

    return seen


def around_nothing(rng: np.random.Generator, marks: np.ndarray) -> np.ndarray:
    """Whose mean is 0, twice as far off."""
    off = (1.0 + marks) * rng.choice([-1, 1], len(marks))
    return np.stack([off, -off], 1)


def either(rng: np.random.Generator, marks: np.ndarray) -> np.ndarray:
    """Two labels of which neither says anything alone."""
    first = rng.integers(0, 2, len(marks))
    return np.stack([first, first ^ marks], 1).astype(float)


def rounded(rng: np.random.Generator, marks: np.ndarray) -> np.ndarray:
    """Numbers of ten binary digits, among others."""
    exact = rng.random(len(marks))
    return np.where(marks, np.round(exact * 1024) / 1024, exact)[:, None]


def corners(rng: np.random.Generator, marks: np.ndarray) -> np.ndarray:
    """The same of numbers, and a third that is idle: no cell of them comes again."""
    signs = np.sign(either(rng, marks) - 0.5)
    spread = rng.uniform(1, 1.2, (len(marks), 2))
    return np.column_stack([signs * spread, rng.random(len(marks)) / 9])


def beyond_a_line(rng: np.random.Generator, marks: np.ndarray) -> np.ndarray:
    """A number and ten labels, the last one of forty, all of which count; no row comes again."""
    idle = rng.integers(0, 4, (len(marks), 9))
    many = np.where(marks, 35 + rng.integers(0, 5, len(marks)), rng.integers(0, 30, len(marks)))
    return np.column_stack([rng.random(len(marks)), idle, many]).astype(float)


STAGED: Mapping[str, tuple[Seen, tuple[int, ...]]] = {
    "blanks": (places, (1,) * 6),
    "classified": (beyond_a_line, (NUMBER, *(4,) * 9, 40)),
    "digits": (rounded, (NUMBER,)),
    "frequent": (either, (2, 2)),
    "largest": (parts_of(lambda marks: marks), (NUMBER, NUMBER)),
    "least": (parts_of(lambda marks: -marks), (NUMBER, NUMBER)),
    "nearest": (corners, (NUMBER,) * 3),
    "posterior": (lambda rng, marks: marks[:, None].astype(float), (2,)),
    "spread": (around_nothing, (NUMBER, NUMBER)),
}


def tried(name: str, tells: bool) -> Verdict:
    seen, sizes = STAGED[name]
    rng = np.random.default_rng(5)
    secret = rng.random(TRIALS) < 0.4
    share = np.where(secret, OFTEN, SELDOM) if tells else OFTEN
    trials = Trials(seen(rng, (rng.random(TRIALS) < share).astype(np.int64)), secret)
    known = PublicKnowledge((lambda each: each[:, 0]) if name == "posterior" else None, sizes)
    claim = ClaimedBound("odds", 0.0, 0.4, why="it says nothing")
    return attacked(claim, known, trials, [name], 1e-6)


def test_each_attack_has_its_stage_and_is_made_blind_once() -> None:
    assert [*STAGED] == [*ATTACKS]
    assert {f"blind-{name}" for name in ATTACKS} <= {fault.name for fault in faults()}


@pytest.mark.parametrize("name", ATTACKS)
def test_it_finds_what_is_there(name: str) -> None:
    """Nearly all of it: the mark is what tells, log P(mark | secret) / P(mark | not)."""
    best = (found := tried(name, tells=True)).best
    assert best is not None
    assert best.leakage.value == pytest.approx(math.log(OFTEN / SELDOM), abs=0.2)
    assert (found.word, best.attack) == ("fail", name)


@pytest.mark.parametrize("name", ATTACKS)
def test_it_finds_nothing_where_nothing_is(name: str) -> None:
    assert tried(name, tells=False).word == "pass"
