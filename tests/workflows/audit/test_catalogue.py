"""The catalogue is as large as promised, and what it expects comes out, on a part of the trials."""

from pathlib import Path

import numpy as np
import pytest

from unspoken.core.mechanisms import MECHANISMS
from unspoken.workflows.audit.scenario import EXPECTED, catalogue
from unspoken.workflows.audit.trying import try_all

PAGE = (Path(__file__).parents[3] / "docs/auditing.md").read_text("utf-8")
ALL = {scenario.name: scenario for scenario in catalogue()}
QUICK = (
    "hiding: an attribute's own blanks",
    "cell coins: an attribute's own",
    "cell coins: what arrival says of occupancy",
    "record coins: a plan's cap",
    "fresh coins: ten times, counted once",
    "mechanism: extension",
    "queries: noise fitted to the table",
    "queries: small groups left out by their count",
    "queries: small groups left out by the answer",
    "planted: a shared coin",
    "planted: a coin kept through a change",
    "planted: clipped noise",
    "control: coins that nothing decides",
)


def test_it_is_as_large_as_promised() -> None:
    expected = [scenario.expect for scenario in ALL.values()]
    assert len(expected) >= 60
    assert expected.count("reached") >= 10
    named = {name.removeprefix("mechanism: ") for name in ALL if name.startswith("mechanism: ")}
    assert {*MECHANISMS} - named == {"together"}  # which is among the noisy ones


def test_the_page_counts_what_is_there() -> None:
    told = [scenario.expect for scenario in ALL.values()]
    for word in EXPECTED:
        assert f"| `{word}` | {told.count(word)} |" in PAGE


def test_the_page_names_what_breaks_query_engines() -> None:
    table = PAGE.partition("## What breaks query engines")[2].partition("\n\nAll scenarios")[0]
    rows = [line.split("|") for line in table.splitlines() if line.startswith("| ")][1:]
    naive = {row[3].strip(" `") for row in rows} - {""}
    here = {row[5].strip(" `") for row in rows}
    assert {name for name in ALL if name.startswith("queries: ")} <= naive | here
    assert {ALL[name].expect for name in naive} == {"broken"}
    assert {ALL[name].expect for name in here} <= {"reached", "holds"}


@pytest.mark.slow
@pytest.mark.parametrize("name", QUICK)
def test_what_is_expected_comes_out(name: str) -> None:
    (tried,) = try_all([ALL[name]], np.random.default_rng(7), 0.3).tried
    assert tried.as_expected, tried


def test_naive_hiding_gives_every_hidden_cell_away() -> None:
    (tried,) = try_all([ALL[QUICK[0]]], np.random.default_rng(8), 0.3).tried
    best = tried.verdict.best
    assert best is not None
    assert (best.recovered, best.right) == (1.0, 1.0)


def test_the_smallest_exact_bound_by_hand() -> None:
    """P(withheld | low) = 15/25 + 10/25 e^-eps, else 5/75 + 70/75 e^-eps."""
    claim = ALL[QUICK[2]].world.claim
    low, other = 0.6 + 0.4 / 4, 5 / 75 + 70 / 75 / 4
    assert claim.bound == pytest.approx(np.log(low / other))
