"""Counted once, with noise, and released by one plan: what a project lives by."""

from __future__ import annotations

import math
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import unspoken
from tests.project_copies import copy_project
from tests.workflows.release.growing import chances, grow, project
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.storage.ledger import Ledger
from unspoken.tables.learning.once import Once
from unspoken.tables.learning.pinned import Pinned
from unspoken.workflows.release import adopt_plan, learn_project, rehearse


@pytest.fixture
def path(tmp_path: Path) -> Path:
    grow(tmp_path, 1)
    return project(tmp_path)


@pytest.fixture(scope="module")
def folder_of_learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the same project after its rows were counted."""
    folder = tmp_path_factory.mktemp("learned")
    grow(folder, 1)
    learn_project(project(folder))
    return folder


@pytest.fixture
def learned(folder_of_learned: Path, tmp_path: Path) -> Path:
    return copy_project(folder_of_learned, tmp_path)


@pytest.fixture(scope="module")
def folder_of_released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the same project after one release."""
    folder = tmp_path_factory.mktemp("released")
    grow(folder, 1)
    unspoken.release(project(folder))
    return folder


@pytest.fixture
def released(folder_of_released: Path, tmp_path: Path) -> Path:
    return copy_project(folder_of_released, tmp_path)


@pytest.mark.slow
def test_growing_data_goes_out_under_the_plan_of_the_first_release(path: Path) -> None:
    first = unspoken.release(path)
    before, belief = chances(path), (path.parent / "belief.json").read_bytes()
    for months in (2, 3, 4):
        grow(path.parent, months)
        done = unspoken.release(path)
        assert done.rows == 1200
        # Two manifests of a growing table are the same function of the same counts.
        assert chances(path) == before
    assert (path.parent / "belief.json").read_bytes() == belief
    assert first.plan.p == done.plan.p
    assert len(Ledger(path.parent / "ledger.sqlite").events()) == 4
    assert len(Ledger(path.parent / "ledger.sqlite").decisions()) == 2


@pytest.mark.slow
def test_a_plan_is_made_from_the_belief_file_alone(learned: Path) -> None:
    path = learned
    plan = unspoken.prepare(path).plan()
    grow(path.parent, 3)  # other rows, the same belief
    assert unspoken.prepare(path).plan().epsilon == plan.epsilon
    assert unspoken.prepare(path).learned.rows == 1200


@pytest.mark.slow
def test_the_same_rows_are_never_counted_twice(learned: Path) -> None:
    path = learned
    with pytest.raises(InputError, match="these very rows were counted before"):
        learn_project(path, again=True)


@pytest.mark.slow
def test_counting_again_multiplies_and_asks_for_a_plan(released: Path) -> None:
    path = released
    assert unspoken.prepare(path).promise.cap_all == pytest.approx(4 * math.exp(0.5))
    grow(path.parent, 2)
    again = learn_project(path, again=True)
    assert again.promise.epsilon == 1.0
    assert again.promise.cap_all == pytest.approx(4 * math.e)
    with pytest.raises(LimitExceeded, match="counted again since its plan was adopted"):
        unspoken.release(path)
    assert adopt_plan(path, by="Ann", why="new rows").adopted is not None
    assert unspoken.release(path).rows == 1200  # of the new month
    (*_, (_, last)) = Ledger(path.parent / "ledger.sqlite").decisions()
    assert str(last) == "t.parquet: plan adopted by Ann (new rows)"


@pytest.mark.slow
def test_who_knows_every_other_row_is_kept_below_a_cap_of_its_own(path: Path) -> None:
    project(path.parent, "cap_all = 4.0\n")
    ready = learn_project(path)
    assert ready.promise.cap == pytest.approx(4 * math.exp(-0.5))
    assert ready.plan().odds.high <= ready.promise.cap * (1 + 1e-9)
    assert ready.promise.cap_all == pytest.approx(4.0)
    assert ready.project.limits.pooled_cap == pytest.approx(ready.promise.cap)


@pytest.mark.slow
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


@pytest.mark.slow
def test_somebody_has_to_adopt_a_plan_where_that_is_wanted(path: Path) -> None:
    project(path.parent, **{'by = "cell"': 'by = "cell"\napprove = true'})
    with pytest.raises(InputError, match=r"plan\.approve: no plan is adopted yet"):
        unspoken.release(path)
    assert not (path.parent / "released").exists()
    adopt_plan(path, by="Ann")
    assert unspoken.release(path).rows == 1200


@pytest.mark.slow
def test_a_rehearsal_waits_for_approval_too(path: Path) -> None:
    project(path.parent, **{'by = "cell"': 'by = "cell"\napprove = true'})
    with pytest.raises(InputError, match=r"plan\.approve: no plan is adopted yet"):
        rehearse(path)
    adopt_plan(path)
    rehearse(path)


def test_plans_by_exact_counts_stay_in_the_promise(path: Path) -> None:
    project(path.parent, '[belief]\nnoise = "none"\n')
    unspoken.release(path)
    project(path.parent)
    assert math.isinf(unspoken.prepare(path).promise.epsilon)
    grow(path.parent, 2)
    unspoken.release(path)
    ready = unspoken.prepare(path)
    assert math.isinf(ready.promise.cap_all)
    assert "counts are exact, or were" in ready.promise.lines()[0]
    project(path.parent, "cap_all = 100.0\n")
    with pytest.raises(LimitExceeded, match=r"limit\.cap_all"):
        unspoken.release(path)


@pytest.mark.slow
def test_exact_counts_of_history_are_of_no_row_that_is_released(path: Path) -> None:
    grow(path.parent, 3)
    project(path.parent, '[belief]\nnoise = "none"\nhistory = "day < 60"\n')
    unspoken.release(path)
    assert unspoken.prepare(path).promise.epsilon == 0
    project(path.parent, '[belief]\nhistory = "day < 30"\n')  # what was counted exactly goes out
    assert math.isinf(unspoken.prepare(path).promise.epsilon)


def test_noisy_countings_stay_in_the_promise_without_noise(learned: Path) -> None:
    path = learned
    grow(path.parent, 2)
    project(path.parent, '[belief]\nnoise = "none"\nhistory = "day < 30"\n')
    assert unspoken.prepare(path).promise.epsilon == 0.5


@pytest.mark.slow
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


@pytest.mark.slow
def test_lower_limits_hold_for_an_adopted_plan_too(released: Path) -> None:
    path = released
    project(path.parent, **{"limit_bits = 0.2\n": "limit_bits = 0.01\n"})
    grow(path.parent, 2)
    with pytest.raises(LimitExceeded, match=r"the limit is 0\.01"):
        unspoken.release(path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('["low", "high"]', '["low", "high", "none"]', "attribute.use"),
        ("sensitive = \"ill = 'yes'\"", "sensitive = \"ill <> 'no'\"", "attribute.ill"),
        ('keys = ["person", "day"]', 'keys = ["day", "person"]', "`keys`"),
    ],
)
def test_other_rules_count_something_else(learned: Path, old: str, new: str, said: str) -> None:
    path = learned
    project(path.parent, **{old: new})
    with pytest.raises(InputError, match=f"{said} is not what it was when belief.json was counted"):
        unspoken.release(path)


@pytest.mark.slow
def test_before_anything_is_counted_nothing_is_written(path: Path) -> None:
    unspoken.prepare(path).findings()
    assert sorted(file.name for file in path.parent.iterdir()) == ["t.parquet", "unspoken.toml"]


def test_what_cannot_be_learned_leaves_nothing(path: Path) -> None:
    project(path.parent, **{"ill = 'yes'": "ill = 'Yes'"})
    with pytest.raises(InputError, match="is true in no row"):
        unspoken.release(path)
    assert sorted(file.name for file in path.parent.iterdir()) == ["t.parquet", "unspoken.toml"]


@pytest.mark.slow
def test_exact_counts_are_never_kept(path: Path) -> None:
    project(path.parent, '[belief]\nnoise = "none"\n')
    unspoken.release(path)
    assert not (path.parent / "belief.json").exists()
    assert math.isinf(unspoken.prepare(path).promise.cap_all)
    with pytest.raises(InputError, match="nothing can be adopted"):
        adopt_plan(path)


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("day", "said"), [("day < 0", "true in no row"), ("day >= 0", "true in every row")]
)
def test_history_leaves_rows_to_learn_from_and_to_release(path: Path, day: str, said: str) -> None:
    project(path.parent, f'[belief]\nhistory = "{day}"\n')
    with pytest.raises(InputError, match=rf"belief\.history: is {said}"):
        unspoken.release(path)
    ledger = path.parent / "ledger.sqlite"
    assert not ledger.exists() or Ledger(ledger).events() == []  # nothing was charged


@pytest.mark.parametrize("file_is_there", [True, False])
def test_of_two_who_count_at_once_the_noise_of_one_is_used(
    path: Path, monkeypatch: pytest.MonkeyPatch, file_is_there: bool
) -> None:
    """It is in the ledger already, and in the file soon."""
    drawn, file = Once.pinned, path.parent / "belief.json"

    def late(once: Once, epsilon: float, day: str) -> Pinned:
        monkeypatch.setattr(Once, "pinned", drawn)
        learn_project(path)  # by somebody else, since this one looked
        texts.append(file.read_text())
        if not file_is_there:
            file.unlink()
        return once.pinned(epsilon, day)

    texts = list[str]()
    monkeypatch.setattr(Once, "pinned", late)
    learn_project(path)
    assert [file.read_text()] == texts
    assert len(Ledger(path.parent / "ledger.sqlite").decisions()) == 1
    assert [file.name for file in path.parent.glob("*.json")] == ["belief.json"]


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "said"), [(None, "is missing in a row"), ("few", "holds none of its values in a row")]
)
def test_later_rows_are_as_declared_or_are_refused(
    released: Path, value: str | None, said: str
) -> None:
    path = released
    grow(path.parent, 2)
    table = pq.read_table(path.parent / "t.parquet")
    used = [*table.column("use").to_pylist()[:-1], value]
    table = table.set_column(table.column_names.index("use"), "use", pa.array(used))
    pq.write_table(table, path.parent / "t.parquet")
    with pytest.raises(InputError, match=f"attribute.use: {said}"):
        unspoken.release(path)
    assert len(Ledger(path.parent / "ledger.sqlite").events()) == 1


@pytest.mark.slow
def test_a_first_release_that_a_row_stops_says_what_stays_charged(path: Path) -> None:
    grow(path.parent, 3)
    project(path.parent, '[belief]\nhistory = "day < 60"\n')
    table = pq.read_table(path.parent / "t.parquet")
    used = table.column("use").to_pylist()
    wrong = table.set_column(table.column_names.index("use"), "use", pa.array([*used[:-1], "few"]))
    pq.write_table(wrong, path.parent / "t.parquet")
    with pytest.raises(InputError, match=r"in a row; .* \(counts and plan are charged, and stay;"):
        unspoken.release(path)
    ledger = Ledger(path.parent / "ledger.sqlite")
    assert (len(ledger.events()), len(ledger.decisions())) == (0, 2)
    pq.write_table(table, path.parent / "t.parquet")
    unspoken.release(path)
    assert (len(ledger.events()), len(ledger.decisions())) == (1, 2)


@pytest.mark.slow
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
