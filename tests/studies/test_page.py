"""studies/README.md is what a run writes: its rows are declared, and come out as they stand."""

from pathlib import Path

import pytest

from studies import data
from studies.__main__ import main, otherwise
from studies.catalogue import STUDIES, named
from studies.page import IMAGES, PAGE, cells, line, lines, written
from studies.row import Outcome, Row, Verdict, compared

EVERY = [(name, row) for name, rows in STUDIES.items() for row in rows]
HERE = [pair for pair in EVERY if not pair[1].needs]
SHOWN = lines(PAGE.read_text("utf-8"))
VERDICTS = list(Verdict)


def test_every_row_once() -> None:
    keys = [(row.paper, row.where) for _, row in EVERY]
    assert len(keys) == len({*keys})
    assert [*SHOWN] == keys
    assert {row.needs for _, row in EVERY} <= {"", *data.HOW}


def test_the_page_is_what_a_run_writes() -> None:
    page = PAGE.read_text("utf-8")
    assert written(page, {}) == page
    assert written(page.partition("## Row by row")[0], SHOWN) == page


def is_as_declared(name: str, row: Row) -> bool:
    paper, where, says, how, comes_out, verdict, _, command = cells(SHOWN[row.paper, row.where])
    declared = (row.paper, row.where, row.says, row.how, f"`python -m studies {name}`")
    same = (paper, where, says, how, command) == declared
    return (
        same and f"p{paper}" == name.partition(".")[0] and bool(comes_out and verdict in VERDICTS)
    )


def test_rows_say_what_is_declared() -> None:
    assert [f"{name} {row.where}" for name, row in EVERY if not is_as_declared(name, row)] == []


def differences(name: str, row: Row) -> list[str]:
    """The line of the page and the one computed now: where sizes differ, their verdicts."""
    found, shown = line(name, row, row.computed(True)), SHOWN[row.paper, row.where]
    if cells(found)[5] == cells(shown)[5] and (row.sized or found == shown):
        return []
    return [shown, found]


@pytest.mark.slow
def test_rows_come_out_as_they_stand() -> None:
    """All that read no data."""
    assert [line for name, row in HERE for line in differences(name, row)] == []


def test_pictures_are_of_rows() -> None:
    text = PAGE.read_text("utf-8")
    drawn = sorted(path.name for path in IMAGES.glob("*.svg"))
    assert [name for name in drawn if f"](images/{name})" not in text] == []


def test_cells_may_hold_bars() -> None:
    row = Row("002", "|D|", "P(a|b)", "", lambda small: compared(small, "1 | 2"))
    found = line("p002.x", row, row.computed(True))
    assert cells(found)[:6] == ["002", "|D|", "P(a|b)", "", "1 | 2", "agrees"]
    assert lines(f"{found}\n| 002 | other |") == {("002", "|D|"): found}


def test_a_wrong_verdict_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    row = Row("002", "here", "", "", lambda small: Outcome("0", Verdict.AGREES))
    key = ("002", "here")
    found = {key: line("p002.x", row, compared(False, "1"))}
    assert otherwise(found, {key: line("p002.x", row, row.computed(True))})
    assert not otherwise(found, found)


def test_names() -> None:
    assert [*named(["p002.examples"])] == ["p002.examples"]
    assert {*named(["p002"])} == {name for name in STUDIES if name.startswith("p002.")}
    assert named([]) == STUDIES
    with pytest.raises(ValueError, match=r'no "p002.exampels". Did you mean "p002.examples"'):
        named(["p002.exampels"])


def test_what_is_not_there_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(data.FOLDER, str(tmp_path))
    assert "--data" in data.missing("adult")
    (tmp_path / "adult").mkdir()
    assert data.missing("adult") == ""
    monkeypatch.setattr("sys.argv", ["studies", "p002.examples", "--small", "--json"])
    assert main() == 0
    assert '"where": "Fig. 6"' in capsys.readouterr().out
