"""What a released table tells beside its cells: columns of its own, and the order of its rows."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.workflows.audit.test_released_file import KEEPS, ROWS, drawn, hidden, written
from unspoken.core.errors import InputError
from unspoken.workflows.audit.released_file import AuditedFile, audit_file

pytestmark = pytest.mark.slow

ILL = np.array(drawn()["state"]) == "ill"


def coined() -> dict[str, list[object]]:
    """With a coin each of harmless cells, and nothing else but keys."""
    table = drawn()
    blank = ILL | (np.random.default_rng(6).random(ROWS) > KEEPS)
    return {name: hidden(table, "state", blank)[name] for name in ("who", "state")}


def audited(folder: Path, release: dict[str, list[object]], by: np.ndarray) -> AuditedFile:
    """``by``: in the order of these numbers."""
    order = np.argsort(by)
    rows = {name: [column[k] for k in order] for name, column in release.items()}
    original = written(folder / "original.csv", drawn())
    return audit_file(
        written(folder / "released.csv", rows), original, ["who"], odds_cap=1 / (1 - KEEPS)
    )


def by_key() -> np.ndarray:
    return np.argsort(np.argsort(np.array(drawn()["who"], dtype=object)))


def test_a_column_of_its_own_is_attacked(tmp_path: Path) -> None:
    told = {**coined(), "score": np.where(ILL, "high", "low").tolist()}
    found = audited(tmp_path, told, by_key())
    (own,) = found.secrets
    assert (own.verdict.word, found.beyond) == ("fail", ["score"])
    assert own.control.word == "pass"
    assert json.loads(json.dumps(found.as_json()))["beyond"] == ["score"]


def test_a_column_of_its_own_that_tells_nothing_beats_nothing(tmp_path: Path) -> None:
    idle = {**coined(), "score": np.random.default_rng(8).choice(["a", "b"], ROWS).tolist()}
    (own,) = audited(tmp_path, idle, by_key()).secrets
    assert own.verdict.word == "pass"


def test_an_order_that_tells_is_found(tmp_path: Path) -> None:
    """Who is ill was entered late."""
    came = ILL + 0.8 * np.random.default_rng(7).random(ROWS)
    rows, order = audited(tmp_path, coined(), came).secrets
    assert (rows.verdict.word, order.verdict.word, order.control.word) == ("pass", "fail", "pass")
    assert "order of rows" in order.sought


def test_an_order_of_keys_is_known_anyway(tmp_path: Path) -> None:
    """Even if keys tell: that is what they do without a release."""
    assert len(audited(tmp_path, coined(), by_key()).secrets) == 1
    assert len(audited(tmp_path, coined(), np.random.default_rng(9).random(ROWS)).secrets) == 1


def test_two_keys_in_either_order(tmp_path: Path) -> None:
    """Sorted by the second key and then the first, and secrets by the second."""
    rng, rows = np.random.default_rng(4), 4_000
    day = np.repeat(np.arange(20), rows // 20)
    ill = rng.random(rows) < np.where(day > 15, 0.8, 0.1)
    table: dict[str, list[object]] = {
        "who": [f"p{k:04}" for k in range(rows)],
        "day": list[object](day.tolist()),
        "state": np.where(ill, "ill", "well").tolist(),
    }
    original = written(tmp_path / "original.csv", table)
    release = written(tmp_path / "released.csv", hidden(table, "state", ill | (day % 2 == 0)))
    for keys in (["day", "who"], ["who", "day"]):
        assert len(audit_file(release, original, keys).secrets) == 1


def in_parquet(folder: Path, name: str, table: dict[str, np.ndarray]) -> Path:
    pq.write_table(pa.table(table), folder / f"{name}.parquet")
    return folder / f"{name}.parquet"


def test_a_release_of_columns_of_its_own_alone_or_of_keys(tmp_path: Path) -> None:
    """A score tells who is ill, as does who is left out."""
    ill, who = ILL[:1000], np.arange(1000)
    original = in_parquet(tmp_path, "original", {"who": who, "ill": ill})
    score = in_parquet(tmp_path, "score", {"who": who, "score": np.where(ill, "high", "low")})
    assert audit_file(score, original, ["who"]).secrets == []
    (own,) = audit_file(score, original, ["who"], "ill", 2.0).beaten
    assert own.verdict.best is not None
    assert (own.verdict.best.recovered, own.verdict.best.right) == (1.0, 1.0)
    keys = in_parquet(tmp_path, "keys", {"who": who[~ill]})
    with pytest.raises(InputError, match="no column but keys; --secret asks"):
        audit_file(keys, original, ["who"])
    rows, left_out = audit_file(keys, original, ["who"], "ill", 2.0).secrets
    assert rows.in_words() == "ill: none of them has it."
    assert (left_out.naive, left_out.verdict.word) == (True, "fail")


def test_columns_of_any_kind_are_read(tmp_path: Path) -> None:
    """Lists, records, a column withheld whole, which has no type, and numbers beyond all others."""
    ill = ILL[:1000]
    kinds = {
        "list": pa.array([[int(is_ill)] for is_ill in ill]),
        "record": pa.array([{"ill": int(is_ill)} for is_ill in ill]),
        "nothing": pa.nulls(len(ill)),
        "large": pa.array(np.where(ill, 2**64 - 1, 3).astype(np.uint64)),
    }
    state = np.where(ill, "ill", "well")
    table = {"who": np.arange(len(ill)), "state": state, **dict.fromkeys(kinds, state)}
    original = in_parquet(tmp_path, "original", table)
    table |= {"state": pa.array(state, mask=ill), **kinds}
    table |= {f"own {name}": column for name, column in kinds.items()}
    own = audit_file(in_parquet(tmp_path, "released", table), original, ["who"]).secrets[0]
    assert (own.about, own.naive) == ("state = ill", True)
