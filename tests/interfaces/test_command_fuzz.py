"""Files that are not what they should be: a command answers, or refuses in one line; never more.

What it refuses it leaves as it was. Two thousand files in a project that has released, and 3,600
files and commands besides, are mutated by

    UNSPOKEN_STRESS=200 .venv/bin/pytest -n 2 -m stress tests/interfaces/test_command_fuzz.py
"""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.effort import EFFORT
from tests.interfaces.conftest import Ran, Run
from tests.within import within
from unspoken.tables.learning.counts import beside, counted

SEEDS = range(6 * EFFORT)
PER_FILE = range(EFFORT)
PIECES = ['"', "'", "[", "]", "{", "}", "=", "#", "\n", "\\", "\x00", "\x1b", "\u202e", "1e999",
          "nan", "-1", "true", "2026-01-01", "NULL", "random()", "''''", "99999999999999999999",
          "office", "day", "first_arrival", "[[x]]", "..", "*", "()", ";", "--"]  # fmt: skip
COMMANDS = [["check"], ["learn"], ["leak"], ["plan"], ["release"], ["release", "--dry-run"],
            ["ledger"], ["leak", "occupancy.parquet"],
            ["init", "occupancy.parquet", "--project", "new.toml"]]  # fmt: skip
FILES = ["unspoken.toml", "occupancy.parquet", "ledger.sqlite", "unspoken.key", "unspoken.key.head",
         "belief.json", "released.manifest.json", "released.parquet", "kept.zip",
         "events.jsonl"]  # fmt: skip
MADE = [["plan", "--adopt"], ["release"], ["ledger", "--export", "events.jsonl"],
        ["backup", "kept.zip"]]  # fmt: skip
QUERY = "SELECT COUNT(*) FROM occupancy GROUP BY office"
AUDIT = ["audit", "--release", "released.parquet", "--against", "occupancy.parquet",
         "--keys", "office,day"]  # fmt: skip
SERVE = ["serve", "--port", "0"]
VERIFY, RESTORE = ["verify", "released.manifest.json"], ["restore", "kept.zip", "restored"]
IMPORT = ["ledger", "--import", "events.jsonl"]
LATER = [*COMMANDS, ["plan", "--adopt"], ["ledger", "--verify"],
         ["ledger", "--export", "out.jsonl"], IMPORT, ["query", QUERY],
         ["query", QUERY, "--dry-run"], ["query", QUERY, "--draw", "2"], AUDIT, ["audit"], SERVE,
         ["token", "new", "exits"], ["token", "list"], ["report"], ["diff"], VERIFY,
         ["backup", "new.zip"], RESTORE, ["disclosed", "exits", "--why", "a mailing"]]  # fmt: skip
READ_BY = {"released.manifest.json": VERIFY, "released.parquet": VERIFY, "kept.zip": RESTORE,
           "events.jsonl": IMPORT}  # fmt: skip
OPTIONS = [*LATER, [*AUDIT, "--secret", "x = 'a'", "--odds-cap", "4"], ["release", "--scale", "1"],
           ["release", "--for", "exits"], ["query", QUERY, "--epsilon", "0.1", "--share", "0.5"],
           ["query", QUERY, "--draw", "3", "--for", "exits"],
           [*SERVE, "--rows", "5", "--seconds", "2", "--at-once", "3", "--host", "::1"],
           ["disclosed", "exits", "--why", "w", "--to", "exits", "--epoch", "2026-01"],
           ["token", "new", "exits", "--role", "steward", "--expires", "3"]]  # fmt: skip
CASES = Path(__file__).parents[2] / "docs" / "cases"


def mutated(text: str, rng: random.Random) -> str:
    """One to four pieces put in, taken out, doubled or exchanged."""
    for _ in range(rng.randint(1, 4)):
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + rng.choice([0, 1, 2, 5, 20, 80]))
        piece = rng.choice([rng.choice(PIECES), "", text[start:end] * 2, str(rng.random())])
        text = text[:start] + piece + text[end:]
    return text


def wrong_project(folder: Path, rng: random.Random) -> None:
    file = folder / "unspoken.toml"
    file.write_text(mutated(file.read_text("utf-8"), rng), "utf-8", errors="replace")


def wrong_bytes(folder: Path, rng: random.Random) -> None:
    """Some file of the project, its bytes cut off or changed."""
    names = ["unspoken.toml", "occupancy.parquet", "ledger.sqlite", "unspoken.key"]
    kept = sorted((folder / ".unspoken").glob("*.json"))
    file = rng.choice([*(folder / name for name in names), *kept])
    if file.exists():
        content = bytearray(file.read_bytes())
        for _ in range(rng.randint(1, 30)):
            content[rng.randrange(len(content))] = rng.randrange(256)
        file.write_bytes(content[: rng.choice([len(content), rng.randrange(len(content))])])


def wrong_table(folder: Path, rng: random.Random) -> None:
    """Columns of other kinds, other names, few rows, no values."""
    table = pq.read_table(folder / "occupancy.parquet")
    name = rng.choice(table.column_names)
    kinds: list[Callable[[], object]] = [
        lambda: [None] * len(table),
        lambda: [float("nan")] * len(table),
        lambda: [b"\x00"] * len(table),
        lambda: [[1, 2]] * len(table),
        lambda: ["\x1b[2J\u202e"] * len(table),
        lambda: [{"a": 1}] * len(table),
        lambda: list(range(len(table))),
        lambda: [2**63 - 1] * len(table),
    ]
    place = table.column_names.index(name)
    field = rng.choice([name, name.upper(), "x\x1b", "", "select"])
    column = rng.choice([lambda: table.column(name), *kinds])()
    table = table.set_column(place, field, pa.array(column) if isinstance(column, list) else column)
    pq.write_table(
        table.slice(0, rng.choice([0, 1, 2, 5, len(table)])), folder / "occupancy.parquet"
    )


def wrong_ledger(folder: Path, rng: random.Random) -> None:
    """An event, or any cell of the ledger, is something else."""
    with sqlite3.connect(folder / "ledger.sqlite") as con:
        tables = [
            row[0] for row in con.execute("SELECT name FROM sqlite_master WHERE type='table'")
        ]
        table = rng.choice(tables or ["event"])
        columns = [row[1] for row in con.execute(f'PRAGMA table_info("{table}")')]
        if columns:
            name = rng.choice(columns)
            (old,) = con.execute(f'SELECT "{name}" FROM "{table}" LIMIT 1').fetchone() or ("",)
            text = old if isinstance(old, str) else str(old)
            value = rng.choice([None, "", -5, 1e308, b"\x00", "[" * 100_000, mutated(text, rng)])
            try:
                con.execute(f'UPDATE "{table}" SET "{name}" = ?', (value,))
            except sqlite3.Error:
                return


def spoil(file: Path, rng: random.Random) -> None:
    """As text, if it is text; else its bytes, cut off or changed."""
    content = file.read_bytes()
    if rng.random() < 0.6 and file.suffix in (".toml", ".json", ".jsonl", ".head"):
        text = mutated(content.decode("utf-8"), rng)
        file.write_text(text, "utf-8", errors="replace")
        return
    spoiled = bytearray(content)
    for _ in range(rng.choice([0, 1, 4, 30])):
        spoiled[rng.randrange(len(spoiled))] = rng.randrange(256)
    file.write_bytes(spoiled[: rng.choice([len(spoiled), rng.randrange(len(spoiled))])])


def contents(folder: Path) -> dict[str, object]:
    """Of each file its bytes; of a ledger that can be read, its rows."""
    found: dict[str, object] = {}
    for file in folder.rglob("*"):
        name = str(file.relative_to(folder))
        if file.is_file() and not name.endswith(("-wal", "-shm")):
            found[name] = rows_of(file) if file.suffix == ".sqlite" else file.read_bytes()
    return found


def rows_of(file: Path) -> object:
    try:
        with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as con:
            return list(con.iterdump())
    except (sqlite3.Error, UnicodeDecodeError):
        return file.read_bytes()


def answered(run: Run, command: list[str], checked: bool = True) -> Ran:
    """It ends, with one line at most of what is wrong, and nothing that moves a terminal."""
    with within():
        done = run(*command)
    assert done.code in (0, 2, 3), done
    assert "Traceback" not in done.err + done.out
    assert not {"\x1b", "\u202e", "\x00"} & set(done.err + done.out)
    if done.code and checked:
        said = [line for line in done.err.splitlines() if not line.startswith("warning: ")]
        assert len(said) == 1, done
    return done


pytestmark = [pytest.mark.slow, pytest.mark.stress]
WRONG = [wrong_project, wrong_project, wrong_bytes, wrong_table, wrong_ledger]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("sound") / "project"


@pytest.fixture
def project(edited: Path, run: Run, sound: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that has released once, and keeps what it counted."""
    monkeypatch.setattr(counted, "WORTH", 1)
    monkeypatch.setattr(beside, "SETTLED", -1.0)
    if not sound.exists():
        assert run("release").code == 0
        shutil.copytree(edited.parent, sound)
    shutil.copytree(sound, edited.parent, dirs_exist_ok=True)
    return edited.parent


@pytest.mark.parametrize("seed", SEEDS)
def test_a_wrong_file_is_an_answer_or_one_line(run: Run, project: Path, seed: int) -> None:
    rng = random.Random(seed)
    rng.choice(WRONG)(project, rng)
    command = rng.choice(COMMANDS)
    answered(run, command, command != ["check"])


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept") / "project"


@pytest.fixture
def released(
    request: pytest.FixtureRequest,
    folder: Path,
    run: Run,
    kept: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """The same project with an adopted plan, and with all that can be written of it."""
    if not kept.exists():
        request.getfixturevalue("project")
        for command in MADE:
            assert run(*command).code == 0, command
        shutil.copytree(folder, kept)
    shutil.copytree(kept, folder, dirs_exist_ok=True)
    monkeypatch.setattr("uvicorn.Server.run", lambda _server: None)
    return folder


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("seed", PER_FILE)
def test_what_is_refused_is_left_as_it_was(run: Run, released: Path, name: str, seed: int) -> None:
    """No file more, none less, the same bytes and the same events: nothing is half done."""
    rng = random.Random(f"{name} {seed}")
    spoil(released / name, rng)
    command = rng.choice([rng.choice(LATER), READ_BY.get(name, rng.choice(LATER))])
    if command == IMPORT:  # into a ledger of no events
        (released / "ledger.sqlite").unlink()
        (released / "unspoken.key.head").unlink()
    before = contents(released)
    done = answered(run, command, command != ["check"])
    if done.code == 0:
        return
    if "is kept as event" in done.err:  # what became known is known, whatever else is wrong
        return
    after = contents(released)
    changed = [file for file in before | after if before.get(file) != after.get(file)]
    assert not changed, (changed, done)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_wrong_option_is_an_answer_or_one_line(run: Run, released: Path, seed: int) -> None:
    rng = random.Random(f"option {seed}")
    command, *rest = rng.choice(OPTIONS)
    at = rng.randrange(len(rest) + 1)
    wrong = mutated(rest[at], rng) if at < len(rest) else rng.choice([*PIECES, "--for", "--no"])
    # A console hands no NUL on; where a server listens is nobody's to guess.
    rest[at : at + 1] = [wrong.replace("\x00", "")]
    answered(run, [command, *rest], "--help" not in rest)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_wrong_case_is_an_answer_or_one_line(run: Run, folder: Path, seed: int) -> None:
    rng = random.Random(seed)
    case = rng.choice(sorted(CASES.glob("*.toml")))
    (folder / "case.toml").write_text(mutated(case.read_text("utf-8"), rng), "utf-8", "replace")
    done = run("case", "case.toml", "--json")
    assert done.code in (0, 2, 3), done
    assert done.err.count("\n") <= 1
    assert ("error" in json.loads(done.out)) == bool(done.code)
