"""What pydantic finds wrong with the shape of a project file, said in our words.

Nothing under [secret] is ever shown: somebody may paste a key there.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from unspoken.tables.policy.complaints import Complaint, nearest, quoted
from unspoken.tables.policy.locate import KeyPath
from unspoken.tables.policy.quoting import toml_path, toml_text
from unspoken.tables.policy.schema import HOMES, NAMED, TOO_LATE, LimitTable, example, table_at

__all__ = ["of_shape"]

WANTED = {
    "string_type": "text in quotes",
    "list_type": "a list in brackets",
    "float_type": "a number",
    "finite_number": "a finite number",
    "edge_type": "a number, or a date",
    "values_type": 'a list in brackets, or "exact"',
    "int_type": "a whole number",
    "bool_type": "true or false",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
}
KINDS: dict[type, str] = {
    str: "text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "a table",
}


def of_shape(error: ValidationError) -> Iterator[Complaint]:
    """What pydantic found, in our words; missing keys last: a misspelled one explains them."""
    faults = error.errors(include_url=False)
    # Of a key that takes a number or a word pydantic says both, below the key.
    either = {fault["loc"][:-1] for fault in faults if str(fault["loc"][-1]).startswith("literal[")}
    for fault in faults:
        path: KeyPath = tuple(fault["loc"])
        if path[:-1] in either:
            if fault["type"] == "literal_error":
                (word,), given = _words(fault["ctx"]), _shown(fault["input"])
                text = f"must be a number, or {quoted(word)}, not {given}. "
                endless = fault["input"] == math.inf and word == "none"
                text += f"No limit is {quoted(word)}." if endless else _write(path[:-1])
                yield Complaint(path[:-1], text.rstrip())
        elif fault["type"] == "literal_error":
            yield Complaint(path, _no_such_word(_words(fault["ctx"]), fault["input"]))
        elif fault["type"] == "missing":
            yield Complaint(path, f"is missing. {_write(path)}".rstrip(), rank=1)
        elif fault["type"] == "extra_forbidden":
            yield Complaint(path, _no_such_key(path, fault["input"]))
        else:
            yield Complaint(path, _wrong_kind(path, fault["type"], fault["input"]))


def _no_such_key(path: KeyPath, value: Any) -> str:
    key, table = str(path[-1]), table_at(path[:-1])
    keys = table.model_fields if table else {}
    if path[0] in NAMED and isinstance(value, dict):
        whole = toml_text(f"{path[1]}.{key}")
        return f"a name with a dot in it needs quotes. Write [{path[0]}.{whole}]."
    if HOMES.get(key) and not difflib.get_close_matches(key, keys, n=1):
        return f"there is no key {quoted(key)} here. It belongs under {HOMES[key]}."
    return f"there is no key {quoted(key)} here. {nearest(key, keys)}"


def _no_such_word(words: Sequence[str], value: Any) -> str:
    wanted = ", ".join(map(quoted, words))
    near = nearest(value, words) if isinstance(value, str) else ""
    some = f"one of {wanted}" if len(words) > 1 else wanted
    return f"must be {some}, not {_shown(value)}. {near if 'Did' in near else ''}".rstrip()


def _wrong_kind(path: KeyPath, kind: str, value: Any) -> str:
    hidden = path[0] == "secret"
    wanted = WANTED.get(kind, "something else")
    if path[:2] == ("limit", "target") and path[-1] in LimitTable.model_fields:
        return TOO_LATE
    if kind == "float_type" and type(value) is int:
        return "is too large a number. Write a smaller one."
    item = "" if isinstance(path[-1], str) else f"item {path[-1] + 1} "
    given = KINDS.get(type(value), "something else") if hidden else _shown(value)
    return f"{item}must be {wanted}, not {given}. {_write(path)}".rstrip()


def _words(context: Mapping[str, Any]) -> list[str]:
    """The words that a key takes, as pydantic lists them: 'this', 'that' or 'another'."""
    return re.findall("'([^']*)'", context["expected"])


def _write(path: KeyPath) -> str:
    """What could stand there, as an example."""
    named = path
    while named and not isinstance(named[-1], str):
        named = named[:-1]
    shown = example(named)
    if not shown and len(path) == 2 and path[0] in NAMED:
        shown = f"[{toml_path(path)}]"
    return f"Write, for example, {shown}" if shown else ""


def _shown(value: Any) -> str:
    """A plain value as it was written, anything else by its kind."""
    if type(value) is str:
        return f"the text {quoted(value)}"
    if type(value) is bool:
        return str(value).lower()
    if type(value) is float or (type(value) is int and abs(value) < 10**20):
        return repr(value)
    return KINDS.get(type(value), "a date or time")
