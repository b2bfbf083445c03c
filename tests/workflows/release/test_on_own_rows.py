"""A plan made from a table keeps its limits on the plain counts of the very same rows.

Counts and odds are worked out here, row by row, whatever belief the plan was made with.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.planning.enumerated import Enumerated
from tests.tables.learning.conftest import coded
from tests.workflows.release.small import small
from unspoken.workflows.release import Prepared, prepare

pytestmark = pytest.mark.slow

BITS, CAP = 0.1, 3.0
NAMES = ("a", "b", "c")
SECRET: dict[str, Any] = {"a": {"sensitive": "a = 2"}, "b": {"sensitive": "b = 2"}, "c": {}}


def rows_of(seed: int, rows: int, strength: float) -> pa.Table:
    """Three columns of three values that copy what nobody sees."""
    rng = np.random.default_rng(seed)
    hidden = rng.integers(0, 3, rows)
    columns = [
        np.where(rng.random(rows) < strength, hidden, rng.integers(0, 3, rows)) for _ in NAMES
    ]
    return pa.table({"id": np.arange(rows), **dict(zip(NAMES, columns, strict=True))})


def told(ready: Prepared) -> list[tuple[float, float]]:
    """Bits and the worst odds factor about each secret, by the rows of the table alone."""
    plan, learned = ready.plan(), ready.learned
    labels = learned.labels
    codes = coded(learned, ready.project)
    counts = np.zeros([len(labels[name]) for name in labels])
    np.add.at(counts, tuple(codes[name] for name in labels), 1)
    withheld = {name: plan.mechanism.hides(name) for name in labels}
    law = Enumerated(
        counts / counts.sum(),
        [[labels[name].index(str(v)) for v in withheld[name]] for name in labels],
        [[labels[name].index(v) for v in learned.sensitive[name]] for name in labels],
    )
    found = law.said([plan.p.get(name, 0.0) for name in labels])
    return [(nats / math.log(2), worst) for nats, worst, _, _ in found]


def keeps(ready: Prepared) -> None:
    """Every limit, one of them just so: a slightly larger p breaks it."""
    found = told(ready)
    assert len(found) == 2
    for bits, worst in found:
        assert bits <= BITS * (1 + 1e-9)
        assert worst <= CAP * (1 + 1e-9)
    assert max(max(bits / BITS, worst / CAP) for bits, worst in found) > 0.98


@pytest.mark.parametrize("form", ["joint", "tree"])
@pytest.mark.parametrize(("rows", "strength"), [(300, 0.6), (300, 0.85), (4000, 0.7)])
def test_a_plan_keeps_its_limits_on_its_own_rows(
    rows: int, strength: float, form: str, tmp_path: Path
) -> None:
    names = NAMES if form == "joint" else NAMES[:2]  # of two attributes a tree is the whole
    secret = {name: SECRET[name] for name in names}
    limits: dict[str, Any] = {"limit_bits": BITS, "odds_cap": CAP, "close": True}
    path = small(tmp_path, rows_of(rows, rows, strength), secret, form=form, **limits)
    keeps(prepare(path))


ADULT: dict[str, Any] = {
    "relationship": {},
    "education-num": {"bins": [9, 13], "sensitive": '"education-num" < 9'},
    "income": {"sensitive": "income = '>50K'"},
}
SPACE_DAYS: dict[str, Any] = {
    "first_arrival_h": {"bins": [9, 11], "sensitive": "first_arrival_h > 11"},
    "mean_occ_8_17": {"bins": [0.3, 0.6], "sensitive": "mean_occ_8_17 < 0.3"},
    "n_exits": {"bins": [1, 2, 4]},
}


@pytest.mark.parametrize(
    ("query", "attributes"),
    [
        ("SELECT row_number() OVER () AS id, * FROM '{}/adult/adult.csv.gz'", ADULT),
        (
            "SELECT row_number() OVER () AS id, * FROM '{}/occupancy_space_day/space_day.csv.gz' "
            "WHERE coverage >= 0.9 AND first_arrival_h IS NOT NULL",
            SPACE_DAYS,
        ),
    ],
    ids=["adult", "space days"],
)
def test_so_does_a_plan_for_a_real_table(
    query: str, attributes: dict[str, Any], shared: Path, tmp_path: Path
) -> None:
    sql = query.format(shared / "data")
    source = f'sql = """{sql}"""'
    limits: dict[str, Any] = {"limit_bits": BITS, "odds_cap": CAP, "close": True}
    keeps(prepare(small(tmp_path, None, attributes, source=source, **limits)))
