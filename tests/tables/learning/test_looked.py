"""Large files are looked at once: another question of the same files need not look again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.workflows.query.wards import project, wards
from unspoken.tables.learning import table_of
from unspoken.tables.learning.counts import beside, looked
from unspoken.tables.learning.counts.looked import Looked
from unspoken.tables.policy import Project

pytestmark = pytest.mark.slow


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(looked, "WORTH", 1)
    monkeypatch.setattr(beside, "SETTLED", -60.0)
    return project(tmp_path)


def look(path: Path, what: str = "a", handed_in: bool = False) -> tuple[object, int]:
    """What is found, and how often that took a look."""
    given, times = Project.read(path), list[None]()

    def found() -> list[int]:
        times.append(None)
        return [len(times), 7]

    return Looked.of(given, table_of(given), handed_in).once(what, found), len(times)


def test_the_same_files_are_looked_at_once(path: Path) -> None:
    assert look(path) == ([1, 7], 1)
    assert look(path) == ([1, 7], 0)
    assert look(path, "b") == ([1, 7], 1)
    assert [look(path, what)[1] for what in "ab"] == [0, 0]
    assert (path.parent / ".unspoken" / ".gitignore").exists()


def test_other_files_are_looked_at(path: Path) -> None:
    look(path)
    project(path.parent, wards(seed=5))
    assert look(path)[1] == 1
    path.write_text(
        path.read_text().replace('keys = ["person", "day"]', 'keys = ["day", "person"]')
    )
    assert look(path)[1] == 1


def test_rows_that_may_be_others_every_time_are_looked_at(path: Path) -> None:
    assert [look(path, handed_in=True)[1] for _ in "ab"] == [1, 1]
    text = path.read_text()
    path.write_text(text.replace('table = "wards.parquet"', "sql = \"FROM 'wards.parquet'\""))
    assert [look(path)[1] for _ in "ab"] == [1, 1]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"files": 3}', "null"])
def test_what_is_not_whole_is_looked_at_again(text: str, path: Path) -> None:
    look(path)
    (kept,) = (path.parent / ".unspoken").glob("looked-*.json")
    kept.write_text(text)
    assert look(path)[1] == 1


def test_nobody_else_may_have_put_it_there(path: Path) -> None:
    look(path)
    (path.parent / ".unspoken").chmod(0o777)
    assert look(path)[1] == 1


def test_only_so_many_findings_are_kept(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looked, "MOST", 3)
    assert [look(path, what)[1] for what in "abcd"] == [1] * 4
    (kept,) = (path.parent / ".unspoken").glob("looked-*.json")
    assert len(json.loads(kept.read_text())["found"]) == 3
    assert [look(path, what)[1] for what in "dcba"] == [0, 0, 0, 1]
