"""A table rebuilt from noisy counts by a linear program: the ledger refuses what that takes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tests.workflows.query.test_answers import answered, charges
from tests.workflows.query.wards import project, wards
from unspoken.core.errors import LimitExceeded
from unspoken.core.numerics.arrays import Mask
from unspoken.noise.discrete_laplace import two_sided_noise
from unspoken.workflows.audit.confusion import Confusion, factor
from unspoken.workflows.audit.rebuilt import fitted

pytestmark = pytest.mark.slow

PEOPLE, EPSILON, CAP = 100, 0.5, 3.0
MANY = 900  # answers that rebuild the table


def found(queries: np.ndarray, said: np.ndarray, ill: Mask) -> tuple[float, float]:
    """How many of all are told rightly, and the surely least factor on odds of who is flagged."""
    flagged = fitted(queries, said) >= 0.5
    hits, false = int((flagged & ill).sum()), int((flagged & ~ill).sum())
    counted = Confusion(np.array([hits]), int(ill.sum()), np.array([false]), int((~ill).sum()), 0.5)
    return float((flagged == ill).mean()), float(factor(counted, 1e-6).low[0])


def told(path: Path, queries: np.ndarray) -> list[int]:
    """What is answered before the first refusal."""
    said = list[int]()
    for halves in queries:
        asked = ", ".join(map(str, np.flatnonzero(halves)))
        text = f"SELECT COUNT(*) FROM wards WHERE disease = 'hiv' AND person IN ({asked})"
        try:
            said.append(answered(path, text, epsilon=EPSILON).value)
        except LimitExceeded:
            break
    return said


def test_the_ledger_refuses_what_a_linear_program_needs(tmp_path: Path) -> None:
    """Sums over random halves, each with noise for one record: nine hundred give nearly everybody
    away. The ledger adds up what they tell of a record, and refuses the third.
    """
    rng = np.random.default_rng(4)
    ill = rng.permutation(np.arange(PEOPLE) % 2 == 0)
    diseases = pa.array(np.where(ill, "hiv", "none").tolist())
    table = wards(PEOPLE).set_column(2, "disease", diseases)
    table = table.set_column(0, "person", pa.array(np.arange(PEOPLE)))
    path = project(tmp_path, table, cap=CAP)
    queries = rng.integers(0, 2, (MANY, PEOPLE))
    said = told(path, queries)
    kept = int(np.log(CAP) / EPSILON)
    assert (len(said), charges(path)) == (kept, kept)
    right, least = found(queries[:kept].astype(float), np.array(said, float), ill)
    assert right < 0.75
    assert least <= np.log(CAP)

    naive = two_sided_noise(queries @ ill.astype(np.int64), 1 / EPSILON)
    right, least = found(queries.astype(float), naive.astype(float), ill)
    assert right > 0.9
    assert least > EPSILON  # what each answer by itself promised
