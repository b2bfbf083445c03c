"""A spinner shows up late, on a terminal only, and leaves nothing behind."""

import io
import time

import pytest
from rich.console import Console

from unspoken.doors import waiting


def shown(seconds: float, terminal: bool) -> str:
    file = io.StringIO()
    console = Console(file=file, force_terminal=terminal, _environ={"TERM": "xterm"})
    with waiting.busy(console, "planning"):
        time.sleep(seconds)
    return file.getvalue()


def test_a_spinner_for_the_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "PATIENCE", 0.1)
    assert "planning ..." in shown(0.6, terminal=True)
    assert shown(0.0, terminal=True).strip() in ("", "\x1b[?25h")
    assert shown(0.6, terminal=False) == ""


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
