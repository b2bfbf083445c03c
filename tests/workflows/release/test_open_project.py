"""Keys are looked at while the rest is loaded: once, waited for by whoever needs it, and ended
where nobody does.
"""

from __future__ import annotations

import threading
from pathlib import Path

import pyarrow as pa
import pytest

from tests.workflows.release.small import planned, small
from unspoken.core.errors import InputError
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.policy import Project
from unspoken.workflows.release import prepare, release
from unspoken.workflows.release.open_project import OpenProject

LONG = "SELECT sum(x * x) FROM range(1000000000000) AS t(x)"
ATTRIBUTES = {"x": {"values": [0, 1], "sensitive": "x = 1"}}


def table(*ids: int) -> pa.Table:
    return pa.table({"id": ids, "x": [n % 2 for n in range(len(ids))]})


def looks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The threads in which keys were looked at, from now on."""
    found = list[str]()
    check = DuckTable.check

    def heard(self: DuckTable, where: str) -> None:
        found.append(threading.current_thread().name)
        check(self, where)

    monkeypatch.setattr(DuckTable, "check", heard)
    return found


def project(folder: Path, *ids: int) -> Project:
    """Of a table of which nothing was counted yet."""
    return Project.read(small(folder, table(*ids), ATTRIBUTES, key=None))


def test_keys_are_looked_at_once_beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planned(monkeypatch)
    given, found = project(tmp_path, *range(200)), looks(monkeypatch)
    with OpenProject.looked_at(given) as read:
        assert release(read).rows == 200
    assert len(found) == 1
    assert found[0] != threading.main_thread().name
    with OpenProject.looked_at(given) as read:
        assert read.looking is None  # something was counted
        assert release(read).again


def test_what_it_finds_is_said_where_it_is_waited_for(tmp_path: Path) -> None:
    given = project(tmp_path, 1, 2, 2)
    with OpenProject.looked_at(given) as read:
        assert read.looking is not None
        with pytest.raises(InputError, match=r"keys: .*2 rows"):
            prepare(read)
        with pytest.raises(InputError, match=r"keys: .*2 rows"):
            release(read)
    assert not given.files.ledger.exists()


def test_a_look_that_nobody_needs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def for_hours(self: DuckTable, _where: str) -> None:
        self._one(LONG, "")

    monkeypatch.setattr(DuckTable, "check", for_hours)
    with OpenProject.looked_at(project(tmp_path, 1, 2)) as read:
        begun = read.looking
        assert begun is not None
        assert not begun.done()
    assert begun.exception() is not None
