"""A project file against the columns of its table."""

from dataclasses import replace
from typing import Any

import pytest

from tests.tables.policy.cases import COLUMNS, GOOD, edited
from unspoken.core.errors import InputError
from unspoken.tables.column import ColumnInfo
from unspoken.tables.policy import Project, check_columns


def told(text: str, columns: tuple[ColumnInfo, ...] = COLUMNS) -> str:
    with pytest.raises(InputError) as caught:
        check_columns(Project.parse(text), columns)
    message = str(caught.value)
    assert message.isprintable()
    return message


def changed(which: str, /, **how: Any) -> tuple[ColumnInfo, ...]:
    assert which in {c.name for c in COLUMNS}
    return tuple(replace(c, **how) if c.name == which else c for c in COLUMNS)


def test_the_good_file_fits() -> None:
    check_columns(Project.parse(GOOD), COLUMNS)


ARRIVAL = "attribute.first_arrival"

BAD: dict[str, tuple[tuple[ColumnInfo, ...], str, list[str]]] = {
    "no such key": (
        changed("day", name="date"),
        ":5 source.keys:",
        [
            'no column "day" in occupancy.parquet.',
            'There are: "date"',
            "number them in [source] sql",
        ],
    ),
    "other letter case": (changed("day", name="DAY"), ":5 source.keys:", ['Did you mean "DAY"?']),
    "a key of fractions": (changed("office", kind="number"), ":5 source.keys:", ["CAST"]),
    "a key of truth": (changed("day", kind="boolean"), ":5 source.keys:", ["true or false"]),
    "a key that is missing": (changed("day", missing=1), ":5 source.keys:", ["1 row;"]),
    "no such attribute": (
        changed("first_arrival", name="first_arival"),
        f":12 {ARRIVAL}:",
        ["no column", 'Did you mean "first_arival"?'],
    ),
    "another kind": (changed("exits", kind="other"), ":21 attribute.exits:", ["neither"]),
    "bins on text": (changed("first_arrival", kind="text"), f":13 {ARRIVAL}.bins:", ["text"]),
    "bins on dates": (changed("first_arrival", kind="date"), f":13 {ARRIVAL}.bins:", ["dates"]),
    "values of another kind": (
        changed("day type", kind="integer"),
        ':24 attribute."day type".values:',
        ['"work" cannot occur', "whole numbers"],
    ),
    "one value": (changed("exits", distinct=1), ":21 attribute.exits:", ["same value"]),
    "nothing but missing": (
        changed("first_arrival", distinct=0),
        f":12 {ARRIVAL}:",
        ["same value"],
    ),
    "too many values": (changed("exits", distinct=2100), ":21 attribute.exits:", ["2,100", "bins"]),
    "too many texts": (
        changed("exits", distinct=21, kind="text"),
        ":21 attribute.exits:",
        ["21 different", "values"],
    ),
    "too many days": (
        changed("exits", distinct=21, kind="date"),
        ":21 attribute.exits:",
        ["bins = [2026-01-01, 2026-02-01]"],
    ),
    "missing, said never": (
        changed("mean_occupancy", missing=7),
        ":17 attribute.mean_occupancy.missing:",
        ["7 rows", '"value"', '"public"'],
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_a_mismatch_gives_one_line(case: str) -> None:
    columns, where, words = BAD[case]
    message = told(GOOD, columns)
    assert message.startswith(f"unspoken.toml{where}"), message
    assert [word for word in words if word not in message] == []


def test_values_must_be_of_the_kind_of_the_column() -> None:
    text = edited("[attribute.exits]", "[attribute.exits]\nvalues = [0.25, 1]")
    assert "unspoken.toml:22 attribute.exits.values: 0.25 cannot occur" in told(text)
    check_columns(Project.parse(text.replace("0.25", "0")), COLUMNS)
    check_columns(Project.parse(text), changed("exits", kind="number"))


def test_one_value_and_missing_ones_are_two() -> None:
    check_columns(Project.parse(GOOD), changed("day type", distinct=1))


def test_the_first_mismatch_in_the_file_is_told() -> None:
    columns = tuple(replace(c, kind="other") for c in COLUMNS)
    assert ":5 source.keys:" in told(GOOD, columns)


def test_a_table_without_columns() -> None:
    assert "There are none." in told(GOOD, ())
