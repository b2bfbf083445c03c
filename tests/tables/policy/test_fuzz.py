"""Whatever is done to a project file: it is read, or refused in one line; nothing else."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.effort import examples
from tests.tables.policy.cases import COLUMNS, GOOD, LEAST
from unspoken.core.errors import InputError
from unspoken.tables.policy import Project, check_columns, check_files, starter

pytestmark = pytest.mark.slow

SCRAPS = st.sampled_from(
    [
        *"\"'[]{}=.,#\n\\ \0",
        *('"""', "[[", "]]", "= 1", "true", "nan", "-inf", "1e999", "0x" + "f" * 300, "1979-05-27"),
        *(
            "[limit]",
            "[attribute]",
            "[attribute.x]",
            "[[source]]",
            "source = 1",
            "attribute.a = {}",
        ),
        *("keys", "format = 2", "values = [[1], {a = 2}]", "bins = []", "reads = ['a', 'a']", '""'),
    ]
) | st.text(max_size=4)


@st.composite
def spoiled(draw: st.DrawFn) -> str:
    """A good text with up to five passages replaced, cut out, doubled or swapped."""
    text = draw(st.sampled_from([GOOD, LEAST, starter(COLUMNS, "t.csv")]))
    for _ in range(draw(st.integers(1, 5))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from([0, 0, 1, 3, 10, 40])))
        new = draw(st.one_of(SCRAPS, st.just(text[start:end] * 2), st.just("")))
        text = text[:start] + new + text[end:]
    return text


@st.composite
def rearranged(draw: st.DrawFn) -> str:
    """The lines of a good text, some left out, some moved, some with the value of another."""
    lines = draw(st.sampled_from([GOOD, LEAST])).splitlines()
    values = [line.partition("= ")[2] for line in lines if "= " in line]
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(lines) - 1))
        key, sign, _ = lines[at].partition("= ")
        moves = [lines[at], "", key + sign + draw(st.sampled_from(values) | SCRAPS)]
        lines[at] = draw(st.sampled_from(moves))
        lines.insert(draw(st.integers(0, len(lines))), lines.pop(at))
    return "\n".join(lines)


def answer(read: Callable[[], Project]) -> str:
    """The line with which reading, and checking what was read, is refused; empty if it is not."""
    try:
        project = read()
        check_columns(project, COLUMNS)
        check_files(project)
    except InputError as error:
        return str(error)
    return ""


def is_a_line(message: str) -> bool:
    return message.isprintable() and len(message) < 1500


@examples(600)
@given(spoiled())
def test_spoiled_texts(text: str) -> None:
    assert is_a_line(answer(lambda: Project.parse(text)))


@examples(600)
@given(rearranged())
def test_rearranged_texts(text: str) -> None:
    assert is_a_line(answer(lambda: Project.parse(text)))


@given(st.text(max_size=30))
def test_any_text(text: str) -> None:
    assert is_a_line(answer(lambda: Project.parse(text)))


@given(st.binary(max_size=60))
def test_any_bytes(tmp_path_factory, content: bytes) -> None:
    file = tmp_path_factory.mktemp("fuzz") / "unspoken.toml"
    file.write_bytes(content)
    assert is_a_line(answer(lambda: Project.read(file)))
