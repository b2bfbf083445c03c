"""What a good project file becomes."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tables.policy.cases import GOOD, LEAST, edited
from unspoken.core.errors import InputError
from unspoken.tables.policy import (
    Attribute,
    DeclaredLimits,
    Epoch,
    Files,
    Project,
    Source,
    check_files,
)


def test_everything_that_is_written_is_read(tmp_path: Path) -> None:
    project = Project.parse(GOOD, tmp_path / "unspoken.toml")
    assert project.source == Source(
        table=str(tmp_path / "occupancy.parquet"),
        database=None,
        sql=None,
        keys=("office", "day"),
        unit=("office",),
        preferences=tmp_path / "preferences.csv",
        name="occupancy.parquet",
    )
    assert project.source.file == tmp_path / "occupancy.parquet"
    assert project.epoch == Epoch("2026", None)
    assert list(project.attributes.values()) == [
        Attribute("first_arrival", (8, 9, 10, 10.5, 12), None, "first_arrival > 10.5", "public"),
        Attribute("mean_occupancy", (0.1, 0.3), None, "mean_occupancy < 0.3", "never"),
        Attribute("exits", None, None, None, "never"),
        Attribute("day type", None, ("work", "feast"), None, "value"),
    ]
    assert list(project.attributes) == [a.name for a in project.attributes.values()]
    assert project.applications == {
        "lighting": ("first_arrival",),
        "planning": ("mean_occupancy", "exits"),
    }
    assert project.limits == DeclaredLimits(
        bits=0.1,
        odds_cap=4.0,
        exceed=0.01,
        close=False,
        targets={"first_arrival": 0.05},
        coalitions=(("lighting",), ("planning", "lighting")),
        pooled_cap=4.0,
    )
    assert project.files == Files(
        key=tmp_path / "keys/unspoken.key",
        ledger=tmp_path / "keys/ledger.sqlite",
        release=tmp_path / "out/released.parquet",
        manifest=tmp_path / "out/released.manifest.json",
        report=tmp_path / "out/report.html",
        belief=tmp_path / "belief.json",
    )


def test_what_follows_from_it() -> None:
    project = Project.parse(GOOD)
    assert project.reads == ("first_arrival", "mean_occupancy", "exits")
    assert project.protected == ("first_arrival", "mean_occupancy")
    assert project.limits.about("first_arrival") == 0.05
    assert project.limits.about("exits") == 0.1


def test_what_is_not_written_has_a_value() -> None:
    project = Project.parse(LEAST)
    assert project.source.unit == project.source.keys == ("id",)
    assert project.attributes["a"] == Attribute("a", None, None, None, "never")
    assert project.limits == DeclaredLimits(0, 4, 0, True, {}, (("app",),), pooled_cap=4)
    assert type(project.limits.bits) is float
    here = Path.cwd()
    assert project.path == here / "unspoken.toml"
    assert project.files == Files(
        here / "unspoken.key",
        here / "ledger.sqlite",
        here / "released.parquet",
        here / "released.manifest.json",
        here / "report.html",
        here / "belief.json",
    )


def test_other_sources() -> None:
    database = edited('"t.csv"', '"main.staff"\ndatabase = "x.duckdb"', LEAST)
    source = Project.parse(database).source
    assert (source.table, source.database) == ("main.staff", Path.cwd() / "x.duckdb")
    assert (source.file, source.name) == (None, "main.staff in x.duckdb")
    query = Project.parse(edited('table = "t.csv"', 'sql = "SELECT 1"', LEAST)).source
    assert (query.table, query.sql, query.file, query.name) == (None, "SELECT 1", None, "the query")


def test_files_are_relative_to_the_project_and_may_be_at_home(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    text = edited('"keys/unspoken.key"', '"~/unspoken.key"', edited('"out/report', '"../report'))
    files = Project.parse(text, tmp_path / "a" / "unspoken.toml").files
    assert files.key == tmp_path / "me" / "unspoken.key"
    assert files.report == tmp_path / "report.html"


def test_a_folder_stands_for_its_project_file(tmp_path: Path) -> None:
    (tmp_path / "unspoken.toml").write_text(GOOD, "utf-8")
    assert Project.read(tmp_path) == Project.read(str(tmp_path / "unspoken.toml"))


def test_a_mark_of_byte_order_and_line_ends_do_not_matter(tmp_path: Path) -> None:
    file = tmp_path / "unspoken.toml"
    file.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    project = Project.read(file)
    assert project == Project.parse(GOOD, file)
    assert project.at("limit", "close").endswith(":37 limit.close")


def test_other_rooms_can_say_where_something_stands(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("unspoken.toml").write_text(GOOD, "utf-8")
    project = Project.read("unspoken.toml")
    path = ("attribute", "first_arrival", "sensitive")
    assert project.at(*path) == "unspoken.toml:14 attribute.first_arrival.sensitive"
    assert project.at("attribute", "day type") == 'unspoken.toml:23 attribute."day type"'
    assert (
        project.at("attribute", "exits", "sensitive")
        == "unspoken.toml:21 attribute.exits.sensitive"
    )
    assert project.at("limit", "coalitions", 1) == "unspoken.toml:40 limit.coalitions"
    error = project.error(*path, text='no column "x"\nin t.csv. Take it out.')
    assert isinstance(error, InputError)
    assert str(error) == f'{project.at(*path)}: no column "x"\\nin t.csv. Take it out.'


def test_who_pools_and_who_is_served(tmp_path: Path) -> None:
    """Everybody pools unless said otherwise; a reader who is served has its own files."""
    reads = ("first_arrival", "mean_occupancy", "exits")
    pooled = Project.parse(GOOD, tmp_path / "unspoken.toml")
    assert not pooled.divided
    assert pooled.pools == {("lighting",): ("first_arrival",), ("lighting", "planning"): reads}
    assert pooled.serving(None) is pooled
    apart = Project.parse(edited('["planning", "lighting"]', '["planning"]'), tmp_path / "x")
    assert apart.divided
    assert apart.pools == {("lighting",): reads[:1], ("planning",): reads[1:]}
    served = apart.serving("planning")
    assert served.reads == reads[1:]
    assert served.files.release == tmp_path / "out/released-planning.parquet"
    assert served.files.manifest == tmp_path / "out/released-planning.manifest.json"
    assert served.files.ledger == apart.files.ledger
    for whom, words in ((None, '--for "lighting"'), ("light", 'Did you mean "lighting"')):
        with pytest.raises(InputError) as refused:
            apart.serving(whom)
        assert words in str(refused.value)
    assert Project.parse(LEAST, tmp_path / "unspoken.toml").divided is False


# ---------------------------------------------------------------- which files are there


def made(folder: Path) -> Project:
    """The project of the good file, with all the files it needs."""
    for name in ("occupancy.parquet", "preferences.csv", "keys/x", "out/x"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).touch()
    return Project.parse(GOOD, folder / "unspoken.toml")


def moved(file: str, to: str) -> Callable[[Path], object]:
    return lambda folder: (folder / file).rename(folder / to)


def test_what_is_there_is_enough(tmp_path: Path) -> None:
    check_files(made(tmp_path))


@pytest.mark.parametrize(
    ("fault", "where", "words"),
    [
        (
            moved("occupancy.parquet", "occupancies.parquet"),
            ":4 source.table:",
            'Did you mean "occupancies.parquet"?',
        ),
        (moved("preferences.csv", "x"), ":7 source.preferences:", "no file"),
        (moved("keys", "key"), ":47 secret.key:", "folder that does not exist"),
        (lambda folder: (folder / "out/report.html").mkdir(), ":53 output.report:", "is a folder"),
    ],
)
def test_what_is_not_there_is_told(
    fault: Callable[[Path], object], where: str, words: str, tmp_path: Path
) -> None:
    project = made(tmp_path)
    fault(tmp_path)
    with pytest.raises(InputError) as caught:
        check_files(project)
    assert str(caught.value).startswith(f"{tmp_path}{os.sep}unspoken.toml{where}")
    assert words in str(caught.value)
