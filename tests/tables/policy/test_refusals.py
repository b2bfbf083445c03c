"""Every mistake in a project file gives one line: file, line, key, what is wrong, what to do."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tables.policy.cases import GOOD, LEAST, edited
from unspoken.core.errors import InputError
from unspoken.tables.policy import Project

KEY = "3f" * 32

ARRIVAL = 'sensitive = "first_arrival > 10.5"'
BINS = "bins = [8, 9, 10, 10.5, 12]"
VALUES = 'values = ["work", "feast"]'
POOLS = '    ["planning", "lighting"],'

# what is wrong: (old, new, where the message says it is, words it must have)
BAD: dict[str, tuple[str, str, str, list[str]]] = {
    # ------------------------------------------------ TOML
    "no quotes": ('label = "2026"', "label = x", ":10:", ["not TOML", "Text needs quotes"]),
    "an open quote": ('"2026"', '"2026', ":10:", ["not TOML", "Close the quote"]),
    "an open bracket": ('["office"]', '["office"', ":7:", ["not TOML", "Close the bracket"]),
    "a key twice": ('missing = "public"', ARRIVAL, ":15:", ["not TOML", "once"]),
    "a table twice": ("[attribute.exits]", "[attribute.first_arrival]", ":21:", ["once"]),
    "a dot in a name": ('"day type"', "day type", ":23:", ["not TOML"]),
    # ------------------------------------------------ keys and kinds of values
    "a misspelled key": (
        ARRIVAL,
        ARRIVAL.replace("sens", "sen"),
        ":14 attribute.first_arrival.senitive:",
        ["no key", 'Did you mean "sensitive"?'],
    ),
    "another engine": (
        "[epoch]",
        'engine = "Spark"\n[epoch]',
        ":9 source.engine:",
        ['one of "duckdb", "spark"', 'Did you mean "spark"?'],
    ),
    "neither a number nor the word": (
        "odds_cap = 4.0",
        'odds_cap = 4.0\npooled_cap = "no"',
        ":36 limit.pooled_cap:",
        ['a number, or "none"', "pooled_cap = 4.0"],
    ),
    "plans beyond the limit": (
        "[plan]",
        "[plan]\nodds_cap = 5",
        ":56 plan.odds_cap:",
        ["above limit.odds_cap = 4", "Write less"],
    ),
    "plans that nothing meets": (
        "[plan]",
        "[plan]\nodds_cap = 0.5",
        ":56 plan.odds_cap:",
        ["below 1"],
    ),
    "plans of more bits": (
        "[plan]",
        "[plan]\nlimit_bits = 0.2",
        ":56 plan.limit_bits:",
        ["above limit.limit_bits = 0.1"],
    ),
    "no limit in figures": (
        "odds_cap = 4.0",
        "odds_cap = 4.0\npooled_cap = inf",
        ":36 limit.pooled_cap:",
        ['No limit is "none".'],
    ),
    "a misspelled table": ("[source]", "[sorce]", ":3 sorce:", ['Did you mean "source"?']),
    "another's key": (
        'label = "2026"',
        'label = "2026"\nodds_cap = 3',
        ":11 epoch.odds_cap:",
        ["belongs under [limit]"],
    ),
    "a key above its table": (
        "[source]",
        'keys = ["day"]\n[source]',
        ":3 keys:",
        ["belongs under [source]"],
    ),
    "a dotted column": (
        "[attribute.exits]",
        "[attribute.exits.late]",
        ":21 attribute.exits.late:",
        ['[attribute."exits.late"]'],
    ),
    "a key of [limit] too late": (
        "first_arrival = 0.05",
        'coalitions = [["lighting"]]',
        ":44 limit.target.coalitions:",
        ["above [limit.target]"],
    ),
    "a number of [limit] too late": (
        "first_arrival = 0.05",
        "exceed = 0.05",
        ":44 limit.target.exceed:",
        ["above [limit.target]"],
    ),
    "text for a list": (
        'reads = ["first_arrival"]',
        'reads = "first_arrival"',
        ":28 application.lighting.reads:",
        ["list", 'not the text "first_arrival"', 'reads = ["first_arrival"]'],
    ),
    "text for a number": (
        "odds_cap = 4.0",
        'odds_cap = "4"',
        ":35 limit.odds_cap:",
        ["a number", 'the text "4"'],
    ),
    "a number for true": ("close = false", "close = 0", ":37 limit.close:", ["true or false"]),
    "true for a number": ("= 0.01", "= true", ":36 limit.exceed:", ["a number, not true"]),
    "a date for text": ('"2026"', "2026-01-01", ":10 epoch.label:", ["text", "date"]),
    "a number for text": ('"2026"', "2026", ":10 epoch.label:", ["text", "2026"]),
    "NaN": ("= 0.1\n", "= nan\n", ":34 limit.limit_bits:", ["finite", "not nan"]),
    "infinity": ("= 4.0", "= inf", ":35 limit.odds_cap:", ["finite"]),
    "a huge number": ("= 4.0", "= 0x1" + "0" * 400, ":35 limit.odds_cap:", ["too large"]),
    "an infinite bin": ("10.5, 12]", "10.5, inf]", ":13 attribute.first_arrival.bins:", ["item 5"]),
    "a text bin": ("[0.1, 0.3]", '[0.1, "b"]', ":18 attribute.mean_occupancy.bins:", ["item 2"]),
    "a table for text": (f"{ARRIVAL}\n", "sensitive = {a = 1}\n", ":14 attribute", ["a table"]),
    "text for a table": (
        "[attribute.exits]",
        "[attribute]\nexits = 'x'",
        ":22 attribute.exits:",
        ["a table", "[attribute.exits]"],
    ),
    "another word": (
        'missing = "public"',
        'missing = "pubic"',
        ":15 attribute.first_arrival.missing:",
        ["one of", 'Did you mean "public"?'],
    ),
    # ------------------------------------------------ the format
    "a newer format": (
        "format = 1",
        "format = 2",
        ":1 format:",
        ["format 2 needs a newer unspoken", "reads format 1"],
    ),
    "format zero": ("format = 1", "format = 0", ":1 format:", ["no such format", "format = 1"]),
    "a text format": ("format = 1", 'format = "1"', ":1 format:", ["whole number"]),
    "no format": ("format = 1", "", ":1 format:", ["missing", "format = 1"]),
    # ------------------------------------------------ source and epoch
    "table and sql": (
        'table = "occupancy.parquet"',
        'table = "a.csv"\nsql = "SELECT 1"',
        ":5 source.sql:",
        ["both", "Keep one"],
    ),
    "no table": ('table = "occupancy.parquet"\n', "", ":3 source:", ["table", "sql"]),
    "an empty query": ('table = "occupancy.parquet"', 'sql = " "', ":4 source.sql:", ["empty"]),
    "no file of a table": (
        "occupancy.parquet",
        "occupancy.xlsx",
        ":4 source.table:",
        [".parquet", ".csv", "database"],
    ),
    "no keys": ('keys = ["office", "day"]\n', "", ":3 source.keys:", ["missing", "keys = ["]),
    "keys empty": ('keys = ["office", "day"]', "keys = []", ":5 source.keys:", ["empty"]),
    "a key twice in keys": (
        '["office", "day"]',
        '["office",\n "office"]',
        ":6 source.keys:",
        ["twice"],
    ),
    "a key without a name": ('["office", "day"]', '["office", " "]', ":5 source.keys:", ["empty"]),
    "keys alike": ('"office", "day"]', '"office", "Office"]', ":5 source.keys:", ["letter case"]),
    "a unit that is no key": (
        'unit = ["office"]',
        'unit = ["offices"]',
        ":6 source.unit:",
        ['Did you mean "office"?'],
    ),
    "an empty unit": ('unit = ["office"]', "unit = []", ":6 source.unit:", ["empty"]),
    "label and of": ('"2026"', '"2026"\nof = "day"', ":11 epoch.of:", ["both"]),
    "neither label nor of": ('label = "2026"', "", ":9 epoch:", ["label", "of"]),
    "an empty label": ('"2026"', '""', ":10 epoch.label:", ["empty"]),
    # ------------------------------------------------ attributes and applications
    "bins that fall": ("10, 10.5", "10.5, 10", ":13 attribute.first_arrival.bins:", ["increase"]),
    "a bin twice": ("8, 9,", "8,\n8,", ":14 attribute.first_arrival.bins:", ["increase"]),
    "no bins": ("bins = [0.1, 0.3]", "bins = []", ":18 attribute.mean_occupancy.bins:", ["empty"]),
    "bins and values": (
        BINS,
        BINS + "\nvalues = [1, 2]",
        ":14 attribute.first_arrival.values:",
        ["both"],
    ),
    "a value twice": (
        VALUES,
        'values = ["a", "a"]',
        ':24 attribute."day type".values:',
        ['"a" twice'],
    ),
    "mixed values": (VALUES, 'values = ["a", 1]', ":24 attribute", ["mixes text and numbers"]),
    "true and 1": (VALUES, "values = [1, true]", ":24 attribute", ["mixes"]),
    "NaN among values": (VALUES, "values = [1, nan]", ":24 attribute", ["NaN"]),
    "dates among values": (VALUES, "values = [2020-01-01]", ":24 attribute", ["dates as text"]),
    "no values": (VALUES, "values = []", ":24 attribute", ["empty"]),
    "a single value": ("[attribute.exits]", "[attribute.exits]\nvalues = [1]", ":22", ["single"]),
    "an empty predicate": (ARRIVAL, 'sensitive = ""', ":14 attribute", ["empty", "never"]),
    "a key as attribute": (
        "[attribute.exits]",
        "[attribute.day]",
        ":21 attribute.day:",
        ["is a key"],
    ),
    "attributes alike": (
        "[attribute.exits]",
        "[attribute.exits]\n[attribute.Exits]",
        ":21 attribute.exits:",
        ["letter case"],
    ),
    "a stranger read": (
        'reads = ["mean_occupancy", "exits"]',
        'reads = [\n"mean_occupancy",\n"exit"]',
        ":33 application.planning.reads:",
        ['no attribute "exit"', 'Did you mean "exits"?'],
    ),
    "reads nothing": ('reads = ["first_arrival"]', "reads = []", ":28 application", ["empty"]),
    "reads twice": ('["mean_occupancy", "exits"]', '["exits", "exits"]', ":31 app", ["twice"]),
    "reads a key": ('["mean_occupancy", "exits"]', '["exits", "day"]', ":31 app", ["is a key"]),
    # ------------------------------------------------ limits
    "negative bits": ("= 0.1\n", "= -0.1\n", ":34 limit.limit_bits:", ["negative"]),
    "a cap below one": ("= 4.0", "= 0.5", ":35 limit.odds_cap:", ["below 1", "4 is recommended"]),
    "a negative share": ("= 0.01", "= -0.01", ":36 limit.exceed:", ["from 0 to 1"]),
    "a share above one": ("= 0.01", "= 1.01", ":36 limit.exceed:", ["from 0 to 1"]),
    "a target nobody has": (
        "first_arrival = 0.05",
        "first_arival = 0.05",
        ":44 limit.target.first_arival:",
        ['Did you mean "first_arrival"?'],
    ),
    "a negative target": ("= 0.05", "= -1", ":44 limit.target.first_arrival:", ["negative"]),
    "an unknown member": (
        POOLS,
        '    ["planing", "lighting"],',
        ":40 limit.coalitions:",
        ['no application "planing"', 'Did you mean "planning"?'],
    ),
    "nobody pools": (POOLS, "    [],", ":40 limit.coalitions:", ["empty"]),
    "one without a limit": (POOLS, "", ":38 limit.coalitions:", ['"planning"', "no limit"]),
    # ------------------------------------------------ files
    "an empty path": ('"out/report.html"', '""', ":53 output.report:", ["empty"]),
    "an address": ('"occupancy.parquet"', '"s3://b/o.parquet"', ":4 source.table:", ["address"]),
    "a folder": ('"out/report.html"', '"out/"', ":53 output.report:", ["folder"]),
    "a strange path": ('"out/report.html"', '"a\\u0000b"', ":53 output.report:", ["control"]),
    "one file for two": (
        '"out/report.html"',
        '"keys/../out/released.parquet"',
        ":53 output.report:",
        ["same file", "output.release"],
    ),
    "over the table": (
        '"out/released.parquet"',
        '"occupancy.parquet"',
        ":51 output.release:",
        ["same file", "source.table"],
    ),
    "over itself": ('"out/report.html"', '"unspoken.toml"', ":53 output.report:", ["project file"]),
    "another release": ("released.parquet", "released.csv", ":51 output.release:", [".parquet"]),
}


def refused(text: str, path: str = "unspoken.toml") -> str:
    with pytest.raises(InputError) as caught:
        Project.parse(text, path)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    message = str(caught.value)
    assert message.isprintable()
    return message


@pytest.mark.parametrize("case", BAD)
def test_a_mistake_gives_one_line(case: str) -> None:
    old, new, where, words = BAD[case]
    message = refused(edited(old, new))
    assert message.startswith(f"unspoken.toml{where}"), message
    for word in words:
        assert word in message
    assert re.search(r"(\.|\?|[a-z] = .+|\])$", message), message


EMPTY = {"attribute": "[attribute.a]", "application": '[application.app]\nreads = ["a"]'}


@pytest.mark.parametrize("name", EMPTY)
def test_there_is_something_to_release_and_somebody_to_read(name: str) -> None:
    assert f"unspoken.toml:1 {name}: is missing" in refused(edited(EMPTY[name], "", LEAST))
    assert f" {name}: there is no {name}" in refused(edited(EMPTY[name], f"[{name}]", LEAST))


@pytest.mark.parametrize("secret", [KEY, f" 0x{KEY}\\n", "A" * 43 + "=", "-----BEGIN KEY\\nx"])
def test_a_pasted_key_is_not_shown(secret: str) -> None:
    message = refused(edited("keys/unspoken.key", secret))
    assert "looks like a key" in message
    assert secret.strip()[:6] not in message


@pytest.mark.parametrize("value", [f'["{KEY}"]', f"0x{KEY}", f'{{"a" = "{KEY}"}}', f"'{KEY}"])
def test_no_error_shows_what_stands_under_secret(value: str) -> None:
    assert KEY[:6] not in refused(edited('"keys/unspoken.key"', value))


def test_the_first_mistake_in_the_file_is_told() -> None:
    text = edited("= 0.01", "= 2", edited("8, 9,", "9, 8,"))
    assert ":13 attribute.first_arrival.bins:" in refused(text)


def test_a_misspelled_key_comes_before_the_key_it_lacks() -> None:
    assert 'Did you mean "limit_bits"?' in refused(edited("limit_bits", "limitbits", LEAST))


def test_names_are_shown_on_one_line_and_not_for_ever() -> None:
    assert '"a\\nb"' in refused(edited("[attribute.a]", '[attribute.a]\n"a\\nb" = 1', LEAST))
    assert len(refused(edited("[attribute.a]", f"[attribute.a]\n{'x' * 5000} = 1", LEAST))) < 500


def deep(brackets: int) -> str:
    return LEAST + "x = " + "[" * brackets + "]" * brackets


@pytest.mark.parametrize(
    "text", [deep(100), deep(10_000), "x = " + "9" * 5000, "x = 0x" + "f" * 5000]
)
def test_monstrous_texts(text: str) -> None:
    refused(text)


# ---------------------------------------------------------------- the file itself

FILES: dict[str, tuple[Callable[[Path], object], list[str]]] = {
    "absent": (lambda file: None, ["no such file", "unspoken init"]),
    "a folder": (lambda file: (file / "unspoken.toml").mkdir(parents=True), ["cannot be read"]),
    "bytes": (lambda file: file.write_bytes(b"format = 1\n\xff"), [":2:", "UTF-8"]),
    "a table": (lambda file: file.write_bytes(b"a,b\n" * 300_000), ["too large", "unspoken init"]),
    "empty": (lambda file: file.write_bytes(b""), ["format: is missing"]),
    "NUL": (lambda file: file.write_bytes(b"a\0"), [":1:", "not TOML"]),
}


@pytest.mark.parametrize("case", FILES)
def test_a_file_that_is_no_project(case: str, tmp_path: Path) -> None:
    make, words = FILES[case]
    file = tmp_path / "unspoken.toml"
    make(file)
    with pytest.raises(InputError) as caught:
        Project.read(file)
    message = str(caught.value)
    assert message.startswith(str(file))
    assert message.isprintable()
    assert [word for word in words if word not in message] == []


def test_a_path_that_is_no_path() -> None:
    with pytest.raises(InputError, match="cannot be read"):
        Project.read("a\0b")


def test_the_good_file_is_good() -> None:
    Project.parse(GOOD)
    Project.parse(LEAST)
