"""Columns that say who somebody is: what they look like, by their values and by their names."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pytest

from unspoken.tables.engines.duckdb import DuckTable
from unspoken.tables.policy.guesses import guess_keys
from unspoken.tables.policy.identities import identity_of

pytestmark = pytest.mark.slow

LOOKS: dict[str, Sequence[str]] = {
    "e-mail addresses": [
        "a.b@example.org",
        "Ann <ann@x.co>",
        "anna (at) example.org",
        "ben[AT]example.org",
        "carla@localhost",
        "j_s+tag@sub.example.museum",
    ],
    "IBANs": ["BE71 0961 2345 6769", "NL91ABNA0417164300", "GB82 WEST 1234 5698 7654 32"],
    "UUIDs": ["123e4567-e89b-12d3-a456-426614174000", "{123E4567-E89B-12D3-A456-426614174000}"],
    "MAC addresses": ["00:1B:44:11:3A:B7", "00-1b-44-11-3a-b7", "001B.4411.3AB7"],
    "names of accounts": ["@carla20", "@ben_k.1"],
    "web addresses": ["https://x.example/u/carla", "http://example.org/~ben"],
    "IP addresses": ["10.0.0.1", "192.168.178.22"],
    "social security numbers": ["078-05-1120", "85.07.30-033.28", "811218-9876", "QQ 12 34 56 C"],
    "card numbers": ["4111 1111 1111 1111", "5500-0000-0000-0004"],
    "telephone numbers": [
        "call +49 170 1234567",
        "+32 478 12 34 56",
        "0478/12.34.56",
        "(555) 010-4477",
        "555-010-4477",
    ],
    "long codes": ["9f86d081884c7d659a2feaa0c55ad015", "123456789", "NL-12345678"],
}
PLAIN = [
    ["2026-01-01", "2026-12-24"],
    ["2026-01-01 10:00", "2026-01-01 11:30"],
    ["Married-civ-spouse", "Never-married", "Separated-from-spouse"],
    ["1.234,50", "2.933,85"],
    ["A00", "Z99.1", "M54.5"],
    ["100-150", "150-200"],
    ["1000", "1050", "9000"],
    ["0.1234567890123", "0.2345678901234"],
    ["2 @ 5", "look (at home)", "C++ 14", "+1", "+2.5"],
    ["at home", "the office @ noon", "11:30"],
    ["10:30:00", "23:59:59"],
]


def described(name: str, values: Sequence[object], times: int = 8) -> str:
    table = DuckTable.open(pa.table({name: [*values] * times, "x": range(len(values) * times)}))
    (column,) = table.describe([name])
    return identity_of(column)


@pytest.mark.parametrize("looks", LOOKS)
def test_identifiers_are_known_by_their_values(looks: str) -> None:
    for value in LOOKS[looks]:
        assert described("x1", [value, "unknown"]) == looks, value
    many = [value.replace("1", str(k % 10)) for k in range(40) for value in LOOKS[looks]]
    assert described("x1", many, times=1) == looks


@pytest.mark.parametrize("values", PLAIN)
def test_other_texts_are_no_identifiers(values: Sequence[str]) -> None:
    assert described("x1", values) == ""


def test_a_few_addresses_among_many_remarks_make_no_column_of_addresses() -> None:
    remarks = [f"remark {k}" for k in range(40)]
    assert described("x1", [*remarks, "a@b.org"]) == ""
    assert described("x1", [*remarks[:15], "a@b.org"]) == "e-mail addresses"


@pytest.mark.parametrize(
    ("name", "values", "looks"),
    [
        ("name", ["Ann", "Bob"], "names of persons"),
        ("LastName", ["Ann", "Bob"], "names of persons"),
        ("patient_name", ["Ann", "Bob"], "names of persons"),
        ("Vorname", ["Ann", "Bob"], "names of persons"),
        ("prénom", ["Ann", "Bob"], "names of persons"),
        ("Name (Patient)", ["Ann", "Bob"], "names of persons"),
        ("surname_of_patient", ["Ann", "Bob"], "names of persons"),
        ("custname", ["Ann", "Bob"], "names of persons"),
        ("fname", ["Ann", "Bob"], "names of persons"),
        ("familienname", ["Ann", "Bob"], "names of persons"),
        ("name_of_school", ["North", "South"], ""),
        ("whatsapp", [1701234567.0, 1717654321.0], "telephone numbers"),
        ("station_name", ["North", "South"], ""),
        ("product", ["Ann", "Bob"], ""),
        ("name", [1, 2], ""),
        ("phone", [32478123456, 478123456], "telephone numbers"),
        ("phone", [0, 1], ""),
        ("SSN", [123456, 223456], "numbers of persons"),
        ("x1", [478123456, 478123999], "long codes"),
        ("x1", [478123456, 1478123999], ""),
        ("x1", [1_700_000_000, 1_710_000_000], ""),
        ("x1", [1_700_000_000_000, 1_710_000_000_000], ""),
        ("x1", [True, False], ""),
    ],
)
def test_identifiers_are_known_by_name_and_length(
    name: str, values: Sequence[object], looks: str
) -> None:
    assert described(name, values) == looks


def test_what_identifies_a_person_is_no_key_though_each_row_has_its_own() -> None:
    table = {"contact": [f"p{k}@example.org" for k in range(30)], "x": [k % 2 for k in range(30)]}
    assert guess_keys(DuckTable.open(pa.table(table)).describe(), 30) == ()
    codes = {"id": [f"123e4567-e89b-12d3-a456-4266141740{k:02}" for k in range(30)], **table}
    assert guess_keys(DuckTable.open(pa.table(codes)).describe(), 30) == ("id",)
