"""Coins of whole records and who pools what: the plan's word holds for what it was made for.

The secret is whether a and b differ: either alone says nothing of it, both say all.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import unspoken
from unspoken.assessment.deciding import judged
from unspoken.assessment.deciding.judged import Judge
from unspoken.core.errors import LimitExceeded
from unspoken.planning import Limits
from unspoken.tables.policy import Project
from unspoken.workflows.release import adopt_plan, prepare, release

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


@pytest.mark.slow
def test_who_is_not_declared_any_more_counts_beside_the_plan(tmp_path: Path) -> None:
    """What a former application was given may be known to all, though the plan is what it was."""
    none, reads = 'pooled_cap = "none"', {"one": ["a"], "two": ["b"]}
    adopt_plan(project(tmp_path, reads, pooled=none))
    path = project(tmp_path, {"one": ["a"], "due": ["b"]}, pooled=none)
    path.write_text(path.read_text().replace('["two"]', '["due"]'))
    release(path, reader="due")
    with pytest.raises(LimitExceeded, match="differ could"):
        release(project(tmp_path, reads, pooled=none), reader="one")


def test_halves_for_one_reader_are_judged_by_all_that_the_counts_leave_possible(
    tmp_path: Path,
) -> None:
    """The attack: one reads a, then b. By what was learned that tells nothing, x 1.2; there are
    too few rows to know, and the plan's word is for every belief that they leave possible.
    """
    none = 'pooled_cap = "none"'

    def few(reads: Mapping[str, Sequence[str]]) -> Path:
        path, rng = project(tmp_path, reads, 2.0, none, "20.0"), np.random.default_rng(5)
        a, b = rng.integers(0, 2, (2, 400))
        differ = np.where(np.random.default_rng(9).random(400) < 0.5, "yes", "no")
        table = pa.table({"id": range(400), "a": a, "b": b, "differ": differ})
        pq.write_table(table, tmp_path / "table.parquet")
        return path

    release(few({"one": ["a"], "two": ["b"]}), reader="one")
    with pytest.raises(LimitExceeded, match="differ could grow"):
        release(few({"one": ["b"], "two": ["a"]}), reader="one")


def test_what_is_not_looked_at_under_every_belief_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader of one half, then of the other, of a table that is too large for a second look."""
    none = 'pooled_cap = "none"'
    pools = {"one": ["a"], "two": ["b"]}, {"one": ["b"], "two": ["a"]}

    def few(reads: Mapping[str, Sequence[str]]) -> Path:
        path, rng = project(tmp_path, reads, 2.0, none, "20.0"), np.random.default_rng(5)
        a, b = rng.integers(0, 2, (2, 400))
        differ = np.where(np.random.default_rng(9).random(400) < 0.5, "yes", "no")
        table = pa.table({"id": range(400), "a": a, "b": b, "differ": differ})
        pq.write_table(table, tmp_path / "table.parquet")
        return path

    first = release(few(pools[0]), reader="one")
    assert not any("under what was learned alone" in each.text for each in first.said.cautions)
    monkeypatch.setattr(judged, "ASKED", 0)
    second = release(few(pools[1]), reader="one")
    (said,) = (e.text for e in second.said.cautions if "under what was learned alone" in e.text)
    assert re.search(r": \d+ answers of 8 combinations of values are too many\.$", said)


def test_another_plan_for_another_reader_is_held_to_the_pooled_cap(tmp_path: Path) -> None:
    """The attack: one gets half of one plan, two half of the next, whose coins are others."""
    reads = {"one": ["a"], "two": ["b"]}
    first = release(project(tmp_path, reads), reader="one")
    path = project(tmp_path, reads, cap=2.5)
    adopt_plan(path)
    with pytest.raises(LimitExceeded, match="differ could"):
        release(path, reader="two")
    assert first.p["a"] > 0


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_refusal_names_the_cap_that_is_pooled(tmp_path: Path) -> None:
    reads = {"one": ["a"], "two": ["b"]}
    release(project(tmp_path, reads), reader="one")
    path = project(tmp_path, reads, cap=2.5)
    adopt_plan(path)
    with pytest.raises(LimitExceeded, match=r"\(limit\.pooled_cap, for all readers together\)"):
        release(path, reader="two")


def test_cells_that_are_planned_later_leave_the_pooled_cap(tmp_path: Path) -> None:
    """The attack: half by a coin of records, then the plan by cells, which has no pooled cap."""
    reads = {"one": ["a"], "two": ["b"]}
    release(project(tmp_path, reads), reader="one")
    path = project(tmp_path, reads)
    path.write_text(path.read_text() + '[plan]\nby = "cell"\n')
    adopt_plan(path)
    with pytest.raises(LimitExceeded, match=r"limit\.pooled_cap"):
        release(path, reader="two")


def test_what_is_known_after_adoption_asks_for_another_plan(tmp_path: Path) -> None:
    """One that knows the other half by itself; the other's part stays as it was."""
    reads = {"one": ["a"], "two": ["b"]}
    adopt_plan(project(tmp_path, reads, pooled='pooled_cap = "none"'))
    path = project(tmp_path, reads, pooled='pooled_cap = "none"')
    path.write_text(path.read_text().replace('reads = ["a"]', 'reads = ["a"]\nknows = ["b"]'))
    with pytest.raises(LimitExceeded, match=r"application\.one\.knows: b was not there"):
        release(path, reader="one")
    adopted = adopt_plan(path).plan()
    assert adopted.p["a"] < 0.9 < adopted.p["b"]
    release(path, reader="two")


def test_what_a_reader_has_from_elsewhere_is_in_what_it_learns(tmp_path: Path) -> None:
    """Half of it says nothing, and with the other half it says all: a row for either."""
    path = project(tmp_path, {"one": ["a"], "two": ["b"]}, pooled='pooled_cap = "none"')
    path.write_text(path.read_text().replace('reads = ["a"]', 'reads = ["a"]\nknows = ["b"]'))
    found = prepare(path).findings(curve=False)
    openly = {leak.who: leak.odds.odds for leak in found.everything}
    planned = {leak.who: leak.odds.odds for leak in found.planned}
    assert openly["one"] == pytest.approx(1.0, abs=0.1)
    assert openly["one, knowing b"] == math.inf
    assert 2.0 < planned["one, knowing b"] <= 3.0 + 1e-9
    assert {"two, knowing a", "two, knowing b"}.isdisjoint(openly)


def test_several_plans_are_judged_under_every_belief(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under what was learned the two keep a cap together that another possible belief breaks."""
    law = unspoken.Joint([[30, 10, 5], [10, 30, 40]], names=["s", "x"])
    box = unspoken.Box.within(law, 0.3)
    asked: dict[str, Any] = {"by": "record", "sensitive": {"s": [0]}, "reads": ["x"]}
    both = unspoken.Together(
        [unspoken.plan(box, odds_cap=cap, **asked).mechanism for cap in (1.6, 1.9)]
    )
    who = unspoken.Adversary("s", secret=[0])
    learned, worst = (unspoken.leakage(each, both, who, "odds").high for each in (law, box))
    assert learned < worst
    given = Project.read(project(tmp_path, {"one": ["a"], "two": ["b"]}))
    limits = Limits({}, (learned + worst) / 2)
    assert Judge(given, law, lambda: law, {"s": [0]}).broken(both, limits) is None
    judge = Judge(given, law, lambda: box, {"s": [0]})
    broken = judge.broken(both, limits)
    assert broken is not None
    assert broken.target == "s"
    assert judge.unlooked(both) == ""
    monkeypatch.setattr(judged, "ASKED", 0)
    assert judge.broken(both, limits) is None
    assert "combinations of values are too many" in judge.unlooked(both)
