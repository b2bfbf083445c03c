"""From the text of a project file to its tables, or one line that says what is wrong with it."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from unspoken.core.errors import InputError
from unspoken.tables.policy.complaints import Complaint, Place, one_line
from unspoken.tables.policy.locate import Lines
from unspoken.tables.policy.paths import TABLES
from unspoken.tables.policy.schema import FORMAT, ProjectTable
from unspoken.tables.policy.shape import of_shape

__all__ = ["installed_version", "read_text", "shaped", "tables_of"]

LARGEST = 1 << 20  # bytes; a larger file is a table given by mistake

_POSITION = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)\s*$")

# What tomllib says, and what to do about it.
REMEDIES = {
    "Invalid value": 'Text needs quotes, as in name = "text", and 0.5 its zero.',
    "Expected '='": 'A line is key = value, and a key with blanks or dots needs quotes: "my key".',
    "Invalid initial": "A key is of letters, digits, - and _, or in quotes.",
    "Expected ']'": "A table is [name], on a line of its own.",
    "Exceeds the limit": "Write a smaller number.",
    "Invalid statement": "A line is key = value, [table] or # a comment.",
    "Expected newline": "Write one key a line, text in quotes, comments after #.",
    "Illegal character": "Close the quote on its line.",
    "Unterminated string": "Close the quote.",
    "Unclosed array": "Close the bracket, with commas between the items.",
    "Unclosed inline table": "Close the brace, with commas between the keys.",
    "Unescaped": "Write \\\\ for \\, or put the text in single quotes.",
    "Cannot overwrite": "Each key is written once: keep one of the two.",
    "Duplicate inline": "Each key is written once: keep one of the two.",
    "Cannot declare": "Each table is written once: join the two.",
    "Cannot mutate": "Each table is written in one place: join the two.",
}


def read_text(file: Path) -> str:
    """The text of a project file."""
    if file.name.lower().endswith(TABLES):
        text = f"is a table, not a project file. `unspoken init {file}` writes one."
        raise InputError(one_line(f"{file}: {text}"))
    try:
        with file.open("rb") as stream:
            content = stream.read(LARGEST + 1)
    except FileNotFoundError:
        raise InputError(
            one_line(f"{file}: there is no such file. `unspoken init TABLE` writes one.")
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "this is no name of a file"
        raise InputError(one_line(f"{file}: cannot be read: {reason}. Check it.")) from None
    if len(content) > LARGEST:
        text = "is too large for a project file. Is it the table? `unspoken init TABLE` writes one."
        raise InputError(one_line(f"{file}: {text}"))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            one_line(f"{file}:{line}: this is not text in UTF-8. Save the file as UTF-8.")
        ) from None


def shaped(text: str, file: str) -> tuple[ProjectTable | None, Place, list[Complaint]]:
    """The tables of a text, where their keys stand, and what is wrong with their shape, if it is.

    What is no TOML, or of another format, is raised: of that nothing else can be said.
    """
    document, place = _document(text, file)
    _check_format(document, place)
    try:
        return ProjectTable.model_validate(document), place, []
    except ValidationError as error:
        return None, place, list(of_shape(error))


def tables_of(text: str, file: str) -> tuple[ProjectTable, Place]:
    """The tables of a text, and where their keys stand."""
    tables, place, complaints = shaped(text, file)
    place.refuse(complaints)
    if tables is None:  # pragma: no cover
        raise AssertionError("pydantic refused without a reason")
    return tables, place


def _document(text: str, file: str) -> tuple[dict[str, Any], Place]:
    try:
        return tomllib.loads(text), Place(file, Lines.of(text))
    except RecursionError:
        raise InputError(
            one_line(f"{file}: brackets are nested too deeply. Take some out.")
        ) from None
    except ValueError as error:
        said = str(error)
    raise InputError(one_line(_not_toml(said, file, last=text.rstrip().count("\n") + 1)))


def _not_toml(said: str, file: str, last: int) -> str:
    """tomllib's message, with its position where all our messages have theirs."""
    position = _POSITION.search(said)
    what = _POSITION.sub("", said)
    where, column = file, ""
    if position:
        where = f"{file}:{position[1] or last}"
        column = f" (column {position[2]})" if position[2] else ""
    remedy = next((do for begin, do in REMEDIES.items() if what.startswith(begin)), "Correct it.")
    return f"{where}: this is not TOML: {what}{column}. {remedy}"


def _check_format(document: dict[str, Any], place: Place) -> None:
    """The format first: of another one, nothing else can be said."""
    given = document.get("format", FORMAT)
    if type(given) is not int or given == FORMAT:
        return  # pydantic says what is wrong with it, if anything
    this = f"this unspoken{_version()} reads format {FORMAT}"
    if given > FORMAT:
        what = f"format {given}" if given < 10**9 else "this format"
        raise place.error(("format",), f"{what} needs a newer unspoken; {this}. Update it.")
    raise place.error(("format",), f"there is no such format; {this}. Write format = {FORMAT}")


@cache
def installed_version() -> str:
    """The version of unspoken that runs: found once, since whoever installed it is asked."""
    return metadata.version("unspoken")


def _version() -> str:
    try:
        return f" {installed_version()}"
    except metadata.PackageNotFoundError:
        return ""
