"""How far one is shows late: on a terminal by a spinner, else by lines; nothing is left behind."""

import io
import time
from pathlib import Path

import pytest
from rich.console import Console

from tests.doors.conftest import Run
from unspoken.doors import waiting
from unspoken.engines.duckdb import DuckTable


def shown(seconds: float, terminal: bool, doing: str = "planning") -> str:
    file = io.StringIO()
    console = Console(file=file, force_terminal=terminal, width=80, _environ={"TERM": "xterm"})
    with waiting.busy(console, doing):
        time.sleep(seconds)
    return file.getvalue()


def test_a_spinner_for_the_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "PATIENCE", 0.1)
    assert "planning ..." in shown(0.6, terminal=True)
    assert shown(0.0, terminal=True).strip() in ("", "\x1b[?25h")
    assert shown(0.6, terminal=False) == ""


def test_a_line_now_and_then_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "EVERY", 0.2)
    lines = shown(0.7, terminal=False).splitlines()
    assert len(lines) >= 2
    assert lines[0] == "planning ... (0 s)"


def test_rows_that_are_read_say_how_many(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "EVERY", 0.3)
    file = io.StringIO()
    table = DuckTable.open("occupancy.parquet", keys=["office", "day"])
    with waiting.busy(Console(file=file, width=200), "reading"):
        assert sum(batch.num_rows for batch in table.batches(["exits"], rows=100)) == 800
        time.sleep(0.5)
    assert "reading: 800 of 800 rows, " in file.getvalue()
    assert " a second ..." in file.getvalue()


def test_nothing_is_said_if_asked_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "EVERY", 0.01)
    assert run("leak", "occupancy.parquet").err
    assert run("-q", "leak", "occupancy.parquet").err == ""


def test_it_stops_when_something_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "PATIENCE", 0.05)
    console = Console(file=io.StringIO(), force_terminal=True, _environ={"TERM": "xterm"})

    def divide() -> None:
        with waiting.busy(console, "dividing"):
            time.sleep(0.2)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        divide()
    with waiting.busy(console, "again"):
        pass
