"""What goes wrong at the door: one line that says the way out, and nothing half done."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.interfaces.conftest import Run
from unspoken.interfaces.command_line import cli, waiting
from unspoken.storage.custody.custody import Custody
from unspoken.tables.policy import Project

pytestmark = pytest.mark.slow


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*"))


@pytest.mark.parametrize(
    ("command", "file", "elsewhere"),
    [
        ("release", '"released.parquet"', '"no/released.parquet"'),
        ("release", '"released.manifest.json"', '"no/released.manifest.json"'),
        ("release", '"unspoken.key"', '"no/unspoken.key"'),
        ("release", '"ledger.sqlite"', '"no/ledger.sqlite"'),
        ("report", '"report.html"', '"no/report.html"'),
    ],
)
def test_a_folder_that_is_not_there_is_said_before_anything_is_made(
    run: Run, edited: Path, command: str, file: str, elsewhere: str
) -> None:
    text = edited.read_text()
    assert file in text
    edited.write_text(text.replace(file, elsewhere))
    before = names(edited.parent)
    said = f"{elsewhere.strip(chr(34))}: there is no folder no; make it first"
    run(command).refused_with(2, said)
    assert names(edited.parent) == before


def test_charts_go_into_a_folder(run: Run, edited: Path) -> None:
    before = names(edited.parent)
    run("report", "--charts", "occupancy.parquet").refused_with(
        2, "occupancy.parquet: is a file; --charts takes a folder"
    )
    assert names(edited.parent) == before


@pytest.mark.parametrize("name", ["occupancy.parquet", "t.csv", "T.CSV.GZ"])
def test_a_table_is_no_project(run: Run, folder: Path, name: str) -> None:
    (folder / name).touch()
    run("plan", name).refused_with(
        2, f"{name}: is a table, not a project file. `unspoken init {name}`"
    )


def test_the_demo_needs_a_folder(run: Run, folder: Path) -> None:
    run("demo", "occupancy.parquet").refused_with(2, "occupancy.parquet: is a file; name a folder")


def test_a_ledger_without_releases_says_so(run: Run, edited: Path) -> None:
    Custody.made(Project.read(edited))
    done = run("ledger")
    assert (done.code, done.out) == (0, "Nothing was released so far.\n")
    assert run("ledger", "--json").json["events"] == []


def test_a_plan_without_secrets_has_no_gap_and_no_hole(run: Run) -> None:
    assert run("init", "occupancy.parquet").code == 0
    done = run("plan").out
    assert "Nothing is declared sensitive, so nothing is limited." in done
    assert "lets out" not in done
    assert "\n\n\n" not in done


def test_init_says_that_its_keys_do_not_name_a_row(run: Run, folder: Path) -> None:
    """A name like a key is a guess; the rows are looked at, and the file says the way out."""
    table = pa.table({"user": [1, 1, 2, 2], "x": list("abab"), "row": [0.5, 1.5, 2.5, 3.5]})
    pq.write_table(table, "visits.parquet")
    done = run("init", "visits.parquet")
    assert "what names a row (several rows have the same user)," in done.err
    text = (folder / "unspoken.toml").read_text()
    lines = [line.removeprefix("# ") for line in text.splitlines()]
    assert "several rows have the same user: name those that name each row" in text
    assert any(line.startswith('keys = ["user", "row_"]') for line in lines)
    changed = [
        line.removeprefix("# ") if line.startswith(("# sql", "# keys")) else line
        for line in text.splitlines()
        if not line.startswith(("table =", "keys ="))
    ]
    (folder / "unspoken.toml").write_text("\n".join(changed))
    assert run("learn").code == 0


def test_without_any_key_the_query_that_is_suggested_works(run: Run, folder: Path) -> None:
    (folder / "it's.csv").write_text("age,sex\n" + "".join(f"{n % 7},{n % 2}\n" for n in range(40)))
    assert "no column looks like a key" in run("init", "it's.csv").err
    project = folder / "unspoken.toml"
    text = project.read_text()
    kept = [line for line in text.splitlines() if not line.startswith("table =")]
    project.write_text("\n".join(kept).replace("# sql =", "sql ="))
    assert run("learn").code == 0


@pytest.mark.parametrize("ask", ["compare", "calibrate"])
def test_one_limit_is_a_number(run: Run, folder: Path, ask: str) -> None:
    case = folder / "case.toml"
    case.write_text(
        f"""[belief]
kind = "chain"
start = [0.5, 0.5]
step = [[0.9, 0.1], [0.1, 0.9]]
length = 3
[ask]
{ask} = {{ limit = {{ A = 1.0 }} }}
"""
    )
    run("case", case).refused_with(2, f"ask.{ask}.limit: ", "is not what it takes: a number\n")


def test_a_case_in_another_encoding(run: Run, folder: Path) -> None:
    (folder / "case.toml").write_bytes("# Büro".encode("latin-1"))
    run("case", "case.toml").refused_with(2, "case.toml: is not text in UTF-8; save the file")


def test_a_picture_is_said_and_has_room(run: Run, folder: Path) -> None:
    pytest.importorskip("vl_convert", reason="needs the extra `report`: vl-convert-python")
    (folder / "case.toml").write_text(
        """[belief]
kind = "chain"
start = [0.5, 0.5]
step = [[0.9, 0.1], [0.1, 0.9]]
length = 2
[ask]
compare = { limit = 1.0 }
"""
    )
    nowhere = run("case", "case.toml", "--picture", "no/noise.svg")
    nowhere.refused_with(2, "no/noise.svg: there is no folder no; make it first")
    assert run("case", "case.toml", "--picture", "noise.svg").err == "Wrote noise.svg\n"


def test_a_key_outside_of_its_table_is_named(run: Run, folder: Path) -> None:
    (folder / "case.toml").write_text('belief = "joint"\n[ask]\nworst = true\n')
    run("case", "case.toml").refused_with(2, "case.toml: belief is no table; write [belief] and")


@pytest.mark.parametrize("keys", ["", ",", "office,OFFICE", "day,office,day"])
def test_keys_are_columns_each_once(run: Run, folder: Path, keys: str) -> None:
    before = names(folder)
    said = run("init", "occupancy.parquet", "--keys", keys)
    said.refused_with(2, f'--keys: "{keys}" is no list of columns, each once, such as office,day')
    assert names(folder) == before


def test_a_release_that_may_give_a_secret_away_says_so(run: Run, edited: Path) -> None:
    """Where any share of the answers may be above the cap, there is no factor to promise."""
    text = edited.read_text().replace("exceed = 0.0", "exceed = 1.0")
    edited.write_text(text.replace("limit_bits = 0.5", "limit_bits = 9"))
    done = run("release", "--dry-run")
    said = " ".join(done.out.split())
    assert "but for answers of total probability 1, which may give a secret away (" in said
    assert "∞." not in done.out


@pytest.mark.parametrize("words", [("-q", "learn"), ("learn", "-q"), ("learn", "--quiet")])
def test_quiet_stands_before_the_command_or_after_it(
    run: Run, edited: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setattr(waiting, "EVERY", 0.001)
    assert "reading the table" in run("learn").err
    assert "reading the table" not in run(*words).err
    assert "reading the table" in run("learn").err


def test_which_version_it_is_may_be_asked_of_a_command(run: Run) -> None:
    assert run("release", "--version") == run("--version")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--json", "leak"), "--json: stands after the command: unspoken leak --json"),
        (("-q", "--dry-run", "release"), "--dry-run: stands after the command: unspoken release"),
        (("--scale=0.5", "release"), "--scale: stands after the command: unspoken release"),
        (("--close",), "--close: stands after the command: unspoken plan --close"),
        (("--jsn", "leak"), "unspoken: No such option: --jsn"),
    ],
)
def test_an_option_before_its_command_is_told_where_it_belongs(
    run: Run, words: tuple[str, ...], named: str
) -> None:
    done = run(*words)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert named in done.err


@pytest.mark.parametrize("command", [name for name in cli.COMMANDS if name != "demo"])
def test_a_slip_is_told_which_command_says_what_it_takes(run: Run, command: str) -> None:
    done = run(command, "--nonsense")
    done.refused_with(2, f"unspoken {command}: ", f"(unspoken {command} --help says what there is)")


def test_what_is_missing_is_asked_of_its_command(run: Run) -> None:
    run("verify").refused_with(2, "manifest", "unspoken verify --help")
