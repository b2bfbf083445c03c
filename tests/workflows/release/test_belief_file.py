"""The belief file: believed if the ledger has its event, and written again from its copy there."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import unspoken
from tests.workflows.release.growing import chances, grow, project
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.storage.custody import believing
from unspoken.storage.ledger import Ledger
from unspoken.tables.files import unfinished
from unspoken.workflows.release import learn_project


@pytest.fixture
def path(tmp_path: Path) -> Path:
    grow(tmp_path, 1)
    return project(tmp_path)


@pytest.mark.slow
def test_a_lost_belief_file_is_written_again_from_the_ledger(path: Path) -> None:
    learn_project(path)
    file = path.parent / "belief.json"
    kept = file.read_bytes()
    file.unlink()
    unspoken.prepare(path)
    assert file.read_bytes() == kept
    assert file.stat().st_mode & 0o777 == 0o600
    file.unlink()
    with sqlite3.connect(path.parent / "ledger.sqlite") as ledger:
        ledger.execute(
            "UPDATE beliefs SET text = replace(text, '\"rows\": 1200', '\"rows\": 1201')"
        )
    with pytest.raises(InputError, match=r"its copy of belief\.json was changed"):
        unspoken.release(path)
    with sqlite3.connect(path.parent / "ledger.sqlite") as ledger:
        ledger.execute("DELETE FROM beliefs")
    with pytest.raises(InputError, match=r"belief\.json: is gone.*unspoken learn --again"):
        unspoken.release(path)
    assert not file.exists()


def test_a_renamed_table_keeps_its_belief_its_plan_and_its_promise(path: Path) -> None:
    unspoken.release(path)
    before = chances(path)
    grow(path.parent, 2)
    (path.parent / "t.parquet").rename(path.parent / "u.parquet")
    renamed = {'"t.parquet"': '"u.parquet"'}
    project(path.parent, **renamed)
    (path.parent / "belief.json").unlink()  # found by its rules
    assert unspoken.release(path).rows == 1200  # of the new month
    assert chances(path) == before
    assert len(Ledger(path.parent / "ledger.sqlite").decisions()) == 2
    # Counted by other rules under another name: nothing counted before leaves the promise.
    project(path.parent, **renamed, **{'["low", "high"]': '["low", "high", "none"]'})
    (path.parent / "belief.json").unlink()
    again = learn_project(path)
    assert again.promise.epsilon == 1.0
    with pytest.raises(LimitExceeded, match=r"since that for t\.parquet was adopted"):
        unspoken.release(path)


def test_a_belief_file_that_no_event_made_is_not_believed(path: Path) -> None:
    learn_project(path)
    file = path.parent / "belief.json"
    held = json.loads(file.read_text())
    held["tables"]["joint"]["counts"][0] += 1
    file.write_text(json.dumps(held))
    with pytest.raises(InputError, match="is not what was counted, by the ledger"):
        unspoken.prepare(path)


def test_a_foreign_file_is_not_written_over(path: Path) -> None:
    (path.parent / "belief.json").write_text("mine")
    with pytest.raises(InputError, match="no ledger has the event that made it"):
        unspoken.release(path)
    assert (path.parent / "belief.json").read_text() == "mine"


def test_a_crash_after_the_event_loses_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(believing, "unfinished", killed)
    with pytest.raises(KeyboardInterrupt):
        learn_project(path)
    assert not (path.parent / "belief.json").exists()
    monkeypatch.setattr(believing, "unfinished", unfinished)
    learned = learn_project(path)
    assert (path.parent / "belief.json").exists()
    assert learned.believed is not None
    assert len(Ledger(path.parent / "ledger.sqlite").decisions()) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"epsilon": 0.5', '"epsilon": NaN'),
        ('"rows": 1200', '"rows": 1e999'),
        ('"contexts": {}', '"contexts": {"day": 3}'),
        ('"contexts": {}', '"contexts": [3]'),
        ('"contexts": {}', '"contexts": ' + "[" * 200_000),
        ('"counts": [', '"counts": [1' + "0" * 30 + ", "),
    ],
)
def test_a_damaged_belief_file_is_said_to_be(path: Path, old: str, new: str) -> None:
    learn_project(path)
    file = path.parent / "belief.json"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    with pytest.raises(InputError, match=r"belief\.json: is no belief file, or a damaged one"):
        unspoken.release(path)


def test_the_same_rows_by_another_name_are_not_counted_again(path: Path) -> None:
    learn_project(path)
    project(path.parent, **{'"t.parquet"': '"./t.parquet"'})
    with pytest.raises(InputError, match=r"^t\.parquet: these very rows were counted before"):
        learn_project(path, again=True)
    assert len(Ledger(path.parent / "ledger.sqlite").decisions()) == 1


def test_a_tree_is_read_as_it_was_counted_whatever_its_attributes_are_called(path: Path) -> None:
    project(path.parent, '[belief]\nform = "tree"\n[attribute.a]\nvalues = [0, 1]\n')
    table = pq.read_table(path.parent / "t.parquet")
    often = pa.array([int(k % 7 == 0) for k in range(len(table))])
    pq.write_table(table.append_column("a", often), path.parent / "t.parquet")
    counted, read = learn_project(path).learned, unspoken.prepare(path).learned
    assert [*read.labels] == ["use", "ill", "a"]
    for pair in (["use", "ill"], ["ill", "a"], ["use", "a"]):
        both = [each.belief.marginal(pair).tolist() for each in (counted, read)]
        assert both[0] == both[1]
