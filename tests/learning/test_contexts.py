"""Contexts are counted with everything else: P(x | k) for each value k of a function of keys."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.learning.conftest import project_of
from unspoken.errors import InputError, TooLarge
from unspoken.learning import Cache, Learned, contexts, counted, learned, table_of
from unspoken.policy import Project

ROWS = 200
rng = np.random.default_rng(5)
TABLE = pa.table(
    {
        "room": rng.choice(["a", "b", "c"], ROWS),
        "day": list(range(ROWS)),
        "x": rng.choice(["p", "q"], ROWS),
        "y": rng.integers(0, 9, ROWS),
    }
)
ATTRIBUTES = """\
[attribute.x]
sensitive = "x = 'p' AND y > 2"
[attribute.y]
bins = [3, 6]
[context.band]
of = "day // 50 * 10"
[context.room]
of = "CASE WHEN room < 'c' THEN room ELSE 'other' END"
"""


def read(folder: Path, attributes: str = ATTRIBUTES, **columns: pa.Array) -> Project:
    table = TABLE
    for name, column in columns.items():
        table = table.set_column(table.schema.get_field_index(name), name, column)
    pq.write_table(table, folder / "t.parquet", row_group_size=64)
    return project_of(attributes, 'table = "t.parquet"\nkeys = ["room", "day"]', "", folder)


def learn(project: Project) -> Learned:
    return Learned.of(project, table_of(project))


def test_rows_are_counted_within_each_value(tmp_path: Path) -> None:
    found = learn(read(tmp_path))
    room, day, x, y = (TABLE.column(n).to_pylist() for n in ("room", "day", "x", "y"))
    sensitive = [a == "p" and b > 2 for a, b in zip(x, y, strict=True)]
    xs = [a + (" (sensitive)" if s else "") for a, s in zip(x, sensitive, strict=True)]
    ys = [("below 3", "3-6", "6 or more")[(b >= 3) + (b >= 6)] for b in y]
    known = {
        "band": [str(d // 50 * 10) for d in day],
        "room": [r if r < "c" else "other" for r in room],
    }
    assert found.contexts["band"].values == ("0", "10", "20", "30")
    assert found.contexts["room"].values == ("a", "b", "other")
    for name, words in known.items():
        given = found.contexts[name]
        assert given.rows == Counter(words)
        by_hand = Counter(zip(words, xs, ys, strict=True))
        for value, belief in given.beliefs.items():
            for (k, a, b), rows in by_hand.items():
                if k == value:
                    i, j = found.labels["x"].index(a), found.labels["y"].index(b)
                    assert belief.marginal(["x", "y"])[i, j] == pytest.approx(
                        rows / given.rows[value]
                    )
        np.testing.assert_array_equal(given.joint.sum(0), found.joint)
        assert given.belief.domain.names == (name, "x", "y")


def test_they_are_kept_and_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counted, "WORTH", 1)
    project = read(tmp_path)
    table, found = table_of(project), learn(project)
    cache = Cache.of(project, table)
    assert cache is not None
    assert found.counted is not None
    monkeypatch.setattr(counted, "SETTLED", -60.0)
    cache.write(found.counted, table)
    before = cache.read()
    assert before is not None
    assert before.contexts.keys() == {"band", "room"}
    again = Learned.of(project, table, before)
    for name, given in found.contexts.items():
        assert again.contexts[name].values == given.values
        np.testing.assert_array_equal(again.contexts[name].joint, given.joint)
    other = read(tmp_path, ATTRIBUTES.replace("// 50", "// 25"))
    changed = Cache.of(other, table_of(other))
    assert changed is not None
    assert changed.read() is None


REFUSED = {
    "of a value": ("day // 50 * 10", "y", "band.of: reads y; a context is a function of the keys"),
    "of no key": ("day // 50 * 10", "1 + 1", "band.of: reads no key, so it says nothing of a row"),
    "by the clock": (
        "day // 50 * 10",
        "age(make_timestamp(day)) > to_days(3)",
        r"band.of: calls age\(\), which SQL over keys may not",
    ),
    "too fine": ("day // 50 * 10", "day", "band.of: has more than 64 values; take a coarser one"),
    "NULL": ("day // 50 * 10", "nullif(day, 3)", "band.of: is NULL for some key; every row needs"),
    "of no SQL": ("day // 50 * 10", " ", "band.of: is empty. Write SQL over key columns."),
    "an attribute": ("context.band", "context.x", "context.x: is the name of an attribute."),
    "of a tree": (
        "[attribute.x]",
        '[belief]\nform = "tree"\n[attribute.x]',
        "context.band: a tree is learned without contexts",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused_in_one_line(tmp_path: Path, case: str) -> None:
    old, new, said = REFUSED[case]
    with pytest.raises(InputError, match=said) as caught:
        learn(read(tmp_path, ATTRIBUTES.replace(old, new)))
    assert "\n" not in str(caught.value)


def test_tables_of_contexts_have_the_size_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = read(tmp_path)
    monkeypatch.setattr(learned, "CELLS", 30)
    with pytest.raises(TooLarge, match=r"context\.band: 4 values times 9 combinations of labels"):
        learn(project)
    monkeypatch.setattr(contexts, "MOST", 64 * 2)
    with pytest.raises(TooLarge, match=r"64 values of a context and .* combinations of labels"):
        learn(project)
