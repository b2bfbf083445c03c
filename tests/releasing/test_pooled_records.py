"""Coins of whole records and who pools what: the plan's word holds for what it was made for.

The secret is whether a and b differ: either alone says nothing of it, both say all.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unspoken.errors import LimitExceeded
from unspoken.releasing import adopt_plan, release

ROWS = 4_000
A, B = np.random.default_rng(5).integers(0, 2, (2, ROWS))
TEXT = """\
format = 1
[source]
table = "table.parquet"
keys = ["id"]
[epoch]
label = "1"
[attribute.a]
values = [0, 1]
[attribute.b]
values = [0, 1]
[attribute.differ]
values = ["no", "yes"]
sensitive = "differ = 'yes'"
{applications}
[limit]
odds_cap = {cap}
coalitions = [["one"], ["two"]]
{pooled}
[belief]
noise = {noise}
"""


def project(
    folder: Path, reads: Mapping[str, Sequence[str]], cap: float = 3.0, pooled: str = "",
    noise: str = "2.0",
) -> Path:  # fmt: skip
    differ = np.where(A == B, "no", "yes")
    table = pa.table({"id": range(ROWS), "a": A, "b": B, "differ": differ})
    pq.write_table(table, folder / "table.parquet")
    each = (f"[application.{who}]\nreads = {json.dumps(own)}" for who, own in reads.items())
    path = folder / "unspoken.toml"
    path.write_text(TEXT.format(applications="\n".join(each), cap=cap, pooled=pooled, noise=noise))
    return path


@pytest.mark.parametrize("noise", ["2.0", '"none"'])
def test_a_reader_of_more_is_held_to_the_limits(tmp_path: Path, noise: str) -> None:
    """The attack: change what an application reads, and have the other half by the same coin."""
    none = 'pooled_cap = "none"'
    release(project(tmp_path, {"one": ["a"], "two": ["b"]}, 3.0, none, noise), reader="one")
    path = project(tmp_path, {"one": ["b"], "two": ["a"]}, 3.0, none, noise)
    with pytest.raises(LimitExceeded, match="differ could"):
        release(path, reader="one")
    path = project(tmp_path, {"one": ["a", "b"], "two": ["b"]}, 3.0, none, "2.0")
    if noise == "2.0":
        with pytest.raises(LimitExceeded, match="differ could"):
            release(path, reader="one")


def test_who_is_not_declared_any_more_counts_beside_the_plan(tmp_path: Path) -> None:
    """What a former application was given may be known to all, though the plan is what it was."""
    none, reads = 'pooled_cap = "none"', {"one": ["a"], "two": ["b"]}
    adopt_plan(project(tmp_path, reads, pooled=none))
    path = project(tmp_path, {"one": ["a"], "due": ["b"]}, pooled=none)
    path.write_text(path.read_text().replace('["two"]', '["due"]'))
    release(path, reader="due")
    with pytest.raises(LimitExceeded, match="differ could"):
        release(project(tmp_path, reads, pooled=none), reader="one")


def test_another_plan_for_another_reader_is_held_to_the_pooled_cap(tmp_path: Path) -> None:
    """The attack: one gets half of one plan, two half of the next, whose coins are others."""
    reads = {"one": ["a"], "two": ["b"]}
    first = release(project(tmp_path, reads), reader="one")
    path = project(tmp_path, reads, cap=2.5)
    adopt_plan(path)
    with pytest.raises(LimitExceeded, match="differ could"):
        release(path, reader="two")
    assert first.p["a"] > 0


def test_halves_of_one_plan_are_given_out(tmp_path: Path) -> None:
    """And what is pooled of both keeps the cap."""
    path = project(tmp_path, {"one": ["a"], "two": ["b"]})
    one, two = (pq.read_table(release(path, reader=who).path) for who in ("one", "two"))
    seen = 3 * one["a"].fill_null(2).to_numpy() + two["b"].fill_null(2).to_numpy()
    secret, other = (np.bincount(seen[rows], minlength=9) for rows in (A != B, A == B))
    odds = 3.0 * (A != B).sum() / (A == B).sum()
    most = (secret + other) * odds / (1 + odds)  # of the rows of an answer, but for chance
    assert (secret <= most + 5 * np.sqrt(most / (1 + odds)) + 1).all()
    assert secret[2] + secret[5] + secret[6] > 100  # that is no empty claim
