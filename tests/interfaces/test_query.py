"""`unspoken query` as a stranger meets it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interfaces.conftest import Run

pytestmark = pytest.mark.slow

TEXT = "SELECT COUNT(*) FROM occupancy WHERE first_arrival >= 11"


def test_what_it_may_be_is_said_first_and_costs_nothing(run: Run, edited: Path) -> None:
    assert run("learn").code == 0
    trial = run("query", TEXT, "--dry-run")
    assert (trial.code, trial.err) == (0, "")
    assert "COUNT(*): ±" in trial.out
    assert "Nothing was charged or drawn." in trial.out
    in_json = run("query", TEXT, "--dry-run", "--json").json
    assert in_json["dry_run"]
    assert in_json["epsilon"] > 0
    assert "rows" not in in_json
    assert run("ledger", "--json").json["answers"] == []


def test_asked_twice_it_is_one_answer(run: Run, edited: Path) -> None:
    first = run("query", TEXT, "--json", "--epsilon", "0.1")
    assert first.code == 0
    assert "COUNT(*): ±" in first.err
    assert "costs eps 0.1 for one record" in first.err
    again = run("query", TEXT, "--json", "--epsilon", "0.1").json
    assert first.json["rows"] == again["rows"]
    assert (first.json["again"], again["again"]) == (False, True)
    assert "Drawn before" in run("query", TEXT, "--epsilon", "0.1").out
    assert TEXT in " ".join(run("ledger").out.split())
    (listed,) = run("ledger", "--json").json["answers"]
    assert listed["query"] == TEXT
    assert listed["noise"]["kind"] == "geometric"
    assert run("ledger", "--verify").code == 0


def test_that_it_takes_all_that_is_left_is_said_with_what_less_would_be(
    run: Run, edited: Path
) -> None:
    """Before it is charged; for whoever said how much, or takes a share, nothing is to be said."""
    found = run("query", TEXT, "--dry-run", "--json").json
    assert found["all_left"]
    said = "That is all that the limits leave: another question, or a release, has nothing left"
    for less in found["less"]:
        alone = run("query", TEXT, "--dry-run", "--json", "--epsilon", str(less["epsilon"])).json
        assert alone["error"]["COUNT(*)"] == less["error"]
        assert (alone["all_left"], alone["less"]) == (False, [])
    tenth, hundredth = (less["epsilon"] for less in found["less"])
    assert 0 < hundredth < tenth <= found["epsilon"] / 10
    assert said not in " ".join(run("query", TEXT, "--dry-run", "--share", "0.5").out.split())
    assert said in " ".join(run("query", TEXT, "--dry-run").out.split())
    done = run("query", TEXT)
    assert f"{said}. For less: epsilon {tenth:g} is ±" in " ".join(done.err.split())
    assert "has nothing left" not in done.out + run("query", TEXT).out


def test_what_keys_count_is_shown_as_it_is(run: Run, edited: Path) -> None:
    done = run("query", "SELECT office, COUNT(*) AS days FROM occupancy GROUP BY office")
    assert done.code == 0
    assert "keys alone count it" in done.out
    assert "office" in done.out


def test_what_is_refused(run: Run, edited: Path) -> None:
    run("query", "SELECT MAX(exits) FROM occupancy").refused_with(2, "query: MAX is not answered")
    run("query", TEXT, "--epsilon", "19").refused_with(3, "refused: query: ", "would fit")
    run("query", TEXT, "nowhere.toml").refused_with(2, "nowhere.toml")


def test_numbers_stand_to_the_right(run: Run, edited: Path) -> None:
    done = run("query", "SELECT office, COUNT(*) AS days FROM occupancy GROUP BY office")
    head, *rows = done.out.splitlines()[:4]
    assert head.rstrip().endswith("days")
    assert {len(line.rstrip()) for line in [head, *rows]} == {len(head.rstrip())}


def test_the_report_lists_answers(run: Run, edited: Path) -> None:
    run("query", TEXT, "--epsilon", "0.1")
    assert run("report").code == 0
    page = (edited.parent / "report.html").read_text()
    assert "Answers with noise" in page
    assert TEXT.replace(">", "&gt;") in page
    assert "an eps of 0.1 at most" in page
    assert "nothing released so far, 1 answer with noise" in page
