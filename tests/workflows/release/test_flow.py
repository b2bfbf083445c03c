"""One release, and then every way in which a second one may go."""

from __future__ import annotations

import json
import math
import re
import stat
from collections import deque
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from tests.workflows.release.small import small
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.storage.coins import MasterKey
from unspoken.storage.ledger import Ledger
from unspoken.storage.rows import sorting
from unspoken.tables.policy.bin_edges import bin_names
from unspoken.workflows.release import prepare, release

Make = Callable[..., Path]
BINS = {"first_arrival": [8.0, 9.0, 10.5], "mean_occupancy": [0.3, 0.5], "exits": [1.0, 3.0]}


def rewritten(path: Path, change: Callable[[pa.Table], pa.Table]) -> None:
    pq.write_table(change(pq.read_table(path)), path)


def test_what_is_released_is_true_and_never_sensitive(project: Make, office: pa.Table) -> None:
    done = release(project())
    got = pq.read_table(done.path)
    assert got.num_rows == office.num_rows == done.rows
    order = [("office", "ascending"), ("day", "ascending")]
    source = office.sort_by(order)
    assert got["office"].to_pylist() == source["office"].to_pylist()
    for name, edges in BINS.items():
        seen = [value is not None for value in got[name].to_pylist()]
        binned = np.digitize(source[name].filter(pa.array(seen)).to_pylist(), edges)
        names = bin_names(edges)
        assert [names[place] for place in binned] == got[name].drop_null().to_pylist()
    late = pc.is_valid(got["first_arrival"].filter(pc.greater(source["first_arrival"], 10.5)))
    assert not pc.any(late).as_py()
    assert "below 0.3" not in got["mean_occupancy"].to_pylist()
    assert 0 < pc.sum(got["exits"].is_valid()).as_py() < got.num_rows


@pytest.mark.slow
def test_missing_is_told_apart_from_withheld(project: Make, office: pa.Table) -> None:
    done = release(project())
    got = pq.read_table(done.path)
    source = office.sort_by([("office", "ascending"), ("day", "ascending")])
    # Public: everybody may know that nobody came.
    assert got["first_arrival__missing"].equals(source["first_arrival"].is_null())
    # A value of its own: NULL wherever the coin, or the predicate, withheld the cell.
    told = got["mean_occupancy__missing"]
    assert told.filter(told.is_valid()).equals(
        source["mean_occupancy"].is_null().filter(told.is_valid())
    )
    assert got.column_names[-1] == "exits"


@pytest.mark.slow
def test_again_is_the_same_and_free(project: Make) -> None:
    first = release(project())
    kept = first.path.read_bytes(), first.manifest.read_bytes()
    again = release(project())
    assert again.path.read_bytes() == kept[0]
    assert json.loads(again.manifest.read_text())["release"] == json.loads(kept[1])["release"]
    assert again.event.mechanism == first.event.mechanism
    assert (first.again, again.again) == (False, True)


@pytest.mark.slow
def test_a_shuffled_source_and_other_batches_give_the_same_bytes(
    project: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = project()
    first = release(path).path.read_bytes()
    rows = pq.read_table(path.parent / "occupancy.parquet").num_rows
    order = np.random.default_rng(0).permutation(rows)
    rewritten(path.parent / "occupancy.parquet", lambda table: table.take(pa.array(order)))
    monkeypatch.setattr(sorting, "BATCH", 101)
    assert release(path).path.read_bytes() == first


@pytest.mark.slow
def test_a_changed_source_is_refused_and_nothing_is_written(project: Make) -> None:
    """The attack: a value is released, becomes sensitive, and the kept coin shows the change."""
    path = project()
    before = release(path).path.read_bytes()

    def later(table: pa.Table) -> pa.Table:
        arrivals = table["first_arrival"].to_pylist()
        arrivals[0] = 11.5
        column = pa.array(arrivals, table["first_arrival"].type)
        return table.set_column(table.column_names.index("first_arrival"), "first_arrival", column)

    rewritten(path.parent / "occupancy.parquet", later)
    with pytest.raises(LimitExceeded, match="changed"):
        release(path)
    assert (path.parent / "released.parquet").read_bytes() == before
    assert len(Ledger(path.parent / "ledger.sqlite").events()) == 1


@pytest.mark.slow
def test_another_key_is_refused(project: Make) -> None:
    """The attack: new coins for the same cells show other cells."""
    path = project()
    release(path)
    (path.parent / "unspoken.key").unlink()
    with pytest.raises(InputError, match="key"):
        release(path)
    MasterKey.create(path.parent / "unspoken.key")
    with pytest.raises(InputError, match="another key tosses every coin again"):
        release(path)


@pytest.mark.slow
def test_epochs_are_charged_to_one_account(project: Make) -> None:
    """The attack: twenty labels, each with fresh coins for the same cells."""
    release(project(), scale=0.25)
    years = iter(range(2, 20))
    with pytest.raises(LimitExceeded, match=r"(would|could).*fit"):
        deque((release(project(epoch=f'label = "{year}"'), scale=0.25) for year in years), 0)
    assert next(years) <= 9


@pytest.mark.slow
def test_a_refusal_says_what_would_fit(project: Make) -> None:
    path = project()
    release(path, scale=0.7)
    with pytest.raises(LimitExceeded) as refusal:
        release(project(epoch='label = "2027"'))
    scale = float(str(refusal.value).rsplit("scale ", 1)[1].rstrip(")"))
    assert 0.05 < scale < 1
    release(project(epoch='label = "2027"'), scale=scale * 0.999)


@pytest.mark.slow
def test_new_months_are_free_under_an_epoch_of_the_key(project: Make) -> None:
    path = project(epoch='of = "substr(day, 1, 7)"')
    table = pq.read_table(path.parent / "occupancy.parquet")
    early = table.filter(pc.less(table["day"], sorted(set(table["day"].to_pylist()))[25][:7]))
    pq.write_table(early, path.parent / "occupancy.parquet")
    first = release(path, scale=0.5)  # a plan that is full by one month is too much by others
    pq.write_table(table, path.parent / "occupancy.parquet")
    second = release(path)
    old, new = pq.read_table(first.path), pq.read_table(second.path)
    assert new.num_rows >= old.num_rows


@pytest.mark.slow
def test_a_re_learned_belief_adds_nothing_by_itself(project: Make) -> None:
    """Another limit gives another plan over the same coins: the larger one is what counts."""
    release(project(), scale=0.5)
    more = release(project())
    less = release(project(), scale=0.3)
    seen = pq.read_table(more.path)["exits"].is_valid().to_pylist()
    assert pc.sum(pq.read_table(less.path)["exits"].is_valid()).as_py() <= sum(seen)


@pytest.mark.slow
def test_the_manifest_keeps_secrets(project: Make) -> None:
    done = release(project())
    text = done.manifest.read_text()
    key = (done.path.parent / "unspoken.key").read_bytes()
    assert key.hex() not in text
    manifest = json.loads(text)
    assert (manifest["format"], manifest["version"]) == (2, version("unspoken"))
    assert manifest["coins"]["algorithm"] == "unspoken-coin-1"
    exits = manifest["attributes"]["exits"]
    assert exits["release_probability"] == pytest.approx(done.plan.p["exits"], abs=1e-12)
    assert (exits["bins"], exits["sensitive"], exits["missing"]) == ([1, 3], None, "never")
    assert manifest["attributes"]["mean_occupancy"]["sensitive"] == "mean_occupancy < 0.3"
    assert stat.S_IMODE((done.path.parent / "unspoken.key").stat().st_mode) == 0o600


@pytest.mark.slow
@pytest.mark.parametrize(("by", "word"), [("cell", "closed"), ("record", "left open")])
def test_what_tells_too_much_is_closed_by_coins_of_cells_alone(
    project: Make, by: str, word: str
) -> None:
    """A plan by records shows such values beside what they tell nothing with, and says so."""
    path = project(cap=2.0)
    path.write_text(path.read_text().replace('by = "cell"', f'by = "{by}"'))
    found = prepare(path).findings(curve=False)
    assert found.closure.telling
    said = {name for name, value in found.facts() if value in map(str, found.closure.telling)}
    assert said == {word}


@pytest.mark.slow
def test_public_missingness_is_told_whatever_is_closed(project: Make) -> None:
    """It is shown for every row, so what it tells is said: in this building, nearly everything."""
    path = project(bits=0.1)
    found = prepare(path).findings(curve=False)
    assert found.closure.added["first_arrival"] == ("missing",)
    assert all(told.odds.odds <= 8 * (1 + 1e-9) for told in found.planned)
    (said,) = [c.text for c in found.cautions if "is public for first_arrival" in c.text]
    assert "a release shows it for every row, whatever is closed, and no number counts it" in said
    worst = next(one for one in found.closure.telling if one.name == "first_arrival")
    assert math.isinf(worst.factor)
    assert "it could make a secret certain" in said
    (bits,) = (float(told) for told in re.findall(r"to (\S+) bit", said))
    got = pq.read_table(release(path).path)
    source = pq.read_table(path.parent / "occupancy.parquet").sort_by(
        [("office", "ascending"), ("day", "ascending")]
    )
    assert (
        got["first_arrival__missing"].to_pylist() == source["first_arrival"].is_null().to_pylist()
    )
    absent = np.asarray(source["first_arrival"].is_null())
    secret = ~(np.asarray(source["mean_occupancy"].fill_null(0.0)) >= 0.3)
    counts = np.histogram2d(absent, secret, bins=2)[0] / len(absent)
    apart = np.outer(counts.sum(1), counts.sum(0))
    seen = counts > 0
    assert bits == pytest.approx(
        (counts[seen] * np.log2(counts[seen] / apart[seen])).sum(), rel=0.2
    )


@pytest.mark.slow
def test_a_full_disk_leaves_the_old_release(project: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    path = project()
    before = release(path).path.read_bytes()

    class Full(pq.ParquetWriter):  # type: ignore[misc]
        def write_table(self, *_args: object, **_named: object) -> None:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr("unspoken.storage.writing.publishing.pq.ParquetWriter", Full)
    with pytest.raises(InputError, match="No space left"):
        release(path)
    assert (path.parent / "released.parquet").read_bytes() == before
    assert not list(path.parent.glob(".*.partial"))


def test_bits_that_are_not_limited_are_not_said(tmp_path: Path) -> None:
    table = pa.table({"id": range(40), "a": ["x", "y"] * 20})
    attributes = {"a": {"sensitive": "a = 'x'"}}
    path = small(tmp_path, table, attributes, odds_cap=4.0, limit_bits=0.5)
    assert dict(prepare(path).facts())["limits"] == "odds x 4, 0.5 bit about each"
    path.write_text(path.read_text().replace("limit_bits = 0.5\n", ""))
    assert dict(prepare(path).facts())["limits"] == "odds x 4"
