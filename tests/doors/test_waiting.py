"""How far one is shows late: on a terminal by a spinner, else by lines; nothing is left behind."""

import io
import time
from pathlib import Path

import pytest
from rich.console import Console

from tests.doors.conftest import Run
from unspoken.doors import waiting
from unspoken.engines.duckdb import DuckTable
from unspoken.engines.protocol import Scan
from unspoken.engines.watching import Passed


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
        rows = 0
        for batch in table.batches(Scan(["exits"], rows=100)):
            time.sleep(0.1 if rows else 0.0)
            rows += batch.num_rows
        time.sleep(0.5)
    assert "00 of 800 rows, " in file.getvalue()
    assert " a second, " in file.getvalue()
    assert file.getvalue().splitlines()[-1].startswith("reading: 800 rows are read ... (")


@pytest.mark.parametrize(
    ("passed", "said"),
    [
        (Passed(0, 9, 0.0), "0 of 9 rows yet, they are sorted or found"),
        (Passed(2_000, 8_000, 4.0), "2,000 of 8,000 rows, 500 a second, 12 s left"),
        (Passed(10, 100_000, 1.0), "10 of 100,000 rows, 10 a second, 2.8 h left"),
        (Passed(10, 6_010, 1.0), "10 of 6,010 rows, 10 a second, 10 min left"),
        (Passed(8_000, 8_000, 4.0), "8,000 of 8,000 rows, 2,000 a second"),
        (Passed(8_000, None, 4.0), "8,000 rows, 2,000 a second"),
        (Passed(8_000, 8_000, 4.0, all=True), "8,000 rows are read"),
    ],
)
def test_how_long_it_will_take(passed: Passed, said: str) -> None:
    assert str(passed) == said


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
