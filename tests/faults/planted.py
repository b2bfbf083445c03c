"""The list of faults that are planted, one at a time, to see that tests bite."""

from __future__ import annotations

import ast
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.selection import slow_tests

__all__ = ["Fault", "faults", "misplaced"]

LISTS = Path(__file__).with_name("packages")


@dataclass(frozen=True)
class Fault:
    """In ``file`` (under src/unspoken) the text ``old`` becomes ``new``; one of ``tests`` is to
    fail. Each is the path of a file and, after ``::``, a test function of it that `make test` runs.

    ``beyond`` says why these tests are not those of the fault's own package.
    """

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    beyond: str = ""

    @property
    def package(self) -> str:
        return Path(self.file).parts[0].removesuffix(".py")

    def path(self, source: Path) -> Path:
        return source / "unspoken" / self.file

    def planted(self, source: Path) -> str:
        """The file's text with the fault in it."""
        return self.path(source).read_text("utf-8").replace(self.old, self.new)


def faults() -> list[Fault]:
    """All of them, package by package: each package has its own list."""
    return [
        Fault(name=name, **{**fault, "tests": tuple(fault["tests"])})
        for path in sorted(LISTS.glob("*.toml"))
        for name, fault in tomllib.loads(path.read_text("utf-8")).items()
    ]


@cache
def syntax_of(text: str) -> str:
    """The syntax tree as text, without places: many faults are of the same file."""
    return ast.dump(ast.parse(text))


def why_not_daily(test: str, root: Path) -> str:
    """Why `make test` does not run this test; empty if it does."""
    path, _, name = test.partition("::")
    file, function = root / path, name.partition("[")[0]
    if not file.is_file():
        return f"{test}: no such test file"
    if not function or f"def {function}(" not in file.read_text("utf-8"):
        return f"{test}: name a test function of this file"
    return f"{test}: is slow, so `make test` leaves it out" * (function in slow_tests(file))


def misplaced(fault: Fault, root: Path) -> list[str]:
    """What is wrong with the description of one fault."""
    complaints = [why for test in fault.tests if (why := why_not_daily(test, root))]
    strangers = [test for test in fault.tests if not test.startswith(f"tests/{fault.package}/")]
    if strangers and not fault.beyond:
        complaints.append(f"{strangers[0]}: not in tests/{fault.package}; say why in `beyond`")
    if not fault.path(root / "src").is_file():
        return [*complaints, f"{fault.file}: no such file"]
    text = fault.path(root / "src").read_text("utf-8")
    if text.count(fault.old) != 1:
        complaints.append(f"{fault.file} has the old text {text.count(fault.old)} times")
    elif ast.dump(ast.parse(fault.planted(root / "src"))) == syntax_of(text):
        complaints.append("the new text means the same")
    return complaints
