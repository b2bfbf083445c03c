"""Learning with declared values, noise, confidence and units; and what is refused in one line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import unspoken
from unspoken.core.errors import InputError
from unspoken.core.types.premise import Premise

VALUES: Any = {"late": ["no", "yes"], "kind": [0, 1, 2]}
SECRETS: Any = {"late": ["yes"]}


def rows(count: int = 600) -> pa.Table:
    """Some people's days; who is late is of kind 2 more often."""
    rng = np.random.default_rng(8)
    late = rng.random(count) < 0.3
    kind = np.where(rng.random(count) < 0.5, 2 * late, rng.integers(0, 3, count))
    return pa.table(
        {
            "person": np.arange(count) // 10,
            "late": np.where(late, "yes", "no").tolist(),
            "kind": kind,
        }
    )


TABLE = rows()
DAYS = TABLE.drop_columns(["person"])


def test_declared_values_are_the_domain() -> None:
    belief = unspoken.learn(DAYS, values={"late": ["yes", "no", None], "kind": [2, 1, 0, 7]})
    assert belief.domain.values == (("yes", "no", None), (2, 1, 0, 7))
    own = unspoken.learn(DAYS)
    assert belief.table[0, 2] == own.table[1, 0]
    assert belief.table[2].sum() == belief.table[:, 3].sum() == 0


def test_noise_is_drawn_for_every_count() -> None:
    exact, noisy, again = (unspoken.learn(DAYS, values=VALUES, noise=e) for e in (None, 0.5, 0.5))
    assert noisy.premise == "learned(600)"
    assert noisy.table.sum() == pytest.approx(1)
    assert 0 < np.abs(noisy.table - exact.table).max() < 0.2
    assert (noisy.table != again.table).any()


def test_a_unit_is_hidden_as_a_whole() -> None:
    """Ten rows need ten times the noise; the unit's own column is no variable."""
    moved = {}
    units: Any = ({}, {"unit": ["person"], "rows_per_unit": 10})
    for unit in units:
        table = TABLE if unit else DAYS
        drawn = [unspoken.learn(table, values=VALUES, noise=1.0, **unit) for _ in range(30)]
        assert drawn[0].domain.names == ("late", "kind")
        moved[len(unit)] = np.abs(
            np.array([d.table for d in drawn]) - np.mean([d.table for d in drawn], 0)
        ).mean()
    assert moved[2] > 4 * moved[0]


@pytest.mark.parametrize("noise", [None, 1.0])
def test_confidence_gives_a_set_around_it(noise: float | None) -> None:
    held = unspoken.learn(DAYS, values=VALUES, secrets=SECRETS, noise=noise, confidence=0.95)
    assert isinstance(held, unspoken.Intervals)
    assert held.premise == "box(95 %)"
    exact = unspoken.learn(DAYS, values=VALUES)
    assert held.holds(exact.table.ravel())
    mechanism = unspoken.OneSided({"kind": 1.0}, {"kind": [1]})
    who = unspoken.Adversary("late", secret=["yes"], sees=["kind"])
    known = unspoken.leakage(exact, mechanism, who, "odds")
    assert unspoken.leakage(held, mechanism, who, "odds").high > known.high


def test_without_secrets_it_is_a_box() -> None:
    held = unspoken.learn(DAYS, values=VALUES, confidence=0.9)
    assert isinstance(held, unspoken.Box)
    assert held.premise == "box(90 %)"


def test_units_make_it_wider() -> None:
    asked: Any = {"values": VALUES, "secrets": SECRETS, "confidence": 0.95}
    by_row = unspoken.learn(DAYS, **asked)
    by_unit = unspoken.learn(TABLE, **asked, unit=["person"], rows_per_unit=10)
    wide = [float((d.up - d.low).sum()) for s in (by_row, by_unit) for d in s.events.values()]
    assert wide[1] > 1.5 * wide[0]


LEARN: Any = unspoken.learn


def test_values_that_nobody_declared_certify_nothing() -> None:
    for secrets in (SECRETS, None):
        held = LEARN(DAYS, secrets=secrets, confidence=0.95)
        assert held.premise == "box(95 %, values of the rows)"
        assert not held.premise.certifies
        assert LEARN(DAYS, values=VALUES, secrets=secrets, confidence=0.95).premise.certifies
    assert Premise.of("box(95 %, values of the rows)") == held.premise


def widths(held: Any) -> list[float]:
    return [float((each.up - each.low).sum()) for each in held.events.values()]


def test_rows_of_a_unit_are_whole_numbers_of_any_library() -> None:
    asked: Any = {"values": VALUES, "secrets": SECRETS, "confidence": 0.95, "unit": ["person"]}
    both = [LEARN(TABLE, **asked, rows_per_unit=most) for most in (10, np.int64(10))]
    assert widths(both[0]) == widths(both[1])


@pytest.mark.parametrize("more", [{}, {"noise": 2.0}, {"confidence": 0.95, "secrets": SECRETS}])
def test_contexts_are_what_a_plan_takes(more: Any) -> None:
    days = DAYS.append_column("weekday", pa.array(np.arange(len(DAYS)) % 2))
    found = LEARN(days, values=VALUES, contexts=["weekday"], **more)
    assert [rows for rows, _ in found] == [300.0, 300.0]
    assert [belief.domain.names for _, belief in found] == [("late", "kind")] * 2
    alone = [LEARN(DAYS.take(list(range(k, 600, 2))), values=VALUES, **more) for k in (0, 1)]
    if not more:
        assert all((found[k][1].table == alone[k].table).all() for k in (0, 1))
    if "confidence" in more:
        assert [belief.premise for _, belief in found] == ["box(95 %)"] * 2
        assert widths(found[0][1]) > widths(alone[0])  # both hold together
    plan = unspoken.plan(
        None, limit_bits=None, sensitive=SECRETS, contexts=found, by="record", odds_cap=4.0
    )
    assert plan.odds.high <= 4.0 * (1 + 1e-9)


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"noise": 0.5}, r'values that a table has|values=\{"late": \[...\], "kind": \[...\]\}'),
        ({"noise": 0.5, "values": {"late": ["no", "yes"]}}, r'write values=\{"kind": \[...\]\}'),
        ({"noise": 0, "values": VALUES}, "must be positive"),
        ({"values": {"late": ["no"]}}, r"\d+ rows have a late that is not declared; declare it"),
        ({"values": {"lat": ["no"]}}, 'Did you mean "late"'),
        ({"values": {"late": ["no", "no"]}}, "list each once"),
        ({"secrets": SECRETS}, "give confidence"),
        ({"confidence": 95, "secrets": SECRETS}, "between 0 and 1"),
        ({"confidence": 0.95, "secrets": {"late": ["ye"]}}, 'Did you mean "yes"'),
        ({"confidence": 0.95, "secrets": {"late": ["no", "yes"]}}, "not all of them"),
        ({"confidence": 0.95, "secrets": {"late": []}}, "list some of its values"),
        ({"confidence": 0.95, "secrets": {"late": 1}}, "secrets of late: a list is expected"),
        ({"confidence": 0.95, "secrets": ["late"]}, r'write secrets=\{"late"'),
        ({"unit": [[]], "rows_per_unit": 9}, "learn.unit: .* give names of columns"),
        ({"unit": ["person"] * 2, "rows_per_unit": 9}, "learn.unit: person is there twice"),
        ({"unit": ["person"], "rows_per_unit": 2**63}, "from 1 to 1,000,000,000"),
        ({"rows_per_unit": 3}, r'write unit=\["person"\], rows_per_unit=30'),
        ({"unit": ["person"], "confidence": 0.95}, r'write unit=\["person"\], rows_per_unit=30'),
        ({"unit": ["person"], "rows_per_unit": 9}, "60 units have more than 9 rows, one has 10"),
        ({"unit": ["person"], "rows_per_unit": 0}, "is a whole number"),
        ({"unit": ["persons"], "rows_per_unit": 10}, 'Did you mean "person"'),
        ({"form": "tree", "noise": 0.5, "values": VALUES}, "a tree has no noise.* noise is for"),
        ({"form": "tree", "secrets": SECRETS}, "so that secrets is for nothing"),
        ({"form": "tree", "unit": ["person"], "rows_per_unit": 10}, "so that unit is for nothing"),
        ({"form": "tree", "contexts": ["kind"]}, "so that contexts is for nothing"),
        ({"noise": "a", "values": VALUES}, r"learn\.noise: a; is an epsilon"),
        ({"noise": True, "values": VALUES}, r"learn\.noise: True; is an epsilon"),
        ({"confidence": 1 - 1e-16, "values": VALUES}, "not nearer to 1 than 1e-12"),
        ({"confidence": True, "values": VALUES}, "is between 0 and 1"),
        ({"unit": ["person"], "rows_per_unit": True}, "True; is a whole number"),
        ({"unit": ["person"], "rows_per_unit": 10.5}, "10.5; is a whole number"),
        ({"contexts": ["late"], "columns": ["late"]}, "late is a context and a column"),
        ({"contexts": ["days"]}, "learn.contexts: there is no"),
    ],
)
def test_refusals(asked: Any, says: str) -> None:
    table = TABLE if "unit" in asked else DAYS
    with pytest.raises(InputError, match=says) as refused:
        unspoken.learn(table, **asked)
    assert "\n" not in str(refused.value)
