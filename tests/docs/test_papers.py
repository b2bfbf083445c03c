"""docs/papers.md: each of its rows is a row of the studies, with that row's numbers and command."""

import re
from pathlib import Path

from studies.page import PAGE, cells, lines
from studies.row import Verdict

DOCS = Path(__file__).resolve().parents[2] / "docs/papers.md"
STUDIES = lines(PAGE.read_text("utf-8"))
ROW = re.compile(r"\| 00\d \|.*`python -m studies .*` \|")
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e-\d+)?")
OF = {
    "wrong": {Verdict.DIFFERS},
    "on a condition": {Verdict.DIFFERS},
    "two readings": {Verdict.DIFFERS, Verdict.AGREES},
    "not found here": {Verdict.DIFFERS},
    "open": {Verdict.AGREES, Verdict.CANNOT},
    "true": {Verdict.AGREES},
}


def rows(text: str) -> dict[tuple[str, str], list[str]]:
    found = [cells(line) for line in text.splitlines() if ROW.match(line)]
    return {(paper, where): rest for paper, where, *rest in found}


def made_up(found: list[str], shown: str) -> list[str]:
    """Numbers of what we find that are in no cell of the study's row."""
    return sorted({*NUMBER.findall(found[2])} - {*NUMBER.findall(shown)})


def test_rows_are_those_of_the_studies() -> None:
    for key, found in rows(DOCS.read_text("utf-8")).items():
        *_, verdict, _, command = cells(STUDIES[key])
        assert found[-1] == command, key
        assert Verdict(verdict) in OF[found[0]], key


def test_numbers_are_those_of_the_studies() -> None:
    wrong = {
        key: made_up(found, STUDIES[key]) for key, found in rows(DOCS.read_text("utf-8")).items()
    }
    assert {key: numbers for key, numbers in wrong.items() if numbers} == {}


def test_all_that_differs_is_said() -> None:
    differs = {key for key, line in STUDIES.items() if cells(line)[5] == Verdict.DIFFERS}
    assert differs - {*rows(DOCS.read_text("utf-8"))} == set()


def test_how_many_agree() -> None:
    agree = sum(cells(line)[5] == Verdict.AGREES for line in STUDIES.values())
    assert f"also the {agree} that simply agree" in DOCS.read_text("utf-8")


def test_a_made_up_number_is_found() -> None:
    row = "| 002 | eq. 14 | on a condition | pairs | leaks 1.435 of 1 | `python -m studies p002` |"
    (found,) = rows(row).values()
    assert made_up(found, STUDIES["002", "eq. 14"]) == ["1.435"]
