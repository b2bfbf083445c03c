"""Attacks on plans with one coin a record: each works without the row that stops it."""

import numpy as np
import pytest

import unspoken
from tests.planning.records.enumerated import answers, records, shown, worst_odds

SENSITIVE = {"A": [0], "B": [], "C": []}
SECRET = (lambda x: x["A"] == 0, lambda x: x["A"] != 0)


def planned(belief=None, **more):
    return unspoken.plan(belief, by="record", sensitive=SENSITIVE, odds_cap=3.0, **more)


def contexts(seed):
    """Two kinds of days, the secret being rare in one and common in the other."""
    rng = np.random.default_rng(seed)
    laws = rng.dirichlet(np.ones(12), 2).reshape(2, 2, 3, 2)
    laws[0, 0] *= 0.1
    laws[1, 1] *= 0.3
    return [
        (n, unspoken.Joint(law / law.sum(), names="ABC"))
        for n, law in zip((30.0, 10.0), laws, strict=True)
    ]


def mixed(days, share):
    (_, a), (_, b) = days
    return unspoken.Joint(share * a.table + (1 - share) * b.table, names="ABC")


def worst(plan, days):
    """Whoever holds some weights of the two kinds for likely."""
    beliefs = [mixed(days, share) for share in np.linspace(0, 1, 6)]
    return max(worst_odds(plan, belief, "ABC", *SECRET) for belief in beliefs)


@pytest.mark.parametrize("seed", range(3))
def test_half_knowing_the_context(seed):
    """Planned for all days together, days of one kind tell more; so does not knowing quite."""
    days = contexts(seed)
    together = planned(mixed(days, 0.75))
    assert worst(together, days) > 3.5
    assert worst(planned(contexts=days), days) <= 3 * (1 + 1e-12)


def test_rows_for_each_context_alone_do_not_stop_half_knowing():
    """Each context within the cap, their mixtures far above it; rows for pairs stop it."""
    found = []
    for seed in range(40):
        days = contexts(seed)
        alone = planned(unspoken.Beliefs([belief for _, belief in days]))
        found.append(worst(alone, days))
        for _, belief in days:
            assert worst_odds(alone, belief, "ABC", *SECRET) <= 3
        if found[-1] > 3.01:
            break
    assert found[-1] > 3.01
    assert worst(planned(contexts=days), days) <= 3 * (1 + 1e-12)


def test_blanks_carry_what_their_reader_does_not_read():
    """Who reads B alone learns of C, which it may not, unless told that own reads are all."""
    table = np.random.default_rng(1).integers(1, 30, (2, 3, 2))
    belief = unspoken.Joint(table, names="ABC")
    pools = {"coalitions": [["B"], ["C"]], "pooled_cap": 3.0}

    def uneven(plan):
        """How far apart what is seen of B is for records that differ in C alone."""
        told, found = shown(plan), 0.0
        for x in records(belief.domain):
            other = {**x, "C": 1 - x["C"]}
            here, there = (answers(plan, each, told, "B") for each in (x, other))
            found = max(found, *(abs(float(w - there.get(y, 0))) for y, w in here.items()))
        return found

    assert uneven(planned(belief, **pools)) > 0.05
    assert uneven(planned(belief, own_reads=True, **pools)) == 0


def test_an_exclusive_or_is_pooled():
    """Neither of two attributes tells anything of the secret; both together tell all of it."""
    table = np.full((2, 2, 2), 1.0)
    table[0, 0, 0] = table[0, 1, 1] = table[1, 0, 1] = table[1, 1, 0] = 9.0
    belief = unspoken.Joint(table, names="ABC")
    alone = planned(belief, coalitions=[["B"], ["C"]])
    assert alone.p["B"] == pytest.approx(1)
    assert worst_odds(alone, belief, "BC", *SECRET) == pytest.approx(9)
    pooled = planned(belief, coalitions=[["B"], ["C"]], pooled_cap=3.0)
    assert worst_odds(pooled, belief, "BC", *SECRET) <= 3
