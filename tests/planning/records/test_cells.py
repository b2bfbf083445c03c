"""Cells, pairs, answers and rows of a program, beside plain loops over a small domain."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from unspoken.core.errors import InputError, TooLarge
from unspoken.core.types.domain import Domain
from unspoken.planning.records.answers import Answers, maximal
from unspoken.planning.records.cells import Cells, Pairs, whole_numbers
from unspoken.planning.records.conditions import (
    attribute_events,
    by_label,
    conditions,
    default_events,
    explicit,
    given,
)  # fmt: skip

COUNTS = np.array([[[5, 0], [2, 1]], [[3, 4], [0, 6]], [[1, 1], [8, 2]]])
NEVER = (np.array([True, False, True]), np.array([False, True]), np.zeros(2, dtype=bool))
SECRETS = {0: np.array([0, 2]), 1: np.array([1])}


def cells_of(*tables, reads=0b111, whole=False):
    domain = Domain.of(tables[0].shape, "ABC")
    return Cells.of(
        domain, [t.astype(float) for t in tables], [1.0] * len(tables), NEVER, reads, whole
    )


def labels(cells, k):
    return tuple(int(code) for code in cells.codes[k])


def test_cells_are_what_is_possible_or_all():
    cells = cells_of(COUNTS)
    assert [labels(cells, k) for k in range(len(cells))] == [
        x for x in itertools.product(range(3), range(2), range(2)) if COUNTS[x]
    ]
    assert cells.laws[0].tolist() == [c for c in COUNTS.ravel().tolist() if c]
    assert cells.probability.sum() == pytest.approx(1)
    assert len(cells_of(COUNTS, whole=True)) == 12


def test_pairs_are_all_that_may_be_shown():
    cells = cells_of(COUNTS, reads=0b101)
    pairs = Pairs.of(cells)
    expected = [
        (k, s)
        for k in range(len(cells))
        for s in range(8)
        if not s & 0b010 and all(not NEVER[i][labels(cells, k)[i]] for i in range(3) if s >> i & 1)
    ]
    assert list(zip(pairs.cell.tolist(), pairs.pattern.tolist(), strict=True)) == expected
    assert len(pairs) == Pairs.count(cells)
    assert pairs.pattern[pairs.first].tolist() == [0] * len(cells)
    few = Pairs.of(cells, np.array([0b101]))
    assert {*few.pattern.tolist()} <= {0, 0b001, 0b100, 0b101}
    assert len(few) == sum(2 if free else 1 for free in cells.free)


def test_answers_are_what_a_coalition_reads():
    cells = cells_of(COUNTS)
    pairs = Pairs.of(cells)
    for sees in (0b111, 0b011, 0b100):
        answers = Answers.of(cells, pairs, sees)
        for a, b in itertools.product(range(len(pairs)), repeat=2):
            same = _seen(cells, pairs, a, sees) == _seen(cells, pairs, b, sees)
            assert same == (answers.of_pair[a] == answers.of_pair[b])
        assert answers.named(cells, pairs, 0) == {}
        assert answers.of_pair[answers.first].tolist() == list(range(len(answers)))
    assert maximal([0b01, 0b11, 0b11, 0b100]) == (0b11, 0b100)


def _seen(cells, pairs, pair, sees):
    return cells.named(int(pairs.cell[pair]), int(pairs.pattern[pair]) & sees)


def test_default_events_are_ordered_pairs_any_and_two_together():
    cells = cells_of(COUNTS)
    names = [event.name for event in default_events(cells, SECRETS)]
    assert names == ["A 0", "A 2", "A 0, not 2", "A 2, not 0", "B 1", "anything sensitive",
                     "A and B sensitive"]  # fmt: skip
    event = next(e for e in default_events(cells, SECRETS) if e.name == "A 0, not 2")
    assert [labels(cells, k)[0] for k in np.flatnonzero(event.outside)] == [2, 2, 2, 2]
    assert [e.name for e in attribute_events(cells, SECRETS)] == [
        "A 0",
        "A 2",
        "A 0, not 2",
        "A 2, not 0",
        "B 1",
    ]
    known = given(explicit(cells, [{"A": [0, 2], "B": [1]}]), by_label(cells, ["C"]))
    assert [e.name for e in known] == ["A 0, 2 and B 1, knowing C 0", "A 0, 2 and B 1, knowing C 1"]
    with pytest.raises(InputError, match="value of A"):
        explicit(cells, [{"A": [7]}])


@pytest.mark.parametrize("other", [None, COUNTS[::-1], COUNTS * (COUNTS > 2)])
def test_rows_are_what_the_formula_says(other):
    """o_k P_k(y|s) + o_l P_l(y|s) <= cap [o_k P_l(y|not s) + o_l P_k(y|not s)], up to a factor."""
    tables = [COUNTS] if other is None else [COUNTS, other]
    cells = cells_of(*tables)
    events = default_events(cells, SECRETS)
    rows = {row.name: row for row in conditions(cells, events, Fraction(4))}
    for event in events:
        for k, m in itertools.combinations_with_replacement(range(len(tables)), 2):
            known = f"context {k}" if k == m else f"contexts {k} and {m}"
            name = event.name if len(tables) == 1 else f"{event.name}, {known}"
            if name not in rows:
                assert not all(_sums(cells, event, j)[0] for j in (k, m)) or k != m
                continue
            assert rows[name].contexts == (() if len(tables) == 1 else tuple(sorted({k, m})))
            row = rows[name]
            s, n = zip(*(_sums(cells, event, j) for j in (k, m)), strict=True)
            for x in range(len(cells)):
                law = [int(cells.laws[j][x]) for j in (k, m)]
                if 0 in (*s, *n):
                    continue
                odds = [Fraction(s[0], n[0]), Fraction(s[1], n[1])]
                inside = sum(o * Fraction(p, t) for o, p, t in zip(odds, law, s, strict=True))
                outside = odds[0] * Fraction(law[1], n[1]) + odds[1] * Fraction(law[0], n[0])
                assert Fraction(row.secret[x], n[0] * n[1]) == inside * int(event.inside[x])
                assert Fraction(row.other[x], n[0] * n[1]) == outside * int(event.outside[x])
            assert row.secret.sum() == row.other.sum() > 0


def _sums(cells, event, j):
    law = cells.laws[j]
    return int(law[event.inside].sum()), int(law[event.outside].sum())


def test_numbers_become_whole_without_rounding():
    numbers = np.array([0.1, 0.0, 3.0, 1e-300, 0.3])
    whole = whole_numbers(numbers)
    scale = Fraction(whole[0]) / Fraction(0.1)
    assert [Fraction(w) / scale for w in whole] == [Fraction(x) for x in numbers.tolist()]
    assert whole_numbers(np.zeros(2)).tolist() == [0, 0]


def test_too_many_answers_are_refused():
    domain = Domain.of((1,) * 63)
    law = np.ones((1,) * 63)
    cells = Cells.of(domain, [law], [1.0], [np.zeros(1, dtype=bool)] * 63, 1)
    with pytest.raises(TooLarge, match="fewer attributes"):
        Answers.of(cells, Pairs.of(cells), 1)
