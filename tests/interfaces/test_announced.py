"""Before a release is charged it is said which columns say nothing, and what queries have left."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.workflows.query.wards import project, wards
from tests.workflows.release.test_by_record import project as of_records
from unspoken.core.errors import LimitExceeded
from unspoken.interfaces.command_line.cli import run
from unspoken.storage.ledger import Ledger
from unspoken.workflows.query import query

pytestmark = pytest.mark.slow

LARGEST = 4.0  # of such counts, however much is left
NAMES = ("disease", "age", "stay")


def counts(name: str) -> str:
    return f"SELECT {name}, COUNT(*) FROM wards GROUP BY {name}"


def printed(capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, Any], str]:
    said = capsys.readouterr()
    return json.loads(said.out), said.err


def with_cap(path: Path, cap: float, by: str) -> Path:
    text = path.read_text().replace('by = "cell"', f'by = "{by}"\nodds_cap = {cap}')
    path.write_text(text)
    return path


@pytest.mark.parametrize("by", ["cell", "record"])
@pytest.mark.parametrize("cap", [3.0, 1.5])
def test_queries_have_left_what_was_said(
    by: str, cap: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Asked after the release: so much is answered, and more is refused."""
    path = with_cap(project(tmp_path, noise="1.0"), cap, by)
    assert run(["release", str(path), "--json"]) == 0
    found, said = printed(capsys)
    left = found["left_for_queries"]
    assert set(left) == {*NAMES}
    if cap == 3.0:
        assert not all(left.values())
    else:
        assert any(left.values())
    assert "This release leaves " in said
    for name, epsilon in left.items():
        if epsilon < LARGEST:
            with pytest.raises(LimitExceeded):
                query(path, counts(name), epsilon=1.05 * epsilon or 0.05, dry_run=True)
        if epsilon:
            assert query(path, counts(name), epsilon=epsilon, dry_run=True)
            alike = len({*filter(None, left.values())}) == 1
            budget = f"an epsilon of {epsilon:g} in all" if alike else f"{epsilon:g} about {name}"
            assert budget in said
            assert name in said.partition(budget[:5])[2]
        else:
            with pytest.raises(LimitExceeded):
                query(path, counts(name))


def test_a_plan_and_a_dry_run_say_it_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = project(tmp_path, noise="1.0")
    assert run(["learn", str(path)]) == 0
    capsys.readouterr()
    assert run(["release", str(path), "--dry-run", "--json"]) == 0
    trial, said = printed(capsys)
    assert run(["plan", str(path), "--json"]) == 0
    plan, _ = printed(capsys)
    assert run(["plan", str(path)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert run(["release", str(path), "--json"]) == 0
    done, _ = printed(capsys)
    assert trial["left_for_queries"] == plan["left_for_queries"] == done["left_for_queries"]
    assert trial["blank_columns"] == plan["blank_columns"] == done["blank_columns"]
    assert "This release leaves" in said
    assert "This release leaves" in shown


def test_without_secrets_nothing_is_said_of_limits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = project(tmp_path)
    path.write_text(path.read_text().replace("sensitive = \"disease = 'hiv'\"\n", ""))
    assert run(["release", str(path), "--dry-run", "--json"]) == 0
    found, said = printed(capsys)
    assert found["left_for_queries"] == {}
    assert "leaves" not in said


def test_a_column_of_one_label_is_named_before_the_charge(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of `late` the label yes is never shown, so there is one left."""
    path = of_records(tmp_path)
    heard, charge = list[int](), Ledger.charge

    def charged(*given: Any, **named: Any) -> Any:
        heard.append(capsys.readouterr().err.count("The column late would show one label only, no"))
        return charge(*given, **named)

    monkeypatch.setattr(Ledger, "charge", charged)
    assert run(["release", str(path), "--json"]) == 0
    found, _ = printed(capsys)
    assert found["blank_columns"] == [{"column": "late", "label": "no"}]
    assert heard == [1]
    assert run(["release", str(path), "--json"]) == 0  # the same again: nothing is charged
    found, said = printed(capsys)
    assert "blank_columns" not in found
    assert "would be" not in said


def test_a_blank_column_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Under a cap of one a column that goes with the secret is never shown."""
    rows = wards()
    sick = pa.array([name == "hiv" for name in rows["disease"].to_pylist()])
    stay = pa.array([5 if each else 1 for each in sick.to_pylist()])
    path = project(tmp_path, rows.set_column(4, "stay", stay), cap=1.0)
    path.write_text(path.read_text().replace("values = [1, 2, 5]", "values = [1, 5]"))
    for command in ("plan", "release"):
        more = ["--dry-run"] if command == "release" else []
        assert run([command, str(path), "--json", *more]) == 0
        found, _ = printed(capsys)
        assert {"column": "stay", "label": None} in found["blank_columns"]
    assert run(["plan", str(path)]) == 0
    assert "The column stay would be blank in every row" in " ".join(
        capsys.readouterr().out.split()
    )
