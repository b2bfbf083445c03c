"""What is written of a text in TOML is that text again, however it has to be written."""

from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from unspoken.tables.policy.quoting import toml_line, toml_text

MARKS = st.text("\"\\'\nab\t") | st.text()


@given(MARKS)
def test_a_text_is_itself_again(text: str) -> None:
    assert tomllib.loads(f"x = {toml_text(text)}")["x"] == text


@given(st.lists(MARKS, min_size=1, max_size=3))
def test_lines_between_three_quotes_are_themselves_again(lines: list[str]) -> None:
    written = "\n".join(map(toml_line, lines))
    assert tomllib.loads(f'x = """\n{written}"""')["x"] == "\n".join(lines)


def test_quotes_that_stand_apart_are_not_escaped() -> None:
    assert toml_line("CASE WHEN \"a b\" = 'c'") == "CASE WHEN \"a b\" = 'c'"
    assert toml_line('"a\\d" AS x') == '"a\\\\d" AS x'
