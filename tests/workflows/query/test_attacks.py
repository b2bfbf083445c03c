"""What somebody tries who would know more than is charged for costs what it should, or nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.workflows.query.test_answers import answered, charges
from tests.workflows.query.wards import project, wards
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.tables.learning.counts import beside, looked
from unspoken.workflows.query import Promised, query
from unspoken.workflows.query.asking import Asking
from unspoken.workflows.query.late import fingerprints


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("SELECT person, AVG(stay), SUM(stay) FROM wards WHERE person > 99 GROUP BY person", []),
        ("SELECT SUM(stay), AVG(age) FROM wards WHERE person > 99", [[0, None]]),
    ],
)
def test_where_keys_say_that_there_are_no_rows_nothing_is_charged(
    text: str, rows: list[Any], tmp_path: Path
) -> None:
    done = answered(project(tmp_path), text, epsilon=0.1)
    assert ([list(row) for row in done.rows], done.number) == (rows, None)
    assert "it has no rows" in done.promised.lines()[-1]
    assert charges(tmp_path / "unspoken.toml") == 0


def test_a_table_that_changes_while_it_is_read_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fingerprints of one table, numbers of another: what is kept would be of neither."""
    path, exact = project(tmp_path), Asking.exact

    def other(asking: Asking) -> Any:
        project(tmp_path, wards(seed=4))
        return exact(asking)

    monkeypatch.setattr(Asking, "exact", other)
    with pytest.raises(InputError, match=r"wards.parquet changed while it was read"):
        answered(path, epsilon=0.1)
    assert charges(path) == 0


@pytest.mark.slow
def test_large_files_are_looked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys and fingerprints of the same files are those that were found before; of others not."""
    monkeypatch.setattr(looked, "WORTH", 1)
    monkeypatch.setattr(beside, "SETTLED", -60.0)
    path, checked, read = project(tmp_path), list[None](), fingerprints

    def watched(*given: Any) -> Any:
        checked.append(None)
        return read(*given)

    monkeypatch.setattr("unspoken.workflows.query.asking.fingerprints", watched)
    first = answered(path, epsilon=0.1)
    assert answered(path, epsilon=0.2).rows != first.rows
    assert len(checked) == 1
    project(tmp_path, wards(seed=4))
    with pytest.raises(LimitExceeded, match="changed since it was first read"):
        answered(path, epsilon=0.3)
    assert len(checked) == 2


@pytest.mark.slow
def test_another_time_zone_is_another_question(tmp_path: Path) -> None:
    """Whose hours and days conditions on keys are about."""
    path = project(tmp_path)
    first = answered(path, "SELECT COUNT(age) FROM wards WHERE day > '2026-01-05'", epsilon=0.1)
    zone = 'table = "wards.parquet"\ntimezone = "Asia/Tokyo"'
    path.write_text(path.read_text().replace('table = "wards.parquet"', zone))
    again = answered(path, "SELECT COUNT(age) FROM wards WHERE day > '2026-01-05'", epsilon=0.1)
    assert (first.again, again.again) == (False, False)


@pytest.mark.slow
def test_two_questions_at_once_keep_the_limit(tmp_path: Path) -> None:
    """Both asked for all that was left; whoever is charged second is refused, and told nothing."""
    path, other = project(tmp_path), "SELECT COUNT(*) FROM wards WHERE disease = 'hiv'"

    def between(_: Promised) -> None:
        assert answered(path, other).number == 1

    with pytest.raises(LimitExceeded, match="the cap is 3"):
        answered(path, tell=between)
    assert charges(path) == 1


def test_a_query_is_a_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="query: None is no str; write a SELECT"):
        query(project(tmp_path), None)  # type: ignore[arg-type]
