"""Learning is counting: labels, their sensitivity, missing values, and refusals."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.tables.engines.test_duckdb import run
from tests.tables.learning.conftest import Learn, coded, project_of, whole
from unspoken.core.errors import InputError, TooLarge
from unspoken.tables.engines.protocol import Scan
from unspoken.tables.learning import Learned, table_of
from unspoken.tables.learning.marks.labels import NONE

X = {"x": [7.0, 8.0, 9.5, 10.2, 10.8, 13.0], "y": list("aababb")}
Y = "[attribute.y]\n"
BINS = "[attribute.x]\nbins = [8, 10, 11.5]\n"


def test_bins_are_labels_and_a_mixed_one_is_two(learned: Learn) -> None:
    found = learned(X, f'{BINS}sensitive = "x > 10.5"\n{Y}')
    assert found.labels["x"] == (
        "below 8",
        "8-10",
        "10-11.5",
        "10-11.5 (sensitive)",
        "11.5 or more",
    )
    assert found.sensitive == {"x": ("10-11.5 (sensitive)", "11.5 or more"), "y": ()}
    assert found.counts == {"x": (1, 2, 1, 1, 1), "y": (3, 3)}
    assert found.belief.domain.values == tuple(found.labels.values())
    assert (str(found.belief.premise), found.rows) == ("learned(6)", 6)


def test_probabilities_are_the_shares_of_the_rows(learned: Learn) -> None:
    found = learned(X, f"{BINS}{Y}")
    counts = np.array([[1, 0], [1, 1], [1, 1], [0, 1]])
    np.testing.assert_allclose(found.belief.marginal(["x", "y"]), counts / 6, rtol=1e-15)


def test_a_declared_label_without_rows_has_no_share(learned: Learn) -> None:
    columns = {"x": [1.0, 2.0, 9.0], "y": ["a", "b", "a"]}
    declared = (
        '[attribute.x]\nbins = [3, 6]\nsensitive = "x > 7"\n[attribute.y]\nvalues = ["a", "b", "c"]'
    )
    found = learned(columns, declared)
    assert found.counts == {"x": (2, 0, 1), "y": (2, 1, 0)}
    assert found.sensitive == {"x": ("3-6", "6 or more"), "y": ()}
    expected = np.zeros((3, 3))
    expected[0, 0] = expected[0, 1] = expected[2, 0] = 1 / 3
    assert whole(found).tolist() == expected.tolist()


def test_labels_are_in_the_order_of_the_values(learned: Learn) -> None:
    columns = {
        "n": [10, 2, -1, 2],
        "f": [0.5, 2.0, -1.25, 2.0],
        "t": ["b", "B", "ä", "a"],
        "b": [True, False, True, True],
        "d": pa.array([3, 1, 2, 1], pa.int32()).cast(pa.date32()),
    }
    found = learned(columns, "\n".join(f"[attribute.{name}]" for name in columns))
    assert found.labels == {
        "n": ("-1", "2", "10"),
        "f": ("-1.25", "0.5", "2"),
        "t": ("B", "a", "b", "ä"),
        "b": ("false", "true"),
        "d": ("1970-01-02", "1970-01-03", "1970-01-04"),
    }


def test_declared_values_keep_their_order(learned: Learn) -> None:
    columns = {"n": [1, 2, 3], "t": ["a;'", "b", "b"], "b": [True, False, True]}
    declared = """[attribute.n]
values = [3, 1, 2]
[attribute.t]
values = ["b", "a;'"]
[attribute.b]
values = [true, false]"""
    found = learned(columns, declared)
    assert found.labels == {"n": ("3", "1", "2"), "t": ("b", "a;'"), "b": ("true", "false")}
    assert found.counts == {"n": (1, 1, 1), "t": (2, 1), "b": (2, 1)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("missing", "predicate", "labels", "sensitive"),
    [
        ("value", None, ("below 3", "3 or more", "missing"), ()),
        ("value", "x > 2", ("below 3", "3 or more", "missing"), ("3 or more", "missing")),
        ("value", "x > 2 AND x IS NOT NULL", ("below 3", "3 or more", "missing"), ("3 or more",)),
        ("value", "coalesce(x, 0) > 2", ("below 3", "3 or more", "missing"), ("3 or more",)),
        ("value", "x IS NULL AND y = 'a'",
         ("below 3", "3 or more", "missing", "missing (sensitive)"), ("missing (sensitive)",)),
        ("public", "x > 2", ("below 3", "3 or more", "missing"), ("3 or more",)),
    ],
)  # fmt: skip
def test_what_a_missing_value_means(
    missing: str, predicate: str | None, labels: tuple, sensitive: tuple, learned: Learn
) -> None:
    columns = {"x": [1.0, None, 5.0, None, 2.0], "y": ["a", "a", "b", "b", "a"]}
    wanted = "" if predicate is None else f'sensitive = "{predicate}"\n'
    found = learned(columns, f'[attribute.x]\nbins = [3]\nmissing = "{missing}"\n{wanted}{Y}')
    assert (found.labels["x"], found.sensitive["x"]) == (labels, sensitive)


def test_a_value_called_missing_is_not_a_missing_value(learned: Learn) -> None:
    columns = {"x": ["missing", None, "a"], "y": ["a", "a", "b"]}
    found = learned(columns, f'[attribute.x]\nmissing = "value"\n{Y}')
    assert found.labels["x"] == ("a", "missing", "missing (no value)")
    assert found.counts["x"] == (1, 1, 1)


@pytest.mark.parametrize(
    ("values", "attribute", "labels"),
    [
        (
            ["a", "a", "a (sensitive)", "b"],
            """sensitive = "y = 'u'\"""",
            ("a", "a (sensitive) (sensitive)", "a (sensitive)", "b"),
        ),
        (
            ["missing", "missing (no value)", None, "b"],
            'missing = "value"',
            ("b", "missing", "missing (no value)", "missing (no value) (no value)"),
        ),
    ],
    ids=["split", "missing"],
)
def test_values_called_as_labels_with_a_note_keep_their_names(
    values: list, attribute: str, labels: tuple, learned: Learn
) -> None:
    found = learned({"x": values, "y": list("uvvv")}, f"[attribute.x]\n{attribute}\n{Y}")
    assert found.labels["x"] == labels
    assert found.counts["x"] == (1, 1, 1, 1)


def test_an_attribute_is_spelled_as_its_column(learned: Learn) -> None:
    """SQL takes both for one; what a release writes and a predicate reads is told apart."""
    with pytest.raises(InputError, match=r"attribute\.exits.*Exits"):
        learned({"Exits": list("abab"), "y": list("aabb")}, f"[attribute.exits]\n{Y}")


def test_one_row_is_said_in_the_singular(learned: Learn) -> None:
    with pytest.raises(InputError, match="1 row holds none of its values;"):
        learned({"x": list("abac")}, '[attribute.x]\nvalues = ["a", "b"]')


@pytest.mark.parametrize("form", ["joint", "tree"])
def test_a_label_without_rows_goes_with_none_though_a_predicate_splits_all_others(
    form: str, learned: Learn
) -> None:
    columns = {"x": list("pqpqpq"), "y": list("aabbaa")}
    attributes = f"""[attribute.x]
sensitive = "y = 'a'"
[attribute.y]
values = ["a", "b", "c"]
[belief]
form = "{form}"
"""
    found = learned(columns, attributes)
    both = found.belief.marginal(["x", "y"])
    assert found.labels["x"] == ("p", "p (sensitive)", "q", "q (sensitive)")
    assert ((both > 0) == [[False, True, False], [True, False, False]] * 2).all()
    assert found.belief.marginal(["y"]).tolist() == pytest.approx([2 / 3, 1 / 3, 0])


def test_preferences_decide_and_silence_means_sensitive(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [1, 2, 3, 4], "x": [1, 1, 1, 2]}), tmp_path / "t.parquet")
    (tmp_path / "p.csv").write_text("id,hide\n1,true\n2,false\n4,false\n")
    source = 'table = "t.parquet"\nkeys = ["id"]\npreferences = "p.csv"'
    own = project_of('[attribute.x]\nsensitive = "hide"', source, folder=tmp_path)
    found = Learned.of(own, table_of(own))
    assert found.counts == {"x": (1, 2, 1)}
    assert found.labels["x"] == ("1", "1 (sensitive)", "2")


def test_a_release_reads_the_same_labels(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    columns = {
        "x": [None if v > 0.9 else float(v) for v in rng.random(500)],
        "y": rng.choice(list("abc"), 500).tolist(),
    }
    pq.write_table(pa.table({"id": list(range(500)), **columns}), tmp_path / "t.parquet")
    split = "[attribute.x]\nbins = [0.3, 0.6]\nsensitive = \"x > 0.5 AND y <> 'c'\""
    source = 'table = "t.parquet"\nkeys = ["id"]'
    own = project_of(f'{split}\nmissing = "value"\n{Y}', source, folder=tmp_path)
    found = Learned.of(own, table_of(own))
    codes = coded(found, own)
    for name in ("x", "y"):
        held = np.bincount(codes[name], minlength=len(found.labels[name]))
        assert tuple(held) == found.counts[name]
    for x, y, code in zip(columns["x"], columns["y"], codes["x"].tolist(), strict=True):
        hidden = (x is None and y != "c") or (x is not None and x > 0.5 and y != "c")
        assert (found.labels["x"][code] in found.sensitive["x"]) == hidden


def test_kinds_of_rows_that_were_not_there_have_no_free_label(tmp_path: Path) -> None:
    """What was learned on one table, read on another: nothing sensitive gets a free label."""
    attributes = (
        '[attribute.x]\nbins = [3, 6]\nsensitive = "hide"\n[attribute.y]\nvalues = ["a", "b"]'
    )
    source = 'table = "t.parquet"\nkeys = ["id"]'
    rows = {"x": [1, 1, 4, 4, 8], "hide": [False, False, False, True, True], "y": list("ababa")}
    pq.write_table(pa.table({"id": list(range(5)), **rows}), tmp_path / "t.parquet")
    own = project_of(attributes, source, folder=tmp_path)
    found = Learned.of(own, table_of(own))
    assert found.labels["x"] == ("below 3", "3-6", "3-6 (sensitive)", "6 or more")
    later = {"x": [1, 8, 4, None], "hide": [True, False, None, False], "y": ["a", "b", "c", None]}
    pq.write_table(pa.table({"id": list(range(4)), **later}), tmp_path / "t.parquet")
    codes = {name: own.tolist() for name, own in coded(found, own).items()}
    assert codes == {"x": [NONE, 3, 2, NONE], "y": [0, 1, NONE, NONE]}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("columns", "attributes", "said"),
    [
        ({"x": [1.0, None]}, "[attribute.x]\nbins = [1]",
         'attribute.x: is missing in 1 row; write missing = "value"'),
        ({"x": [float("nan"), 1.0]}, "[attribute.x]\nbins = [1]", "attribute.x: 1 value is NaN or"),
        ({"x": [1, 1, 1]}, "[attribute.x]", 'attribute.x: is "1" in every row'),
        ({"x": [1, 2]}, "[attribute.x]\nbins = [5]", 'attribute.x: is "below 5" in every row'),
        ({"x": list(range(21))}, "[attribute.x]", "has more than 20 different values; give bins"),
        ({"x": [str(i) for i in range(21)]}, "[attribute.x]", "20 different values; list its"),
        ({"x": ["a", "z", "q"]}, '[attribute.x]\nvalues = ["a", "b"]',
         "attribute.x: 2 rows hold none of its values; list every value that occurs. To see"),
        ({"x": ["1", "2"]}, "[attribute.x]\nbins = [1]", "x holds text, and only numbers, dates"),
        ({"x": ["1", "2"]}, "[attribute.x]\nvalues = [1, 2]", "x holds text; write its values as"),
        ({"x": [[1], [2]]}, "[attribute.x]", "x is BIGINT[], which has no values to list"),
        ({"y": [1, 2]}, "[attribute.x]", 'there is no "x"'),
        ({"x": [1, 2]}, '[attribute.x]\nsensitive = "z > 1"', 'there is no "z"'),
        ({"x": [1, 2]}, '[attribute.x]\nsensitive = "x + 1"', "gives BIGINT; a condition is true"),
        ({"x": ["1", "b"]}, '[attribute.x]\nsensitive = "CAST(x AS INTEGER) > 1"',
         "attribute.x: Could not convert a text to INT32"),
    ],
)  # fmt: skip
def test_what_cannot_be_learned_is_refused_by_name(
    columns: dict, attributes: str, said: str, learned: Learn
) -> None:
    with pytest.raises(InputError) as refused:
        learned(columns, attributes)
    assert said in str(refused.value)
    assert "unspoken.toml:" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_too_many_combinations_are_refused_with_their_sizes(learned: Learn) -> None:
    rng = np.random.default_rng(1)
    columns = {f"x{i}": rng.integers(0, 19, 400).tolist() for i in range(5)}
    attributes = "\n".join(f"[attribute.x{i}]" for i in range(5))
    with pytest.raises(TooLarge) as refused:
        learned(columns, attributes, '[belief]\nform = "joint"')
    assert "2,476,099 combinations of labels, more than 1,048,576 (x0 19, x1 19" in str(
        refused.value
    )
    assert "fewer bins or values" in str(refused.value)
    assert 'take form = "tree"' in str(refused.value)


def test_what_a_predicate_rules_out_stays_impossible(learned: Learn) -> None:
    """x in 3-6 is sensitive just where y is "b": nobody is to be thought unsure of that."""
    rng = np.random.default_rng(2)
    columns = {
        "x": rng.integers(1, 9, 400).tolist(),
        "y": rng.choice(list("abc"), 400).tolist(),
        "z": rng.choice(list("uvw"), 400, p=[0.9, 0.09, 0.01]).tolist(),
    }
    attributes = (
        f"[attribute.x]\nbins = [3, 6]\nsensitive = \"x > 3 AND y = 'b'\"\n{Y}[attribute.z]"
    )
    found = learned(columns, attributes)
    pair = found.belief.marginal(["x", "y"])
    zero = {
        (found.labels["x"][i], found.labels["y"][j]) for i, j in np.argwhere(pair == 0).tolist()
    }
    split = ("3-6 (sensitive)", "6 or more (sensitive)")
    assert zero == {("6 or more", "b"), *((label, y) for label in split for y in "ac")}
    assert whole(found).sum() == pytest.approx(1, abs=1e-15)
    rows = Counter(zip(columns["y"], columns["z"], strict=True))
    y, z = found.labels["y"], found.labels["z"]
    counted = [[rows[a, b] / 400 for b in z] for a in y]
    np.testing.assert_allclose(found.belief.marginal(["y", "z"]), counted, rtol=1e-12)


def test_it_says_what_it_learned(learned: Learn) -> None:
    text = repr(learned(X, f'{BINS}sensitive = "x > 10.5"\n{Y}'))
    assert re.search(r"rows +6$", text, re.MULTILINE)
    assert "5 labels, 33.3% of the rows sensitive" in text
    assert "learned(6)" in text


PANDAS = """
import json, sys
from pathlib import Path
from tests.tables.learning.conftest import project_of
from unspoken.tables.learning import Learned, table_of
from unspoken.planning import closure
text = '[attribute.x]\\nbins = [3]\\nsensitive = "x > 4"\\n[attribute.y]'
own = project_of(text, 'table = "t.parquet"\\nkeys = ["id"]', folder=Path(sys.argv[1]))
before = "pandas" in sys.modules
found = Learned.of(own, table_of(own))
closure(found.belief, found.sensitive, 4.0)
print(json.dumps([before, "pandas" in sys.modules]))
"""


@pytest.mark.slow
def test_pandas_is_not_imported_where_it_is_installed(tmp_path: Path, root: Path) -> None:
    pq.write_table(
        pa.table({"id": [1, 2, 3], "x": [1, 5, 3], "y": list("aba")}), tmp_path / "t.parquet"
    )
    (tmp_path / "pandas").mkdir()
    (tmp_path / "pandas" / "__init__.py").write_text("__version__ = '3.0.0'")
    assert run(PANDAS, tmp_path, path=f"{tmp_path}:{root}") == [False, False]


def test_a_table_may_be_learned_while_it_is_streamed(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [1, 2, 3], "x": [1, 2, 2]}), tmp_path / "t.parquet")
    own = project_of("[attribute.x]", 'table = "t.parquet"\nkeys = ["id"]', folder=tmp_path)
    table = table_of(own)
    stream = table.batches(Scan(["id"]))
    assert Learned.of(own, table).rows == 3
    assert sum(batch.num_rows for batch in stream) == 3
