"""Every command and every option of the command line is in docs/command-line.md."""

import re
from pathlib import Path

import pytest
from typer.main import get_command

from unspoken.interfaces.command_line.cli import app

PAGE = Path("docs") / "command-line.md"


def sections(text: str) -> dict[str, str]:
    """What the page says of each command: the text below its own heading."""
    parts = re.split(r"^## `unspoken (\w+).*`$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def undocumented(text: str) -> list[str]:
    """Commands without a heading, and options and arguments that its section does not show."""
    said, faults = sections(text), []
    for name, command in get_command(app).commands.items():  # type: ignore[attr-defined]
        if name not in said:
            faults.append(name)
            continue
        for one in command.params:
            words = [*one.opts, *one.secondary_opts] if one.opts[0][0] == "-" else []
            words = [word for word in words if word != "--help"] or [one.name.upper()]
            faults += [f"{name} {w}" for w in words if not re.search(rf"`{w}\b", said[name])]
    return faults


def invented(text: str) -> list[str]:
    """Options on the page that no such command has."""
    commands = get_command(app).commands  # type: ignore[attr-defined]
    known = {
        name: {word for one in command.params for word in (*one.opts, *one.secondary_opts)}
        for name, command in commands.items()
    }
    return [
        f"{name} {option}"
        for name, said in sections(text).items()
        for option in re.findall(r"`(--[\w-]+)", said)
        if option not in {*known.get(name, ()), "--help"}
    ]


def test_every_command_and_option_is_documented(root: Path) -> None:
    text = (root / PAGE).read_text("utf-8")
    assert undocumented(text) == []
    assert invented(text) == []


def test_exit_codes_are_documented(root: Path) -> None:
    text = (root / PAGE).read_text("utf-8")
    for code in ("`0`", "`2`", "`3`"):
        assert code in text


@pytest.mark.parametrize("gone", ["## `unspoken plan", "`--dry-run`", "`--close`"])
def test_a_gap_is_found(root: Path, gone: str) -> None:
    text = (root / PAGE).read_text("utf-8")
    assert undocumented(text.replace(gone, "gone"))
    assert invented(text.replace("`--dry-run`", "`--dry-walk`"))
