"""What a release lets out, over ten million coins: as often as p says, and nothing it must not.

The same checks are held against planted faults. The key is frozen, so an honest release passes
always; were it not, all checks together would raise a false alarm less than once in a million runs:
5 standard deviations for the share of all cells leaves 0.57 in a million, and the others share 0.4.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist
from typing import Any

import mpmath
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from tests.workflows.release.small import KEY, planned, small
from unspoken.core.mechanisms import one_sided
from unspoken.core.numerics.arrays import Mask
from unspoken.core.numerics.coin_thresholds import threshold
from unspoken.storage import coins as tossed
from unspoken.storage.coins import MasterKey, attribute_keys, draw, encode_keys
from unspoken.storage.rows import kernel
from unspoken.storage.rows.reading import Reading
from unspoken.tables.engines.row_sql import RowSQL
from unspoken.tables.engines.sql import Expression
from unspoken.tables.policy import Project
from unspoken.workflows.release import asked, release

pytestmark = pytest.mark.slow

ROWS, PLANTED = 3_100_000, 750_000
POOLED = 5.0
CHECKS = 4 + 6  # the share of each attribute, and of each pair of them
SIGMAS = NormalDist().inv_cdf(1 - 0.4e-6 / 2 / CHECKS)
P = {"a": 0.5, "b": 0.5, "c": 0.1, "d": 0.9}
EPSILON = {name: -math.log1p(-p) for name, p in P.items()}
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "a": {"bins": [0.25, 0.5, 0.8], "sensitive": "a > 0.8"},
    "b": {"sensitive": "b = 3", "missing": "value"},
    "c": {"bins": [0.5], "sensitive": "c > allowed", "missing": "public"},
    "d": {"bins": [0.5]},
}


def source(rows: int, seed: int = 0) -> pa.Table:
    """Keys in no order; b and c miss values; c's predicate is NULL in a tenth of the rows."""
    rng = np.random.default_rng(seed)
    real = {name: rng.random(rows) for name in ("a", "c", "d")}
    return pa.table(
        {
            "id": rng.permutation(rows) - rows // 2,
            "a": pa.array(real["a"]),
            "b": pa.array(rng.integers(0, 4, rows), mask=rng.random(rows) < 0.05),
            "c": pa.array(real["c"], mask=rng.random(rows) < 0.05),
            "allowed": pa.array(np.full(rows, 0.9), mask=rng.random(rows) < 0.1),
            "d": pa.array(real["d"]),
        }
    )


def may_be_shown(table: pa.Table) -> dict[str, Any]:
    """By hand: what is known not to be sensitive. That c is missing is public, b's is a value."""
    free = {
        "a": pc.less_equal(table["a"], 0.8),
        "b": pc.fill_null(pc.not_equal(table["b"], 3), False),
        "c": pc.or_(
            pc.is_null(table["c"]),
            pc.fill_null(pc.less_equal(table["c"], table["allowed"]), False),
        ),
        "d": pc.is_valid(table["d"]),
    }
    return {name: np.asarray(column) for name, column in free.items()}


def true_of(table: pa.Table, name: str) -> Any:
    """What a shown cell has to say, by hand: the bin of a number, where there are bins."""
    edges = ATTRIBUTES[name].get("bins", [])
    x = np.asarray(table[name])
    if not edges:
        return x
    bins = [f"{low}-{high}" for low, high in itertools.pairwise(edges)]
    names = np.array([f"below {edges[0]}", *bins, f"{edges[-1]} or more"], dtype=object)
    return names[sum((x >= edge).astype(int) for edge in edges)]


def faults(given: pa.Table, got: pa.Table, epsilon: dict[str, float], key: bytes) -> Iterator[str]:
    """Everything that is wrong with a release of ``given``."""
    table = given.sort_by("id")
    if not got["id"].equals(table["id"]):
        yield "keys: other rows, or another order"
    free = may_be_shown(table)
    missing = {"b": np.asarray(pc.is_null(table["b"])), "c": np.asarray(pc.is_null(table["c"]))}
    shown = {name: np.asarray(pc.is_valid(got[name])) for name in P}
    told = np.asarray(pc.is_valid(got["b__missing"]))
    if not np.array_equal(np.asarray(got["c__missing"]), missing["c"]):
        yield "missing rule: that c is missing is public"
    for name, seen in {**shown, "b, or that it is missing,": told}.items():
        if (seen & ~free[name[0]]).any():
            yield f"sensitive: {name} was shown"
    for name, seen in shown.items():
        if not np.array_equal(np.asarray(got[name])[seen], true_of(table, name)[seen]):
            yield f"values: {name} is not true"
    present = {name: own & ~missing.get(name, False) for name, own in free.items()}
    yield from _coins(table, shown, epsilon, MasterKey(key))
    yield from _shares(present, shown, {name: -math.expm1(-eps) for name, eps in epsilon.items()})


def _coins(
    table: pa.Table, shown: dict[str, Any], epsilon: dict[str, float], master: MasterKey
) -> Iterator[str]:
    """Exactly: no cell is shown whose coin is 2^64 p or more."""
    keys = encode_keys([table["id"]])
    for name, eps in epsilon.items():
        with mpmath.workdps(60):
            below = int(mpmath.floor(-mpmath.expm1(-mpmath.mpf(eps)) * 2**64))
        coins = draw(attribute_keys(master, name, "1"), keys)
        if (coins[shown[name]] >= np.uint64(below)).any():
            yield f"coin: {name} was shown above its threshold"


def _shares(free: dict[str, Any], shown: dict[str, Any], p: dict[str, float]) -> Iterator[str]:
    hits, means, variances = [], [], []
    for name, q in p.items():
        hits.append(int(shown[name].sum()))
        means.append(float(free[name].sum()) * q)
        variances.append(means[-1] * (1 - q))
        if _far(hits[-1], means[-1], variances[-1], SIGMAS):
            yield f"share of {name}: {hits[-1]} where {means[-1]:.0f} were meant"
    if _far(sum(hits), math.fsum(means), math.fsum(variances), POOLED):
        yield "share of all"
    for one, other in itertools.combinations(p, 2):
        both = free[one] & free[other]
        together, q = int((shown[one] & shown[other]).sum()), p[one] * p[other]
        if _far(together, both.sum() * q, both.sum() * q * (1 - q), SIGMAS):
            yield f"together: {one} and {other} share coins"


def _far(hits: int, mean: float, variance: float, sigmas: float) -> bool:
    return abs(hits - mean) > sigmas * math.sqrt(variance) + 1


def found(
    folder: Path, rows: int, epsilon: dict[str, float], seed: int = 0
) -> tuple[list[str], int]:
    """The faults of one release through the real flow, and how many coins counted."""
    table, key = source(rows, seed), bytes([seed, *KEY[1:]])
    folder.mkdir()
    done = release(small(folder, table, ATTRIBUTES, key=key))
    coins = sum(int(own.sum()) for own in may_be_shown(table).values())
    return list(faults(table, pq.read_table(done.path), epsilon, key)), coins


@pytest.mark.stress
def test_ten_million_coins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, effort: int) -> None:
    """Ten million of one key; under stress, as many of each of several."""
    planned(monkeypatch, **EPSILON)
    for seed in range(effort):
        wrong, coins = found(tmp_path / str(seed), ROWS, EPSILON, seed)
        assert wrong == []
        assert coins >= 10**7


Plant = Callable[[pytest.MonkeyPatch], None]


def times(factor: float) -> Callable[[float], int]:
    return lambda eps: threshold(-math.log1p(factor * math.expm1(-eps)))


def one_percent_more(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        one_sided, "threshold", lambda eps: threshold(-math.log1p(1.01 * math.expm1(-eps)))
    )


def one_percent_less(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        one_sided, "threshold", lambda eps: threshold(-math.log1p(0.99 * math.expm1(-eps)))
    )


def one_coin_for_all(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        tossed, "attribute_keys", lambda key, _name, epoch, _draw: attribute_keys(key, "", epoch)
    )


def null_is_free(patch: pytest.MonkeyPatch) -> None:
    honest = RowSQL.over

    def over(self: RowSQL, batch: Any, asked: Mapping[str, Expression], places: Any) -> Any:
        wrong = {
            name: replace(own, sql=own.sql.replace(" IS FALSE)", " IS NOT TRUE)"))
            for name, own in asked.items()
        }
        return honest(self, batch, wrong, places)

    patch.setattr(RowSQL, "over", over)


def missed(project: Any, table: Any, learned: Any, sensitive: Any, depends: Any) -> Reading:
    return Reading(project, table, learned, {**sensitive, "a": ()}, depends)


def a_label_missed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(asked, "Reading", missed)


def missing_is_told(patch: pytest.MonkeyPatch) -> None:
    honest = kernel._missing

    def told(project: Project, name: str, values: pa.Array, seen: Mask) -> dict[str, pa.Array]:
        return honest(project, name, values, np.ones_like(seen))

    patch.setattr(kernel, "_missing", told)


@pytest.mark.parametrize(
    ("plant", "caught"),
    [
        (one_percent_more, "share of a"),
        (one_percent_less, "share of a"),
        (one_coin_for_all, "together: a and b"),
        (null_is_free, "sensitive: c"),
        (a_label_missed, "sensitive: a"),
        (missing_is_told, "sensitive: b, or that it is missing,"),
    ],
)
def test_a_planted_fault_is_caught(
    plant: Plant, caught: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned(monkeypatch, **EPSILON)
    plant(monkeypatch)
    wrong, _ = found(tmp_path / "p", PLANTED, EPSILON)
    assert [fault for fault in wrong if fault.startswith(caught)]


def at_a_coin(rows: int) -> float:
    """An eps whose threshold is the smallest coin that d has, so that no cell of it is below."""
    keys = encode_keys([np.arange(rows) - rows // 2])
    least = int(draw(attribute_keys(MasterKey(KEY), "d", "1"), keys).min())
    epsilon = -math.log1p(-least / 2**64)
    while threshold(epsilon) != least:
        epsilon = math.nextafter(epsilon, 0 if threshold(epsilon) > least else 1)
    return epsilon


def rounded_up(epsilon: float) -> int:
    return threshold(epsilon) + 1


def test_a_threshold_rounded_up_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = PLANTED // 10
    epsilon = {**EPSILON, "d": at_a_coin(rows)}
    planned(monkeypatch, **epsilon)
    monkeypatch.setattr(asked, "coarse", dict)  # an eps for one coin has more than three places
    honest, faulty = tmp_path / "honest", tmp_path / "faulty"
    assert found(honest, rows, epsilon)[0] == []
    monkeypatch.setattr(one_sided, "threshold", rounded_up)
    assert found(faulty, rows, epsilon)[0] == ["coin: d was shown above its threshold"]
