"""Counted once, with noise, and released by one plan: what a project lives by."""

from __future__ import annotations

import json
import math
import random
import sqlite3
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import unspoken
from unspoken.errors import InputError, LimitExceeded
from unspoken.learning.once import Once
from unspoken.learning.pinned import Pinned
from unspoken.ledger import Ledger
from unspoken.numerics.files import unfinished
from unspoken.releasing import adopt_plan, believing, learn_project

PROJECT = """\
format = 1
[source]
table = "t.parquet"
keys = ["person", "day"]
unit = ["person"]
[epoch]
of = "day // 30"
[attribute.use]
values = ["low", "high"]
[attribute.ill]
values = ["yes", "no"]
sensitive = "ill = 'yes'"
[application.one]
reads = ["use", "ill"]
[limit]
limit_bits = 0.2
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    grow(tmp_path, 1)
    return project(tmp_path)


def project(folder: Path, more: str = "", **replaced: str) -> Path:
    text = PROJECT
    for old, new in replaced.items():
        assert old in text
        text = text.replace(old, new)
    (folder / "unspoken.toml").write_text(text + more)
    return folder / "unspoken.toml"


def grow(folder: Path, months: int, persons: int = 40) -> None:
    """The first months of the same table."""
    rng = random.Random(5)
    rows: dict[str, list[Any]] = {"person": [], "day": [], "use": [], "ill": []}
    for day in range(30 * months):
        for person in range(persons):
            ill = rng.random() < 0.2
            rows["person"].append(person)
            rows["day"].append(day)
            rows["ill"].append("yes" if ill else "no")
            rows["use"].append("low" if rng.random() < (0.6 if ill else 0.3) else "high")
    pq.write_table(pa.table(rows), folder / "t.parquet")


def manifest(path: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((path.parent / "released.manifest.json").read_text())
    return read


def chances(path: Path) -> dict[str, float]:
    return {n: a["release_probability"] for n, a in manifest(path)["attributes"].items()}


def test_growing_data_goes_out_under_the_plan_of_the_first_release(path: Path) -> None:
    first = unspoken.release(path)
    before, belief = chances(path), (path.parent / "belief.json").read_bytes()
    for months in (2, 3, 4):
        grow(path.parent, months)
        done = unspoken.release(path)
        assert done.rows == 1200 * months
        # Two manifests of a growing table are the same function of the same counts.
        assert chances(path) == before
    assert (path.parent / "belief.json").read_bytes() == belief
    assert first.plan.p == done.plan.p
    assert len(Ledger(path.parent / "ledger.sqlite").events()) == 4
    assert len(Ledger(path.parent / "ledger.sqlite").decisions()) == 2


def test_a_plan_is_made_from_the_belief_file_alone(path: Path) -> None:
    learn_project(path)
    plan = unspoken.prepare(path).plan()
    grow(path.parent, 3)  # other rows, the same belief
    assert unspoken.prepare(path).plan().epsilon == plan.epsilon
    assert unspoken.prepare(path).learned.rows == 1200


def test_the_same_rows_are_never_counted_twice(path: Path) -> None:
    learn_project(path)
    with pytest.raises(InputError, match="these very rows were counted before"):
        learn_project(path, again=True)


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
    assert unspoken.release(path).rows == 2400
    assert chances(path) == before
    assert len(Ledger(path.parent / "ledger.sqlite").decisions()) == 2
    # Counted by other rules under another name: nothing counted before leaves the promise.
    project(path.parent, **renamed, **{'["low", "high"]': '["low", "high", "none"]'})
    (path.parent / "belief.json").unlink()
    again = learn_project(path)
    assert again.promise.epsilon == 1.0
    with pytest.raises(LimitExceeded, match=r"since that for t\.parquet was adopted"):
        unspoken.release(path)


def test_counting_again_multiplies_and_asks_for_a_plan(path: Path) -> None:
    unspoken.release(path)
    assert unspoken.prepare(path).promise.cap_all == pytest.approx(4 * math.exp(0.5))
    grow(path.parent, 2)
    again = learn_project(path, again=True)
    assert again.promise.epsilon == 1.0
    assert again.promise.cap_all == pytest.approx(4 * math.e)
    with pytest.raises(LimitExceeded, match="counted again since its plan was adopted"):
        unspoken.release(path)
    assert adopt_plan(path, by="Ann", why="new rows").adopted is not None
    assert unspoken.release(path).rows == 2400
    (*_, (_, last)) = Ledger(path.parent / "ledger.sqlite").decisions()
    assert str(last) == "t.parquet: plan adopted by Ann (new rows)"


def test_who_knows_every_other_row_is_kept_below_a_cap_of_its_own(path: Path) -> None:
    project(path.parent, "cap_all = 4.0\n")
    ready = learn_project(path)
    assert ready.promise.cap == pytest.approx(4 * math.exp(-0.5))
    assert ready.plan().odds.high <= ready.promise.cap * (1 + 1e-9)
    assert ready.promise.cap_all == pytest.approx(4.0)


def test_history_is_counted_and_never_released(path: Path) -> None:
    grow(path.parent, 3)
    project(path.parent, '[belief]\nhistory = "day < 60"\n')
    done = unspoken.release(path)
    assert done.rows == 1200
    assert min(done.to_arrow().column("day").to_pylist()) == 60
    ready = unspoken.prepare(path)
    assert ready.learned.rows == 2400
    assert ready.promise.cap_all == ready.promise.cap == 4.0


def test_history_is_a_condition_on_keys(path: Path) -> None:
    project(path.parent, "[belief]\nhistory = \"ill = 'yes'\"\n")
    with pytest.raises(InputError, match=r"belief\.history: reads ill; write a condition on keys"):
        unspoken.release(path)
    assert not (path.parent / "belief.json").exists()
    assert not (path.parent / "ledger.sqlite").exists()


def test_somebody_has_to_adopt_a_plan_where_that_is_wanted(path: Path) -> None:
    project(path.parent, "[plan]\napprove = true\n")
    with pytest.raises(InputError, match=r"plan\.approve: no plan is adopted yet"):
        unspoken.release(path)
    assert not (path.parent / "released.parquet").exists()
    adopt_plan(path, by="Ann")
    assert unspoken.release(path).rows == 1200


def test_an_adopted_plan_stays_though_limits_are_raised(path: Path) -> None:
    project(path.parent, **{"limit_bits = 0.2": "limit_bits = 0.02"})
    unspoken.release(path)
    before = chances(path)
    project(path.parent)
    grow(path.parent, 2)
    unspoken.release(path)
    assert chances(path) == before
    adopt_plan(path)
    grow(path.parent, 3)
    unspoken.release(path)
    assert chances(path) != before


def test_lower_limits_hold_for_an_adopted_plan_too(path: Path) -> None:
    unspoken.release(path)
    project(path.parent, **{"limit_bits = 0.2\n": "limit_bits = 0.01\n"})
    grow(path.parent, 2)
    with pytest.raises(LimitExceeded, match=r"the limit is 0\.01"):
        unspoken.release(path)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('["low", "high"]', '["low", "high", "none"]', "attribute.use"),
        ("sensitive = \"ill = 'yes'\"", "sensitive = \"ill <> 'no'\"", "attribute.ill"),
        ('keys = ["person", "day"]', 'keys = ["day", "person"]', "`keys`"),
    ],
)
def test_other_rules_count_something_else(path: Path, old: str, new: str, said: str) -> None:
    learn_project(path)
    project(path.parent, **{old: new})
    with pytest.raises(InputError, match=f"{said} is not what it was when belief.json was counted"):
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


def test_before_anything_is_counted_nothing_is_written(path: Path) -> None:
    unspoken.prepare(path).findings()
    assert sorted(file.name for file in path.parent.iterdir()) == ["t.parquet", "unspoken.toml"]


def test_what_cannot_be_learned_leaves_nothing(path: Path) -> None:
    project(path.parent, **{"ill = 'yes'": "ill = 'Yes'"})
    with pytest.raises(InputError, match="is true in no row"):
        unspoken.release(path)
    assert sorted(file.name for file in path.parent.iterdir()) == ["t.parquet", "unspoken.toml"]


def test_exact_counts_are_never_kept(path: Path) -> None:
    project(path.parent, '[belief]\nnoise = "none"\n')
    unspoken.release(path)
    assert not (path.parent / "belief.json").exists()
    assert math.isinf(unspoken.prepare(path).promise.cap_all)
    with pytest.raises(InputError, match="nothing can be adopted"):
        adopt_plan(path)


def test_rows_that_were_counted_as_history_are_not_said_to_be_uncounted(path: Path) -> None:
    grow(path.parent, 3)
    project(path.parent, '[belief]\nhistory = "day < 60"\n')
    learn_project(path)
    project(path.parent, '[belief]\nhistory = "day < 30"\n')  # days 30 to 59 go out, counted once
    narrower = learn_project(path, again=True)
    assert narrower.promise.cap_all == pytest.approx(4 * math.exp(0.5))
    project(path.parent, '[belief]\nhistory = "day < 90"\n')  # what went out is counted with it
    grow(path.parent, 4)
    assert learn_project(path, again=True).promise.cap_all == pytest.approx(4 * math.e)


@pytest.mark.parametrize(
    ("day", "said"), [("day < 0", "true in no row"), ("day >= 0", "true in every row")]
)
def test_history_leaves_rows_to_learn_from_and_to_release(path: Path, day: str, said: str) -> None:
    project(path.parent, f'[belief]\nhistory = "{day}"\n')
    with pytest.raises(InputError, match=rf"belief\.history: is {said}"):
        unspoken.release(path)
    ledger = path.parent / "ledger.sqlite"
    assert not ledger.exists() or Ledger(ledger).events() == []  # nothing was charged


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


def test_of_two_who_count_at_once_one_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = Once.pinned

    def late(once: Once, epsilon: float, day: str) -> Pinned:
        monkeypatch.setattr(Once, "pinned", drawn)
        learn_project(path)  # by somebody else, since this one looked
        return once.pinned(epsilon, day)

    monkeypatch.setattr(Once, "pinned", late)
    with pytest.raises(InputError, match="these very rows were counted before"):
        learn_project(path)
    assert len(Ledger(path.parent / "ledger.sqlite").decisions()) == 1
    assert [file.name for file in path.parent.glob("*.json")] == ["belief.json"]


def test_a_plan_can_be_adopted_once_more_after_another(path: Path) -> None:
    project(path.parent, **{"limit_bits = 0.2": "limit_bits = 0.02"})
    adopt_plan(path)
    project(path.parent)
    adopt_plan(path)
    project(path.parent, **{"limit_bits = 0.2": "limit_bits = 0.02"})
    first = adopt_plan(path).plan().epsilon
    unspoken.release(path)
    assert unspoken.prepare(path).plan().epsilon == first
    assert len(Ledger(path.parent / "ledger.sqlite").decisions()) == 4


@pytest.mark.parametrize("form", ["joint", "tree"])
def test_a_value_that_comes_later_takes_no_place_of_another(path: Path, form: str) -> None:
    more = f'[belief]\nform = "{form}"\n'
    project(path.parent, more, **{'values = ["low", "high"]\n': "sensitive = \"use = 'low'\"\n"})
    unspoken.release(path)
    grow(path.parent, 2)
    table = pq.read_table(path.parent / "t.parquet")
    used = [*table.column("use").to_pylist()[:-1], "few"]  # first of all, in order
    table = table.set_column(table.column_names.index("use"), "use", pa.array(used))
    pq.write_table(table, path.parent / "t.parquet")
    shown = set(unspoken.release(path).to_arrow().column("use").to_pylist())
    assert shown <= {"high", None}  # nobody counted the other, so nobody knows what it tells


@pytest.mark.parametrize(
    ("value", "said"), [(None, "is missing in a row"), ("few", "holds none of its values in a row")]
)
def test_later_rows_are_as_declared_or_are_refused(
    path: Path, value: str | None, said: str
) -> None:
    unspoken.release(path)
    grow(path.parent, 2)
    table = pq.read_table(path.parent / "t.parquet")
    used = [*table.column("use").to_pylist()[:-1], value]
    table = table.set_column(table.column_names.index("use"), "use", pa.array(used))
    pq.write_table(table, path.parent / "t.parquet")
    with pytest.raises(InputError, match=f"attribute.use: {said}"):
        unspoken.release(path)
    assert len(Ledger(path.parent / "ledger.sqlite").events()) == 1


def test_a_cap_that_counts_alone_break_is_refused(path: Path) -> None:
    project(path.parent, "cap_all = 1.6\n")  # below e^0.5
    with pytest.raises(InputError, match=r"limit\.cap_all: is less than e\^0\.5"):
        unspoken.release(path)
    project(path.parent, "cap_all = 2.0\n")
    unspoken.release(path)
    grow(path.parent, 2)
    assert learn_project(path, again=True).promise.epsilon == 1.0
    with pytest.raises(LimitExceeded, match=r"limit\.cap_all: is 2, and the noise of eps 1 alone"):
        adopt_plan(path)


def test_the_same_rows_by_another_name_are_not_counted_again(path: Path) -> None:
    learn_project(path)
    project(path.parent, **{'"t.parquet"': '"./t.parquet"'})
    with pytest.raises(InputError, match=r"^t\.parquet: these very rows were counted before"):
        learn_project(path, again=True)
    assert len(Ledger(path.parent / "ledger.sqlite").decisions()) == 1
