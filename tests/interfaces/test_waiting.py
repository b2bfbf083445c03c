"""How far one is shows late: on a terminal by a spinner, else by lines; nothing is left behind."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from tests.interfaces.conftest import Run
from tests.interfaces.turns import Turns, planted
from unspoken.interfaces.command_line import waiting
from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.engines.protocol import Scan
from unspoken.tables.engines.watching import Passed


@pytest.fixture(autouse=True)
def not_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the command before this test was told."""
    monkeypatch.setattr(waiting, "QUIET", [False])


def shown(turns: int, terminal: bool, doing: str = "planning") -> str:
    """What is written while so many waits for the end of a command are in vain."""
    file = io.StringIO()
    console = Console(file=file, force_terminal=terminal, width=80, _environ={"TERM": "xterm"})
    with planted() as waits, waiting.busy(console, doing):
        for _ in range(turns):
            waits.pass_one()
    assert waits.waits[0] == (waiting.PATIENCE if terminal else waiting.EVERY)
    return file.getvalue()


def test_a_spinner_for_the_patient() -> None:
    assert "planning ..." in shown(2, terminal=True)
    assert shown(0, terminal=True).strip() in ("", "\x1b[?25h")
    assert shown(0, terminal=False) == ""


def test_a_line_now_and_then_where_there_is_no_terminal() -> None:
    lines = shown(3, terminal=False).splitlines()
    assert lines == [f"planning ... ({n} s)" for n in (10, 20, 30)]


def test_rows_that_are_read_say_how_many(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "EVERY", 10)
    file = io.StringIO()
    table = DuckTable.open("occupancy.parquet", keys=["office", "day"])
    with planted() as waits, waiting.busy(Console(file=file, width=200), "reading"):
        for _ in table.batches(Scan(["exits"], rows=200)):
            waits.pass_one()
        waits.pass_one()
    assert file.getvalue().splitlines() == [
        "reading: 0 of 800 rows yet, they are sorted or found ... (10 s)",
        "reading: 200 of 800 rows, 20 a second, 30 s left ... (20 s)",
        "reading: 400 of 800 rows, 20 a second, 20 s left ... (30 s)",
        "reading: 600 of 800 rows, 20 a second, 10 s left ... (40 s)",
        "reading: 800 rows are read ... (50 s)",
    ]


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
    """Though the first wait is over before the end, however soon that comes."""

    class Once(Turns):
        def wait(self, seconds: float) -> bool:
            self.waits.append(seconds)
            return len(self.waits) > 1 and super().wait(seconds)

    monkeypatch.setattr(waiting, "Event", Once)
    assert run("leak", "occupancy.parquet").err
    assert run("-q", "leak", "occupancy.parquet").err == ""


def test_it_stops_when_something_is_raised() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, _environ={"TERM": "xterm"})

    def divide() -> None:
        with planted() as waits, waiting.busy(console, "dividing"):
            waits.pass_one()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        divide()
    with waiting.busy(console, "again"):
        pass
