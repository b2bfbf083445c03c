"""`unspoken audit`: a verdict for each scenario, never more than was found, and an exit code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.interfaces.conftest import Run
from unspoken.interfaces.command_line import auditing
from unspoken.workflows.audit.scenario import Scenario, catalogue

QUICK = (
    "hiding: an attribute's own blanks",
    "cell coins: an attribute's own",
    "conditions: on a key",
)


def chosen(expect: str | None = None) -> Sequence[Scenario]:
    """A few, with a part of their trials; ``expect``: of the last, whatever the catalogue has."""
    few = [own.fewer(0.2) for own in catalogue() if own.name in QUICK]
    return few if expect is None else [*few[:-1], replace(few[-1], expect=expect)]  # type: ignore[arg-type]


def test_a_table_says_what_was_reached(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auditing, "catalogue", chosen)
    done = run("audit")
    assert (done.code, done.err) == (0, "")
    assert all(len(line) <= 80 for line in done.out.splitlines())
    said = " ".join(done.out.split())
    assert "No attack here beat the bound in 2 of 2 scenarios" in said
    assert "1 of 1 were found out" in said
    assert "safe" not in said
    hidden = said.partition("hiding: an attribute's own blanks")[2]
    assert "beaten" in hidden.split("Odds are")[0]


def test_json_has_every_attack_with_both_ends(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auditing, "catalogue", chosen)
    found = run("audit", "--json").json
    assert (found["unspoken"], found["attacked"], found["otherwise"]) == ("audit", "catalogue", [])
    hidden, coins, key = found["scenarios"]
    assert (hidden["verdict"], hidden["share"], hidden["reached"][0]["high"]) == (
        "fail",
        "inf",
        "inf",
    )
    assert hidden["reached"][0]["right"] == 1.0
    assert coins["verdict"] == "pass"
    assert coins["reached"][0]["low"] < coins["bound"] < coins["reached"][0]["high"]
    assert key["bound"] == 0


def test_what_comes_out_otherwise_is_said(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auditing, "catalogue", lambda: chosen("broken"))
    done = run("audit")
    assert done.code == 3
    said = " ".join(done.out.split())
    assert "! conditions: on a key: expected was that an attack beats what is claimed; no" in said
    assert "1 of 2 were found out" in said


@pytest.mark.slow
def test_a_project_is_attacked_where_there_is_one(run: Run, edited: Path) -> None:
    run("audit").refused_with(2, "nothing is released yet")
    edited.write_text(edited.read_text().replace('missing = "public"', 'missing = "value"'))
    assert run("release").code == 0
    done = run("audit")
    assert (done.code, done.err) == (0, "")
    assert all(len(line) <= 80 for line in done.out.splitlines())
    said = " ".join(done.out.split())
    assert "About first_arrival, to everybody: no attack here beat the bound; the best" in said
    assert "would have found 100.0% of the secrets, and been right in 100.0%" in said
    assert "× 4" in said.replace("\xa0", " ")  # the cap, as everywhere else
    assert " nat" not in said
    one, *given = run("audit", "--json").json["releases"]
    assert (one["about"], one["for"], one["verdict"]) == ("first_arrival", None, "pass")
    assert one["naive"]["verdict"] == "fail"
    assert {each["verdict"] for each in given} == {"not testable"}  # limits are without contexts
    run("audit", edited, "--catalogue").refused_with(2, "--catalogue")


@pytest.mark.slow
def test_what_is_missing_in_public_is_held_to_no_limit(run: Run, edited: Path) -> None:
    """Coins of single cells are chosen as if missing values were withheld like others."""
    assert run("release").code == 0
    whole, *given = run("audit", "--json").json["releases"]
    assert "missing = nothing" in [each["given"] for each in given]
    assert {each["verdict"] for each in (whole, *given)} == {"not testable"}


@pytest.mark.slow
def test_a_table_that_anybody_made_is_attacked(run: Run, folder: Path) -> None:
    """Every fifth has a secret, and is blank where it is hidden without a coin."""
    lines = [f"{k},{'ill' if k % 5 == 0 else 'well'},{k % 3}" for k in range(3000)]
    (folder / "original.csv").write_text("\n".join(["who,state,lot", *lines]))
    naive = [line.replace("ill", "") for line in lines]
    (folder / "naive.csv").write_text("\n".join(["who,state,lot", *naive]))
    given = ("audit", "--release", "naive.csv", "--against", "original.csv", "--keys", "who")
    done = run(*given)
    assert done.code == 0
    assert all(len(line) <= 80 for line in done.out.splitlines())
    said = " ".join(done.out.split())
    assert "state = ill: hidden without coins" in said
    assert "(p = 1)" in said
    assert "safe" not in said
    told = run(*given, "--secret", "lot = 1", "--json").json
    (own,) = told["secrets"]
    assert (told["attacked"], own["about"], own["naive"]) == ("file", "lot = 1", False)
    assert run(*given, "--secret", "state = 'ill'", "--odds-cap", "3").code == 3
    (folder / "naive.csv").write_text("\n".join(["who,state,lot", *naive, naive[7], "9999,well,0"]))
    done = run(*given)
    assert done.code == 3
    said = " ".join(done.out.split())
    assert "! 2 rows of naive.csv share their keys with another (who = 7): fail." in said
    assert (
        "1 row of naive.csv has keys that original.csv has not (who = 9999): not testable." in said
    )
    run(*given, "--unit", "").refused_with(2, "--unit")
    run(*given, "--context", "lot").refused_with(2, "--context: reads lot")
    run("audit", "--release", "naive.csv").refused_with(2, "--against", "--keys")
    run(*given[:-1], "state").refused_with(2, "state")


def test_what_a_terminal_would_obey_is_escaped_before_lines_are_broken(
    run: Run, tmp_path: Path
) -> None:
    """An escape is longer than what it stands for: the ends of lines were cut off."""
    rows = range(900)
    kinds = ["\x1b[31mred\x1b[0m and more of it" if k % 3 == 0 else "plain" for k in rows]
    (tmp_path / "of.csv").write_text("who,x\n" + "".join(f"{k},{kinds[k]}\n" for k in rows))
    shown = ["plain" if k % 3 else "" for k in rows]
    (tmp_path / "by.csv").write_text("who,x\n" + "".join(f"{k},{shown[k]}\n" for k in rows))
    files = ["--release", tmp_path / "by.csv", "--against", tmp_path / "of.csv", "--keys", "who"]
    said = " ".join(run("audit", *files).out.split())
    assert "900 released rows, attacked" in said
    assert (
        r"x = \x1b[31mred\x1b[0m and more of it: hidden without coins. Every blank is one and none "
        "is shown, so a blank tells it for certain (p = 1)."
    ) in said
