"""The attack that each rule prevents: refused with the rule, and at work without it.

An attacker keeps every release. What they get of them is counted by the attacks of the auditing
room, and compared with the cap on odds.
"""

from __future__ import annotations

import contextlib
import math
import re
import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.workflows.release.small import planned, small
from unspoken.assessment.deciding.admission import Admission
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.core.numerics.arrays import Mask
from unspoken.storage.coins import MasterKey
from unspoken.storage.ledger import Ledger, Seal, account, chain, fold
from unspoken.workflows.audit.attacks import PublicKnowledge
from unspoken.workflows.audit.judging import FAMILY, ClaimedBound, attacked
from unspoken.workflows.audit.trials import WITHHELD_AS, Trials
from unspoken.workflows.release import release

ROWS, CAP = 4_000, 4.5
ATTRIBUTES: dict[str, dict[str, Any]] = {"a": {"values": [0, 1, 2], "sensitive": "a = 2"}}
VALUES = np.random.default_rng(11).integers(0, 3, ROWS)
HALF = math.log(2)


@pytest.fixture(autouse=True)
def _plan(monkeypatch: pytest.MonkeyPatch) -> None:
    """A release shows half of what may be shown: the odds of every cell withheld double."""
    planned(monkeypatch, a=HALF)


def project(folder: Path, values: Any = VALUES, attributes: Any = ATTRIBUTES, **more: Any) -> Path:
    table = pa.table({"id": np.arange(ROWS), "a": values})
    return small(folder, table, attributes, **{"odds_cap": CAP, **more})


def shown(path: Path, scale: float = 1.0) -> Mask:
    """Which cells a release shows."""
    done = release(path, scale)
    epoch, folder = next(iter(done.event.readings)), done.path.is_dir()
    file = done.path / f"{epoch}.parquet" if folder else done.path
    mask: Mask = np.asarray(pq.read_table(file)["a"].is_valid())
    return mask


def odds_factor(releases: Sequence[Mask], values: Any = VALUES) -> float:
    """By how much the best attack multiplies odds for who keeps all these; surely over the cap, if
    it is by more than twice as much.
    """
    seen = np.stack([np.where(shows, 0.0, WITHHELD_AS) for shows in releases], 1)
    claim, known = (
        ClaimedBound("odds", math.log(CAP), 1 / 3),
        PublicKnowledge(None, (1,) * len(releases)),
    )
    trials = Trials(seen, values == 2)
    best = attacked(claim, known, trials, ("blanks", "frequent"), FAMILY).best
    assert best is not None
    factor = math.exp(best.leakage.value)
    assert best.beats(math.log(CAP)) == (factor > 2 * CAP)
    return factor


def without(monkeypatch: pytest.MonkeyPatch, *rules: str) -> None:
    """Switch rules of admission off."""
    for rule in rules:
        monkeypatch.setattr(Admission, rule, lambda *_: None)


def union(releases: Iterable[Mask]) -> Mask:
    whole: Mask = np.logical_or.reduce(list(releases))
    return whole


def charges(path: Path) -> int:
    return len(Ledger(path.parent / "ledger.sqlite").events())


def became_secret() -> Any:
    """Ten values change to the sensitive one."""
    later = VALUES.copy()
    later[np.flatnonzero(VALUES != 2)[:10]] = 2
    return later


@pytest.mark.slow
def test_release_then_null_under_a_kept_coin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = shown(project(tmp_path))
    later = project(tmp_path, became_secret())
    with pytest.raises(LimitExceeded, match=r"epoch 1: the source of a .* changed"):
        release(later)
    assert charges(later) == 1
    without(monkeypatch, "_same_source")
    gone = before & ~shown(later)
    assert gone.any()
    assert (became_secret()[gone] == 2).all()  # whoever kept the first release knows them all


def test_two_rows_that_swap_their_values(tmp_path: Path) -> None:
    """What is read is which row has which value, and not how many have each."""
    release(project(tmp_path))
    later, (one, other) = VALUES.copy(), (int(np.argmax(v == VALUES)) for v in (0, 1))
    later[[one, other]] = later[[other, one]]
    with pytest.raises(LimitExceeded, match=r"epoch 1: the source of a .* changed"):
        release(project(tmp_path, later))


@pytest.mark.slow
def test_twenty_labels_with_fresh_coins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Re-learning, or any other reason, is no way to toss again for nothing."""
    first = [shown(project(tmp_path, epoch=f'label = "{n}"')) for n in range(2)]
    assert odds_factor(first) == pytest.approx(4, rel=0.2)
    with pytest.raises(LimitExceeded, match=r"the odds of a could grow x 8, the cap is 4\.5"):
        release(project(tmp_path, epoch='label = "2"'))
    without(monkeypatch, "too_much")
    more = [shown(project(tmp_path, epoch=f'label = "{n}"')) for n in range(2, 20)]
    assert odds_factor([*first, *more]) > 1_000


def unheld(_codes: Sequence[str], row: Sequence[Any], _seal: Seal, _place: str) -> str:
    """Of an event that nobody checks: it is as it was charged."""
    code: str = row[-1]
    return code


@pytest.mark.slow
def test_a_swapped_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = project(tmp_path)
    before = [shown(path)]

    def swap() -> None:
        (tmp_path / "unspoken.key").unlink()
        MasterKey.create(tmp_path / "unspoken.key")

    swap()
    with pytest.raises(InputError, match="another key tosses every coin again"):
        release(path)
    without(monkeypatch, "_same_coins", "_same_source", "too_much")
    monkeypatch.setattr(chain, "taken", unheld)
    monkeypatch.setattr(Seal, "refuse_lost", lambda *_: None)
    for _ in range(11):
        swap()
        before.append(shown(path))
    assert odds_factor(before) > 50


@pytest.mark.slow
def test_another_function_of_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An epoch by another function has coins of its own, so it is charged like another label."""
    functions = [f"of = \"CASE WHEN id IS NULL THEN '' ELSE '{n}' END\"" for n in range(12)]
    first = [shown(project(tmp_path, epoch=own)) for own in functions[:2]]
    with pytest.raises(LimitExceeded, match=r"the cap is 4\.5"):
        release(project(tmp_path, epoch=functions[2]))

    # Without: all functions of the key are one class, in an account that is made again.
    with contextlib.closing(sqlite3.connect(tmp_path / "ledger.sqlite")) as ledger:
        ledger.execute("DELETE FROM account")
        ledger.commit()
    monkeypatch.setattr(account, "tossing", lambda event: "of" if event.per_key else event.epoch)
    more = [shown(project(tmp_path, epoch=own)) for own in functions[2:]]
    assert odds_factor([*first, *more]) > 50


@pytest.mark.slow
@pytest.mark.parametrize(
    "other", ["of = \"CASE WHEN id IS NULL THEN '' ELSE '1' END\"", 'label = "1"']
)
def test_a_changed_source_under_a_function_that_gives_the_same_name(
    other: str, tmp_path: Path
) -> None:
    """Coins belong to the name of an epoch, and so does the reading."""
    release(project(tmp_path, epoch='label = "1"'))
    with pytest.raises(LimitExceeded, match="changed since it was first read"):
        release(project(tmp_path, became_secret(), epoch=other))


@pytest.mark.slow
def test_a_column_under_another_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of an attribute is in its coins; what was released stays in the account."""
    before = shown(project(tmp_path))
    renamed = {"b": {"values": [0, 1, 2], "sensitive": "b = 2"}}
    source = "sql = \"SELECT id, a AS b FROM 'table.parquet'\""
    planned(monkeypatch, b=HALF)
    path = small(tmp_path, None, renamed, source=source, odds_cap=CAP)
    with pytest.raises(InputError, match=r"attribute\.a: was released before, from table.parquet"):
        release(path)
    without(monkeypatch, "_known", "_never_shown", "too_much")
    again = np.asarray(pq.read_table(release(path).path)["b"].is_valid())
    assert (before != again).any()


@pytest.mark.slow
def test_another_table_with_the_same_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tables share coins: what is shown of one tells why the other is silent."""
    one = shown(project(tmp_path))
    values = np.random.default_rng(12).integers(0, 3, ROWS)  # that have nothing to do with it
    other = project(tmp_path, values, name="other.parquet")
    with pytest.raises(LimitExceeded, match=r"changed since it was first read from table.parquet"):
        release(other)
    without(monkeypatch, "_same_source")
    assert odds_factor([one, shown(other)], values) == math.inf


@pytest.mark.slow
def test_keys_in_another_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows are the same; their coins are not, and keys are counted in as coins take them."""
    rows = pa.table({"x": np.arange(ROWS) % 50, "y": np.arange(ROWS) // 50, "a": VALUES})

    def by(*keys: str) -> Mask:
        path = small(tmp_path, rows, ATTRIBUTES, keys=keys, odds_cap=CAP)
        got = pq.read_table(release(path).path).sort_by([("y", "ascending"), ("x", "ascending")])
        mask: Mask = np.asarray(got["a"].is_valid())
        return mask

    first = by("x", "y")
    assert np.array_equal(by("x", "y"), first)
    with pytest.raises(InputError, match=r"toml:4 source\.keys: are y, x, and in .* x, y; another"):
        by("y", "x")
    without(monkeypatch, "_same_coins")
    with pytest.raises(LimitExceeded, match="changed since it was first read"):
        by("y", "x")
    without(monkeypatch, "_same_source")
    assert odds_factor([first, by("y", "x")]) == pytest.approx(4, rel=0.2)


@pytest.mark.slow
def test_what_no_rule_can_see(tmp_path: Path) -> None:
    """The same key beside another ledger: the other project's releases are unknown (limits.md)."""
    (tmp_path / "other").mkdir()
    one = shown(project(tmp_path))
    values = np.random.default_rng(12).integers(0, 3, ROWS)
    other = shown(project(tmp_path / "other", values))
    assert odds_factor([one, other], values) == math.inf


def test_a_value_that_becomes_sensitive_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stricter = {"a": {"values": [0, 1, 2], "sensitive": "a >= 1"}}
    before = shown(project(tmp_path))
    with pytest.raises(LimitExceeded, match="what is sensitive"):
        release(project(tmp_path, attributes=stricter))
    with pytest.raises(LimitExceeded, match='"1" is sensitive now, and may have been given out'):
        release(project(tmp_path, attributes=stricter, epoch='label = "2"'))
    without(monkeypatch, "_same_source")
    gone = before & ~shown(project(tmp_path, attributes=stricter))
    assert gone.any()
    assert (VALUES[gone] == 1).all()
    without(monkeypatch, "_never_shown")
    release(project(tmp_path, attributes=stricter, epoch='label = "2"'))  # as if all were well
    assert (before & (VALUES == 1)).sum() > ROWS / 10


@pytest.mark.slow
def test_a_bin_that_is_parted_elsewhere(tmp_path: Path) -> None:
    """The label has its old name, and other values in it."""

    def parted(at: float) -> dict[str, Any]:
        return {"a": {"bins": [0.5, 1.5], "sensitive": f"b > {at}"}}

    table = pa.table({"id": np.arange(ROWS), "a": VALUES, "b": np.linspace(0, 1, ROWS)})
    release(small(tmp_path, table, parted(0.5), odds_cap=CAP))
    release(small(tmp_path, table, parted(0.5), odds_cap=CAP, epoch='label = "2"'))
    with pytest.raises(LimitExceeded, match="is sensitive now, and may have been given out"):
        release(small(tmp_path, table, parted(0.4), odds_cap=CAP, epoch='label = "3"'))


@pytest.mark.slow
def test_a_more_open_policy_takes_nothing_back(tmp_path: Path) -> None:
    stricter = {"a": {"values": [0, 1, 2], "sensitive": "a >= 1"}}
    release(project(tmp_path, attributes=stricter))
    release(project(tmp_path, epoch='label = "2"'))


@pytest.mark.slow
def test_a_plan_raised_and_lowered(tmp_path: Path) -> None:
    """One coin a cell: all together show what the largest shows, and that is what is charged."""
    path = project(tmp_path)
    scales = [0.5, 1.0, 0.25, 0.5, 0.9]
    releases = [shown(path, scale) for scale in scales]
    assert np.array_equal(union(releases), releases[1])
    assert all((low <= high).all() for low, high in [(releases[2], releases[0]), releases[0:2]])
    events = Ledger(tmp_path / "ledger.sqlite").events()
    assert len(events) == len(set(scales))
    assert fold(events, {}).exponents() == {"a": HALF}


@pytest.mark.slow
def test_a_changed_month_is_refused_and_a_new_one_is_not(tmp_path: Path) -> None:
    months: dict[str, Any] = {"epoch": 'of = "id % 10"'}
    release(project(tmp_path, **months))
    later = VALUES.copy()
    later[3] = (later[3] + 1) % 3
    (said,) = release(project(tmp_path, later, **months)).warnings
    assert re.search(r"epoch 3: 1 record changed .* leave those out, with \[source\] sql", said)
    source = "sql = \"SELECT * FROM 'table.parquet' WHERE id % 10 <> 3\""
    path = small(tmp_path, None, ATTRIBUTES, source=source, odds_cap=CAP, **months)
    assert release(path).again
    grown = np.append(later, np.full(10, 1))
    table = pa.table({"id": [*range(ROWS), *range(ROWS, ROWS + 10)], "a": grown})
    assert release(small(tmp_path, table, ATTRIBUTES, odds_cap=CAP, **months)).rows == 10


@pytest.mark.slow
def test_old_months_do_not_stand_in_the_way_of_new_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A limit that has been lowered is kept by what is new; what is out there cannot be helped."""
    months: dict[str, Any] = {"epoch": 'of = "id % 10 // 5"'}
    early = np.arange(ROWS) % 10 < 5

    def some(rows: Mask, cap: float) -> Path:
        table = pa.table({"id": np.arange(ROWS)[rows], "a": VALUES[rows]})
        return small(tmp_path, table, ATTRIBUTES, odds_cap=cap, **months)

    release(some(early, CAP))
    planned(monkeypatch, a=HALF / 2)
    half = np.arange(ROWS) < ROWS // 2
    done = release(some(early | half, 1.5))
    assert done.rows == (half & ~early).sum()
    assert pq.read_table(done.path).num_rows == (early | half).sum()
    planned(monkeypatch, a=HALF)
    with pytest.raises(LimitExceeded, match=r"grow x 2, the cap is 1.5; .*\(scale 0.58"):
        release(some(~early | early, 1.5))


@pytest.mark.slow
@pytest.mark.parametrize("scale", [1.0, 0.3])
def test_what_would_fit_fits(scale: float, tmp_path: Path) -> None:
    """The scale a refusal names is one of the plan, whatever was asked for, and is let through."""
    for n in range(2):
        release(project(tmp_path, epoch=f'label = "{n}"'))
    last = project(tmp_path, epoch='label = "2"')
    with pytest.raises(LimitExceeded) as refusal:
        release(last, scale)
    fits = float(str(refusal.value).rsplit("scale ", 1)[1].rstrip(")"))
    most = math.log(CAP / 4) / HALF
    assert most - 1e-3 <= fits <= most
    release(last, fits)


@pytest.mark.slow
def test_all_and_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scale leaves what is always shown as it is, and 0 shows nothing."""
    planned(monkeypatch, a=math.inf)
    harmless: dict[str, dict[str, Any]] = {
        "a": {"values": [0, 1, 2]},
        "b": {"bins": [0.5], "sensitive": "b > 0.5"},
    }
    b = np.random.default_rng(2).random(ROWS)
    table = pa.table({"id": np.arange(ROWS), "a": VALUES, "b": b})
    path = small(tmp_path, table, harmless, odds_cap=CAP, reads=["a"])
    assert not shown(path, 0.0).any()
    assert shown(path, 0.5).all()
    done = release(path)
    assert done.event.mechanism.exponents() == {"a": math.inf}
    assert release(small(tmp_path, None, harmless, reads=["a"], epoch='label = "2"')).rows == ROWS
