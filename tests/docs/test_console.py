"""What the tutorial shows on a terminal is what the commands print: they are run again, in order.

In a page, `toml` blocks whose first line is `# NAME` are written to that file (or, without a table
header, change the lines of these keys); `console` and `pycon` blocks are run, $ begins a command.
"..." stands for any words; numbers may differ by 5 %, times of day and the eps of what is all but
always released by more.
`UNSPOKEN_REWRITE=1 pytest tests/docs/test_console.py` writes the outputs anew; then elide again.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
from pathlib import Path

import pytest

from unspoken.interfaces.command_line import cli

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "tutorial.md"
BLOCK = re.compile(r"^```(toml|console|pycon)\n(.*?)^```", re.DOTALL | re.MULTILINE)
TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")
ALWAYS = re.compile(r"(> 99\.9 %\s+)[\d.]+")
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
REWRITE = bool(os.environ.get("UNSPOKEN_REWRITE"))


def steps(console: str) -> list[tuple[str, str]]:
    """Commands, each with the output shown below it."""
    parts = re.split(r"^\$ (.*)\n", console, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def alike(shown: str, printed: str) -> bool:
    """Whether the words are the same but for what is elided, and the numbers nearly so."""
    plain = [ALWAYS.sub(r"\1eps", TIME.sub("time", text)) for text in (shown, printed)]
    return _alike(*(text.split() for text in plain))


def _alike(shown: list[str], printed: list[str]) -> bool:
    if "..." in shown:
        gap = shown.index("...")
        rest = shown[gap + 1 :]
        starts = range(gap, len(printed) + 1)
        return _alike(shown[:gap], printed[:gap]) and any(
            _alike(rest, printed[start:]) for start in starts
        )
    return len(shown) == len(printed) and all(map(_same, shown, printed))


def _same(shown: str, printed: str) -> bool:
    if NUMBER.sub("0", shown) != NUMBER.sub("0", printed):
        return False
    pairs = zip(NUMBER.findall(shown), NUMBER.findall(printed), strict=True)
    return all(_near(*(float(text.replace(",", "")) for text in pair)) for pair in pairs)


def _near(one: float, other: float) -> bool:
    return abs(one - other) <= 0.05 * max(abs(one), abs(other))


def outcome(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What a terminal shows of a command that is done, or refused by a limit."""
    program, *arguments = shlex.split(command)
    assert program == "unspoken", command
    capsys.readouterr()
    code = cli.run(arguments)
    out, err = capsys.readouterr()
    assert code in (0, 3), err
    lines = (err + out).replace("\u00a0", " ").splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines)


def edit(file: Path, body: str) -> None:
    """Write the file; or, where the block is only some of its keys, change their lines."""
    if "[" in body:
        file.write_text(body, "utf-8")
        return
    text = file.read_text("utf-8")
    for line in body.splitlines()[1:]:
        key = line.split(" = ")[0]
        text, changes = re.subn(rf"^{key} = .*$", line, text, flags=re.MULTILINE)
        assert changes == 1, line
    file.write_text(text, "utf-8")


def play(text: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[str, list[str]]:
    """The page with what is printed now, and the commands whose output is not what it shows."""
    pieces, faults, end = [], [], 0
    names: dict[str, object] = {}
    for match in BLOCK.finditer(text):
        kind, body = match.groups()
        now = body
        if kind == "toml" and body.startswith("# "):
            edit(folder / body.split("\n", 1)[0].removeprefix("# ").strip(), body)
        elif kind == "pycon":
            shown = doctest.DocTestParser().get_doctest(body, names, PAGE.name, str(PAGE), 0)
            doctest.DebugRunner(optionflags=doctest.ELLIPSIS).run(shown, clear_globs=False)
            names = shown.globs
        elif kind == "console":
            printed = [(command, outcome(command, capsys)) for command, _ in steps(body)]
            faults += [
                f"$ {command}\n{got}"
                for (command, got), (_, wanted) in zip(printed, steps(body), strict=True)
                if not alike(wanted, got)
            ]
            now = "\n".join(f"$ {command}\n{got}" for command, got in printed)
        pieces += [text[end : match.start(2)], now]
        end = match.end(2)
    return "".join([*pieces, text[end:]]), faults


@pytest.mark.slow
def test_the_tutorial_is_what_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    # No progress, however slow the machine is.
    monkeypatch.setattr("unspoken.interfaces.command_line.waiting.EVERY", 3600)
    # The page says that noise is drawn anew each time; here it shows the counts without.
    exact = "unspoken.tables.learning.once.with_noise"
    monkeypatch.setattr(exact, lambda counts, *_: counts.copy())
    text = PAGE.read_text("utf-8")
    now, faults = play(text, tmp_path, capsys)
    if REWRITE:
        PAGE.write_text(now, "utf-8")
        return
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("odds × 3.5 of 18,988 rows", "odds\n× 3.52 of 18,990 rows", True),
        ("odds × 3.5", "odds × 4.5", False),
        ("at ... end", "at any words end", True),
        ("at ... end", "at any words", False),
        ("2026-11-22 05:57 x", "2027-01-02 23:00 x", True),
        ("2026-11-22 x", "2027-01-02 x", False),
        ("exits > 99.9 %  8.35 > 99.9 %", "exits > 99.9 %  11.2 > 99.9 %", True),
        ("exits 99 %  8.35", "exits 99 %  11.2", False),
        ("a b", "a b c", False),
    ],
)
def test_what_counts_as_the_same(shown: str, printed: str, same: bool) -> None:
    assert alike(shown, printed) == same
