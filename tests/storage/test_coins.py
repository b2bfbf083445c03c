"""Coins are what they are for ever: golden numbers, a scalar reference, exact thresholds."""

import itertools
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

import mpmath
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.numerics import reference
from tests.effort import examples
from unspoken.core.errors import InputError
from unspoken.core.numerics import coin_thresholds
from unspoken.core.numerics.coin_thresholds import ALWAYS, released, threshold
from unspoken.storage import coins, records
from unspoken.storage.coins import (
    ALGORITHM,
    MasterKey,
    attribute_keys,
    draw,
    encode_keys,
    fresh_draws,
)

GOLDEN = json.loads((Path(__file__).parents[1] / "vectors" / "coins.json").read_text("utf-8"))
MASTER = bytes.fromhex(GOLDEN["master"])
KEYS = attribute_keys(MasterKey(MASTER), "first_arrival", "2026")
INTEGERS = st.integers(-(2**63), 2**63 - 1)
Rows = Sequence[tuple[int | str, ...]]
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=70)


def columns(rows: Rows) -> list[pa.Array]:
    return [pa.array(list(column)) for column in zip(*rows, strict=True)]


def drawn(rows: Rows, attribute="first_arrival", epoch="2026") -> list[int]:
    keys = attribute_keys(MasterKey(MASTER), attribute, epoch)
    return draw(keys, encode_keys(columns(rows))).tolist()


def tossed(rows: Rows) -> list[int]:
    """By the reference, one at a time."""
    return [reference.coin(MASTER, "first_arrival", "2026", row) for row in rows]


@st.composite
def batches(draw: st.DrawFn) -> Rows:
    """Up to 40 record keys, of up to 9 columns (8 and more take a second word for their kinds)."""
    kinds = draw(st.lists(st.sampled_from([INTEGERS, TEXTS]), min_size=1, max_size=9))
    return draw(st.lists(st.tuples(*kinds), min_size=1, max_size=40))


# Frozen for good.


def test_the_algorithm_keeps_its_name() -> None:
    assert GOLDEN["algorithm"] == ALGORITHM == "unspoken-coin-1"
    assert MasterKey(MASTER).fingerprint == GOLDEN["key_fingerprint"]
    assert reference.key_fingerprint(MASTER) == GOLDEN["key_fingerprint"]


@pytest.mark.parametrize("vector", GOLDEN["coins"], ids=lambda v: repr(v["record"]))
def test_golden_coins(vector) -> None:
    record, where = tuple(vector["record"]), (vector["attribute"], vector["epoch"])
    assert drawn([record], *where) == [int(vector["coin"], 16)]
    assert reference.coin(MASTER, *where, record) == int(vector["coin"], 16)


def test_golden_coins_cover_what_differs() -> None:
    found = {(v["attribute"], v["epoch"], *v["record"]): v["coin"] for v in GOLDEN["coins"]}
    assert len(set(found.values())) == len(found)
    here = ("first_arrival", "2026")
    assert found[*here, 5] != found[*here, "5"]
    assert found[*here, "caf\u00e9"] != found[*here, "cafe\u0301"]  # composed and decomposed
    assert found[*here, "ab", "c"] != found[*here, "a", "bc"]


@pytest.mark.parametrize("vector", GOLDEN["thresholds"], ids=lambda v: v["epsilon"])
def test_golden_thresholds(vector) -> None:
    assert threshold(float(vector["epsilon"])) == int(vector["threshold"])


# One at a time, many at a time.


@pytest.mark.slow
@given(batches())
def test_many_coins_are_single_coins(rows) -> None:
    assert drawn(rows) == tossed(rows)


@given(st.lists(INTEGERS, max_size=40))
def test_integers_from_numpy_and_arrow(numbers: list[int]) -> None:
    expected = tossed([(number,) for number in numbers])
    for column in (np.array(numbers, np.int64), pa.array(numbers, pa.int64())):
        assert draw(KEYS, encode_keys([column])).tolist() == expected


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.uint64])
def test_the_width_of_an_integer_does_not_count(dtype) -> None:
    numbers = np.array([0, 5, 120], dtype)
    expected = tossed([(0,), (5,), (120,)])
    assert draw(KEYS, encode_keys([numbers])).tolist() == expected
    assert draw(KEYS, encode_keys([pa.array(numbers)])).tolist() == expected
    assert draw(KEYS, encode_keys([numbers[::-1]])).tolist() == expected[::-1]


@pytest.mark.parametrize(
    "form",
    [
        lambda text: text,
        lambda text: text.cast(pa.large_string()),
        lambda text: text.cast(pa.string_view()),
        lambda text: text.dictionary_encode(),
        lambda text: pa.chunked_array([text[:2], text[2:]]),
        lambda text: pa.concat_arrays([text, text])[len(text) :],
    ],
    ids=["string", "large", "view", "dictionary", "chunked", "slice"],
)
def test_the_storage_of_a_text_does_not_count(form) -> None:
    texts = ["", "office 12", "ü" * 40, "x" * 16, "B-7"]
    expected = tossed([(text,) for text in texts])
    assert draw(KEYS, encode_keys([form(pa.array(texts))])).tolist() == expected
    numbers = np.arange(5)
    both = tossed(list(zip(texts, range(5), strict=True)))
    assert draw(KEYS, encode_keys([form(pa.array(texts)), numbers])).tolist() == both


@pytest.mark.slow
@given(batches(), st.randoms(use_true_random=False), st.integers(1, 9), st.integers(1, 9))
def test_coins_do_not_depend_on_batch_or_order(rows, random, size: int, chunk: int) -> None:
    expected = dict(zip(rows, drawn(rows), strict=True))
    shuffled = random.sample(rows, len(rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "CHUNK", chunk)  # the library's own batches do not count either
        parts = [drawn(shuffled[i : i + size]) for i in range(0, len(rows), size)]
    assert list(itertools.chain(*parts)) == [expected[row] for row in shuffled]


def test_long_and_short_texts_together() -> None:
    rows = [("x" * length,) for length in (0, 65_536, 1, 15, 16, 17, 300, 31, 32, 33, 0)]
    assert drawn(rows) == tossed(rows)


def test_no_records_no_coins() -> None:
    assert len(draw(KEYS, encode_keys([np.zeros(0, np.int64)]))) == 0
    assert len(draw(KEYS, encode_keys([pa.array([], pa.string()), pa.array([], pa.int8())]))) == 0


@pytest.mark.slow
@given(batches(), batches())
def test_no_record_begins_another(some, others) -> None:
    """What a CBC-MAC needs, and more than that the encoding is injective."""
    written = {row: reference.message(map(reference.field, row)) for row in {*some, *others}}
    for (row, text), (other, longer) in itertools.permutations(written.items(), 2):
        assert not longer.startswith(text), (row, other)


def test_every_attribute_epoch_and_master_has_coins_of_its_own() -> None:
    places = [("a", "bc"), ("ab", "c"), ("abc", ""), ("", "abc"), ("a", "2026"), ("b", "2026")]
    for rows in ([(5,)], [("5",)]):
        assert len({drawn(rows, *place)[0] for place in places}) == len(places)
    other = attribute_keys(MasterKey(MASTER[::-1]), "first_arrival", "2026")
    assert draw(other, encode_keys([np.arange(9)])).tolist() != drawn([(i,) for i in range(9)])


@pytest.mark.parametrize(
    ("column", "says"),
    [
        (np.array([5.0]), "key column 1 is float64: a key is an integer, a text or a timestamp"),
        (np.array([True]), "is bool"),
        (np.array([[5]]), "is int64"),
        (np.array([2**63], np.uint64), "2^63"),
        (pa.array([2**63], pa.uint64()), "uint64"),
        (pa.array([5.0]), "key column 1 is double: a key is an integer, a text or a timestamp"),
        (pa.array([True]), "is bool"),
        (pa.array(["a", None]), "has 1 missing values"),
        (pa.array([5, None]), "has 1 missing values"),
        (pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", None])), "1 missing"),
        (pa.array([None]), "1 missing"),
        (pa.array([b"a"]), "is binary"),
        (pa.array([[1]]), "is list"),
        (pa.array([0], pa.date32()), "is date32"),
        (pa.array(["x" * 65_537]), "65,537 bytes of text: at most 65,536"),
    ],
)
def test_what_is_no_key_is_refused(column, says: str) -> None:
    with pytest.raises(InputError) as error:
        encode_keys([column])
    assert says in str(error.value)
    assert "\n" not in str(error.value)
    assert "9223372036854775808" not in str(error.value)  # no message shows a value


def test_columns_must_fit_together() -> None:
    with pytest.raises(InputError, match="different lengths"):
        encode_keys([np.arange(3), pa.array(["a"])])
    with pytest.raises(InputError, match="0 columns"):
        encode_keys([])
    with pytest.raises(InputError, match="256 columns"):
        encode_keys([np.arange(3)] * 256)


# Thresholds: the exact number, rounded down.


def epsilons() -> list[float]:
    """5,000 of all sizes, and the places where rounding is hard."""
    rng = np.random.default_rng(11)
    special = [
        0.0,
        1e-300,
        5e-324,
        2.0**-64,
        2.0**-65,
        2.0**-63,
        1e-17,
        math.log(2),
        1.0,
        44.3,
        45.0,
    ]
    special += [math.nextafter(45.0, 46.0), 36.7, 44.36, 64 * math.log(2), 700.0, 745.2, 800.0]
    special += [math.nextafter(2.0**-64, 1.0), math.nextafter(2.0**-64, 0.0)]
    return [
        *special,
        *rng.uniform(0.0, 46.0, 2000).tolist(),
        *np.exp(rng.uniform(math.log(1e-22), math.log(900.0), 2000)).tolist(),
        *(rng.integers(1, 2**20, 1000) * 2.0**-64).tolist(),
    ]


def rounding_faults(candidate: Callable[[float], int]) -> list[float]:
    """Where it is not the largest integer up to 2^64 (1 - e^-eps), by 420 digits of mpmath."""
    with mpmath.workdps(420):  # e^-900 has its first digit at place 391
        exact = {eps: -mpmath.expm1(-mpmath.mpf(eps)) * 2**64 for eps in epsilons()}
        return [e for e, value in exact.items() if not candidate(e) <= value < candidate(e) + 1]


@pytest.mark.slow
def test_thresholds_are_exact() -> None:
    assert len(epsilons()) > 5000
    assert rounding_faults(threshold) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "planted",
    [
        lambda eps: threshold(eps) + 1,  # rounded up
        lambda eps: int(-math.expm1(-eps) * 2**64),  # through floating point
        lambda eps: ALWAYS if eps > 40 else threshold(eps),  # p = 1 for a finite epsilon
        lambda eps: max(threshold(eps) - 1, 0),
    ],
)
def test_a_planted_threshold_is_found(planted) -> None:
    assert rounding_faults(planted)


def test_more_places_are_taken_where_they_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [threshold(eps) for eps in epsilons()[:300]]
    monkeypatch.setattr(coin_thresholds, "PLACES", 1)
    assert [threshold(eps) for eps in epsilons()[:300]] == expected


@given(st.floats(2.0**-64, 45.0), st.integers(1, 200))
@examples(300)
def test_the_exponential_lies_between_its_bounds(epsilon: float, places: int) -> None:
    low, high = coin_thresholds._exponential(epsilon, places)
    with mpmath.workdps(150):
        assert low <= mpmath.exp(mpmath.mpf(epsilon)) * 2**places <= high


@given(st.floats(0.0, 50.0), st.floats(0.0, 50.0))
def test_more_epsilon_never_releases_less(one: float, other: float) -> None:
    assert (threshold(one) <= threshold(other)) or one > other


def test_always_and_never() -> None:
    edges = np.array([0, 1, 2**63, 2**64 - 2, 2**64 - 1], np.uint64)
    assert threshold(math.inf) == ALWAYS
    assert threshold(0.0) == threshold(-0.0) == 0
    assert released(edges, ALWAYS).all()
    assert not released(edges, 0).any()
    assert released(edges, 1).tolist() == [True, False, False, False, False]
    assert released(edges, ALWAYS - 1).tolist() == [True, True, True, True, False]
    assert threshold(1e308) == ALWAYS - 1


@pytest.mark.parametrize("epsilon", [-1.0, -5e-324, -math.inf, math.nan])
def test_what_is_no_epsilon_is_refused(epsilon: float) -> None:
    with pytest.raises(InputError, match="0 or more"):
        threshold(epsilon)


@pytest.mark.parametrize("below", [-1, ALWAYS + 1])
def test_what_is_no_threshold_is_refused(below: int) -> None:
    with pytest.raises(InputError, match="threshold"):
        released(np.zeros(1, np.uint64), below)


# Fresh coins.


@pytest.mark.slow
@pytest.mark.parametrize("count", [0, 1, 2, 3, coins.BATCH - 1, coins.BATCH, 2 * coins.BATCH + 5])
def test_fresh_coins_never_come_twice(count: int) -> None:
    both = np.concatenate([fresh_draws(count), fresh_draws(count)])
    # By chance, two of 2^19 64-bit numbers are equal with probability 2^-27.
    assert len(both) == 2 * count == len(np.unique(both))


# Without pandas, which pa.array would import wherever it is installed.

WITHOUT_PANDAS = """
import sys
import numpy as np, pyarrow as pa
from unspoken.storage.coins import MasterKey, attribute_keys, draw, encode_keys
from unspoken.storage.fingerprint import RowFingerprint
ends = pa.py_buffer(np.array([0, 1, 3], np.int32))
text = pa.Array.from_buffers(pa.string(), 2, [None, ends, pa.py_buffer(b"abc")])
some = pa.Array.from_buffers(pa.string(), 2, [pa.py_buffer(bytes([1])), ends, pa.py_buffer(b"abc")])
real = pa.Array.from_buffers(pa.float32(), 2, [None, pa.py_buffer(np.ones(2, np.float32))])
master = MasterKey(b"k" * 32)
draw(attribute_keys(master, "a", "2026"), encode_keys([np.arange(2), text, text]))
rows = RowFingerprint(master, "", ["a", "b", "c"])
rows.add(pa.RecordBatch.from_arrays([text, some, real], names=["a", "b", "c"]))
rows.hexdigest()
assert not hasattr(sys, "asked_for_pandas")
pa.array([1])
assert hasattr(sys, "asked_for_pandas"), "nothing was tested"
"""


@pytest.mark.slow
def test_pandas_stays_away(tmp_path: Path, root: Path) -> None:
    stub = tmp_path / "pandas.py"
    stub.write_text("import sys\nsys.asked_for_pandas = True\nraise ImportError", "utf-8")
    path = os.pathsep.join([str(tmp_path), str(root / "src")])
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_PANDAS],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-1500:]


# Moments.


def moment(written: int | str) -> int | str | datetime:
    """A datetime where one is written."""
    return datetime.fromisoformat(str(written)) if "T" in str(written) else written


@pytest.mark.parametrize("vector", GOLDEN["moments"], ids=lambda v: repr(v["record"]))
def test_golden_coins_of_moments(vector) -> None:
    record = tuple(map(moment, vector["record"]))
    where = (vector["attribute"], vector["epoch"])
    assert reference.coin(MASTER, *where, record) == int(vector["coin"], 16)
    for unit in ("us", "ns", "ms", "s"):
        kinds = [pa.timestamp(unit) if isinstance(value, datetime) else None for value in record]
        if unit in ("s", "ms") and any(getattr(value, "microsecond", 0) for value in record):
            continue
        keys = [pa.array([value], kind) for value, kind in zip(record, kinds, strict=True)]
        coins = draw(attribute_keys(MasterKey(MASTER), *where), encode_keys(keys))
        assert coins.tolist() == [int(vector["coin"], 16)]


def test_a_moment_is_no_number_and_its_zone_does_not_count() -> None:
    utc = pa.array([1_772_352_000_000_000], pa.timestamp("us", "UTC"))
    coins = [
        draw(KEYS, encode_keys([keys])).tolist()
        for keys in (utc, utc.cast(pa.timestamp("us", "Europe/Brussels")), utc.cast(pa.int64()))
    ]
    assert coins[0] == coins[1] != coins[2]
    with pytest.raises(InputError, match="does not fit"):
        encode_keys([pa.array([1], pa.timestamp("ns"))])
