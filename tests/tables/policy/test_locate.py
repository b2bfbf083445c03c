"""The line of every key: against texts whose lines are known, and against tomllib itself."""

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.effort import examples
from tests.tables.policy.cases import GOOD
from unspoken.tables.policy.locate import KeyPath, Lines

pytestmark = pytest.mark.slow

LINES: dict[str, tuple[str, dict[KeyPath, int]]] = {
    "keys and tables": (
        "a = 1\n\n# [b] = not\n[b]\nc = 2\n[d.e]\nf=3\n",
        {("a",): 1, ("b",): 4, ("b", "c"): 5, ("d",): 6, ("d", "e"): 6, ("d", "e", "f"): 7},
    ),
    "dotted": ("a.b.c = 1\na . d = 2", {("a",): 1, ("a", "b", "c"): 1, ("a", "d"): 2}),
    "quoted": (
        '["a.b"]\n"c\\u0064 \\" = " = 1\n\'e = "\' = 2\n"" = 3',
        {("a.b",): 1, ("a.b", 'cd " = '): 2, ("a.b", 'e = "'): 3, ("a.b", ""): 4},
    ),
    "a quoted header": ('\n[ a . "b ]" . c ] # d\nx = 1', {("a", "b ]", "c", "x"): 3}),
    "inline": (
        "a = { b = 1, c.d = {e = [2]}, 'f' = {} }\ng = 1",
        {("a", "b"): 1, ("a", "c", "d", "e", 0): 1, ("a", "f"): 1, ("g",): 2},
    ),
    "arrays": (
        "a = [\n  1, # , ]\n  'two, ]',\n\n  [3,\n   4], {b = 5},\n]\nc = []\nd = [ ]",
        {("a",): 1, ("a", 0): 2, ("a", 1): 3, ("a", 2): 5, ("a", 2, 1): 6, ("a", 3, "b"): 6}
        | {("c",): 8, ("d",): 9},
    ),
    "long texts": (
        'a = """\nb = 1\n\\""" c""""\nd = \'\'\'\n[e]\n\'\'\'\'\nf = """"""\ng = \'a#\'',
        {("a",): 1, ("d",): 4, ("f",): 7, ("g",): 8},
    ),
    "arrays of tables": (
        "[[a]]\nb = 1\n[a.c]\nd = 2\n[[a]]\nb = 3\n[[a.e]]\n[[a.e]]\nf = 4",
        {("a",): 1, ("a", 0): 1, ("a", 0, "c", "d"): 4, ("a", 1): 5, ("a", 1, "b"): 6}
        | {("a", 1, "e", 0): 7, ("a", 1, "e", 1, "f"): 9},
    ),
    "times": ("a = 1979-05-27 07:32:00 # b\nc = 07:32:00\nd = [1979-05-27]", {("d", 0): 3}),
    "line ends of Windows": ("a = 1\r\n[b]\r\nc = '''\r\n'''\r\nd = 2\r\n", {("b", "d"): 5}),
    "a sub-table first": ("[a.b]\nc = 1\n[a]\nd = 1", {("a",): 1, ("a", "b"): 1, ("a", "d"): 4}),
}


@pytest.mark.parametrize("case", LINES)
def test_the_lines_are_right(case: str) -> None:
    text, expected = LINES[case]
    assert paths(tomllib.loads(text)) == set(Lines.of(text).lines)
    assert {path: Lines.of(text).line(path) for path in expected} == expected


def test_every_key_of_the_example_is_on_its_line() -> None:
    found, rows = Lines.of(GOOD).lines, GOOD.splitlines()
    named = [path for path in found if isinstance(path[-1], str)]
    assert all(str(path[-1]) in rows[found[path] - 1] for path in named)
    assert len(named) > 30


def test_what_is_not_there_is_where_it_would_be() -> None:
    lines = Lines.of("a = 1\n[b]\nc = [1,\n2]")
    assert lines.line(("b", "x")) == 2
    assert lines.line(("b", "c", 1, "x")) == 4
    assert lines.line(("b", "c", 7)) == 3
    assert lines.line(("x", "y")) == lines.line(()) == 1
    assert Lines().line(("a",)) is None


def paths(value: Any, path: KeyPath = ()) -> set[KeyPath]:
    """Every key path of what tomllib has read."""
    items: Any = enumerate(value) if isinstance(value, list) else {}
    items = value.items() if isinstance(value, dict) else items
    return ({path} - {()}).union(*(paths(inner, (*path, key)) for key, inner in items))


SHORT = """a b-1 "c" 'd' "e\\"f" '' . = = = , [ ] [ ] [[ ]] { } # 1 -2.5 inf true 1979-05-27
07:32:00.5 "g#h" 'i,]}' \"\"\"j\"\"\" \"\"\"k"" \"\"\"\" '''l''' '''''' 0xff"""
LONG = ["\n", "\n", "\n", " ", "\t", "\r\n", "a = 1\n", "[t]\n", "[[u]]\n", "x = [\n", "a.b = {"]
PIECES = st.sampled_from([*SHORT.split(), *LONG])


@examples(1000)
@given(st.lists(PIECES, max_size=14).map("".join))
def test_whatever_tomllib_reads_is_found(text: str) -> None:
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    assert set(Lines.of(text).lines) == paths(document)


KEYS = st.text(max_size=4).filter(lambda t: all(0x20 <= ord(c) < 0xD800 for c in t))
QUOTED = st.one_of(
    st.from_regex(r"[A-Za-z0-9_-]{1,3}", fullmatch=True),
    KEYS.filter(lambda t: not set(t) & set("'\x7f")).map(lambda t: f"'{t}'"),
    KEYS.filter(lambda t: not set(t) & set('"\\\x7f')).map(lambda t: f'"{t}"'),
)
BREAKS = st.sampled_from(["", " ", "\n", "\n\n", " # c ] } =\n "])


@st.composite
def valued(draw: st.DrawFn, depth: int = 2) -> str:
    """A TOML value, on one or more lines."""
    kinds = ["plain", "array", "inline"] if depth else ["plain"]
    kind = draw(st.sampled_from(kinds))
    if kind == "plain":
        return draw(
            st.sampled_from(["1", "'a'", '"b # ]"', "'''\n]\n'''", '"""\n\\"""\n"""', "nan"])
        )
    inner = draw(st.lists(valued(depth - 1), max_size=3))
    if kind == "array":
        around = [draw(BREAKS) + item + draw(BREAKS) for item in inner]
        return "[" + ",".join(around) + draw(BREAKS) + "]"
    return "{ " + ", ".join(f"k{n} = {item}" for n, item in enumerate(inner)) + " }"


@given(st.lists(st.tuples(BREAKS, QUOTED, valued()), max_size=6))
def test_lines_of_written_texts(rows: list[tuple[str, str, str]]) -> None:
    text, expected = "", {}
    for number, (before, key, value) in enumerate(rows):
        text += (before if before.endswith("\n") or not before.strip() else "") + "\n"
        expected[(f"n{number}", tomllib.loads(f"{key} = 1").popitem()[0])] = text.count("\n") + 1
        text += f"n{number}.{key} = {value}\n"
    found = Lines.of(text).lines
    assert {path: found[path] for path in expected} == expected
    assert set(found) == paths(tomllib.loads(text))
