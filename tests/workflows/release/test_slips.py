"""A secret that matches nothing protects nothing, and that is said before anything is released."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import unspoken
from tests.workflows.release.small import small
from unspoken.core.errors import InputError
from unspoken.workflows.release import prepare, rehearse, release

ROWS = 40
TABLE = pa.table(
    {
        "id": range(ROWS),
        "late": ["yes", "no", "no", "no"] * 10,
        "kind": ["a", "b"] * 20,
        "score": [1.0, 2.0, 3.0, None] * 10,
        "note": [f"n{row}" for row in range(ROWS)],
    }
)


PLAIN = ["late = 'yes'", "late <> 'no'", "'yes' = late", "note = 'n0'", "score = 1 OR score = '2'"]


def project(tmp_path: Path, late: str, **more: object) -> Path:
    attributes = {"late": {"sensitive": late, **more}, "kind": {}}
    return small(tmp_path, TABLE, attributes)


def test_a_misspelt_secret_is_refused_with_what_was_meant(tmp_path: Path) -> None:
    path = project(tmp_path, "late = 'Yes'")
    ready = prepare(path)
    (said,) = ready.warnings
    assert (
        "late.sensitive: is true in no row of table.parquet, so it protects nothing; "
        'late is never "Yes": did you mean "yes"? Correct it, or'
    ) in said
    assert ready.findings(curve=False).learned.sensitive["late"] == ()  # leak looks all the same
    for refused in (release, rehearse, lambda path: prepare(path).plan()):
        with pytest.raises(InputError, match='did you mean "yes"'):
            refused(path)
    assert not (tmp_path / "released.parquet").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("predicate", "more", "said"),
    [
        ("late IN ('yes', 'No')", {}, 'late is never "No": did you mean "no"?'),
        ("late = 'yes' OR kind = 'c'", {}, 'kind is never "c": it has a, b'),
        ("late <> 'never'", {}, "is true or NULL in every row, so nothing of it is ever released"),
        ("late = 'soon'", {"values": ["yes", "no", "soon"]}, "it protects nothing yet"),
        ("kind = 'c'", {"none_yet": True}, "it protects nothing yet"),
    ],
)
def test_what_may_be_meant_is_a_warning(
    tmp_path: Path, predicate: str, more: dict[str, object], said: str
) -> None:
    done = release(project(tmp_path, predicate, **more))
    assert any(said in warning for warning in done.warnings), done.warnings


@pytest.mark.slow
@pytest.mark.parametrize("predicate", PLAIN)
def test_a_secret_that_some_rows_have_is_no_slip(tmp_path: Path, predicate: str) -> None:
    assert prepare(project(tmp_path, predicate)).warnings == ()


@pytest.mark.slow
@pytest.mark.parametrize(("predicate", "idle"), [("score = 9", True), ("score IS NULL", False)])
def test_that_a_value_is_missing_is_no_match_by_itself(
    tmp_path: Path, predicate: str, idle: bool
) -> None:
    """NULL is not known to be free, so its cell is sensitive; but nobody meant it."""
    attributes = {"score": {"bins": [2], "missing": "value", "sensitive": predicate}, "kind": {}}
    ready = prepare(small(tmp_path, TABLE, attributes))
    assert ready.learned.sensitive["score"]
    assert [doubt.idle for doubt in ready.doubts] == [True] * idle


def test_what_is_learned_has_no_first_value(tmp_path: Path) -> None:
    """Sorted values are nobody's statement: "no" would be the secret."""
    learned = unspoken.learn(TABLE.select(["late", "kind"]))
    with pytest.raises(
        InputError, match=r"is learned, so no value is a secret.*sensitive=\{'late'"
    ):
        unspoken.plan(learned, limit_bits=0.1)
    assert unspoken.plan(learned, limit_bits=0.1, sensitive={"late": ["yes"]}).p["late"] < 1
