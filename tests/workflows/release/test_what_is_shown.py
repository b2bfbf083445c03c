"""What is shown of a cell is what was measured: the bin, or a value that was counted by itself."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.workflows.release.small import Attributes, small
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.workflows.release import Released, prepare, release

ROWS = 60_000
ROLE = {"sensitive": "role = 'PAT'"}


@pytest.fixture
def contacts() -> pa.Table:
    """Who met whom: every tenth person is a patient."""
    rng = np.random.default_rng(0)
    person = rng.integers(1, 101, ROWS)
    staff = np.array(["ADM", "NUR", "MED"])[rng.integers(0, 3, ROWS)]
    role = np.where(person % 10 == 0, "PAT", staff)
    return pa.table({"id": np.arange(ROWS), "person": person, "role": role.tolist()})


def identified(contacts: pa.Table, done: Released) -> int:
    """How many blanks a person whose role is never shown gives away."""
    got = pq.read_table(done.path).to_pylist()
    known = Counter(row["person"] for row in got if row["role"] is not None)
    blanks = (
        secret
        for row, secret in zip(got, contacts["role"].to_pylist(), strict=True)
        if row["person"] is not None and row["role"] is None and not known[row["person"]]
    )
    return sum(role == "PAT" for role in blanks)


@pytest.mark.parametrize("values", [None, "exact"])
def test_an_id_behind_bins_names_nobody(
    tmp_path: Path, contacts: pa.Table, values: str | None
) -> None:
    """The attack: the bin of an id tells nothing, its value is a patient's or is not."""
    person: dict[str, Any] = {"bins": [20, 50, 80]} | ({"values": values} if values else {})
    attributes: Attributes = {"person": person, "role": ROLE}
    path = small(tmp_path, contacts, attributes, odds_cap=4.0, limit_bits=0.1, close=True)
    done = release(path)
    shown = {*pq.read_table(done.path)["person"].to_pylist()} - {None}
    if values is None:
        assert shown == {"below 20", "20-50", "50-80", "80 or more"}
    else:  # each was measured: those of patients tell too much, and are closed
        assert shown == {person for person in range(1, 101) if person % 10}
    assert not identified(contacts, done)
    said = json.loads(done.manifest.read_text())["attributes"]["person"]["shows"]
    assert said == ("values" if values else ["below 20", "20-50", "50-80", "80 or more"])


@pytest.mark.slow
def test_what_decimals_tell_beyond_the_bin_is_counted(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    secret, upper = rng.random(4_000) > 0.8, rng.random(4_000) > 0.5
    rows = {"id": np.arange(4_000), "a": 0.25 + upper / 2 + secret / 100, "b": secret / 1.0}
    b = {"values": [0, 1], "sensitive": "b = 1"}
    limits: dict[str, Any] = {"odds_cap": 4.0, "limit_bits": 0.1}
    path = small(tmp_path, pa.table(rows), {"a": {"bins": [0.5]}, "b": b}, **limits)
    said = prepare(path).findings(curve=False).assumptions
    assert "Of a the bin of a value is released, never the value." in said
    got = pq.read_table(release(path).path)["a"].to_pylist()
    assert {*got} - {None} == {"below 0.5", "0.5 or more"}
    exact = small(tmp_path, None, {"a": {"bins": [0.5], "values": "exact"}, "b": b}, **limits)
    ready = prepare(exact)
    assert ready.learned.labels["a"] == ("0.25", "0.26", "0.75", "0.76")
    assert ready.plan().p["a"] < 0.01
    closing = prepare(
        small(tmp_path, None, {"a": {"values": "exact"}, "b": b}, close=True, **limits)
    )
    assert {*closing.closed.added["a"]} == {"0.26", "0.76"}


def test_too_many_exact_values_have_a_way_out(tmp_path: Path) -> None:
    table = pa.table({"id": range(300), "a": [i / 7 for i in range(300)]})
    path = small(tmp_path, table, {"a": {"bins": [20], "values": "exact"}})
    with pytest.raises(InputError, match="more than 200 different values; round them"):
        prepare(path)


def test_a_cell_is_never_shown_by_bins_that_cross(tmp_path: Path) -> None:
    """The attack: two groupings of the same cells, each within the limits, meet in the value."""
    rng = np.random.default_rng(0)
    table = pa.table({"id": range(900), "a": rng.integers(0, 30, 900), "b": rng.random(900)})

    def under(label: str, bins: list[float] | None) -> Path:
        a: dict[str, Any] = {"bins": bins} if bins else {"values": "exact"}
        b = {"bins": [0.5], "sensitive": "b >= 0.5"}
        return small(tmp_path, table, {"a": a, "b": b}, epoch=f'label = "{label}"')

    release(under("1", [10, 20]))
    with pytest.raises(LimitExceeded, match="changed since it was first read"):
        release(under("1", [10, 15]))
    with pytest.raises(LimitExceeded, match=r"attribute.a: was released by bins 10, 20 under"):
        release(under("2", [10, 15]))
    release(under("2", [10, 15, 20]))
    release(under("3", None))
    with pytest.raises(LimitExceeded, match="was released as it is"):
        release(under("4", [10, 15, 20]))


@pytest.mark.slow
def test_the_bin_stays_when_a_row_makes_its_label_sensitive(tmp_path: Path) -> None:
    """Epochs are read once; what another epoch adds does not change what an old one shows."""
    rows = {"id": ["1-a", "1-b", "1-c", "1-d"], "a": [1, 1, 9, 9], "b": ["n", "n", "y", "y"]}
    attributes: Attributes = {
        "a": {"bins": [5], "sensitive": "b = 'y'"},
        "b": {"values": ["n", "y"]},
    }
    epoch = 'of = "id[1]"'
    release(small(tmp_path, pa.table(rows), attributes, epoch=epoch))
    more = {"id": ["2-a", "2-b"], "a": [1, 9], "b": ["y", "n"]}
    table = pa.table({name: [*rows[name], *more[name]] for name in rows})  # type: ignore[misc]
    release(small(tmp_path, table, attributes, epoch=epoch))
