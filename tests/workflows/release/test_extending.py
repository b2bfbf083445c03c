"""More of what is out, by an adopted extension: the same records, a second coin, one account."""

from __future__ import annotations

import itertools
import json
import math
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import unspoken
from tests.project_copies import copy_project
from tests.workflows.release.small import small
from tests.workflows.release.test_by_record import project, shown, table
from unspoken import Extension, release
from unspoken.assessment.leaks import limits_of
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.storage.ledger import Account, Exposure, Ledger
from unspoken.workflows.release import adopt_plan, learn_project
from unspoken.workflows.release.results import EpochOutcomes


def pinned(folder: Path, **limits: Any) -> Path:
    """Counted with little noise, and planned from that."""
    path = project(folder, **{"odds_cap": 2.0, **limits})
    return edited(path, 'noise = "none"', "noise = 20.0")


def edited(path: Path, old: str, new: str) -> Path:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return path


@pytest.fixture(scope="module")
def folder_of_released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a project that was released with an odds cap of 2."""
    folder = tmp_path_factory.mktemp("released")
    release(pinned(folder))
    return folder


@pytest.fixture
def released(folder_of_released: Path, tmp_path: Path) -> Path:
    return copy_project(folder_of_released, tmp_path)


@pytest.fixture(scope="module")
def folder_of_planned(folder_of_released: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of that project with an extension adopted for an odds cap of 4."""
    path = copy_project(folder_of_released, tmp_path_factory.mktemp("planned"))
    adopt_plan(edited(path, "odds_cap = 2.0", "odds_cap = 4.0"), extend=True)
    return path.parent


@pytest.fixture
def planned(folder_of_planned: Path, tmp_path: Path) -> Path:
    return copy_project(folder_of_planned, tmp_path)


@pytest.fixture(scope="module")
def folder_of_extended(folder_of_planned: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of that project with the extension released."""
    path = copy_project(folder_of_planned, tmp_path_factory.mktemp("extended"))
    release(path)
    return path.parent


@pytest.fixture
def extended(folder_of_extended: Path, tmp_path: Path) -> Path:
    return copy_project(folder_of_extended, tmp_path)


@pytest.mark.slow
def test_a_raised_limit(tmp_path: Path, released: Path) -> None:
    path = released
    before = shown(tmp_path / "released.parquet")
    edited(path, "odds_cap = 2.0", "odds_cap = 4.0")
    found = learn_project(path).extending().findings(curve=False)
    (out,) = found.rivals.items()
    assert out[0] == "what is out already"
    assert out[1] == pytest.approx(before.mean(), abs=0.06)
    ready = adopt_plan(path, extend=True, by="Ann")
    assert str(ready.adopted) == "table.parquet: plan extended by Ann"
    assert isinstance(ready.plan().mechanism, Extension)
    done = release(path)
    after = shown(done.path)
    assert (after >= before).all()
    assert after.mean() > before.mean() + 0.05
    assert not done.said.together
    assert not {"yes", "low"} & {*pq.read_table(done.path)["late"].to_pylist()}
    assert release(path).again
    paper = json.loads(done.manifest.read_text())
    assert paper["coins"]["table"] == done.event.mechanism.record_coins()[0].digest
    assert len(paper["coins"]["extends"]) == 1
    assert len(Ledger(tmp_path / "ledger.sqlite").decisions()) == 3


@pytest.mark.slow
def test_the_account_is_of_pairs(tmp_path: Path, extended: Path) -> None:
    """What was out and what is out now, as one mechanism: judged like any other."""
    ledger, found = Ledger(tmp_path / "ledger.sqlite"), list[Any]()
    first, second = ledger.events()
    account = Account.of([first, second])
    found = [account.exposure(account.readers()).fold({})]
    both = unspoken.Together([first.mechanism, second.mechanism])
    law = unspoken.prepare(extended).learned.belief
    who = unspoken.Adversary("late", secret=["yes"])
    own, told = (unspoken.leakage(law, each, who, "odds").high for each in (found[0], both))
    alone = unspoken.leakage(law, second.mechanism, who, "odds").high
    assert own == pytest.approx(told, rel=1e-9)
    assert alone <= told <= 4.4  # under what was learned, which lies beside what the box allows


@pytest.mark.slow
def test_an_application_in_mid_year(tmp_path: Path) -> None:
    """It reads an attribute that nobody read; what is out of the others stays."""
    path = pinned(tmp_path, odds_cap=3.0)
    release(path)
    before = shown(tmp_path / "released.parquet")
    edited(path, 'reads = ["late", "use"]', 'reads = ["late", "use", "exits"]')
    with pytest.raises(LimitExceeded, match=r"does not have it.*--extend"):
        release(path)
    adopt_plan(path, extend=True)
    after = shown(release(path).path)
    assert (after[:, :2] >= before).all()
    assert after[:, 2].mean() > 0.1


@pytest.mark.slow
def test_a_new_attribute_is_counted_first(tmp_path: Path) -> None:
    """Counts with it are other counts: what is out is held against these."""
    path = pinned(tmp_path, odds_cap=2.0)
    text = path.read_text()
    start, end = text.index("[attribute.exits]"), text.index("[application.all]")
    path.write_text(text[:start] + text[end:])
    release(path)
    before = shown(tmp_path / "released.parquet")
    path.write_text(text.replace('reads = ["late", "use"]', 'reads = ["late", "use", "exits"]'))
    edited(path, "odds_cap = 2.0", "odds_cap = 4.0")
    learn_project(path, again=True)
    adopt_plan(path, extend=True)
    after = shown(release(path).path)
    assert (after[:, :2] >= before).all()
    assert after[:, 2].mean() > 0.1


@pytest.mark.slow
def test_coins_of_cells_show_more_by_another_plan(tmp_path: Path) -> None:
    """The same coins: what the remedy says is so, and no cell is lost."""
    rows = pa.table({"id": range(2_000), "late": [n % 5 == 0 for n in range(2_000)]})
    late = {"late": {"sensitive": "late"}}
    path = small(tmp_path, rows, late, odds_cap=2.0)
    edited(path, 'noise = "none"', "noise = 20.0")
    before = shown(release(path).path)
    edited(path, "odds_cap = 2.0", "odds_cap = 4.0")
    with pytest.raises(InputError, match=r"cells keep their coins .* unspoken plan --adopt, then"):
        adopt_plan(path, extend=True)
    adopt_plan(path)
    after = shown(release(path).path)
    assert (after >= before).all()
    assert after.sum() > before.sum()


@pytest.mark.slow
def test_what_is_refused(tmp_path: Path) -> None:
    path = pinned(tmp_path, odds_cap=3.0)
    with pytest.raises(InputError, match="nothing to extend"):
        adopt_plan(path, extend=True)
    release(path)
    edited(path, "odds_cap = 3.0", "odds_cap = 1.5")
    with pytest.raises(InputError, match="what is out already multiplies the odds"):
        adopt_plan(path, extend=True)
    edited(path, "odds_cap = 1.5", "odds_cap = 4.0")
    edited(path, 'by = "record"', 'by = "record"\nown_reads = true')
    with pytest.raises(InputError, match="no extension has it"):
        adopt_plan(path, extend=True)


@pytest.mark.slow
def test_an_old_plan_beside_an_extension_is_still_refused(extended: Path) -> None:
    """Only what was planned given what is out is: another label tosses both coins anew."""
    path = extended
    edited(path, 'label = "1"', 'label = "2"')
    with pytest.raises(LimitExceeded, match="this plan does not fit"):
        release(path)


@pytest.mark.slow
def test_first_readings_hold(tmp_path: Path, planned: Path) -> None:
    path = planned
    pq.write_table(table(change=1), tmp_path / "table.parquet")
    with pytest.raises(LimitExceeded, match="changed since it was first read"):
        release(path)
    assert np.mean(shown(tmp_path / "released.parquet")) < 0.5


def by_months(folder: Path, months: int) -> Path:
    """Files by epoch, of rows whose key is a month and a number."""
    rows = table()
    month = np.arange(rows.num_rows) * 3 // rows.num_rows
    rows = rows.append_column("month", [month]).filter(month < months)
    path = pinned(folder)
    edited(path, 'keys = ["id"]', 'keys = ["id", "month"]')
    edited(path, 'label = "1"', 'of = "month"')
    pq.write_table(rows, folder / "table.parquet")
    return path


@pytest.fixture(scope="module")
def folder_by_months(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a project of two months that was released with an odds cap of 2."""
    folder = tmp_path_factory.mktemp("months")
    release(by_months(folder, 2))
    return folder


@pytest.fixture
def two_months(folder_by_months: Path, tmp_path: Path) -> Path:
    return copy_project(folder_by_months, tmp_path)


def files(folder: Path) -> dict[str, Any]:
    return {path.stem: shown(path) for path in sorted((folder / "released").glob("*.parquet"))}


def test_epochs_are_named_in_the_order_of_their_numbers() -> None:
    epochs = EpochOutcomes(("10", "2", "1"), {}, (), 0, {}, {}, {}, extended=("2026-10", "2026-9"))
    assert epochs.said() == ["1, 2, 10 new", "more is shown of 2026-9, 2026-10"]


def test_old_epochs_of_a_folder(tmp_path: Path, two_months: Path) -> None:
    """Their rows are read again, and the file shows more; what came since has both coins."""
    path = two_months
    before = files(tmp_path)
    edited(path, "odds_cap = 2.0", "odds_cap = 4.0")
    adopt_plan(path, extend=True)
    done = release(path)
    assert done.epochs is not None
    assert done.epochs.extended == ("0", "1")
    assert done.epochs.new == ()
    assert "more is shown of 0, 1" in "; ".join(done.epochs.said())
    after = files(tmp_path)
    for epoch, own in before.items():
        columns = own.shape[1]
        assert (after[epoch] >= own).all()
        assert after[epoch].mean() > own.mean() + 0.05, columns
    again = release(path)
    assert again.again
    assert again.epochs is not None
    assert again.epochs.extended == ()
    by_months(tmp_path, 3)
    edited(path, "odds_cap = 2.0", "odds_cap = 4.0")
    third = release(path)
    assert third.epochs is not None
    assert third.epochs.new == ("2",)
    assert files(tmp_path)["2"].mean() == pytest.approx(after["1"].mean(), abs=0.1)
    (tmp_path / "released" / "0.parquet").unlink()
    assert release(path).epochs.again == ("0",)  # type: ignore[union-attr]
    assert (files(tmp_path)["0"] == after["0"]).all()


@pytest.mark.slow
def test_an_extension_that_was_killed_is_written_by_the_next_run(
    tmp_path: Path, two_months: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was charged, so its files are owed; those that lie there show less."""
    path = two_months
    before = files(tmp_path)
    edited(path, "odds_cap = 2.0", "odds_cap = 4.0")
    adopt_plan(path, extend=True)
    with monkeypatch.context() as patched:
        patched.setattr("unspoken.workflows.release.by_epoch.publish", killed)
        with pytest.raises(KeyboardInterrupt):
            release(path)
    assert (files(tmp_path)["0"] == before["0"]).all()
    done = release(path)
    assert done.again
    assert done.epochs is not None
    assert done.epochs.again == ("0", "1")
    for epoch, own in files(tmp_path).items():
        assert own.mean() > before[epoch].mean() + 0.05
    assert not release(path).epochs.again  # type: ignore[union-attr]


@pytest.mark.slow
def test_epochs_to_which_rows_came_late_stay_and_it_is_said(tmp_path: Path) -> None:
    path = by_months(tmp_path, 2)
    whole = pq.read_table(tmp_path / "table.parquet")
    pq.write_table(whole.slice(50), tmp_path / "table.parquet")
    release(path)
    pq.write_table(whole, tmp_path / "table.parquet")
    release(path)
    edited(path, "odds_cap = 2.0", "odds_cap = 4.0")
    adopt_plan(path, extend=True)
    done = release(path)
    assert done.epochs is not None
    assert (done.epochs.stay, done.epochs.extended) == (("0",), ("1",))
    assert any("no more is shown of 0, to which rows came late" in s for s in done.epochs.said())


@pytest.mark.slow
def test_what_could_not_be_released_is_not_adopted(tmp_path: Path) -> None:
    """Two who pool nothing read what the other read before: they would have both."""
    apart = (
        '\n[application.more]\nreads = ["use"]\n'
        '[limit]\nodds_cap = 2.0\npooled_cap = "none"\ncoalitions = [["all"], ["more"]]\n'
    )
    path = pinned(tmp_path)
    text = path.read_text()
    start, end = text.index("[limit]"), text.index("[plan]")
    text = (text[:start] + text[end:]).replace('reads = ["late", "use"]', 'reads = ["late"]')
    path.write_text(text + apart)
    for reader in ("all", "more"):
        release(path, reader=reader)
    edited(path, 'reads = ["late"]', 'reads = ["mine"]')
    edited(path, 'reads = ["use"]', 'reads = ["late"]')
    edited(path, 'reads = ["mine"]', 'reads = ["use"]')
    held = Ledger(tmp_path / "ledger.sqlite")
    before = len(held.decisions())
    with pytest.raises(LimitExceeded, match="plan --extend: could not be released to"):
        adopt_plan(path, extend=True)
    assert len(held.decisions()) == before


def of_two(folder: Path, applications: str, **limits: Any) -> Path:
    """Neither x nor y says anything of late; whether they differ says nearly all."""
    rng, count = np.random.default_rng(3), 4_000
    x, y = rng.integers(0, 2, (2, count))
    late = ((x ^ y) ^ (rng.random(count) < 0.05)) & (rng.random(count) < 0.6)
    z = np.where(rng.random(count) < 0.3, late, rng.integers(0, 2, count))
    rows = pa.table({"id": np.arange(count), "late": late, "x": x, "y": y, "z": z})
    bits = {name: {"values": [0, 1]} for name in "xyz"}
    path = small(folder, rows, {"late": {"values": [0, 1], "sensitive": "late = 1"}, **bits})
    text = path.read_text()
    start, end = text.index("[application.all]"), text.index("[plan]")
    listed = "".join(f"{name} = {json.dumps(value)}\n" for name, value in limits.items())
    path.write_text(f"{text[:start]}{applications}[limit]\n{listed}{text[end:]}")
    edited(path, 'by = "cell"', 'by = "record"')
    edited(path, 'confidence = "none"', "confidence = 0.95")
    return edited(path, 'noise = "none"', "noise = 5.0")


def factor(files: list[pa.Table], rows: pa.Table, known: list[str]) -> float:
    """The largest on the odds of late, of an answer of 100 rows, to who has all of these files."""
    columns = [file.sort_by("id")[n].to_pylist() for file in files for n in file.column_names[1:]]
    labels = list(zip(*(rows[name].to_pylist() for name in known), strict=True))
    labels = labels or [()] * rows.num_rows
    before, after = (
        defaultdict[Any, list[int]](lambda: [0, 0]),
        defaultdict[Any, list[int]](lambda: [0, 0]),
    )
    for late, label, *answer in zip(rows["late"].to_pylist(), labels, *columns, strict=True):
        before[label][late] += 1
        after[label, *answer][late] += 1
    return max(
        late / others / (before[label][1] / before[label][0]) if others else math.inf
        for (label, *_), (others, late) in after.items()
        if others + late >= 100
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "then", "known"), [(["x", "y"], ["y"], []), (["y"], ["z"], ["x"])]
)
def test_who_reads_less_now_has_what_they_had(
    tmp_path: Path, first: list[str], then: list[str], known: list[str]
) -> None:
    """Two who do not pool; one is given another name than before, and has both files."""
    apart = (
        f"[application.one]\nreads = {json.dumps(first)}\nknows = {json.dumps(known)}\n"
        '[application.two]\nreads = ["z"]\n'
    )
    path = of_two(tmp_path, apart, odds_cap=2.0, coalitions=[["one"], ["two"]])
    files = [pq.read_table(release(path, reader="one").path)]
    release(path, reader="two")
    edited(path, f"reads = {json.dumps(first)}", f"reads = {json.dumps(then)}")
    edited(path, "odds_cap = 2.0", "odds_cap = 2.1")
    adopt_plan(path, extend=True)
    files.append(pq.read_table(release(path, reader="one").path))
    rows = pq.read_table(tmp_path / "table.parquet")
    assert factor(files, rows, known) < 2.1 * 1.2  # of 100 rows so much is chance


def test_what_no_plan_was_made_for_is_held_given_what_is_known(tmp_path: Path) -> None:
    """y alone says nothing of late, and nearly all to who has x from elsewhere."""
    one = '[application.one]\nreads = ["y"]\nknows = ["x"]\n'
    ready = learn_project(of_two(tmp_path, one, odds_cap=2.0))
    domain, project = ready.learned.belief.domain, ready.project
    every = {record: {("y",): 2**62} for record in itertools.product(*domain.values)}
    coin = unspoken.Suppression(every, domain.names, domain.values, ready.sensitive)
    admission = ready.admission(ready.plan().mechanism, None)
    limits = limits_of(project)
    assert admission.too_much(coin, [(Exposure(), limits, ())]) is None
    broken = admission.too_much(coin, [(Exposure(), limits, project.known_by(["one"]))])
    assert "given x" in str(broken)


def test_a_plan_is_no_plan_for_who_knows_more(tmp_path: Path) -> None:
    """It was made for those who read y and z, and for who reads y and has x from elsewhere."""
    apart = (
        '[application.one]\nreads = ["y"]\nknows = ["x"]\n[application.two]\nreads = ["y", "z"]\n'
    )
    path = of_two(tmp_path, apart, odds_cap=2.0, pooled_cap=8.0, coalitions=[["one"], ["two"]])
    ready = learn_project(path)
    coin, limits, x = ready.plan().mechanism, limits_of(ready.project), (("x",),)
    admission = ready.admission(coin, None)
    for names, knows, planned in ((["y"], x, True), (["y", "z"], (), True), (["y", "z"], x, False)):
        assert admission._as_planned((Exposure(), limits, knows), coin.showing(names)) is planned


def killed(*_: Any) -> None:
    raise KeyboardInterrupt
