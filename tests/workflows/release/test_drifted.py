"""A release says whether the rows that it shows first are like those that were counted."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import unspoken
from tests.workflows.release.growing import grow, project
from unspoken.assessment.drift import ByLabels, apart, called
from unspoken.storage.coins import MasterKey
from unspoken.storage.custody.custody import Custody
from unspoken.storage.rows.witness import Witness
from unspoken.tables.policy import Project
from unspoken.workflows.release import difference, learn_project, rehearse
from unspoken.workflows.release.asked import Asked
from unspoken.workflows.release.drifted import drifted
from unspoken.workflows.release.open_project import OpenProject

SAID = "are not like those that were counted"
ROWS_OF_ONE = {'unit = ["person"]\n': ""}
SICK = {**ROWS_OF_ONE, "sensitive = \"ill = 'yes'\"": "sensitive = \"ill = 'yes'\"\nstatic = false"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    grow(tmp_path, 2, persons=60)
    return project(tmp_path, **SICK)


def sick(path: Path, since: int, often: int = 2) -> float:
    """From this day on every second row more is of somebody ill; the share of those rows is."""
    table = pq.read_table(path.parent / "t.parquet")
    late = pc.greater_equal(table["day"], since).to_pylist()
    ill = table["ill"].to_pylist()
    made = [
        "yes" if on and k % often == 0 else had
        for k, (on, had) in enumerate(zip(late, ill, strict=True))
    ]
    place = table.column_names.index("ill")
    changed = table.set_column(place, "ill", pa.array(made))
    pq.write_table(changed, path.parent / "t.parquet")
    of = [one for one, on in zip(made, late, strict=True) if on]
    return of.count("yes") / len(of)


def said(warnings: tuple[str, ...]) -> list[str]:
    return [warning for warning in warnings if SAID in warning]


@pytest.mark.slow
def test_rows_of_the_same_law_are_not_said_to_differ(path: Path) -> None:
    assert said(unspoken.release(path).warnings) == []
    grow(path.parent, 4, persons=60)
    assert said(unspoken.release(path).warnings) == []


def test_rows_of_another_law_are_said_with_the_number_and_go_out(path: Path) -> None:
    unspoken.release(path)
    grow(path.parent, 4, persons=60)
    share = sick(path, 60)
    (told,) = said(rehearse(path).warnings)
    done = unspoken.release(path)
    assert said(done.warnings) == [told]
    assert done.epochs is not None
    assert done.epochs.new == ("2", "3")
    assert told.startswith("the rows of 2 and 3 are not like")
    low, high = re.search(r"(\d+)-(\d+)\xa0% now", told).groups()  # type: ignore[union-attr]
    assert "ill \u201cyes\u201d" in told or "ill \u201cno\u201d" in told
    share = share if "yes" in told.split(" of the rows")[0] else 1 - share
    assert int(low) - 1 <= 100 * share <= int(high) + 1
    assert "unspoken diff" in told
    # They are shown now, and whatever comes late to them is not compared again.
    assert said(unspoken.release(path).warnings) == []


@pytest.mark.slow
def test_late_rows_and_rows_shown_again_are_not_compared(path: Path) -> None:
    grow(path.parent, 3, persons=60)
    sick(path, 60)
    whole = pq.read_table(path.parent / "t.parquet")
    learnt = pc.less(whole["day"], 60)
    pq.write_table(whole.filter(learnt), path.parent / "t.parquet")
    unspoken.release(path)
    some = pc.or_(learnt, pc.less(whole["day"], 62))
    pq.write_table(whole.filter(some), path.parent / "t.parquet")
    unspoken.release(path)
    pq.write_table(whole, path.parent / "t.parquet")
    late = unspoken.release(path)
    assert late.epochs is not None
    assert late.epochs.late == {"2": 28 * 60}
    assert said(late.warnings) == []
    (path.parent / "released" / "2.parquet").unlink()
    assert said(unspoken.release(path).warnings) == []


@pytest.mark.slow
@pytest.mark.parametrize("unit", [True, False])
def test_what_history_says_is_compared_with_what_is_released(unit: bool, path: Path) -> None:
    project(path.parent, '[belief]\nhistory = "day < 30"\n', **({} if unit else ROWS_OF_ONE))
    sick(path, 30, often=1)
    assert len(said(unspoken.release(path).warnings)) == 1


@pytest.mark.slow
def test_a_label_is_compared_too_and_once(path: Path) -> None:
    project(path.parent, **SICK, **{'of = "day // 30"': 'label = "2026"'})
    assert said(unspoken.release(path).warnings) == []
    project(
        path.parent,
        **SICK,
        **{
            'of = "day // 30"': 'label = "2027"',
            "limit_bits = 0.2": "limit_bits = 3\nodds_cap = 64",
        },
    )
    grow(path.parent, 4, persons=60)
    sick(path, 60, often=1)
    assert len(said(rehearse(path).warnings)) == 1
    done = unspoken.release(path)
    assert len(said(done.warnings)) == 1
    assert "the rows of this label are" in said(done.warnings)[0]
    assert said(unspoken.release(path).warnings) == []


def test_of_few_units_what_rows_show_by_themselves_is_said_as_no_more(tmp_path: Path) -> None:
    """Twelve people, whose rows may depend on each other, prove nothing; all ill is said."""
    grow(tmp_path, 2, persons=12)
    static = {"sensitive = \"ill = 'yes'\"": "sensitive = \"ill = 'yes'\"\nstatic = false"}
    path = project(tmp_path, **static)
    assert said(unspoken.release(path).warnings) == []
    grow(tmp_path, 3, persons=12)
    assert said(rehearse(path).warnings) == []
    sick(path, 60, often=1)
    drift = difference(path).drift
    assert drift is not None
    assert all(each.by_rows for each in drift.found)
    assert drift.found[0].labels in ({"ill": "yes"}, {"ill": "no"})
    (told,) = said(unspoken.release(path).warnings)
    assert "; counted by person it may be chance all the same (for you" in told


def witness_of(asked: Asked) -> Witness:
    """What a release watches while it reads."""
    master = MasterKey(bytes(32))
    witness = Witness(asked.reading.rules, master)
    for _ in witness.watch(asked.reading.through(asked.kernel(master, apart=True), 500, False)):
        pass
    return witness


@pytest.mark.slow
@pytest.mark.parametrize("unit", [True, False])
def test_rows_counted_by_the_way_say_what_rows_counted_for_it_do(unit: bool, path: Path) -> None:
    """As many of each labels as by a count of its own, and the same intervals."""
    project(path.parent, '[belief]\nhistory = "day < 30"\n', **({} if unit else ROWS_OF_ONE))
    grow(path.parent, 4, persons=60)
    sick(path, 60, often=1 if unit else 2)
    learn_project(path)
    asked = Asked.of(
        OpenProject.of(path), 1.0, None, False, Custody.there(Project.read(path)), None
    )
    ready, witness = asked.ready, witness_of(asked)
    whole = pq.read_table(path.parent / "t.parquet").to_pylist()
    rows = [row for row in whole if row["day"] // 30 in (1, 3)]
    names = [ready.learned.labels[name] for name in asked.reading.rules.depends]
    sizes = asked.reading.rules.combinations
    for epoch in ("1", "3"):
        for labels, counted in witness.labels[epoch].items():
            places = [labels // sizes[1], labels % sizes[1]]
            held = {
                n: of[p]
                for n, of, p in zip(asked.reading.rules.depends, names, places, strict=True)
            }
            of_epoch = [row for row in rows if str(row["day"] // 30) == epoch]
            assert counted == sum(all(row[n] == v for n, v in held.items()) for row in of_epoch)
    assert ready.believed is not None
    looked = apart(ready.project, ready.table, ready.believed, ready.learned, 0.01, ["3"])
    codes = [[labels // sizes[1], labels % sizes[1]] for labels in witness.labels["3"]]
    found = ByLabels.of(
        ready.project,
        called(ready.project, asked.reading.table, witness.texts["3"]),
        ready.believed,
        ready.learned,
        {
            n: pa.array([c[k] for c in codes]).to_numpy()
            for k, n in enumerate(asked.reading.rules.depends)
        },
        pa.array(witness.labels["3"].values()).to_numpy(),
        0.01,
    ).found()
    assert looked == found
    assert found
    assert not any(each.by_rows for each in found)


def test_rows_without_a_label_and_attributes_that_are_not_read_are_left_out(path: Path) -> None:
    alone = {'values = ["low", "high"]\n': "", 'reads = ["use", "ill"]': 'reads = ["use"]'}
    project(path.parent, **SICK, **alone)
    unspoken.release(path)
    grow(path.parent, 4, persons=60)
    table = pq.read_table(path.parent / "t.parquet")
    days = table["day"].to_pylist()
    few = ["low", "none", "none"]
    used = [
        had if day < 60 else few[k % 3]
        for k, (day, had) in enumerate(zip(days, table["use"].to_pylist(), strict=True))
    ]
    pq.write_table(table.set_column(2, "use", pa.array(used)), path.parent / "t.parquet")
    (told,) = said(unspoken.release(path).warnings)
    assert "use \u201clow\u201d" in told or "use \u201chigh\u201d" in told
    assert "none" not in told


def test_nothing_is_counted_where_nothing_can_be_compared(path: Path) -> None:
    project(path.parent, '[belief]\nnoise = "none"\n', **SICK)
    asked = Asked.of(OpenProject.of(path), 1.0, None, False, None, None)
    witness = witness_of(asked)
    assert not any(witness.labels.values())
    assert drifted(asked, None, witness, [*witness.counts]) == ()


@pytest.mark.slow
def test_of_a_tree_what_differs_in_pairs_is_said(path: Path) -> None:
    project(path.parent, '[belief]\nform = "tree"\n', **SICK)
    assert said(unspoken.release(path).warnings) == []
    grow(path.parent, 4, persons=60)
    sick(path, 60)
    assert len(said(unspoken.release(path).warnings)) == 1


def test_rows_of_too_few_units_are_said_to_show_nothing(tmp_path: Path) -> None:
    grow(tmp_path, 2, persons=3)
    static = {"sensitive = \"ill = 'yes'\"": "sensitive = \"ill = 'yes'\"\nstatic = false"}
    path = project(tmp_path, **static)
    first = unspoken.release(path).warnings
    assert not any("cannot be told" in each for each in first)  # these are what was counted
    assert difference(path).drift.rows == 0
    grow(tmp_path, 3, persons=3)
    (told,) = (each for each in unspoken.release(path).warnings if "cannot be told" in each)
    assert told.startswith("whether the rows of 2 are like those that were counted cannot")
    assert "counted by person" in told
    again = unspoken.release(path).warnings
    assert not any("cannot be told" in each for each in again)
