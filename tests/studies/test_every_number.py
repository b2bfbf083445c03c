"""Every numbered theorem, definition, figure, table and equation of the papers has its row."""

import re

import pytest

from studies.catalogue import STUDIES

ROMAN = {"I": 1, "II": 2, "III": 3}
SHORT = {"Cor": "Corollary", "Def": "Definition", "Thm": "Theorem", "Fig": "Figure", "eq": "eq"}
ITEM = re.compile(
    r"\b(Assumption|Cor|Corollary|Def|Definition|eq|Example|Fig|Lemma|Proposition|Remark|Table"
    r"|Theorem|Thm)s?\.? ((?:\d+|I+)\b(?:(?:-|, )\d+\b)*)"
)
# How far each paper counts; 004 has no Definition 6 in its text, and its equations are lost.
COUNTS = {
    "001": {"Theorem": 4, "Lemma": 1, "Corollary": 1, "Definition": 2, "Figure": 2, "eq": 21},
    "002": {"Theorem": 10, "Lemma": 2, "Definition": 6, "Figure": 10, "Table": 1, "Example": 1,
            "eq": 27},
    "003": {"Theorem": 6, "Corollary": 1, "Proposition": 2, "Definition": 2, "Example": 4,
            "Remark": 1, "Figure": 3, "Table": 3, "eq": 19},
    "004": {"Theorem": 7, "Corollary": 5, "Proposition": 6, "Definition": 8, "Lemma": 2,
            "Assumption": 1},
}  # fmt: skip
NOT_THERE = {("004", "Definition", 6)}


def named(text: str) -> set[tuple[str, int]]:
    """{("Theorem", 8), ("Theorem", 9)} of "Theorems 8, 9"."""
    found = set[tuple[str, int]]()
    for kind, numbers in ITEM.findall(text):
        for part in numbers.split(", "):
            first, _, last = part.partition("-")
            low, high = (ROMAN.get(end) or int(end) for end in (first, last or first))
            found |= {(SHORT.get(kind, kind), k) for k in range(low, high + 1)}
    return found


@pytest.mark.parametrize("paper", COUNTS)
def test_every_number_has_its_row(paper: str) -> None:
    rows = [row for own in STUDIES.values() for row in own if row.paper == paper]
    found = {item for row in rows for item in named(f"{row.where}; {row.says}; {row.how}")}
    wanted = {(kind, k + 1) for kind, most in COUNTS[paper].items() for k in range(most)}
    assert sorted(wanted - found - {item[1:] for item in NOT_THERE if item[0] == paper}) == []
    assert sorted(item for item in found - wanted if item[0] in COUNTS[paper]) == []


def test_ranges_and_lists_are_read() -> None:
    text = "Theorems 8, 9, eq. 23-25, Fig. 8 (a), Table II; Cor. 3"
    assert named(text) == {
        ("Theorem", 8), ("Theorem", 9), ("eq", 23), ("eq", 24), ("eq", 25), ("Figure", 8),
        ("Table", 2), ("Corollary", 3),
    }  # fmt: skip
