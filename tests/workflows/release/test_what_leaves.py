"""What is handed out beside the released cells: three digits of p, and what was declared.

The attack: who knows all rows of a table but one computes the plan for either value of that row,
with public software, and compares. What is printed to the last digit tells the two apart.
"""

from __future__ import annotations

import json
import math
import re
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.workflows.release.small import small
from unspoken.assessment.leaks import limits_of, views
from unspoken.assessment.promise import Promise
from unspoken.core.errors import LimitExceeded
from unspoken.core.types.premise import Premise
from unspoken.workflows.release import prepare, release

ATTRIBUTES: dict[str, dict[str, Any]] = {
    "s": {"values": ["n", "y"], "sensitive": "s = 'y'"},
    "a": {"bins": [0.3, 0.7]},
    "rare": {},
}
DECLARED: dict[str, Any] = {"limit_bits": 0.05, "odds_cap": 2.0, "close": True}


def table(rows: int, victim: str) -> pa.Table:
    """Rows of which everybody knows everything but whether the first has the secret."""
    rng = np.random.default_rng(4)
    secret = np.where(rng.random(rows) < 0.2, "y", "n")
    secret[0] = victim
    a = rng.random(rows) ** np.where(secret == "y", 0.6, 1.2)
    rare = np.where(np.arange(rows) < rows // 2, "p", "q").astype("U16")
    rare[5:8] = "of three rows"
    return pa.table({"id": np.arange(rows), "s": secret, "a": a, "rare": rare})


def paper(folder: Path, rows: int, victim: str, **more: Any) -> dict[str, Any]:
    folder.mkdir()
    done = release(small(folder, table(rows, victim), ATTRIBUTES, **{**DECLARED, **more}))
    written: dict[str, Any] = json.loads(done.manifest.read_text())
    return written


def numbers(of: Any) -> list[float]:
    """Every number in plain data."""
    if isinstance(of, dict):
        return [number for value in of.values() for number in numbers(value)]
    if isinstance(of, list):
        return [number for value in of for number in numbers(value)]
    return [float(of)] if isinstance(of, int | float) and not isinstance(of, bool) else []


def fine(text: str) -> bool:
    """Whether a decimal number has more than three significant digits."""
    return len(re.sub(r"\D", "", text).strip("0")) > 3


@pytest.mark.slow
@pytest.mark.parametrize("rows", [500, 50_000])
def test_no_number_of_a_manifest_is_finer_than_p(tmp_path: Path, rows: int) -> None:
    written = paper(tmp_path / "y", rows, "y")
    assert written.pop("release")["rows"] == rows
    assert datetime.fromisoformat(written.pop("charged")).microsecond == 0
    for digests in ("coins", "readings", "version"):
        written.pop(digests)
    # Of the declared cap and noise alone, whatever the rows are.
    promise = Promise(
        2.0, math.inf, False, False, Premise.learned(0), in_bits="0.05 bit about each attribute"
    )
    assert written.pop("promise") == list(promise.lines())
    for name, attribute in written["attributes"].items():
        p = attribute.pop("release_probability")
        assert round(p, 3) == p, name
    assert sorted(numbers(written)) == sorted([0.3, 0.7, 0.05, 2.0, 0.0, 1, 2])  # as declared
    assert not any(fine(repr(number)) for number in numbers(written))
    assert not {"epsilon", "odds", "information", "leakage"} & set(re.findall(r"\w+", str(written)))


@pytest.mark.slow
@pytest.mark.parametrize("rows", [500, 50_000])
def test_a_manifest_tells_one_row_by_p_alone(tmp_path: Path, rows: int) -> None:
    """At full digits each of these differs, and tells which it was; p of three digits may."""
    with_it, without = (paper(tmp_path / victim, rows, victim) for victim in "yn")
    for written in (with_it, without):
        for own in ("release", "readings", "charge", "charged"):
            written.pop(own)
    p = [
        {name: one.pop("release_probability") for name, one in written["attributes"].items()}
        for written in (with_it, without)
    ]
    assert with_it == without
    if rows == 50_000:  # at most a step of the third digit
        assert all(abs(p[0][name] - p[1][name]) < 0.0011 for name in p[0])


@pytest.mark.slow
def test_a_growing_table_gives_manifests_of_three_digits(tmp_path: Path) -> None:
    """300 rows and one more, each time under a plan of its own: their difference is of p alone."""
    months: dict[str, Any] = {"epoch": 'of = "id // 300"'}
    whole = table(301, "n")
    path = small(tmp_path, whole.slice(0, 300), ATTRIBUTES, **DECLARED, **months)
    before = json.loads((release(path).manifest / "0.json").read_text())
    grown = small(tmp_path, whole, ATTRIBUTES, **DECLARED, **months)
    after = json.loads((release(grown).manifest / "1.json").read_text())
    for written in (before, after):
        written.pop("readings")
        for name in ATTRIBUTES:
            assert not fine(f"{written['attributes'][name]['release_probability']!r}")
    assert (before["release"]["rows"], after["release"]["rows"]) == (300, 1)


def test_what_is_tossed_is_charged_planned_and_written(tmp_path: Path) -> None:
    for folder, scale in (("whole", 1.0), ("part", 0.37)):
        (tmp_path / folder).mkdir()
        path = small(tmp_path / folder, table(500, "y"), ATTRIBUTES, **DECLARED)
        done = release(path, scale)
        p = {name: 1 - np.exp(-eps) for name, eps in done.event.mechanism.exponents().items()}
        written = json.loads(done.manifest.read_text())["attributes"]
        for name, share in p.items():
            assert share == pytest.approx(written[name]["release_probability"], abs=1e-12)
            assert written[name]["release_probability"] == round(share, 3)
        if scale == 1:
            assert done.event.mechanism.exponents() == done.plan.epsilon
            assert done.plan.p == {n: one["release_probability"] for n, one in written.items()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "cap", "exceed"), [(0, 4.5, 0.0), (1, 4.5, 0.02), (2, 4.5, 0.1), (19, 2.0, 0.1)]
)
def test_a_rounded_plan_breaks_no_limit(
    tmp_path: Path, seed: int, cap: float, exceed: float
) -> None:
    """Asked again at the rounded p. In the last of these, less p makes an answer above the cap more
    frequent than may be: that plan is made again, for less.
    """
    rng = np.random.default_rng(seed)
    z = rng.random(300)
    columns = {
        name: np.digitize(0.6 * z + 0.4 * rng.random(300), [0.25, 0.5, 0.75]) for name in "abc"
    }
    whole = pa.table({"id": np.arange(300), **columns})
    attributes: dict[str, dict[str, Any]] = {
        "a": {"sensitive": "a = 3"},
        "b": {"sensitive": "b = 0"},
        "c": {},
    }
    named: dict[str, dict[str, Any]] = {
        n: {**rule, "values": [0, 1, 2, 3]} for n, rule in attributes.items()
    }
    path = small(tmp_path, whole, named, limit_bits=0.3, odds_cap=cap, exceed=exceed)
    ready = prepare(path)
    plan = ready.plan()
    assert all(p == round(p, 3) for p in plan.p.values())
    cloud = views(ready.learned.belief, plan.mechanism, ready.learned.sensitive)
    assert not limits_of(ready.project).broken(cloud)
    assert plan.bound.low == plan.objective <= plan.bound.high
    assert plan.objective > 0


def test_a_closed_value_of_few_rows_is_counted_not_named(tmp_path: Path) -> None:
    """A label that was found in the table names its rows; one that the file lists is the rule."""
    whole = table(500, "y")
    secret = whole["s"].to_pylist()
    secret[5:8] = ["y"] * 3
    told = whole.set_column(1, "s", pa.array(secret))
    closed = []
    listed: dict[str, Any] = {"values": ["of three rows", "p", "q"]}
    exact: dict[str, Any] = {"values": "exact"}
    for folder, rare in (("found", {}), ("exact", exact), ("listed", listed)):
        (tmp_path / folder).mkdir()
        attributes = {**ATTRIBUTES, "rare": rare}
        limits: dict[str, Any] = {**DECLARED, "odds_cap": 4.0}
        done = release(small(tmp_path / folder, told, attributes, **limits))
        closed.append(json.loads(done.manifest.read_text())["attributes"]["rare"]["closed"])
    counted = ["1 value of fewer than 5 rows"]
    assert closed == [counted, counted, ["of three rows"]]


@pytest.mark.slow
def test_a_closed_value_is_not_called_sensitive(tmp_path: Path) -> None:
    """A refusal says why a value is withheld now: it was declared, or it tells too much."""
    path = small(tmp_path, table(500, "y"), ATTRIBUTES, odds_cap=1e9)
    release(path)
    tight = small(tmp_path, None, ATTRIBUTES, epoch='label = "2"', **{**DECLARED, "odds_cap": 1.1})
    with pytest.raises(LimitExceeded, match=r'" is closed \(too telling\) now, and may have been'):
        release(tight)


@pytest.mark.slow
def test_what_is_not_declared_any_more_is_said_not_to_count(tmp_path: Path) -> None:
    """The same cells again are free; what an attribute that is gone tells nobody can work out."""
    release(small(tmp_path, table(500, "y"), ATTRIBUTES))
    fewer = {name: ATTRIBUTES[name] for name in ("s", "a")}
    done = release(small(tmp_path, None, fewer), scale=0.5)
    assert done.said.together.startswith("rare was released before and is not declared any more")
