"""The command line as a stranger meets it: results on one channel, one line on the other."""

from __future__ import annotations

import contextlib
import math
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.interfaces.conftest import Run
from unspoken.tables.policy import Project
from unspoken.workflows import release as releasing

pytestmark = pytest.mark.slow

JSON = {
    "learn": {"unspoken", "format", "for", "warnings", "rows", "premise", "counted", "promise",
              "attributes", "telling"},
    "leak": {"unspoken", "format", "for", "warnings", "premise", "box", "told", "undeclared"},
    "plan": {"unspoken", "format", "for", "warnings", "premise", "plan", "without_closure",
             "shares", "closed", "promise", "box", "told", "undeclared", "answers",
             "no_answers", "assumptions", "blank_columns", "left_for_queries"},
    "release": {"unspoken", "format", "release", "manifest", "rows", "again", "p", "limits",
                "together", "promise", "warnings", "blank_columns",
                "left_for_queries"},
    "ledger": {"unspoken", "format", "events", "exposure", "decisions", "answers", "warnings"},
    "report": {"unspoken", "format", "report", "charts"},
}  # fmt: skip


def test_init_writes_a_project_that_is_read(run: Run, folder: Path) -> None:
    done = run("init", "occupancy.parquet")
    assert (done.code, done.out) == (0, "")
    assert done.err.count("\n") == 1
    assert "unspoken leak" in done.err
    own = Project.read(folder)
    assert own.source.keys == ("office", "day")
    assert own.limits.odds_cap == 4
    assert "Recommended" in (folder / "unspoken.toml").read_text()


def test_init_names_the_table_by_the_way_from_the_project(run: Run, folder: Path) -> None:
    (folder / "policies").mkdir()
    assert run("init", "occupancy.parquet", "--project", "policies/offices.toml").code == 0
    project = folder / "policies" / "offices.toml"
    assert 'table = "../occupancy.parquet"' in project.read_text()
    assert run("leak", project).code == 0


def test_init_takes_keys(run: Run, folder: Path) -> None:
    assert run("init", "occupancy.parquet", "--keys", "day, office", "--json").json["keys"] == [
        "day",
        "office",
    ]
    assert Project.read(folder).source.keys == ("day", "office")


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("office,dya", 'Did you mean "day"?'),
        ("office", "rows of occupancy.parquet have the same"),
        ("office,exits,first_arrival", "a key is an integer"),
    ],
)
def test_init_refuses_what_names_no_row(run: Run, folder: Path, keys: str, words: str) -> None:
    run("init", "occupancy.parquet", "--keys", keys).refused_with(2, "--keys", words)
    assert not (folder / "unspoken.toml").exists()


def test_init_overwrites_nothing(run: Run, edited: Path) -> None:
    before = edited.read_text()
    run("init", "occupancy.parquet").refused_with(2, "there already", "--project")
    assert edited.read_text() == before


def test_nothing_sensitive_is_said_loudly(run: Run) -> None:
    run("init", "occupancy.parquet")
    for command in (["learn"], ["leak"], ["plan"], ["release", "--dry-run"], ["release"]):
        done = run(*command)
        assert done.code == 0
        assert done.err.count("\n") == 1
        assert "NOTHING IS PROTECTED" in done.err


@pytest.mark.parametrize("command", JSON)
def test_json_is_one_object_with_its_format(run: Run, edited: Path, command: str) -> None:
    if command == "ledger":
        assert run("release").code == 0
    done = run(command, "--json")
    assert done.code == 0
    assert set(done.json) == JSON[command]
    assert (done.json["unspoken"], done.json["format"]) == (command, 1)
    told = ("The column ", "This release leaves ") if command == "release" else ()
    if command != "report":
        assert all(line.startswith(told) for line in done.err.splitlines())


@pytest.mark.parametrize("command", ["learn", "leak", "plan", "release", "ledger"])
def test_tables_fit_the_terminal(run: Run, edited: Path, command: str) -> None:
    if command == "ledger":
        assert run("release").code == 0
    done = run(command)
    assert done.code == 0
    assert done.out.strip()
    for line in done.out.splitlines():
        assert len(line) <= 80 or edited.parent.name in line


def test_numbers_are_never_broken_off_their_signs(run: Run, edited: Path) -> None:
    for line in run("leak").out.splitlines() + run("plan").out.splitlines():
        assert not line.rstrip().endswith("×")
        assert not line.lstrip().startswith("%")


def test_a_picture_of_other_odds_caps(
    run: Run, edited: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unspoken.assessment.findings.CAPS", (2.0,))
    done = run("plan", "--picture", "caps.svg")
    assert (done.code, done.err) == (0, "Wrote caps.svg\n")
    assert "this project" in Path("caps.svg").read_text()
    run("plan", "--picture", "caps.gif").refused_with(2, "caps.gif")


def test_a_dry_run_changes_nothing(run: Run, edited: Path) -> None:
    run("learn")  # before, counts are exact, and the plan is not the one that is adopted
    before = sorted(edited.parent.iterdir())
    done = run("release", "--dry-run", "--json", "--scale", "0.5")
    assert sorted(edited.parent.iterdir()) == before
    whole = run("release", "--json").json["p"]
    for name, p in done.json["p"].items():
        assert 0 <= 1 - math.sqrt(1 - whole[name]) - p < 0.001  # half of eps, rounded down


def test_a_dry_run_before_anything_is_counted_says_that_noise_comes(run: Run, edited: Path) -> None:
    assert "Nothing is counted yet" in run("release", "--dry-run").out
    assert run("learn").code == 0
    assert "Nothing is counted yet" not in run("release", "--dry-run").out


def test_a_dry_run_is_refused_like_the_release(run: Run) -> None:
    assert run("demo", "d", "--offices", 40, "--days", 60).code == 0
    project = Path("d/unspoken.toml")
    changed = project.read_text().replace('of = "substr(day, 1, 7)"', 'label = "again"')
    project.write_text(changed)
    run("release", "d", "--dry-run").refused_with(2, "output.release: must end in .parquet")
    head, _, _ = changed.partition("[output]")
    project.write_text(head)
    run("release", "d", "--dry-run").refused_with(3, "refused: ", "fit")
    run("release", "d").refused_with(3, "refused: ", "fit")
    assert len(run("ledger", "d", "--json").json["events"]) == 1


def test_again_is_the_same_and_free(run: Run, edited: Path) -> None:
    first = run("release", "--json").json
    kept = Path(first["release"]).read_bytes()
    second = run("release", "--json").json
    assert second["p"] == first["p"]
    assert (first["again"], second["again"]) == (False, True)
    assert Path(first["release"]).read_bytes() == kept
    assert "nothing was charged" in " ".join(run("release").out.split())
    shown = {name: p for name, p in first["p"].items() if p}
    exposure = run("ledger", "--json").json["exposure"]
    assert {name: round(1 - math.exp(-float(e)), 3) for name, e in exposure.items()} == shown


def test_a_changed_source_is_refused(run: Run, edited: Path) -> None:
    assert run("release").code == 0
    table = pq.read_table("occupancy.parquet")
    pq.write_table(table.slice(1), "occupancy.parquet")
    kept = Path("released.parquet").read_bytes()
    run("release").refused_with(3, "changed", "new [epoch] label")
    assert Path("released.parquet").read_bytes() == kept


def test_a_lost_key_is_never_replaced(run: Run, edited: Path) -> None:
    assert run("release").code == 0
    Path("unspoken.key").unlink()
    run("release").refused_with(2, "unspoken.key", "restore it from a copy")
    run("release", "--dry-run").refused_with(2, "unspoken.key")
    assert not Path("unspoken.key").exists()


def test_keys_and_ledger_are_the_holders_alone(run: Run, edited: Path) -> None:
    assert run("release").code == 0
    for name in ("unspoken.key", "ledger.sqlite"):
        assert stat.S_IMODE(Path(name).stat().st_mode) == 0o600
    Path("unspoken.key").chmod(0o644)
    run("release").refused_with(2, "open to others", "chmod 600")


def test_closing_is_a_choice(run: Run, edited: Path) -> None:
    text = edited.read_text().replace('"first_arrival >= 11"', '"first_arrival >= 9.5"')
    edited.write_text(text.replace("odds_cap = 4.0", "odds_cap = 1.5"))
    closed = run("plan", "--close", "--json").json
    assert closed["closed"]
    assert run("plan", "--open", "--json").json["closed"] == {}
    assert "Withheld too" in run("plan", "--close").out
    assert "Try --close" in run("plan", "--open").out.replace("\u00a0", " ")
    assert closed["without_closure"] == run("plan", "--open", "--json").json["plan"]


def test_the_report_and_its_charts(run: Run, edited: Path) -> None:
    done = run("report", "--charts", "charts", "--json")
    assert done.code == 0
    assert Path(done.json["report"]).read_text().startswith("<!doctype html>")
    assert {Path(path).suffix for path in done.json["charts"]} == {".png", ".svg"}
    assert all(Path(path).stat().st_size for path in done.json["charts"])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("first_arrival >= 11", "first_arival >= 11"), 'Did you mean "first_arrival"?'),
        (("first_arrival >= 11", "first_arrival"), "a condition is true or false"),
        (("first_arrival >= 11", "first_arrival >= 'x'"), "Could not convert"),
        (("first_arrival >= 11", "first_arrival >="), "attribute.first_arrival.sensitive"),
        (("[attribute.exits]", "[attribute.exit]"), 'Did you mean "exit"?'),
        (("odds_cap = 4.0", "odds_cap = 0.5"), "limit.odds_cap"),
        (("odds_cap = 4.0", "odds_cap = [4"), "unspoken.toml"),
        (("format = 1", "format = 9"), "format"),
        (("occupancy.parquet", "ocupancy.parquet"), 'Did you mean "occupancy.parquet"?'),
    ],
)
def test_a_slip_in_the_file_is_one_line(
    run: Run, edited: Path, change: tuple[str, str], words: str
) -> None:
    edited.write_text(edited.read_text().replace(*change, 1))
    before = sorted(edited.parent.iterdir())
    for command in ("learn", "leak", "plan", "release", "report"):
        run(command).refused_with(2, "unspoken.toml", words)
    assert sorted(edited.parent.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["lern"], "lern"),
        (["leak", "--jsn"], "--jsn"),
        (["leak", "a", "b"], "b"),
        (["init"], "table"),
        (["init", "nothing.parquet"], "nothing.parquet"),
        (["init", "empty.csv"], "no rows"),
        (["init", "occupancy.parquet", "--project", "nowhere/x.toml"], "no folder"),
        (["release", "--scale", "2"], "from 0 to 1"),
        (["release", "--scale", "nan"], "from 0 to 1"),
        (["leak", "nowhere"], "there is no such file"),
        (["ledger"], "no ledger yet"),
    ],
)
def test_a_slip_on_the_line_is_one_line(
    run: Run, edited: Path, arguments: list[str], words: str
) -> None:
    Path("empty.csv").write_text("id,x\n")
    extra = ["--project", "other.toml"] if arguments == ["init", "empty.csv"] else []
    if arguments[:2] == ["init", "nothing.parquet"]:
        extra = ["--project", "other.toml"]
    run(*arguments, *extra).refused_with(2, words)


def test_numbers_that_are_none_are_refused_by_name(run: Run) -> None:
    table = pq.read_table("occupancy.parquet")
    occupancy = table["mean_occupancy"].to_numpy().copy()
    occupancy[3] = np.nan
    changed = table.set_column(4, "mean_occupancy", [occupancy])
    pq.write_table(changed, "occupancy.parquet")
    assert run("init", "occupancy.parquet").code == 0
    assert run("leak").code == 0  # init proposes to take them for missing
    project = Path("unspoken.toml")
    lines = project.read_text().splitlines()
    project.write_text("\n".join(line for line in lines if not line.startswith("nan =")))
    done = run("leak")
    assert done.code == 2
    assert "mean_occupancy" in done.err
    assert "NaN" in done.err


@pytest.mark.parametrize("name", ["released.parquet", "report.html", "unspoken.toml"])
def test_what_cannot_be_written_is_one_line(
    run: Run, edited: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", name)

    if name != "released.parquet":
        monkeypatch.setattr("unspoken.tables.files.moved", denied)
    if name == "released.parquet":
        monkeypatch.setattr("unspoken.storage.writing.publishing.pq.ParquetWriter", denied)
        run("release").refused_with(2, "released", "Permission denied")
    elif name == "report.html":
        run("report").refused_with(2, name, "Permission denied")
    else:
        edited.unlink()
        run("init", "occupancy.parquet").refused_with(2, name, "Permission denied")
    assert not list(edited.parent.glob(".*.partial"))
    assert not (edited.parent / name).exists()


def test_a_ledger_is_checked_before_it_is_shown(run: Run, edited: Path) -> None:
    run("release")
    whole = run("ledger", "--verify", "--json").json
    assert (whole["verified"], whole["events"]) == (True, 3)  # counted, adopted, released
    assert sorted(Path(name).name for name in whole["recorded"]) == [
        "released.manifest.json", "unspoken.key.head",
    ]  # fmt: skip
    assert "3 events are as charged" in run("ledger", "--verify").out
    with contextlib.closing(sqlite3.connect(edited.parent / "ledger.sqlite")) as own:
        own.execute("UPDATE events SET at = x'00'")
        own.commit()
    for more in ([], ["--verify"]):
        run("ledger", *more).refused_with(2, "event 1 is not as it was charged")
    error = run("ledger", "--verify", "--json").json["error"]
    assert error["message"].startswith("event 1 is not as it was charged")


def test_help_is_there_for_every_command(run: Run) -> None:
    top = run("--help")
    assert top.code == 0
    for command in ("init", "learn", "leak", "plan", "release", "report", "ledger", "demo"):
        assert command in top.out
        assert "Usage" in run(command, "--help").out


def test_help_is_whole_and_what_comes_without_a_command(run: Run) -> None:
    top = run("--help")
    assert run() == top
    assert max(map(len, top.out.splitlines())) <= 80
    assert "..." not in top.out.replace("[ARGS]...", "")


def test_init_says_that_nothing_names_a_row(run: Run, folder: Path) -> None:
    table = pq.read_table("occupancy.parquet").drop_columns(["office", "day"])
    pq.write_table(table, "keyless.parquet")
    done = run("init", "keyless.parquet")
    assert done.code == 0
    assert "Say in unspoken.toml what names a row (no column looks like a key), what is" in done.err
    assert "names a row" not in run("init", "occupancy.parquet", "--project", "x.toml").err


def test_answers_to_a_case_go_on_below_their_beginning(run: Run, folder: Path) -> None:
    (folder / "case.toml").write_text(
        """[belief]
kind = "independent"
marginals = { a_rather_long_name = [1, 3], another_rather_long_name = [1, 3] }
[ask]
plan = { limit_bits = 0.05 }
"""
    )
    lines = run("case", "case.toml").out.splitlines()
    assert lines[0] == "plan: Plan"
    worst = next(k for k, line in enumerate(lines) if line.startswith("  worst odds"))
    start = len(lines[worst]) - len(lines[worst].removeprefix("  worst odds").lstrip())
    assert lines[worst + 1][:start].strip() == ""
    assert lines[worst + 1][start:].strip()
    assert max(map(len, lines)) <= 80


def test_a_broken_table_is_named_as_written(run: Run, folder: Path) -> None:
    (folder / "sub").mkdir()
    (folder / "sub" / "t.parquet").write_bytes((folder / "occupancy.parquet").read_bytes()[:900])
    for given in ("sub/t.parquet", "./sub/t.parquet"):
        run("init", given).refused_with(2, f"TABLE: No magic bytes found at end of file '{given}';")


@pytest.mark.parametrize("raised", [KeyboardInterrupt(), RuntimeError("Query interrupted")])
def test_an_interrupt_is_no_traceback(
    run: Run, edited: Path, monkeypatch: pytest.MonkeyPatch, raised: BaseException
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise raised

    monkeypatch.setattr(releasing, "prepare", interrupted)
    done = run("leak")
    assert (done.code, done.out) == (130, "")
    assert done.err == "interrupted\n"


def test_the_program_itself(folder: Path) -> None:
    """One run as a process of its own: nothing but the one line, and the code."""
    python = [sys.executable, "-W", "error"]
    program = [*python, "-m", "unspoken.interfaces.command_line.cli", "leak", "nowhere"]
    done = subprocess.run(program, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "nowhere: there is no such file. `unspoken init TABLE` writes one.\n"
