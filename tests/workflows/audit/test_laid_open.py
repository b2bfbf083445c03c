"""A secret that is shown as it is takes no attack; nor may another word stand in its place."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import unspoken
from tests.workflows.audit.test_released_file import (
    KEEPS,
    Table,
    audited,
    drawn,
    hidden,
    only,
    written,
)
from tests.workflows.audit.test_releases import PROJECT, folder, giving_away, tampered

__all__ = ["folder"]  # a fixture

ROWS = 2_000
CAP = 1.001 / (1 - KEEPS)


def few() -> Table:
    return {name: cells[:ROWS] for name, cells in drawn().items() if name in ("who", "state")}


ILL = np.array(few()["state"]) == "ill"
BLANK = ILL | (np.random.default_rng(6).random(ROWS) > KEEPS)


@pytest.fixture
def original(tmp_path: Path) -> Path:
    return written(tmp_path / "original.csv", few())


def in_place(word: str, share: float) -> Table:
    """With this word in place of so many of the secrets' blanks."""
    table = hidden(few(), "state", BLANK)
    marked = ILL & (np.random.default_rng(7).random(ROWS) < share)
    cells = zip(table["state"], marked, strict=True)
    table["state"] = [word if mark else cell for cell, mark in cells]
    return table


def test_one_secret_that_is_shown_beats_any_cap(original: Path) -> None:
    """Too few for any count to be sure of."""
    shown = hidden(few(), "state", BLANK)
    shown["state"][int(np.flatnonzero(ILL)[3])] = "ill"
    own = only(found := audited(original, shown, "state = 'ill'", 100.0))
    assert (own.verdict.open, own.verdict.word, found.failed) == (1, "fail", True)
    assert "1 of the secrets is shown as it is: whoever reads one is certain" in own.in_words()
    assert json.loads(json.dumps(found.as_json()))["secrets"][0]["open"] == 1
    unclaimed = only(audited(original, shown, "state = 'ill'"))
    assert unclaimed.verdict.word == "not testable"
    assert unclaimed.in_words().startswith("state = 'ill': 1 of the secrets is shown as it is; ")


@pytest.mark.slow
def test_a_secret_of_two_columns_is_shown_where_both_are(original: Path) -> None:
    table = few()
    table["ward"] = ["a" if k % 2 else "b" for k in range(ROWS)]
    written(original, table)
    condition = "state = 'ill' AND ward = 'a'"
    blank = np.where(np.arange(ROWS) < 500, False, ILL)
    shown = hidden(table, "state", blank)
    open_rows = int((ILL[:500] & (np.arange(500) % 2 == 1)).sum())
    assert only(audited(original, shown, condition, 9.0)).verdict.open == open_rows
    del shown["ward"]
    shown["state"][0] = "well" if ILL[0] else "ill"
    assert only(audited(original, shown, "state = 'ill'", 9.0)).verdict.open == ILL[1:500].sum()
    assert only(audited(original, shown, condition, 9.0)).verdict.open == 0


def test_another_word_in_place_of_what_is_hidden_tells_it(original: Path) -> None:
    own = only(audited(original, in_place("?", 0.8), None, CAP))
    assert (own.about, own.verdict.word, own.control.word) == ("state = ill", "fail", "pass")


@pytest.mark.slow
def test_a_word_in_place_of_all_values_hides_none(original: Path) -> None:
    table = few()
    table["state"] = [None if gone else "a word" for gone in BLANK]
    assert only(audited(original, table, None, CAP)).verdict.claim.bound is None


@pytest.mark.slow
def test_what_is_said_to_be_missing_and_is_not_tells_it(original: Path) -> None:
    told = hidden(few(), "state", BLANK)
    told["state__missing"] = (ILL & (np.random.default_rng(7).random(ROWS) < 0.5)).tolist()
    own, given = audited(original, told, None, CAP).secrets
    assert (own.about, own.verdict.word, own.control.word) == ("state = ill", "fail", "pass")
    assert (given.given, given.verdict.word) == ("missing = nothing", "pass")
    told["state__missing"] = [False] * ROWS
    assert only(audited(original, told, None, CAP)).verdict.word == "pass"


def test_a_project_that_shows_a_sensitive_cell_has_failed(folder: Path) -> None:
    done = unspoken.release(folder)
    rows = pq.read_table(done.path)
    giving_away(done, folder)
    cells = rows["late"].to_pylist()
    for k in np.flatnonzero(pq.read_table(done.path)["late"].is_null().to_pylist())[:2]:
        cells[k] = "yes"
    late = pa.array(cells).cast(rows.schema.field("late").type)
    tampered(done, rows.set_column(rows.column_names.index("late"), "late", late))
    (own,) = (found := unspoken.audit(folder)).attacked
    assert (own.verdict.open, found.failed) == (2, True)
    assert "2 of the secrets are shown as they are" in own.in_words()
    lax = PROJECT.replace("odds_cap = 4", "odds_cap = 4\nexceed = 0.01") + "[plan]\nby = 'cell'\n"
    (folder / "unspoken.toml").write_text(lax)
    found = unspoken.audit(folder)  # whatever the limits are, it is never to be shown
    assert ([each.verdict.claim.bound for each in found.beaten], found.failed) == ([None], True)
