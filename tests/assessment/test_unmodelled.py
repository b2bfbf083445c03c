"""What a tree of pairs misses is found in the rows: a xor is named, and chance is not."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unspoken.assessment import unmodelled
from unspoken.assessment.unmodelled import MOST, Unmodelled
from unspoken.tables.learning import Learned, table_of
from unspoken.tables.policy import Project
from unspoken.workflows.release import prepare, rehearse, release

PROJECT = """format = 1
[source]
table = "t.parquet"
keys = ["id"]
[epoch]
label = "1"
[attribute.s]
sensitive = "s = 'yes'"
[attribute.a]
[attribute.b]
[attribute.c]
[attribute.d]
[application.x]
reads = ["a", "b", "c", "d"]
[belief]
form = "tree"
[plan]
by = "cell"
[limit]
limit_bits = 0.1
"""


def written(folder: Path, right: float, rows: int = 4_000) -> Path:
    """s is a xor b, but for mistakes; c is a in part; d is nothing."""
    rng = np.random.default_rng(4)
    a, b, d = (rng.random((3, rows)) < 0.5).astype(int)
    s = np.where(rng.random(rows) < right, a ^ b, rng.random(rows) < 0.5)
    c = np.where(rng.random(rows) < 0.6, a, rng.integers(0, 3, rows))
    columns = {"s": np.where(s == 1, "yes", "no"), "a": a, "b": b, "c": c, "d": d}
    pq.write_table(pa.table({"id": np.arange(rows), **columns}), folder / "t.parquet")
    (folder / "unspoken.toml").write_text(PROJECT)
    return folder / "unspoken.toml"


def looked_at(path: Path) -> tuple[Learned, Unmodelled]:
    project = Project.read(path)
    table = table_of(project)
    learned = Learned.of(project, table)
    return learned, Unmodelled.of(learned, table, {})


def test_a_xor_is_named(tmp_path: Path) -> None:
    learned, found = looked_at(written(tmp_path, right=0.98))
    assert learned.tree is not None
    (two,) = found.together
    assert (two.target, two.names) == ("s", ("a", "b"))
    wrong = 0.01
    bits = 1 + wrong * math.log2(wrong) + (1 - wrong) * math.log2(1 - wrong)
    assert two.rows == pytest.approx(bits, abs=0.03)
    assert two.tree < 0.01
    assert two.rows_odds > 60
    assert two.tree_odds < 1.1


def test_a_secret_may_be_certain(tmp_path: Path) -> None:
    (two,) = looked_at(written(tmp_path, right=1.0))[1].together
    assert "tell 1 bit of what is sensitive of s and can make it certain (in the tree: " in str(two)


def test_what_the_tree_has_is_not_missed(tmp_path: Path) -> None:
    assert not looked_at(written(tmp_path, right=0.0))[1].together


def test_bits_of_a_row(tmp_path: Path) -> None:
    """Four coins and c, of which a tells something; a tree has that, and whole rows have s."""
    held_out = looked_at(written(tmp_path, right=1.0))[1].held_out
    law = np.array([0.6 + 0.4 / 3, 0.4 / 3, 0.4 / 3])
    given = -float((law * np.log2(law)).sum())
    law = np.array([0.3 + 0.4 / 3, 0.3 + 0.4 / 3, 0.4 / 3])
    without = -float((law * np.log2(law)).sum())
    assert held_out.tree == pytest.approx(4 + given, abs=0.05)
    assert held_out.alone == pytest.approx(4 + without, abs=0.05)
    assert held_out.whole == pytest.approx(3 + given, abs=0.15)


def test_the_same_rows_are_looked_at_in_any_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unspoken.assessment.unmodelled.MOST", 1_000)
    path = written(tmp_path, right=0.98)
    first = looked_at(path)[1]
    rows = pq.read_table(tmp_path / "t.parquet")
    order = np.random.default_rng(0).permutation(len(rows))
    pq.write_table(rows.take(order), tmp_path / "t.parquet")
    assert looked_at(path)[1] == first
    assert MOST == 2**17


def test_it_is_said_to_the_holder(tmp_path: Path) -> None:
    path = written(tmp_path, right=0.98)
    text = "a and b together tell 0.93 bit of what is sensitive of s and multiply its odds by 126"
    (said,) = (c for c in prepare(path).cautions() if text in c.text)
    assert said.red
    assert "not for release" in said.text
    assert "bit by a tree" in said.text
    assert text not in said.unmeasured().text
    assert "three or more attributes" in said.unmeasured().text


@pytest.mark.slow
def test_who_only_releases_is_warned_of_it(tmp_path: Path) -> None:
    """On standard error, for the holder: the message that is handed on measures nothing."""
    path = written(tmp_path, right=0.98)
    text = "a and b together tell 0.93 bit of what is sensitive of s and multiply its odds by 126"
    for done in (rehearse(path), release(path)):
        assert any(text in warning for warning in done.warnings)
        assert not any(text in caution.text for caution in done.said.cautions)


def test_a_secret_of_every_row_or_of_none_tells_nothing() -> None:
    for law in ([[0.0, 0.0], [0.4, 0.6]], [[0.4, 0.6], [0.0, 0.0]]):
        assert unmodelled._odds(np.array(law), np.array([True, True])) == 1.0
