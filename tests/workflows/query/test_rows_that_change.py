"""What is asked of rows that changed since they were first read; how often keys are looked at."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from tests.project_copies import copy_project
from tests.workflows.query.test_answers import answered, charges, left
from tests.workflows.query.wards import project, wards
from unspoken.core.errors import LimitExceeded
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.workflows.query import query
from unspoken.workflows.query.answer import Promised
from unspoken.workflows.release import rehearse, release


@pytest.mark.slow
def test_nobody_is_told_of_rows_that_change(tmp_path: Path) -> None:
    """Asked again the answer is the first one; another question of changed rows is refused."""
    path = project(tmp_path)
    first = answered(path, epsilon=0.3)
    table = wards()
    values = ["hiv"] * 3 + table["disease"].to_pylist()[3:]
    project(tmp_path, table.set_column(2, "disease", [values]))
    assert answered(path, epsilon=0.3).rows == first.rows
    with pytest.raises(LimitExceeded, match=r"the source of disease .* changed since"):
        answered(path, "SELECT COUNT(*) FROM wards WHERE disease = 'flu'", epsilon=0.1)
    assert charges(path) == 1


@pytest.mark.slow
def test_what_is_refused_of_rows_that_change_says_what_to_do(tmp_path: Path) -> None:
    """And that can be done: other epochs are asked about, and all of it under a new label, beside
    what was given out before.
    """
    path = project(tmp_path, epoch='of = "substr(day, 1, 7)"', cap=4.0)
    ill = "SELECT COUNT(*) FROM wards WHERE disease = 'hiv'"
    alone = left(path, ill)
    answered(path, epsilon=0.5)
    late = wards().slice(0, 1).set_column(0, "person", [[99]]).cast(wards().schema)
    project(tmp_path, pa.concat_tables([wards(), late]), epoch='of = "substr(day, 1, 7)"', cap=4.0)
    with pytest.raises(LimitExceeded, match="or leave this epoch out: unspoken query") as refused:
        query(path, ill, epsilon=0.1)
    _, _, others, *options = shlex.split(str(refused.value).split("out: ")[1])
    assert options == ["--epsilon", "0.1"]
    assert answered(path, others, epsilon=0.1).value is not None
    path.write_text(path.read_text().replace('of = "substr(day, 1, 7)"', 'label = "2"'))
    assert 0 < left(path, ill) < alone - 0.3


def of_months(folder: Path, table: pa.Table) -> Path:
    """Each month is released into a file of its own, and leaves room for answers."""
    months = 'of = "substr(day, 1, 7)"'
    path = project(folder, table, epoch=months, cap=4.0)
    path.write_text(path.read_text().replace('by = "cell"', 'by = "cell"\nodds_cap = 1.5'))
    return path


@pytest.fixture(scope="module")
def folder_of_released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a project whose months were released."""
    folder = tmp_path_factory.mktemp("released")
    release(of_months(folder, wards()))
    return folder


@pytest.fixture
def released(folder_of_released: Path, tmp_path: Path) -> Path:
    return copy_project(folder_of_released, tmp_path)


def came_late(disease: str = "flu") -> pa.Table:
    """One row more of the first month and one of the second, of persons who were not there."""
    rows = wards().slice(0, 2).set_column(0, "person", [[98, 99]])
    return rows.set_column(2, "disease", [[disease, "none"]]).cast(wards().schema)


ILL = "SELECT COUNT(*) FROM wards WHERE disease = 'hiv'"


def test_rows_that_came_late_are_asked_about_once_they_are_released(
    tmp_path: Path, released: Path
) -> None:
    """Each was read once. Before it is released, and once any row changed, it is refused."""
    path = released
    assert answered(path, ILL, epsilon=0.01).value is not None
    of_months(tmp_path, pa.concat_tables([wards(), came_late()]))
    with pytest.raises(LimitExceeded, match="changed since it was first read"):
        query(path, ILL.replace("hiv", "flu"), epsilon=0.01)
    done = release(path)
    assert done.epochs is not None
    assert done.epochs.late == {"2026-01": 1, "2026-02": 1}
    late = answered(path, ILL.replace("hiv", "flu"), epsilon=20.0)  # noise of next to nothing
    assert late.value == wards()["disease"].to_pylist().count("flu") + 1
    assert answered(path, ILL, epsilon=0.01).again
    assert release(path).again
    more = came_late().set_column(0, "person", [[100, 101]]).cast(wards().schema)
    of_months(tmp_path, pa.concat_tables([wards(), came_late(), more]))
    release(path)
    assert answered(path, ILL.replace("hiv", "none"), epsilon=0.01).value is not None
    of_months(tmp_path, pa.concat_tables([wards(), came_late("hiv"), more]))
    with pytest.raises(LimitExceeded, match="changed since it was first read"):
        query(path, "SELECT COUNT(*) FROM wards WHERE disease <> 'flu'", epsilon=0.01)


def test_epochs_of_which_answers_alone_were_given_are_left_out_where_rows_came_late(
    tmp_path: Path,
) -> None:
    """They cannot be told from what changed; all others are released all the same."""
    path = of_months(tmp_path, wards())
    answered(path, ILL, epsilon=0.01)
    of_months(tmp_path, pa.concat_tables([wards(), came_late().slice(0, 1)]))
    with pytest.raises(LimitExceeded, match="where answers alone were given"):
        query(path, ILL.replace("hiv", "flu"), epsilon=0.01)
    months = {day[:7] for day in wards()["day"].to_pylist()}
    said = "epoch 2026-01: not released, since rows came late or changed after something"
    assert any(said in each for each in rehearse(path).warnings)
    done = release(path)
    assert done.epochs is not None
    assert {*done.epochs.new} == months - {"2026-01"}
    assert done.epochs.otherwise == ("2026-01",)
    assert any(said in each for each in done.warnings)
    files = {file.stem for file in (tmp_path / "released").glob("*.parquet")}
    assert files == months - {"2026-01"}
    assert release(path).again  # and stay out
    of_months(tmp_path, wards())  # put back
    back = release(path).epochs
    assert back is not None
    assert (back.new, back.otherwise) == (("2026-01",), ())


def apart(folder: Path, table: pa.Table) -> Path:
    """Two who do not pool, each with files of its own."""
    path = of_months(folder, table)
    pools = '[limit]\ncoalitions = [["city"], ["ward"]]'
    path.write_text(path.read_text().replace("[limit]", pools))
    return path


@pytest.fixture(scope="module")
def folder_for_city(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a project that was released to one of the two."""
    folder = tmp_path_factory.mktemp("city")
    release(apart(folder, wards()), reader="city")
    return folder


@pytest.fixture
def released_to_city(folder_for_city: Path, tmp_path: Path) -> Path:
    return copy_project(folder_for_city, tmp_path)


@pytest.mark.slow
def test_rows_that_others_were_given_in_other_parts_are_asked_about(
    tmp_path: Path, released_to_city: Path
) -> None:
    """One was given them in two parts, the other, later, in one; then more came."""
    young, late = "SELECT COUNT(*) FROM wards WHERE age < 20", came_late()
    path = released_to_city
    apart(tmp_path, pa.concat_tables([wards(), late]))
    release(path, reader="ward")
    with pytest.raises(LimitExceeded, match="changed since"):
        query(path, ILL, reader="city", epsilon=0.01)  # of the late rows city has no part yet
    release(path, reader="city")
    for reader in ("city", "ward"):
        assert answered(path, young, reader, epsilon=0.01).value is not None
    more = late.set_column(0, "person", [[100, 101]]).cast(late.schema)
    apart(tmp_path, pa.concat_tables([wards(), late, more]))
    release(path, reader="city")
    assert answered(path, young.replace("20", "40"), "ward", epsilon=0.01).value is not None
    release(path, reader="ward")
    assert answered(path, young.replace("20", "60.5"), "ward", epsilon=0.01).value is not None
    older = late.set_column(3, "age", [[85.0, 5.0]]).cast(late.schema)
    apart(tmp_path, pa.concat_tables([wards(), older, more]))
    for reader in ("city", "ward"):
        with pytest.raises(LimitExceeded, match="changed since"):
            query(path, young.replace("<", ">="), reader, epsilon=0.01)


def test_rows_that_went_after_others_were_given_them_are_a_change(
    tmp_path: Path, released_to_city: Path
) -> None:
    """Also to whom all rows were given that are there."""
    path = released_to_city
    apart(tmp_path, pa.concat_tables([wards(), came_late()]))
    release(path, reader="ward")
    apart(tmp_path, wards())
    with pytest.raises(LimitExceeded, match="changed since"):
        query(path, "SELECT COUNT(*) FROM wards WHERE age < 20", reader="city", epsilon=0.01)


def test_an_attribute_that_late_rows_alone_were_read_for_is_not_taken_for_as_it_was(
    tmp_path: Path,
) -> None:
    """What else is asked with it is as it was."""
    path = of_months(tmp_path, wards())
    reads = 'reads = ["disease", "age", "stay"]'
    fewer = path.read_text().replace(reads, 'reads = ["disease", "age"]')
    path.write_text(fewer)
    release(path)
    stayed = came_late().set_column(4, "stay", [[1, 1]]).cast(wards().schema)
    of_months(tmp_path, pa.concat_tables([wards(), stayed]))  # and stay is read from now on
    release(path)
    with pytest.raises(LimitExceeded, match="or no release had this of all rows"):
        query(path, ILL.replace("disease = 'hiv'", "stay = 5"), epsilon=0.01)
    other = stayed.set_column(4, "stay", [[5, 5]]).cast(wards().schema)
    of_months(tmp_path, pa.concat_tables([wards(), other]))
    both = "SELECT COUNT(*) FROM wards WHERE disease = 'flu' AND stay = 5"
    for text in (both, both.replace("disease = 'flu' AND ", "")):
        with pytest.raises(LimitExceeded, match="changed since"):
            query(path, text, epsilon=0.01)


@pytest.mark.slow
def test_where_nothing_else_is_left_the_release_is_refused(tmp_path: Path) -> None:
    first = pa.concat_tables([wards().filter(pc.starts_with(wards()["day"], "2026-01"))])
    path = of_months(tmp_path, first)
    answered(path, ILL, epsilon=0.01)
    of_months(tmp_path, pa.concat_tables([first, came_late().slice(0, 1)]))
    with pytest.raises(LimitExceeded, match="shows the change"):
        release(path)


@pytest.mark.slow
def test_what_late_rows_are_told_of_counts_beside_what_was_shown(
    tmp_path: Path, released: Path
) -> None:
    """All that is left for the rows that were there first is left for the epoch, and no more."""
    path = released
    before = query(path, ILL, dry_run=True)
    of_months(tmp_path, pa.concat_tables([wards(), came_late()]))
    release(path)
    after = query(path, ILL, dry_run=True)
    assert isinstance(before, Promised)
    assert isinstance(after, Promised)
    assert after.epsilon <= before.epsilon
    answered(path, ILL, epsilon=0.9 * after.epsilon)
    with pytest.raises(LimitExceeded, match="the cap is"):
        query(path, ILL.replace("hiv", "flu"), epsilon=after.epsilon)


@pytest.mark.slow
def test_all_epochs_that_changed_are_left_out_at_once(tmp_path: Path) -> None:
    months, ill = 'of = "substr(day, 1, 7)"', "SELECT COUNT(*) FROM wards WHERE disease = 'hiv'"
    path = project(tmp_path, epoch=months, cap=4.0)
    answered(path, epsilon=0.5)
    days = sorted({day[:7]: day for day in wards()["day"].to_pylist()}.values())
    late = pa.concat_tables([wards().slice(0, 1)] * 2)
    late = late.set_column(0, "person", [[98, 99]]).set_column(1, "day", [days[:2]])
    project(tmp_path, pa.concat_tables([wards(), late.cast(wards().schema)]), epoch=months, cap=4.0)
    with pytest.raises(LimitExceeded, match="leave all 2 epochs that changed out") as refused:
        query(path, ill, epsilon=0.1)
    _, _, others, *_ = shlex.split(str(refused.value).split("out: ")[1])
    try:
        answered(path, others, epsilon=0.1)
    except LimitExceeded as error:
        pytest.fail(str(error))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("SELECT COUNT(*) FROM wards WHERE day < '2026-02'", ["totals"]),
        ("SELECT COUNT(*) FROM wards WHERE disease = 'flu' AND day < '2026-02'", ["groups"]),
        ("SELECT disease, COUNT(*) FROM wards WHERE person < 9 GROUP BY disease", ["groups"]),
        ("SELECT person, COUNT(*) FROM wards WHERE day < '2026-02' GROUP BY person", ["totals"]),
    ],
)
def test_conditions_on_keys_take_one_look_at_them(
    text: str, passes: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before there is a charge: how many rows of a unit enter says whether any do."""
    path, looks = project(tmp_path), list[str]()
    answered(path, "SELECT COUNT(*) FROM wards WHERE disease = 'flu'", epsilon=0.1)
    for name in ("totals", "groups"):

        def look(self: DuckTable, *given: Any, name: str = name, **named: Any) -> Any:
            looks.append(name)
            return getattr(DuckTable, f"_{name}")(self, *given, **named)

        monkeypatch.setattr(DuckTable, f"_{name}", getattr(DuckTable, name), raising=False)
        monkeypatch.setattr(DuckTable, name, look)
    query(path, text, dry_run=True)
    looks.remove("groups")  # of all rows: how many those of a unit are
    assert looks == passes
