"""Names and texts in SQL mean themselves, whatever is in them."""

import duckdb
import pytest

from unspoken.tables.engines.sql import identifier, literal

ODD = ["day", "select", 'a"b', '"', "it's", "a b", "ü; DROP TABLE t --"]


@pytest.mark.parametrize("word", ODD)
def test_a_name_and_a_text_come_back(word: str) -> None:
    found = duckdb.connect().execute(f"SELECT {literal(word)} AS {identifier(word)}")
    assert found.description[0][0] == word
    assert found.fetchall() == [(word,)]
