"""Contexts are counted with everything else: P(x | k) for each value k of a function of keys."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.tables.learning.conftest import project_of
from unspoken.core.errors import InputError, TooLarge
from unspoken.tables.learning import Cache, Learned, learned, table_of
from unspoken.tables.learning.counts import beside, counted, rows
from unspoken.tables.learning.counts.of_unit import Habit, Previous, UnitNumbers
from unspoken.tables.policy import Project

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
            for (k, a, b), count in by_hand.items():
                if k == value:
                    i, j = found.labels["x"].index(a), found.labels["y"].index(b)
                    assert belief.marginal(["x", "y"])[i, j] == pytest.approx(
                        count / given.rows[value]
                    )
        np.testing.assert_array_equal(given.joint.sum(0), found.joint)
        assert given.belief.domain.names == (name, "x", "y")


@pytest.mark.slow
def test_they_are_kept_and_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counted, "WORTH", 1)
    project = read(tmp_path)
    table, found = table_of(project), learn(project)
    cache = Cache.of(project, table)
    assert cache is not None
    assert found.counted is not None
    monkeypatch.setattr(beside, "SETTLED", -60.0)
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
        r"band.of: calls age\(\), which is not for here",
    ),
    "too fine": ("day // 50 * 10", "day", "band.of: has more than 64 values; take a coarser one"),
    "by 0": ("day // 50 * 10", "day / 0.0", "band.of: is infinite or no number for some key"),
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


UNITS = ATTRIBUTES.replace(
    "[context.band]",
    """[context.before]
previous = "x"
[context.often]
habit = "x"
edges = [0.2, 0.3, 0.5]
[context.band]""",
)


def test_other_rows_of_a_unit_are_contexts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "AT_ONCE", 16)  # so that units go on from batch to batch
    rng = np.random.default_rng(6)
    room = rng.choice(["a", "b", "c", "d"], ROWS, p=[0.5, 0.3, 0.195, 0.005]).tolist()
    room[7] = "e"  # its only row
    pq.write_table(TABLE.set_column(0, "room", pa.array(room)), tmp_path / "t.parquet")
    source = 'table = "t.parquet"\nkeys = ["day", "room"]\nunit = ["room"]\nrows_per_unit = 200'
    found = learn(project_of(UNITS, source, "", tmp_path))
    day, x, y = (TABLE.column(n).to_pylist() for n in ("day", "x", "y"))
    hidden = [a == "p" and b > 2 for a, b in zip(x, y, strict=True)]
    label = [a + (" (sensitive)" if s else "") for a, s in zip(x, hidden, strict=True)]
    before, often = [], []
    for k in range(ROWS):
        earlier = [j for j in range(ROWS) if room[j] == room[k] and day[j] < day[k]]
        before.append(label[max(earlier, key=lambda j: day[j])] if earlier else "none")
        others = [hidden[j] for j in range(ROWS) if room[j] == room[k] and j != k]
        share = sum(others) / len(others) if others else None
        classes = ("below 0.2", "0.2-0.3", "0.3-0.5", "0.5 or more")
        often.append("none" if share is None else classes[sum(share >= e for e in (0.2, 0.3, 0.5))])
    assert len(set(often)) > 2
    for name, known in {"before": before, "often": often}.items():
        given = found.contexts[name]
        assert {value: n for value, n in given.rows.items() if n} == Counter(known)
        by_hand = Counter(zip(known, label, strict=True))
        counts = given.joint.sum(2)
        for k, value in enumerate(given.values):
            for i, own in enumerate(found.labels["x"]):
                assert counts[k, i] == by_hand[value, own]
        np.testing.assert_array_equal(given.joint.sum(0), found.joint)
        assert set(given.beliefs) == set(known)


def test_units_keep_their_number_and_their_last_row() -> None:
    units = UnitNumbers(("a", "b"))
    first = pa.record_batch({"a": ["u", "v", "u"], "b": [1, 1, 1]})
    second = pa.record_batch({"a": ["w", "v", "u", "u"], "b": [1, 1, 2, 1]})
    one, two = units.of(first), units.of(second)
    assert one[0] == one[2] == two[3]
    assert one[1] == two[1]
    assert len({*one.tolist(), *two.tolist()}) == 4
    previous = Previous(0, 4)
    assert previous.codes(one, np.array([0, 1, 3])).tolist() == [4, 4, 0]
    assert previous.codes(two, np.array([2, 2, 2, 2])).tolist() == [4, 1, 4, 3]
    habit = Habit(0, [0.5])
    habit.add(one, np.array([0, 1, 3]))
    habit.add(two, np.array([2, 2, 2, 2]))
    assert habit.codes(two, np.array([2, 2, 2, 2])).tolist() == [2, 1, 2, 1]


OF_UNITS = {
    "two at once": ('previous = "x"', 'previous = "x"\nof = "day"', "context.before: needs one of"),
    "nothing": ('previous = "x"', "", "context.before: needs one of .* has none"),
    "no attribute": (
        'previous = "x"',
        'previous = "z"',
        'before.previous: there is no attribute "z"',
    ),
    "of what is free": ('habit = "x"', 'habit = "y"', 'often.habit: "y" is never sensitive'),
    "no edges": ("edges = [0.2, 0.3, 0.5]\n", "", "often.edges: has to list increasing shares"),
    "strange edges": (
        "[0.2, 0.3, 0.5]",
        "[0.2, 1.5]",
        "often.edges: has to list increasing shares",
    ),
    "edges of nothing": (
        'habit = "x"',
        'previous = "x"',
        "often.edges: is of a habit, and there is",
    ),
    "no bound on rows": ("rows_per_unit = 200", "", "often.habit: one row moves all of its unit"),
    "no unit": ('unit = ["room"]', "", "before.previous: is of other rows of a unit, and each row"),
}


@pytest.mark.parametrize("case", OF_UNITS)
def test_what_no_unit_can_have_is_refused(case: str) -> None:
    old, new, said = OF_UNITS[case]
    source = 'table = "t.parquet"\nkeys = ["room", "day"]\nunit = ["room"]\nrows_per_unit = 200'
    with pytest.raises(InputError, match=said) as caught:
        project_of(UNITS.replace(old, new), source.replace(old, new))
    assert "\n" not in str(caught.value)


def test_tables_of_contexts_have_the_size_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = read(tmp_path)
    monkeypatch.setattr(learned, "CELLS", 30)
    with pytest.raises(TooLarge, match=r"context\.band: 4 values times 9 combinations of labels"):
        learn(project)
