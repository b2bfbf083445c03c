"""Numbers of many values are looked at in parts, which begin where a table hides them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from tests.workflows.audit.test_released_file import ROWS, only, written
from unspoken.core.display import share
from unspoken.workflows.audit.released_file import AttackedSecret, audit_file


def numbers_hidden(
    tmp_path: Path, blank: np.ndarray, other: np.ndarray | None = None
) -> AttackedSecret:
    """Counts from 1 on, of which three in a hundred are 40 or more, and which of them are blank."""
    original = written(tmp_path / "original.csv", {"who": [*range(ROWS)], "n": counts().tolist()})
    files = []
    for place, gone in enumerate([blank] if other is None else [blank, other]):
        shown = [None if hidden else n for n, hidden in zip(counts().tolist(), gone, strict=True)]
        files.append(written(tmp_path / f"{place}.csv", {"who": [*range(ROWS)], "n": shown}))
    return only(audit_file(files, original, ["who"]))


def counts() -> np.ndarray:
    return np.random.default_rng(6).geometric(0.085, ROWS)


@pytest.mark.slow
def test_numbers_part_where_they_are_hidden(tmp_path: Path) -> None:
    """By eighths of the rows alone the last label, 25 and more, is of four times as many rows."""
    found = numbers_hidden(tmp_path, counts() >= 40)
    assert (found.about, found.naive) == ("n = 40 or more", True)
    assert found.verdict.claim.prior == pytest.approx((counts() >= 40).mean())
    middle = (counts() >= 5) & (counts() < 7)
    both = numbers_hidden(tmp_path, middle | (counts() % 2 == 0), middle | (counts() % 2 == 1))
    assert both.about == "n = 5 to 6, 6 to 7"


def test_what_is_no_number_parts_none(tmp_path: Path) -> None:
    """NaN and infinity lie in the last part, and hide nothing of where the others are blank."""
    n = counts().astype(float)
    n[::50], n[1::50] = np.nan, np.inf
    columns = {"who": np.arange(ROWS), "n": n}
    pq.write_table(pa.table(columns), tmp_path / "original.parquet")
    shown = pa.array(n, mask=n < 3)
    pq.write_table(pa.table({**columns, "n": shown}), tmp_path / "released.parquet")
    found = only(audit_file(tmp_path / "released.parquet", tmp_path / "original.parquet", ["who"]))
    assert (found.about, found.naive) == ("n = below 2, 2 to 3", True)


@pytest.mark.slow
def test_numbers_that_coins_leave_blank_do_not_part(tmp_path: Path) -> None:
    """Of nine tenths blank, stretches of twenty rows are by chance; what is blank of it is said."""
    found = numbers_hidden(tmp_path, np.random.default_rng(7).random(ROWS) < 0.9)
    assert found.about.endswith(" of these blank)")
    assert found.verdict.claim.prior > 0.05


def test_shares_are_never_all_of_what_is_close_to_it() -> None:
    shown = [share(x) for x in (0.0, 1e-9, 0.057, 0.9996, 1.0)]
    assert shown == ["0.0%", "< 0.1%", "5.7%", "> 99.9%", "100.0%"]


def test_days_and_moments_part_as_numbers_do(tmp_path: Path) -> None:
    """Late ones are hidden, of which no two need be the same."""
    n = counts()
    at = {
        "time": pa.array(n * 1_000_000, pa.time64("us")),
        "day": pa.array(n.astype(np.int32), pa.date32()),
        "moment": pa.array(n, pa.timestamp("s")),
        "price": pa.array(n).cast(pa.decimal128(24, 2)),
    }
    late = pa.array(n >= 40)
    shown = {name: pc.if_else(late, pa.scalar(None, of.type), of) for name, of in at.items()}
    files = tmp_path / "released.parquet", tmp_path / "original.parquet"
    for path, columns in zip(files, (shown, at), strict=True):
        pq.write_table(pa.table({"who": np.arange(ROWS), **columns}), path)
    found = audit_file(*files, ["who"]).secrets
    assert [(own.about, own.naive) for own in found] == [
        ("time = 00:00:40 or more", True),
        ("day = 1970-02-10 or more", True),
        ("moment = 1970-01-01 00:00:40 or more", True),
        ("price = 40 or more", True),
    ]


def test_texts_that_are_rare_are_values_of_the_original(tmp_path: Path) -> None:
    """Of more words than have labels the rest are one label, shown and true alike."""
    words = np.array([f"w{k % 90:02}" for k in range(ROWS)])
    files = tmp_path / "released.parquet", tmp_path / "original.parquet"
    for path in files:
        pq.write_table(pa.table({"who": np.arange(ROWS), "word": words}), path)
    assert audit_file(*files, ["who"], odds_cap=2.0).secrets == []
