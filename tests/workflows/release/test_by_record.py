"""Projects that are released with one coin a record: the same answer for whoever asks for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import unspoken
from tests.workflows.release.small import KEY, small
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.storage.coins import MasterKey, draw, encode_keys, record_keys
from unspoken.workflows.release import release

pytestmark = pytest.mark.slow

ROWS = 600
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "late": {"values": ["no", "yes"], "sensitive": "late = 'yes'"},
    "use": {"values": ["low", "mid", "high"], "sensitive": "use = 'low'"},
    "exits": {"values": ["few", "many"]},
}


def table(change: int = 0) -> pa.Table:
    rng = np.random.default_rng(7)
    late = rng.random(ROWS) < 0.25
    low = rng.random(ROWS) < np.where(late, 0.6, 0.15)
    many = rng.random(ROWS) < np.where(low, 0.2, 0.6)
    use = np.where(low, "low", np.where(rng.random(ROWS) < 0.5, "mid", "high"))
    exits = np.where(many, "many", "few")
    late[:change] ^= True
    return pa.table(
        {"id": np.arange(ROWS), "late": np.where(late, "yes", "no"), "use": use, "exits": exits}
    )


def project(folder: Path, rows: pa.Table | None = None, more: str = "", **limits: Any) -> Path:
    """For everybody, or for those that ``more`` names, with exact counts."""
    given = {"odds_cap": 3.0, **limits}
    path = small(folder, table() if rows is None else rows, ATTRIBUTES, reads=["late", "use"])
    text = path.read_text()
    start, end = text.index("[limit]"), text.index("[plan]")
    listed = "".join(f"{name} = {value}\n" for name, value in given.items())
    text = f"{text[:start]}[limit]\n{listed}{text[end:]}".replace('by = "cell"', 'by = "record"')
    text = text.replace('confidence = "none"', "confidence = 0.95")
    path.write_text(text + more)
    return path


def shown(path: Path) -> np.ndarray:
    """Of each row the mask of what a file shows, bit by the order of its columns."""
    got = pq.read_table(path)
    names = [name for name in got.column_names if name != "id"]
    return np.stack([got[name].is_valid().to_numpy() for name in names], axis=1)


def test_what_is_shown_is_what_the_coin_of_a_record_says(tmp_path: Path) -> None:
    done = release(project(tmp_path))
    coin, rows = done.event.mechanism, table()
    assert isinstance(coin, unspoken.Suppression)
    codes = np.stack(
        [np.array([own.index(v) for v in rows[name].to_pylist()])
         for name, own in zip(coin.names, coin.values, strict=True)], axis=1,
    )  # fmt: skip
    keys = record_keys(MasterKey(KEY), coin.digest, "1")
    masks = coin.patterns(codes, draw(keys, encode_keys([np.arange(ROWS)])))
    for column, name in enumerate(["late", "use"]):
        bit = 1 << coin.names.index(name)
        assert (shown(done.path)[:, column] == (masks & bit != 0)).all()
    got = pq.read_table(done.path)
    assert "yes" not in got["late"].to_pylist()
    assert "low" not in got["use"].to_pylist()
    assert done.plan.share is not None
    assert shown(done.path).mean() == pytest.approx(done.plan.objective / 2, abs=0.06)


def test_no_answer_tells_more_than_the_cap_of_the_rows_it_was_made_for(tmp_path: Path) -> None:
    path = project(tmp_path)
    ready, rows = unspoken.prepare(path), table().to_pandas()
    coin = ready.plan().mechanism
    law = ready.learned.belief
    assert isinstance(law, unspoken.Joint)
    for name, secret in (("late", "yes"), ("use", "low")):
        prior = (rows[name] == secret).mean()
        for answer in unspoken.view(
            law, coin, unspoken.Adversary(name, secret=[secret])
        ).outcomes():
            after = answer.posterior[secret]
            assert after / max(1 - after, 1e-300) <= 3.0 * prior / (1 - prior) * (1 + 1e-9)


def test_again_is_free_and_the_same(tmp_path: Path) -> None:
    path = project(tmp_path)
    first = release(path)
    kept = first.path.read_bytes()
    again = release(path)
    assert again.again
    assert again.path.read_bytes() == kept


def test_another_label_tosses_another_coin_and_is_refused(tmp_path: Path) -> None:
    path = project(tmp_path)
    release(path)
    path.write_text(path.read_text().replace('label = "1"', 'label = "2"'))
    with pytest.raises(LimitExceeded, match="this plan does not fit"):
        release(path)


def test_what_nobody_reads_decides_too_so_its_change_is_noticed(tmp_path: Path) -> None:
    path = project(tmp_path)
    path.write_text(path.read_text().replace('reads = ["late", "use"]', 'reads = ["use", "exits"]'))
    done = release(path)
    assert [*done.event.readings["1"]] == ["exits", "late", "use"]  # late is secret, and not read
    pq.write_table(table(change=40), tmp_path / "table.parquet")
    with pytest.raises(LimitExceeded, match="the source of late"):
        release(path)


def test_a_share_of_it_is_another_table(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is released whole"):
        release(project(tmp_path), scale=0.5)


def test_who_can_be_given_little_does_not_take_it_from_all(tmp_path: Path) -> None:
    """What `count` can show is little; as much of `day` as that would be of use to nobody."""
    rng = np.random.default_rng(3)
    rows = pa.table({"id": np.arange(4000), "day": rng.integers(0, 3, 4000),
                     "count": np.where(rng.random(4000) < 0.56, "few", "many")})  # fmt: skip
    columns: dict[str, dict[str, Any]] = {"day": {"values": [0, 1, 2]},
               "count": {"values": ["few", "many"], "sensitive": "count = 'few'"}}  # fmt: skip
    path = small(tmp_path, rows, columns, odds_cap=4.0)
    text = path.read_text().replace('by = "cell"', 'by = "record"').replace("limit_bits = 64.0", "")
    text = text.replace('confidence = "none"', "confidence = 0.95")
    path.write_text(text + '\n[application.other]\nreads = ["count"]\n')
    plan = unspoken.prepare(path).plan()
    assert plan.p["day"] > 0.8
    assert plan.floor is not None
    assert plan.objective > plan.floor.objective + 0.1


def test_a_plan_of_no_use_to_somebody_is_refused(tmp_path: Path) -> None:
    path = project(tmp_path)
    text = path.read_text().replace(
        'reads = ["late", "use"]', 'reads = ["late", "use"]\nshare = 0.9'
    )
    path.write_text(text)
    with pytest.raises(
        InputError, match=r"application\.all\.share: the plan shows all less than 90%"
    ):
        release(path)
    assert not (tmp_path / "released.parquet").exists()


def test_each_application_is_delivered_its_part_of_one_answer(tmp_path: Path) -> None:
    path = project(tmp_path, coalitions='[["a"], ["b"]]', pooled_cap=3.0)
    text = path.read_text().replace(
        '[application.all]\nreads = ["late", "use"]',
        '[application.a]\nreads = ["late"]\n[application.b]\nreads = ["use"]',
    )
    path.write_text(text)
    parts = {who: release(path, reader=who) for who in "ab"}
    coins = {who: done.event.mechanism.record_coins()[0] for who, done in parts.items()}
    assert coins["a"].digest == coins["b"].digest
    assert coins["a"].delivered == ("late",)
    assert [shown(parts[who].path).shape[1] for who in "ab"] == [1, 1]
    both = np.concatenate([shown(parts[who].path) for who in "ab"], axis=1)
    whole = coins["a"].whole
    assert isinstance(whole, unspoken.Suppression)
    codes = np.stack(
        [np.array([own.index(v) for v in table()[name].to_pylist()])
         for name, own in zip(whole.names, whole.values, strict=True)], axis=1,
    )  # fmt: skip
    keys = record_keys(MasterKey(KEY), whole.digest, "1")
    masks = whole.patterns(codes, draw(keys, encode_keys([np.arange(ROWS)])))
    for column, name in enumerate(["late", "use"]):
        assert (both[:, column] == (masks & (1 << whole.names.index(name)) != 0)).all()
