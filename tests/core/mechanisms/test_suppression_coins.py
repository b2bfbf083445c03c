"""From a record's coin to what is shown of it: golden numbers, every threshold's edge, any size."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.core.numerics import reference
from unspoken.core.errors import InputError
from unspoken.core.mechanisms import Suppression, from_description
from unspoken.core.mechanisms import thresholds as module
from unspoken.core.mechanisms.record_table import WHOLE
from unspoken.storage.coins import Coins, MasterKey, attribute_keys, encode_keys, record_keys

GOLDEN = json.loads((Path(__file__).parents[2] / "vectors" / "coins.json").read_text("utf-8"))
MASTER = bytes.fromhex(GOLDEN["master"])
TABLE: Any = from_description({"kind": "suppression", **GOLDEN["table"]})


def codes_of(labels: list[Any]) -> Any:
    own = zip(labels, TABLE.values, strict=True)
    return np.array([[v.index(label) if label in v else -1 for label, v in own]])


def names_in(coin: Suppression, mask: int) -> set[str]:
    return {name for bit, name in enumerate(coin.names) if mask >> bit & 1}


def test_the_digest_is_frozen() -> None:
    assert TABLE.digest == GOLDEN["digest"] == reference.digest_of(GOLDEN["table"])
    assert TABLE.describe() == {"kind": "suppression", **GOLDEN["table"]}


@pytest.mark.parametrize("vector", GOLDEN["records"], ids=lambda v: f"{v['record']} {v['labels']}")
def test_golden_records(vector: Any) -> None:
    """By the kernel of many rows, and one at a time without any of it."""
    record, digest, epoch = tuple(vector["record"]), GOLDEN["digest"], vector["epoch"]
    number = int(vector["coin"], 16)
    assert reference.record_coin(MASTER, digest, epoch, record) == number
    keys = encode_keys([pa.array([value]) for value in record])
    drawn = Coins(MasterKey(MASTER), epoch, keys).of_record(TABLE.digest)
    assert drawn.tolist() == [number]
    (mask,) = TABLE.patterns(codes_of(vector["labels"]), drawn).tolist()
    assert names_in(TABLE, mask) == {*vector["shows"]}
    assert reference.shown(GOLDEN["table"], vector["labels"], number) == {*vector["shows"]}


def test_no_attribute_has_the_coins_of_records() -> None:
    """Whatever an attribute is called; and no two tables or epochs share any."""
    master, digest = MasterKey(MASTER), TABLE.digest
    others = [
        attribute_keys(master, digest, "2026"),
        attribute_keys(master, f"record {digest}", "2026"),
        attribute_keys(master, "record", "2026"),
        record_keys(master, digest, "2025"),
        record_keys(master, digest[::-1], "2026"),
    ]
    own = record_keys(master, digest, "2026")
    for other in others:
        assert other.block not in (own.block, own.mac)
        assert other.mac not in (own.block, own.mac)


def by_hand(coin: Suppression, codes: list[int], number: int) -> set[str]:
    labels = [v[c] if c >= 0 else "?" for v, c in zip(coin.values, codes, strict=True)]
    return reference.shown(coin.describe(), labels, number)  # type: ignore[arg-type]


def made(rng: Any, sizes: list[int], records: int) -> Suppression:
    """Records with up to seven patterns; some weights are 1, some sums all of 2^62."""
    table: dict[Any, dict[Any, int]] = {}
    names = [f"x{i:02}" for i in range(len(sizes))]
    for _ in range(records):
        own, left = dict[Any, int](), WHOLE
        for _ in range(int(rng.integers(0, 8))):
            pattern = tuple(np.array(names)[rng.random(len(names)) < 0.5].tolist())
            if pattern and pattern not in own:
                weight = int(rng.choice([min(1, left), left, rng.integers(0, left + 1)]))
                own[pattern], left = weight, left - weight
        table[tuple(int(rng.integers(0, d)) for d in sizes)] = own
    return Suppression(table, names, [range(d) for d in sizes], {})


@pytest.mark.parametrize("seed", range(6))
def test_every_edge_of_every_threshold(seed: int) -> None:
    """The number just below a sum of weights, the sum itself, and both ends: 62 bits, exactly."""
    coin = made(np.random.default_rng(seed), [3, 2, 4], 12)
    listed = coin.table.listed
    cases: list[tuple[list[int], int]] = []
    for at in range(len(listed.codes)):
        weights = listed.weights[listed.starts[at] : listed.starts[at + 1]].tolist()
        sums = [sum(weights[:k]) for k in range(len(weights) + 1)]
        edges = {s + d for s in sums for d in (-1, 0, 1)} | {0, WHOLE - 1}
        numbers = [4 * e + low for e in edges if 0 <= e < WHOLE for low in (0, 3)]
        cases += [(listed.codes[at].tolist(), number) for number in numbers]
    cases += [([*codes], number) for codes in ([-1, 0, 0], [0, 5, 0], [9, 9, 9]) for number in (0,)]
    coins = np.array([number for _, number in cases], dtype=np.uint64)
    masks = coin.patterns(np.array([codes for codes, _ in cases]), coins)
    for (codes, number), mask in zip(cases, masks.tolist(), strict=True):
        inside = all(c < len(v) for c, v in zip(codes, coin.values, strict=True))
        expected = by_hand(coin, codes, number) if inside else set()
        assert names_in(coin, mask) == expected, (codes, number)


@pytest.mark.parametrize("sizes", [[3, 4, 5], [40, 3, 50, 60, 70], [9] * 30, [2] * 62])
def test_records_are_found_in_any_domain(sizes: list[int], monkeypatch: Any) -> None:
    """By a place for each, by one number, or by several numbers where no integer holds one."""
    rng = np.random.default_rng(len(sizes))
    coin = made(rng, sizes, 200)
    listed = coin.table.listed
    rows = np.concatenate([listed.codes, rng.integers(-1, max(sizes) + 1, (300, len(sizes)))])
    rows = np.concatenate([rows, listed.codes[::-1] ^ (rng.random(listed.codes.shape) < 0.02)])
    place = {tuple(codes): at for at, codes in enumerate(listed.codes.tolist())}
    expected = [place.get(tuple(codes), -1) for codes in rows.tolist()]
    assert coin.table.thresholds.record(rows).tolist() == expected
    monkeypatch.setattr(module, "DENSE", 0)
    own = module.Thresholds.of(
        tuple(sizes), listed.codes, listed.starts, listed.masks, listed.weights
    )
    assert own.dense is None
    assert own.record(rows).tolist() == expected
    for order in "CF":
        assert own.record(np.asarray(rows, order=order)).tolist() == expected  # type: ignore[call-overload]


def test_batches_of_any_size_are_shown_alike() -> None:
    coin = made(np.random.default_rng(1), [3, 4, 2], 20)
    rng = np.random.default_rng(2)
    rows = np.stack([rng.integers(0, d, 70_001) for d in (3, 4, 2)], axis=1)
    coins = rng.integers(0, 1 << 64, len(rows), dtype=np.uint64)
    masks = coin.patterns(rows, coins)
    cut = [
        coin.patterns(rows[i : i + 9_999], coins[i : i + 9_999]) for i in range(0, 70_001, 9_999)
    ]
    assert np.array_equal(np.concatenate(cut), masks)
    assert np.array_equal(coin.patterns(rows.astype(np.int8), coins), masks)
    assert coin.showing(["x01"]).patterns(rows, coins).tolist() == masks.tolist()  # the same coin
    nothing = Suppression({}, ["a"], [[0, 1]], {})
    assert nothing.patterns(np.array([[0], [1], [-1]]), coins[:3]).tolist() == [0, 0, 0]


def test_how_often_records_are_shown() -> None:
    """A million coins of one record, within 5 standard deviations; frozen, as the master key is."""
    coin = made(np.random.default_rng(5), [2, 2, 2], 8)
    listed, count = coin.table.listed, 10**6
    at = int(np.argmax(np.diff(listed.starts)))
    keys = encode_keys([np.arange(count)])
    coins = Coins(MasterKey(MASTER), "2026", keys).of_record(coin.digest)
    masks = coin.patterns(np.tile(listed.codes[at], (count, 1)), coins)
    own = slice(listed.starts[at], listed.starts[at + 1])
    weights = dict(zip(listed.masks[own].tolist(), listed.weights[own].tolist(), strict=True))
    weights[0] = WHOLE - sum(weights.values())
    assert len(weights) > 4
    for mask, weight in weights.items():
        p = weight / WHOLE
        hits = int((masks == mask).sum())
        assert abs(hits - count * p) <= 5 * (count * p * (1 - p)) ** 0.5 + 1e-9, (mask, p)


@pytest.mark.parametrize(
    ("rows", "coins"),
    [
        ([[0, 0]], np.zeros(1, np.uint64)),
        ([0, 0, 0], np.zeros(1, np.uint64)),
        ([[0, 0, 0]], np.zeros(2, np.uint64)),
        ([[0, 0, 0]], np.zeros(1, np.int64)),
        ([[0.0, 0, 0]], np.zeros(1, np.uint64)),
    ],
)
def test_what_are_no_records_or_coins_is_refused(rows: Any, coins: Any) -> None:
    coin = made(np.random.default_rng(1), [3, 4, 2], 20)
    with pytest.raises(InputError, match=r"suppression\.patterns: give 3 positions a row"):
        coin.patterns(np.array(rows), coins)
