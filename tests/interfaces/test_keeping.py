"""`backup` and `restore`: what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interfaces.conftest import Run


def test_backup_and_restore_say_what_they_did(run: Run, edited: Path) -> None:
    run("backup", "b.zip").refused_with(2, "there is no ledger yet")
    assert run("learn").code == 0
    done = run("backup", "b.zip", "--json")
    assert done.code == 0
    assert "it has the master key" in done.err
    assert {*done.json["files"]} == {"ledger", "head", "key", "belief", "project"}
    back = run("restore", "b.zip", "new")
    assert (back.code, back.out) == (0, "")
    assert "go on in one place only" in back.err
    assert run("restore", "b.zip", "new", "--json").json["events"] == 1
    run("restore", "unspoken.toml").refused_with(2, "is no backup that unspoken wrote")
    run("restore", "gone.zip").refused_with(2, "gone.zip: No such file")
    run("backup", "away/b.zip").refused_with(2, "there is no folder")


@pytest.mark.slow
def test_diff_says_what_changed(run: Run, edited: Path) -> None:
    run("diff").refused_with(2, "nothing was counted yet")
    assert run("learn").code == 0
    done = run("diff")
    assert done.code == 0
    assert "nothing was before" in done.out
    assert "not for release" in done.out
    found = run("diff", "--belief", "belief.json", "--json").json
    assert found["belief"]["apart"] == 0
    assert found["drift"] == {**found["drift"], "for": "the holder", "rows": 0, "found": []}
    run("diff", "--belief", "unspoken.toml").refused_with(2, "is no belief file")
