"""BIF files are read to the last digit, in every dialect met, and refused by line."""

from __future__ import annotations

import csv
import re
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspoken.core.beliefs.networks.bif import read_bif
from unspoken.core.beliefs.networks.network import Network
from unspoken.core.errors import InputError

PLAIN = """network unknown {
}
variable rain {
  type discrete [ 2 ] { yes, no };
}
variable wet {
  type discrete [ 3 ] { dry, damp, wet };
}
probability ( rain ) {
  table 0.2, 0.8;
}
probability ( wet | rain ) {
  (yes) 0.05, 0.15, 0.8;
  (no) 0.9, 0.07, 0.03;
}
"""
PIECES = ["", "}", "{", ";", '"', "|", "(", ")", "0.5", "-1", "1e9999", "/*", "//", "table", "yes"]
RAIN, WET = [0.2, 0.8], [[0.05, 0.15, 0.8], [0.9, 0.07, 0.03]]

QUOTED = """
// made by hand
network "Rain and \\ wet grass" { property "version; 2" ; property author nobody ; }
/* the order of blocks
   is free */
variable "rain" { type discrete[2] {"yes" "no"}; property position = (10, 20) ; }
variable "wet" //2 blocks
{ property "x" ; type discrete[3] { "dry" "damp" "wet" }; }
probability ( "wet" "rain" ) { property p; (no) .9 7e-2 3.E-2; default 0.05 0.15 0.8; }
probability ( "rain" ) { default 2e-1 +0.80; }
"""


@pytest.fixture
def written(tmp_path: Path):
    def write(text: str) -> Path:
        path = tmp_path / "net.bif"
        path.write_text(text, "utf-8")
        return path

    return write


@pytest.mark.parametrize("text", [PLAIN, QUOTED, "\ufeff" + PLAIN.replace("\n", "\r\n")])
def test_dialects(text: str, written) -> None:
    found = read_bif(written(text))
    assert found.values == {"rain": ("yes", "no"), "wet": ("dry", "damp", "wet")}
    assert found.parents == {"rain": [], "wet": ["rain"]}
    assert found.tables["rain"].tolist() == RAIN
    assert found.tables["wet"].tolist() == WET


def test_a_whole_table_runs_over_the_parents_first(written) -> None:
    """P(own | one, two): own values slowest, the last parent fastest."""
    table = "0.1 0.2 0.3 0.4 0.5 0.6  0.9 0.8 0.7 0.6 0.5 0.4"
    blocks = "".join(
        f"variable {name} {{ type discrete [{size}] {{ {' '.join('abc'[:size])} }}; }}\n"
        for name, size in (("own", 2), ("one", 2), ("two", 3))
    )
    text = (
        f"{blocks} probability(own | one, two) {{ table {table}; }}\n"
        "probability(one) { table 0.5 0.5; } probability(two) { table 0.2 0.3 0.5; }"
    )
    found = read_bif(written(text))
    assert found.tables["own"].shape == (2, 3, 2)
    assert found.tables["own"][..., 0].tolist() == [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]
    belief = Network.read(written(text), premise="learned(9)")
    assert belief.premise == "learned(9)"
    assert belief.domain.values_of("two") == ("a", "b", "c")


def test_every_digit_counts(written) -> None:
    """float("0.4941366945926305") is the nearest float; single precision would lose half of it."""
    first = "0.4941366945926305"
    second = str(1 - Decimal(first))
    found = read_bif(written(PLAIN.replace("0.2, 0.8", f"{first}, {second}")))
    assert found.tables["rain"].tolist() == [float(first), float(second)]


@pytest.mark.parametrize(
    "row",
    [
        "0.3333333, 0.3333333, 0.3333333",  # seven decimals
        "7.682262e-05, 1.183068e-01, 8.816163e-01",  # seven significant digits
        "0.03333333, 0.03333333, 0.93333333",
        "0.333, 0.333, 0.333",
        "0.30000000000000004, 0.6, 0.1",  # sums to 1 as floats do
        "1, 0, 0",
    ],
)
def test_rounding_in_print_is_made_good(row: str, written) -> None:
    law = read_bif(written(PLAIN.replace("0.05, 0.15, 0.8", row))).tables["wet"][0]
    exact = [Decimal(number) for number in row.split(", ")]
    assert law.tolist() == [float(p / sum(exact)) for p in exact]
    assert law.sum() == pytest.approx(1.0, abs=3e-16)


@pytest.mark.parametrize(
    ("row", "total"),
    [
        ("0.33, 0.33, 0.33", "0.99"),
        ("0.05, 0.15, 0.79", "0.99"),
        ("0.3, 0.3, 0.3", "0.9"),
        ("0.3333333, 0.3333333, 0.3333336", "1.0000002"),
        ("0.5, 0.5, 0.00002", "1.00002"),
        ("0.5, 0.4995, 0", "0.9995"),
        ("0, 0, 0", "0"),
        ("2, 3, 5", "10"),
    ],
)
def test_other_sums_are_refused(row: str, total: str, written) -> None:
    path = written(PLAIN.replace("0.05, 0.15, 0.8", row))
    says = f"{path}:13: the probability of wet given rain=yes sums to {total};"
    with pytest.raises(InputError, match=re.escape(says)):
        read_bif(path)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "network",
            "netwerk",
            ":1: expected 'network', 'variable' or 'probability', found 'netwerk'",
        ),
        ("unknown {\n}", "unknown {", ":2: expected '}' after the properties of the network"),
        ("variable wet", "variable rain", ":6: variable rain is given twice"),
        ("[ 2 ]", "[ 3 ]", ":4: expected 3 values of rain, found 2"),
        ("yes, no }", "yes, yes }", ":4: expected different values of rain"),
        ("yes, no };", "yes, no }", ":5: expected ';' after the values of rain, found '}'"),
        ("discrete [ 2", "continuous [ 2", ":4: expected 'discrete' in the type of rain"),
        ("  type discrete [ 2 ] { yes, no };\n", "", ":3: expected 'type discrete"),
        ("type discrete [ 2", "kind [ 2", ":4: expected 'type' or 'property' in variable rain"),
        ("( rain )", "( rane )", ":9: expected the name of a variable given before, found 'rane'"),
        ("| rain )", "| rane )", ":12: expected a parent of wet or ')' given before, found 'rane'"),
        ("| rain )", "| rain, rain )", ":12: expected different parents of wet"),
        ("wet | rain", "rain | wet", ":12: the probability of rain is given twice"),
        ("table 0.2", "tabel 0.2", ":10: expected 'table', 'default', '(' or '}'"),
        ("0.2, 0.8", "0.2, 0,8", ":10: expected 2 probabilities of rain, found 3"),
        (
            "0.2, 0.8",
            "0.2, x",
            ":10: expected a probability of rain, a number of 0 or more, found 'x'",
        ),
        ("0.2, 0.8", "-0.2, 1.2", ":10: expected a probability of rain, a number of 0 or more"),
        ("0.2, 0.8", "nan, 1", ":10: expected a probability of rain, a number of 0 or more"),
        ("0.2, 0.8;", "0.2, 0.8", ":11: expected a probability of rain or ';', found '}'"),
        ("(yes)", "(maybe)", ":13: expected a value of rain (yes, no), found 'maybe'"),
        ("(yes)", "(yes, no)", ":13: expected ')' after a value for each parent of wet"),
        ("(no)", "(yes)", ":14: the probability of wet given rain=yes is given twice"),
        ("  (no) 0.9, 0.07, 0.03;\n", "", ":12: no row for the probability of wet given rain=no"),
        (
            "0.03;\n}\n",
            "0.03;\n",
            ":15: expected 'table', 'default', '(' or '}' in probability of wet",
        ),
        ("variable wet", 'variable "wet', ":6: expected a closing quote after"),
        ("variable wet", "/* variable wet", ":6: expected the comment to end after"),
        ("network", "property a; network", ":1: expected 'network', 'variable' or 'probability'"),
        (
            "network unknown {",
            "network unknown { property a",
            ":2: expected ';' after a property, found '}'",
        ),
    ],
)
def test_errors_name_the_line_and_what_was_expected(old: str, new: str, says: str, written) -> None:
    assert PLAIN.count(old) >= 1
    path = written(PLAIN.replace(old, new, 1))
    with pytest.raises(InputError, match=re.escape(f"{path}{says}")) as refusal:
        read_bif(path)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "  type discrete [ 2 ] { yes, no };\n",
            "  type discrete [ 2 ] { yes, no };\n" * 2,
            ":5: the type of rain",
        ),
        (
            "(no) 0.9, 0.07, 0.03;",
            "default 0.9 .07 .03; default .8 .1 .1;",
            ":14: the default of wet",
        ),
        ("table 0.2, 0.8;", "table 1e-400, 1;", ":10: a probability is below 1e-323"),
        ("table 0.2, 0.8;", "table 1e9999, 0.8;", "sums to 1.000000e+9999; every row sums to 1"),
    ],
)
def test_nothing_is_dropped_in_silence(old: str, new: str, says: str, written) -> None:
    """Of two types or defaults the last one was taken, and a rare value became impossible."""
    assert PLAIN.count(old) == 1
    with pytest.raises(InputError, match=re.escape(says)):
        read_bif(written(PLAIN.replace(old, new)))


def test_a_missing_block_is_named(written) -> None:
    path = written(PLAIN[: PLAIN.index("probability ( wet")])
    with pytest.raises(InputError, match=r"12: expected a block 'probability \( wet"):
        read_bif(path)
    with pytest.raises(InputError, match="1: expected a block 'variable', found the end"):
        read_bif(written(""))
    unending = PLAIN.partition("  (yes)")[0] + "property never ends"
    with pytest.raises(InputError, match="13: expected ';' after a property, found the end"):
        read_bif(written(unending))


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no path of a file"):
        read_bif("a\0b")
    with pytest.raises(InputError, match=r"none\.bif: cannot be read"):
        read_bif(tmp_path / "none.bif")
    (tmp_path / "latin.bif").write_bytes(b"network caf\xe9 { }")
    with pytest.raises(InputError, match=r"latin\.bif: is not UTF-8"):
        read_bif(tmp_path / "latin.bif")


@given(spoilt=st.lists(st.tuples(st.integers(0, len(PLAIN)), st.sampled_from(PIECES)), max_size=3))
def test_spoilt_files_are_read_or_refused_in_one_line(
    spoilt: list[tuple[int, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = PLAIN
    for at, piece in spoilt:
        text = text[:at] + piece + text[at + len(piece) // 2 :]
    path = tmp_path_factory.getbasetemp() / "spoilt.bif"
    path.write_text(text, "utf-8")
    said = ""
    try:
        Network.read(path)
    except InputError as refusal:
        said = str(refusal)
    assert "\n" not in said


def test_published_networks(shared: Path) -> None:
    """Nodes, arrows and free parameters as counted by those who published them."""
    folder = shared / "data/bayes_nets"
    lines = (folder / "index.csv").read_text("utf-8").splitlines()
    counted = {row["network"]: row for row in csv.DictReader(lines)}
    read = sorted(folder.glob("*.bif"))
    assert len(read) >= 9
    for path in read:
        belief, row = Network.read(path), counted[path.stem]
        laws = belief.model.laws
        assert len(laws) == int(row["nodes"])
        assert sum(map(len, belief.model.dag.parents)) == int(row["arcs"])
        assert max(belief.domain.sizes) == int(row["max_cardinality"])
        free = sum(law.size - law.size // law.shape[-1] for law in laws)
        assert free == int(row["free_parameters"])
        for law in laws:
            np.testing.assert_allclose(law.sum(-1), 1.0, rtol=0, atol=1e-15)


def test_printed_numbers_come_back_as_they_are(shared: Path) -> None:
    """Every row of alarm that sums to 1 in print: its numbers are the nearest floats."""
    path = shared / "data/bayes_nets/alarm.bif"
    belief = Network.read(path)
    kept = {float(x) for law in belief.model.laws for x in law.ravel()}
    rows = re.findall(r"^\s*(?:\(.*\)|table) (.*);$", path.read_text("utf-8"), re.MULTILINE)
    exact = [row.split(", ") for row in rows if sum(map(Decimal, row.split(", "))) == 1]
    assert len(exact) > 200
    assert {float(number) for row in exact for number in row} <= kept
