"""Where rows stand, and how values are written: what no label of a cell tells."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from unspoken.workflows.audit.hints import where, written
from unspoken.workflows.audit.released_file import AttackedSecret, audit_file

ROWS, DAYS, KEEPS = 2_000, 20, 0.5
CAP = 1.001 / (1 - KEEPS)
RNG = np.random.default_rng(3)
ILL = RNG.random(ROWS) < 0.25
DAY = np.repeat(np.arange(DAYS), ROWS // DAYS)
WHO = np.array([f"p{k:03}" for k in np.tile(RNG.permutation(ROWS // DAYS), DAYS)])
BLANK = ILL | (RNG.random(ROWS) > KEEPS)
ANY = RNG.random(ROWS)


def beside(folder: Path, order: np.ndarray, **more: object) -> list[AttackedSecret]:
    """What an audit says beside rows by themselves; ``more`` columns are a release's own."""
    state = np.where(ILL, "ill", "well")
    keys = {"who": WHO, "day": DAY}
    pq.write_table(pa.table({**keys, "state": state}), folder / "original.parquet")
    shown = {**keys, "state": pa.array(state, mask=BLANK), **more}
    pq.write_table(pa.table(shown).take(pa.array(order)), folder / "released.parquet")
    files = folder / "released.parquet", folder / "original.parquet"
    rows, *found = audit_file(*files, ["who", "day"], odds_cap=CAP).secrets
    assert rows.verdict.word != "fail"
    return found


def test_an_order_within_days_is_found(tmp_path: Path) -> None:
    """Days come in turn, and who is ill comes last of each."""
    late = ILL + 0.6 * ANY
    (order,) = beside(tmp_path, np.lexsort((late, DAY)))
    assert (order.verdict.word, order.control.word) == ("fail", "pass")
    assert order.given == f"the order of rows in {tmp_path / 'released.parquet'}"
    mixed = np.random.default_rng(4).permutation(DAYS)[DAY]
    assert [each.given for each in beside(tmp_path, np.lexsort((late, mixed)))] == [order.given]
    assert beside(tmp_path, np.lexsort((ANY, mixed))) == []


def test_values_of_its_own_tell_by_how_they_are_written(tmp_path: Path) -> None:
    """No two are the same: odd or even, in what letter they begin, how long, when."""
    number = np.argsort(np.argsort(ANY))
    told = {
        "score": number * 2 + ILL,
        "ticket": [f"{'b' if i else 'a'}-{k}" for i, k in zip(ILL, number, strict=True)],
        "note": [f"{k:0{9 if i else 8}}" for i, k in zip(ILL, number, strict=True)],
        "at": np.array(number * 2 + ILL, "datetime64[s]").astype("datetime64[us]"),
    }
    found = beside(tmp_path, np.arange(ROWS), **told)
    assert {(f.verdict.word, f.control.word) for f in found} == {("fail", "pass")}
    assert {
        "the last character of score",
        "the alphabetical place of ticket",
        "the length of note",
        "the last character of at",
    } <= {f.given for f in found}
    mixed = np.random.default_rng(5).permutation(ROWS)
    idle = {name: np.array(values)[mixed] for name, values in told.items()}
    assert beside(tmp_path, np.arange(ROWS), **idle) == []


def test_rows_are_put_together_by_what_sorts_them() -> None:
    """Eight rows: by day, which stands in one piece each, and by name, down."""
    table = {"day": [2, 2, 2, 2, 1, 1, 1, 1], "name": list("ddbbccaa"), "any": [0, 1] * 4}
    table |= {"number": [*range(8)], "code": [3, 7, 1, 2, 0, 5, 4, 6]}
    rows = pa.table(table)

    def parts(*known: str) -> list[int] | None:
        hint = where(rows, known)
        return None if hint is None else hint.codes.tolist()

    assert parts() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert parts("any") == parts("code") == parts()
    assert parts("number") is None
    assert parts("day") == [1, 3, 5, 7] * 2
    assert parts("day", "name") == parts("name", "day") == [1, 5] * 4
    assert parts("day", "name", "any") is None
    assert where(rows.slice(0, 0), ["day"]) is None
    assert where(rows.slice(0, 1), []) is None


def test_numbers_say_how_fine_they_are() -> None:
    whole = pa.chunked_array([pa.array([*range(30), None], pa.float64())])
    last, length = written("x", whole)
    assert (last.column, last.codes[-1], length.codes[-1]) == ("x", 0, 0)
    assert (last.codes[3] == last.codes[13], last.codes[3] == last.codes[4]) == (True, False)
    assert len({*length.codes[:10].tolist()}) == 1  # 3.0 is as long as 9
    assert list(written("x", whole.slice(0, 20))) == []
