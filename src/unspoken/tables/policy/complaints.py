"""What is wrong with a project file, and the one line that says so.

A complaint is a key path and a text: what is wrong, and what to do. Of several complaints the first
in the file is raised.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field

from unspoken.core.errors import InputError, cut, printable
from unspoken.tables.policy.locate import KeyPath, Lines
from unspoken.tables.policy.quoting import LONGEST, toml_path

__all__ = ["Complaint", "Place", "nearest", "one_line", "quoted"]


@dataclass(frozen=True)
class Complaint:
    """One thing that is wrong; complaints of a lower rank are raised first."""

    path: KeyPath
    text: str
    rank: int = 0


@dataclass(frozen=True)
class Place:
    """A project file as messages call it, and where its keys stand."""

    file: str
    lines: Lines = field(default_factory=Lines)

    def at(self, path: KeyPath) -> str:
        """``unspoken.toml:14 attribute.arrival.sensitive``."""
        line = self.lines.line(path)
        where = self.file if line is None else f"{self.file}:{line}"
        return one_line(f"{where} {toml_path(path)}".rstrip())

    def error(self, path: KeyPath, text: str) -> InputError:
        """The InputError that says this of this key."""
        return InputError(one_line(f"{self.at(path)}: {text}"))

    def errors(self, complaints: Iterable[Complaint]) -> list[InputError]:
        """All of them, in the order of the file."""
        in_order = sorted(complaints, key=lambda c: (c.rank, self.lines.line(c.path) or 0))
        return [self.error(complaint.path, complaint.text) for complaint in in_order]

    def refuse(self, complaints: Iterable[Complaint]) -> None:
        """Raise the complaint that comes first in the file, if there is any."""
        for error in self.errors(complaints):
            raise error


def one_line(text: str) -> str:
    """Every character that does not print, line breaks above all, written as its escape."""
    return printable(text).replace("\n", "\\n")


def quoted(text: object) -> str:
    """A name in quotes, shortened where it is very long."""
    return f'"{cut(str(text), LONGEST)}"'


def nearest(name: str, options: Iterable[str]) -> str:
    """``Did you mean "day"?``, or else what there is; letter case and blanks count little."""
    known = sorted(set(options))
    folded = {option.casefold().strip(): option for option in known}
    near = difflib.get_close_matches(name.casefold().strip()[:LONGEST], folded, n=1)
    if near:
        return f"Did you mean {quoted(folded[near[0]])}?"
    listed = ", ".join(quoted(option) for option in known[:8]) + (", ..." if known[8:] else "")
    return f"There are: {listed}." if known else "There are none."
