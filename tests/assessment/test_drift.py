"""What changed: rows of another law are found, those of the same one hardly ever."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import unspoken
from tests.workflows.release.growing import grow, project, with_confidence_set
from unspoken.assessment.drift import LEVEL, _apart
from unspoken.assessment.moves import moves
from unspoken.assessment.samples import Sample
from unspoken.core.errors import InputError
from unspoken.tables.learning.intervals.confidence import Clusters
from unspoken.workflows.release import adopt_plan, difference, learn_project, prepare

LABELS: Any = SimpleNamespace(labels={"a": ("x", "y", "z"), "b": ("s", "t")})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    grow(tmp_path, 2, persons=60)
    secret = "sensitive = \"ill = 'yes'\""  # of all persons on some days, once they are changed
    return project(tmp_path, **{'unit = ["person"]\n': "", secret: f"{secret}\nstatic = false"})


def changed(path: Path, since: int, ill: str) -> None:
    """From this day on everybody is ill, or nobody, or who has a low use."""
    table = pq.read_table(path.parent / "t.parquet")
    of = {"yes": ("yes", "yes"), "no": ("no", "no"), "low": ("yes", "no")}[ill]
    rows = zip(*(table[name].to_pylist() for name in ("day", "ill", "use")), strict=True)
    column = pa.array([of[use != "low"] if day >= since else had for day, had, use in rows])
    place = table.column_names.index("ill")
    pq.write_table(table.set_column(place, "ill", column), path.parent / "t.parquet")


@pytest.mark.slow
def test_rows_of_the_same_law_are_not_said_to_differ(path: Path) -> None:
    with_confidence_set(path)
    learn_project(path)
    grow(path.parent, 5, persons=60)
    drift = difference(path).drift
    assert (drift.rows, list(drift.found), drift.unlisted) == (5400, [], {})
    assert 1.0 < drift.odds < drift.boxed[0].odds.odds


@pytest.mark.slow
def test_rows_of_another_law_are_found_with_what_differs(path: Path) -> None:
    unspoken.release(path)
    grow(path.parent, 4, persons=60)
    changed(path, 60, "yes")
    found = difference(path)
    assert found.before is None
    assert found.drift.found[0].labels in ({"ill": "yes"}, {"ill": "no"})
    assert found.drift.found[0].gap > 0.5


@pytest.mark.parametrize(
    ("limits", "ill", "held", "red"),
    [
        ("odds_cap = 2.0", "low", "does not keep the limits on odds", True),
        ("odds_cap = 50.0", "no", "keeps the limits all the same", False),
        ("limit_bits = 0.2\nodds_cap = 50.0", "no", "may not be by these rows", True),
    ],
)
def test_what_is_signed_says_that_rows_differ_before_they_are_released(
    limits: str, ill: str, held: str, red: bool, path: Path
) -> None:
    path.write_text(path.read_text().replace("limit_bits = 0.2", limits))
    unspoken.release(path)
    assert not any("came since" in c.text for c in prepare(path).findings(False, True).cautions)
    grow(path.parent, 4, persons=60)
    changed(path, 60, ill)
    (said,) = (c for c in prepare(path).findings(False, True).cautions if "came since" in c.text)
    assert held in said.text
    assert said.red == red
    assert "Measured, not for release: " in said.text
    assert "%" not in said.unmeasured().text
    unspoken.release(path)  # and after it, until they are counted again
    assert any("came since" in c.text for c in prepare(path).findings(False, True).cautions)


@pytest.mark.slow
def test_history_is_compared_with_what_is_released(path: Path) -> None:
    project(path.parent, '[belief]\nhistory = "day < 30"\n', **{'unit = ["person"]\n': ""})
    changed(path, 30, "yes")
    learn_project(path)
    drift = difference(path).drift
    assert drift.rows == 1800
    assert drift.found


@pytest.mark.slow
def test_two_countings_and_two_plans_are_compared(path: Path) -> None:
    adopt_plan(path)
    grow(path.parent, 4, persons=60)
    changed(path, 0, "yes")
    changed(path, 100, "no")
    learn_project(path, again=True)
    adopt_plan(path, by="Ann")
    found = difference(path)
    assert found.before is not None
    assert found.apart is not None
    then, now = found.moved["ill"]["yes"]
    assert abs(then - 0.2) < 0.2 < 0.6 < now
    assert found.apart > 0.3
    assert found.was is not None
    assert found.adopted is not None
    assert found.adopted.adopted is not None
    assert found.adopted.adopted.by == "Ann"
    assert found.adopted.chances == found.best.chances
    other = path.parent / "other.json"
    other.write_text(found.before.text())
    assert difference(path, other).moved == found.moved


@pytest.mark.slow
def test_values_that_nobody_counted_are_said_with_how_many_rows_have_them(path: Path) -> None:
    alone = {'values = ["low", "high"]\n': "", 'unit = ["person"]\n': ""}
    project(path.parent, **alone)
    learn_project(path)
    grow(path.parent, 3, persons=60)
    table = pq.read_table(path.parent / "t.parquet")
    used = [*table["use"].to_pylist()[:-7], *["few"] * 7]
    place = table.column_names.index("use")
    pq.write_table(table.set_column(place, "use", pa.array(used)), path.parent / "t.parquet")
    drift = difference(path).drift
    assert (drift.rows, drift.unlisted) == (1793, {"use": 7})


def test_nothing_that_was_counted_cannot_differ(path: Path) -> None:
    with pytest.raises(InputError, match="diff: nothing was counted yet"):
        difference(path)


@pytest.mark.parametrize("rows_of_unit", [1, 30])
def test_a_verdict_is_wrong_no_more_often_than_is_said(rows_of_unit: int) -> None:
    rng = np.random.default_rng(4)
    law, wrong, tries = rng.dirichlet(np.ones(6)), 0, 120
    for _ in range(tries):
        samples = []
        for count in (150, 400):
            counts = rows_of_unit * rng.multinomial(count, law)  # a unit's rows are all alike
            noise = rng.geometric(0.1, 6) - rng.geometric(0.1, 6)
            units = None if rows_of_unit == 1 else Clusters(count, rows_of_unit)
            joint = (counts + noise).reshape(3, 2)
            samples.append(Sample({(0, 1): joint}, rows_of_unit * count, 1 / -np.log(0.9), units))
        wrong += any(_apart(LABELS, *samples))
    assert wrong <= LEVEL * tries


@pytest.mark.parametrize("units", [None, Clusters(300, 10)])
@pytest.mark.parametrize("rows", [3000, 30_000])
def test_shares_that_are_near_are_within_the_intervals_of_both(
    units: Clusters | None, rows: int
) -> None:
    rng, near = np.random.default_rng(5), 0
    for away in range(0, 120, 3):
        counts = rng.multinomial(rows, rng.dirichlet(np.ones(6))).reshape(3, 2)
        noisy = np.maximum(counts + rng.integers(-away, away + 1, (3, 2)), 0)
        then = Sample({(0, 1): noisy}, rows, 4.0, units)
        since = Sample({(0, 1): counts}, int(counts.sum()), None, units)
        for axes in then.sets():
            if then.near(since, axes, LEVEL / 6):
                near += 1
                law = since.shares(axes)
                for sample in (then, since):
                    low, up = sample.ends(axes, LEVEL / 6)
                    assert (low <= law).all()
                    assert (law <= up).all()
    assert 20 < near < 110


def test_shares_with_noise_of_their_own_or_that_are_none_are_not_near() -> None:
    counts = np.array([[30, 20, 50]]).T
    then, since = (Sample({(0,): counts[:, 0]}, 100, scale, None) for scale in (4.0, None))
    assert then.near(since, (0,), 0.01)
    for other in (
        then,
        replace(since, rows=110),
        replace(since, tables={(0,): np.array([51, 50, -1])}),
        replace(since, tables={(0,): np.array([90, 5, 5])}),
    ):
        assert not then.near(other, (0,), 0.01)


@pytest.mark.parametrize("units", [None, Clusters(90, 10), Clusters(3, 300)])
@pytest.mark.parametrize("scale", [None, 4.0])
def test_what_moves_as_far_as_is_said_is_found_and_nothing_that_moves_less(
    units: Clusters | None, scale: float | None
) -> None:
    joint = np.outer([500, 300, 100], [2, 1])
    then = Sample({(0, 1): joint}, 2700, 4.0, None if units is None else Clusters(270, 10))
    since = Sample({(0, 1): joint // 3}, 900, scale, units)
    said = moves(then, since, LEVEL)
    law = {0: np.array([5, 3, 1]) / 9, 1: np.array([2, 1]) / 3}

    def found(axis: int, k: int, share: float) -> bool:
        one = law[axis] * (1.0 - share) / (1.0 - law[axis][k])
        one[k] = share
        shape = [-1, 1] if axis == 0 else [1, -1]
        other = law[1 - axis].reshape(shape[::-1])
        moved = np.rint(900 * one.reshape(shape) * other).astype(np.int64)
        # The intervals of the attribute by itself: two that move together are seen sooner.
        both = [e.ends([axis], LEVEL / 6) for e in (then, replace(since, tables={(0, 1): moved}))]
        return bool(both[1][0][k] > both[0][1][k] or both[1][1][k] < both[0][0][k])

    each = [
        [gap for gap in np.arange(1, 100) / 100 for up in (gap, -gap)
         if 0 <= law[axis][k] + up <= 1 and found(axis, k, law[axis][k] + up)]
        for axis in law for k in range(len(law[axis]))
    ]  # fmt: skip
    least = [min(gaps, default=np.inf) for gaps in each]
    assert (said.least, said.most) == pytest.approx((min(least), max(least)), abs=0.012)
    assert said.none == (units == Clusters(3, 300))


@pytest.mark.parametrize("rows", [4, 6, 7, 9, 12, 13])
@pytest.mark.parametrize("one", [0, 50])
def test_two_labels_together_may_be_seen_to_move_where_none_is_by_itself(
    rows: int, one: int
) -> None:
    """Whether any move is: by trying all rows of every two labels, and by who has any others."""
    then = Sample({(0, 1): np.array([[50, one], [one, 50]])}, 100 + 2 * one, None, None)

    def found(cells: np.ndarray, places: list[tuple[int, int]]) -> bool:
        since = Sample({(0, 1): cells}, rows, None, None)
        apart = [each.labels for each in _apart(LABELS, then, since)]
        names = [LABELS.labels[name] for name in "ab"]
        return any({"a": names[0][i], "b": names[1][j]} in apart for i, j in places)

    every = [(0, 0), (0, 1), (1, 0), (1, 1)]
    alone = [np.array([[rows * ((i, j) == at) for j in (0, 1)] for i in (0, 1)]) for at in every]
    said = moves(then, Sample({(0, 1): alone[0]}, rows, None, None), LEVEL)
    assert said.pairs == any(found(cells, every) for cells in alone)
    assert said.none == (np.isinf(said.least) and not said.pairs)
    words = said.in_words(None, "row")
    assert words.startswith("That says nothing") == said.none
    assert ("of two together" in words) == (np.isinf(said.least) and said.pairs)
    assert said.none == (rows < (4 if not one else 7))


@pytest.mark.slow
@pytest.mark.parametrize("scale", [None, 2.0])
def test_a_move_as_far_as_is_said_is_found_about_every_second_time(scale: float | None) -> None:
    rng, law, hits, tries = np.random.default_rng(2), np.array([[0.3, 0.2], [0.3, 0.2]]), 0, 200
    for _ in range(tries):
        counts = rng.multinomial(2000, law.ravel()).reshape(2, 2)
        if scale is not None:
            counts += np.rint(rng.laplace(0.0, scale, (2, 2))).astype(np.int64)
        then = Sample({(0, 1): counts}, 2000, scale, None)
        seen = moves(then, Sample({(0, 1): counts // 4}, 500, None, None), LEVEL)
        moved = then.shares((0,))[0] + seen.most
        came = rng.multinomial(500, np.outer([moved, 1.0 - moved], [0.6, 0.4]).ravel())
        since = Sample({(0, 1): came.reshape(2, 2)}, 500, None, None)
        hits += any({*each.labels} == {"a"} for each in _apart(LABELS, then, since))
    assert 0.3 * tries < hits < 0.7 * tries


@pytest.mark.slow
def test_what_could_be_found_is_said_where_nothing_was(path: Path) -> None:
    unspoken.release(path)
    grow(path.parent, 3, persons=60)
    drift = difference(path).drift
    assert drift.moves is not None
    assert 0.0 < drift.moves.least <= drift.moves.most < 0.2
    words = drift.moves.in_words(drift.units, "person")
    assert words.startswith("To be found every second time, the share of a value has to move by ")


@pytest.mark.slow
@pytest.mark.parametrize("ill", ["no", "yes"])
def test_rows_of_a_tree_are_compared_by_its_pairs(path: Path, ill: str) -> None:
    tree = '[belief]\nform = "tree"\n'
    secret = "sensitive = \"ill = 'yes'\""
    project(path.parent, tree, **{'unit = ["person"]\n': "", secret: f"{secret}\nstatic = false"})
    unspoken.release(path)
    grow(path.parent, 3, persons=60)
    same = difference(path).drift
    assert (same.rows, list(same.found)) == (1800, [])
    assert same.odds > 1.0
    changed(path, 60, ill)
    found = difference(path).drift
    assert found.found[0].labels in ({"ill": "yes"}, {"ill": "no"})
    assert found.found[0].gap > 0.1
