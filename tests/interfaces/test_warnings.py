"""What is odd about a secret is said once, where results do not go, and in JSON."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from tests.interfaces.conftest import Run
from tests.workflows.release.small import small

TABLE = pa.table({"id": range(40), "late": ["yes", "no"] * 20, "use": ["a", "b", "b", "a"] * 10})


@pytest.mark.parametrize("command", ["learn", "leak"])
def test_who_looks_is_warned(folder: Path, run: Run, command: str) -> None:
    small(folder, TABLE, {"late": {"sensitive": "late = 'Yes'"}, "use": {}})
    done = run(command, "--json")
    assert done.code == 0
    (said,) = done.json["warnings"]
    assert done.err == f"warning: {said}\n"
    assert 'did you mean "yes"?' in said


@pytest.mark.slow
@pytest.mark.parametrize("command", [["plan"], ["release"], ["release", "--dry-run"]])
def test_who_decides_is_refused(folder: Path, run: Run, command: list[str]) -> None:
    small(folder, TABLE, {"late": {"sensitive": "late = 'Yes'"}, "use": {}})
    done = run(*command)
    assert done.code == 2
    assert done.err.count("is true in no row") == 1
    known = {"late": {"sensitive": "late = 'Yes'", "none_yet": True}, "use": {}}
    small(folder, None, known)
    done = run(*command, "--json")
    assert done.code == 0
    assert "it protects nothing yet" in done.json["warnings"][0]
    assert done.err.count("warning: ") == 1


def test_a_predicate_may_read_no_column(folder: Path, run: Run) -> None:
    small(folder, TABLE, {"late": {"sensitive": "false"}, "use": {}})
    done = run("plan")
    assert done.code == 2
    assert "attribute.late.sensitive: is true in no row" in done.err


def test_a_value_that_is_declared_too_is_listed_once(folder: Path, run: Run) -> None:
    secret = {"sensitive": "late IN ('yes', 'q')", "values": ["no", "yes"]}
    small(folder, TABLE, {"late": secret, "use": {}})
    assert 'late is never "q": it has no, yes\n' in run("learn").err
