"""A tree learned by a project: the key, labels, what predicates rule out, what is said of it."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tests.effort import examples
from tests.tables.learning.conftest import Learn, project_of
from tests.tables.learning.test_chow_liu import edges_of
from tests.tables.learning.test_counting import ROW
from tests.tables.learning.test_counting import learned as counted
from unspoken.core.errors import InputError, TooLarge
from unspoken.interfaces.wording import as_json
from unspoken.interfaces.wording import results as tables
from unspoken.tables.learning import Learned, table_of
from unspoken.tables.policy import Project
from unspoken.workflows.release import learn_project, prepare, rehearse, release

TREE, JOINT = '[belief]\nform = "tree"', '[belief]\nform = "joint"'
SPLIT = "[attribute.x]\nbins = [3, 6]\nsensitive = \"x > 3 AND y = 'b'\"\n[attribute.y]\n"


def building(rows: int = 600, seed: int = 2) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    x = rng.integers(1, 9, rows)
    y = np.where(rng.random(rows) < 0.6, x % 3, rng.integers(0, 3, rows))
    z = np.where(rng.random(rows) < 0.5, y, rng.integers(0, 3, rows))
    return {"x": x.tolist(), "y": np.array(list("abc"))[y].tolist(), "z": z.tolist()}


def wide(folder: Path, limit: str = "", rows: int = 900) -> Path:
    """A project of 11 attributes of 4 values, learned as a tree; x0 has a secret."""
    rng = np.random.default_rng(7)
    codes = rng.integers(0, 4, (rows, 11))
    for k in range(1, 11):
        copied = rng.random(rows) < 0.55
        codes[copied, k] = codes[copied, k - 1]
    codes[:, 10] = np.where(rng.random(rows) < 0.3, codes[:, 0], codes[:, 10])
    columns = {f"x{k}": codes[:, k].tolist() for k in range(11)}
    pq.write_table(pa.table({"id": list(range(rows)), **columns}), folder / "t.parquet")
    attributes = '[attribute.x0]\nsensitive = "x0 = 3"\n' + "".join(
        f"[attribute.x{k}]\n" for k in range(1, 11)
    )
    project = f"""format = 1
[source]
table = "t.parquet"
keys = ["id"]
[epoch]
label = "1"
{attributes}
[application.a]
reads = ["x0", "x1", "x2"]
[application.b]
reads = ["x10"]
[belief]
form = "tree"
[plan]
by = "cell"
[limit]
limit_bits = 0.1
{limit}
"""
    (folder / "unspoken.toml").write_text(project)
    return folder / "unspoken.toml"


# ---------------------------------------------------------------- the key


@pytest.mark.parametrize("form", ["joint", "tree"])
def test_the_form_is_what_the_project_says(form: str, learned: Learn) -> None:
    assert learned(building(), SPLIT, f'[belief]\nform = "{form}"').form == form


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ('"tre"', 'belief.form: there is no form "tre". Did you mean "tree"?'),
        ('"pairs"', 'belief.form: there is no form "pairs". There are: "joint", "tree".'),
        ('""', 'belief.form: there is no form "".'),
        ("3", "belief.form: must be text in quotes, not 3. Write, for example, form = "),
    ],
)
def test_other_forms_are_refused(form: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        project_of("[attribute.x]", 'table = "t.csv"\nkeys = ["id"]', f"[belief]\nform = {form}")
    assert said in str(refused.value)
    assert "unspoken.toml:" in str(refused.value)


def test_the_key_may_be_left_out_and_has_a_home() -> None:
    source = 'table = "t.csv"\nkeys = ["id"]'
    assert project_of("[attribute.x]", source).belief.form is None
    assert project_of("[attribute.x]", source, "[belief]").belief.form is None
    with pytest.raises(InputError, match=r"It belongs under \[belief\]"):
        project_of("[attribute.x]", source, 'form = "tree"')


@pytest.mark.slow
def test_a_tree_of_one_attribute_is_counted_as_its_joint_table(tmp_path: Path) -> None:
    """It has no pairs, and with noise what is counted are these: the ledger was left unreadable."""
    pq.write_table(pa.table({"id": range(99), "x": ["a", "b", "b"] * 33}), tmp_path / "t.parquet")
    text = 'format = 1\n[source]\ntable = "t.parquet"\nkeys = ["id"]\n[epoch]\nlabel = "1"\n'
    text += '[attribute.x]\nsensitive = "x = \'a\'"\n[application.a]\nreads = ["x"]\n'
    (tmp_path / "unspoken.toml").write_text(f'{text}[belief]\nnoise = 5.0\nform = "tree"\n')
    assert release(tmp_path).rows == 99
    assert release(tmp_path).again


# ---------------------------------------------------------------- what is learned


@pytest.mark.slow
@examples(20)
@given(st.lists(ROW, min_size=4, max_size=25), st.sampled_from(["x > 3", "x > 3 AND flag"]))
def test_a_tree_has_the_labels_of_the_joint(rows: list[dict], predicate: str) -> None:
    try:
        joint, tree = (
            counted(rows, predicate, "value", f"[belief]\nform = {form}")
            for form in ('"joint"', '"tree"')
        )
    except InputError:
        return
    assert (joint.labels, joint.sensitive) == (tree.labels, tree.sensitive)
    assert (joint.counts, joint.labelling, joint.rows) == (tree.counts, tree.labelling, tree.rows)
    for name in joint.labels:
        assert tree.belief.marginal([name]).sum() == pytest.approx(1, abs=1e-12)
    if "flag" not in predicate:  # nothing is ruled out
        assert tree.tree is not None
        for link in tree.tree.links:
            both = [link.first, link.second]
            np.testing.assert_allclose(
                tree.belief.marginal(both), joint.belief.marginal(both), rtol=1e-10
            )


def test_what_a_predicate_rules_out_stays_impossible(learned: Learn) -> None:
    """Whatever pairs are stronger: y decides whether x is sensitive, so x and y are a pair."""
    columns = building()
    columns["z"] = columns["x"]  # knows x, and is not read by the predicate
    found = learned(columns, f"{SPLIT}[attribute.z]\n", TREE)
    pair = found.belief.marginal(["x", "y"])
    labels = found.labels
    zero = {(labels["x"][i], labels["y"][j]) for i, j in np.argwhere(pair == 0).tolist()}
    split = [label for label in labels["x"] if label.endswith("(sensitive)")]
    assert len(split) == 2
    assert zero >= {(label, y) for label in split for y in "ac"}
    assert zero <= {(x, y) for x in labels["x"] for y in "abc"} - {("below 3", y) for y in "abc"}
    assert found.tree is not None
    assert {"x", "y"} in [{link.first, link.second} for link in found.tree.links]
    assert (found.belief.marginal(["z"]) > 0).all()


def test_a_label_without_rows_has_no_share_beside_a_predicate(learned: Learn) -> None:
    columns = {"x": [1, 4, 4, 7, 7, 7], "y": list("aababb")}
    declared = SPLIT.replace("[attribute.y]", '[attribute.y]\nvalues = ["a", "b", "c"]')
    found = learned(columns, declared, TREE)
    assert found.counts["y"] == (3, 3, 0)
    assert found.belief.marginal(["y"]).tolist() == pytest.approx([0.5, 0.5, 0])
    counts = np.array([[1, 0, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 2, 0]])
    np.testing.assert_allclose(found.belief.marginal(["x", "y"]), counts / 6, atol=1e-15)


def test_a_circle_of_predicates_is_refused(learned: Learn) -> None:
    rng = np.random.default_rng(6)
    columns = {name: rng.integers(0, 3, 200).tolist() for name in "abc"}
    attributes = (
        '[attribute.a]\nsensitive = "a = 1 AND b = 1 AND c = 1"\n'
        '[attribute.b]\nsensitive = "b = 1 AND c = 2"\n[attribute.c]\n'
    )
    with pytest.raises(InputError, match="closes a circle of attributes") as refused:
        learned(columns, attributes, TREE)
    assert "let it read fewer attributes" in str(refused.value)
    assert learned(columns, attributes).form == "joint"


def test_labels_that_are_split_may_make_a_joint_too_large(learned: Learn) -> None:
    """2^19 combinations of cells, 2^20 and more once they are sensitive or free."""
    rng = np.random.default_rng(1)
    columns = {f"x{i}": rng.integers(0, 2, 400).tolist() for i in range(19)}
    columns["hide"] = rng.integers(0, 2, 400).tolist()
    attributes = "".join(f'[attribute.x{i}]\nsensitive = "hide = 1"\n' for i in range(2))
    attributes += "".join(f"[attribute.x{i}]\n" for i in range(2, 19))
    assert learned(columns, attributes, TREE).form == "tree"
    with pytest.raises(TooLarge, match='take form = "tree"'):
        learned(columns, attributes)


@pytest.mark.parametrize(
    ("columns", "attributes", "said"),
    [
        ({"x": [1.0, None]}, "[attribute.x]\nbins = [1]", "attribute.x: is missing in 1 row"),
        ({"x": [1, 1, 1]}, "[attribute.x]", 'attribute.x: is "1" in every row'),
        ({"x": ["a", "z", "q"]}, '[attribute.x]\nvalues = ["a", "b"]',
         "attribute.x: 2 rows hold none of its values; list every value that occurs. To see"),
        ({"x": ["1", "b"]}, '[attribute.x]\nsensitive = "CAST(x AS INTEGER) > 1"',
         "attribute.x: Could not convert a text to INT32"),
    ],
)  # fmt: skip
def test_refusals_are_those_of_a_joint(
    columns: dict, attributes: str, said: str, learned: Learn
) -> None:
    with pytest.raises(InputError) as refused:
        learned(columns, attributes, TREE)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


# ---------------------------------------------------------------- from plan to release


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return prepare(wide(tmp_path_factory.mktemp("wide")))


def test_a_tree_says_what_it_is(ready: Any) -> None:
    own = ready.learned
    assert own.form == "tree"
    assert own.belief.premise == "learned(tree, 900 rows)"
    assert len(own.tree.links) == 10
    assert [one.bits for one in own.tree.links] == sorted(
        (one.bits for one in own.tree.links), reverse=True
    )
    assert ("form", "tree") in own.facts()
    few, lost = own.tree.said()
    assert "of the 55 pairs of attributes it keeps the 10" in few
    assert "three or more attributes show beyond that is not in it" in few
    assert "sound under this belief, and not beyond it" in few
    assert "x10 tells" in lost  # it copies x0, at the other end of the chain
    (one,) = own.tree.lost
    pair = next(p for p in own.tree.pairs if set(p.domain.names) == {"x0", "x10"})
    table = pair.marginal(["x0", "x10"])
    sides = np.stack([table[:3].sum(0), table[3]])
    apart = np.outer(sides.sum(1), sides.sum(0))
    assert one.table == pytest.approx(float((sides * np.log2(sides / apart)).sum()), rel=1e-9)
    assert one.tree < one.table


@pytest.mark.slow
def test_plan_leak_and_report_say_it_too(ready: Any) -> None:
    found = ready.findings(curve=False)
    assert [line for line in found.assumptions if line.startswith("The belief is a tree")]
    assert "learned from 900 rows" in found.assumptions[0]
    assert found.plan.bound.premise == "learned(tree, 900 rows)"
    for shown in (tables.learned(ready), tables.leak(found), tables.plan(found)):
        console = Console(width=400, record=True, file=io.StringIO())
        console.print(shown)
        assert "The belief is a tree" in console.export_text().replace("\n", " ")
    as_data = as_json.learned(ready)
    assert (as_data["form"], len(as_data["links"])) == ("tree", 10)
    assert as_data["left_out"] == ready.learned.tree.said()
    json.dumps(as_data)


def test_pairs_that_the_tree_leaves_out_still_close_values(tmp_path: Path) -> None:
    """far tells of the secret by itself, and is not beside it in the tree."""
    rng = np.random.default_rng(3)
    rows = 4000
    secret = (rng.random(rows) < 0.1).astype(int)
    near = secret * 3 + rng.integers(0, 3, rows)
    far = np.where(rng.random(rows) < 0.9, near % 3, rng.integers(0, 3, rows))
    far = np.where((secret == 1) & (rng.random(rows) < 0.05), 3, far)
    columns = {"s": secret, "near": near, "far": far}
    pq.write_table(pa.table({"id": np.arange(rows), **columns}), tmp_path / "t.parquet")
    attributes = '[attribute.far]\n[attribute.near]\n[attribute.s]\nsensitive = "s = 1"\n'
    source = 'table = "t.parquet"\nkeys = ["id"]'
    own = project_of(attributes, source, TREE, tmp_path)
    closed = prepare(own).closed
    told = {(one.name, one.value): one.factor for one in closed.telling}
    by_joint = prepare(project_of(attributes, source, JOINT, tmp_path)).closed
    assert told.keys() >= {(one.name, one.value) for one in by_joint.telling}
    for one in by_joint.telling:
        assert told[one.name, one.value] >= one.factor * (1 - 1e-9)
    assert "3" in closed.added["far"]
    assert [one.factor for one in closed.telling] == sorted(told.values(), reverse=True)


@pytest.mark.slow
def test_a_tree_is_planned_released_and_charged(tmp_path: Path) -> None:
    project = wide(tmp_path)
    learn_project(project)
    tried = rehearse(project)
    done = release(project)
    assert done.rows == 900
    assert tried.p == {name: done.plan.p[name] for name in ("x0", "x1", "x2", "x10")}
    assert sum(done.plan.p.values()) > 0.1
    for one in done.leakage:
        assert one.odds.value <= 4 * (1 + 1e-9)
        assert one.information.bits <= 0.1 * (1 + 1e-9)
        assert one.odds.premise == "learned(tree, 900 rows)"
    first = done.path.read_bytes()
    assert release(project).path.read_bytes() == first


def test_a_plan_that_is_too_large_says_what_to_change(
    ready: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: Any, **more: Any) -> None:
        raise TooLarge("joint table of 8 variables: too many cells")

    monkeypatch.setattr("unspoken.workflows.release.preparing.best", refused)
    with pytest.raises(TooLarge, match="fewer bins or values for what is read, or fewer attrib"):
        ready.plan()


def test_a_tree_is_learned_the_same_by_a_file_in_another_order(tmp_path: Path) -> None:
    columns = building()
    order = np.random.default_rng(0).permutation(600)
    found: list[Any] = []
    for which in (np.arange(600), order):
        table = {name: np.array(own)[which] for name, own in columns.items()}
        pq.write_table(pa.table({"id": np.arange(600), **table}), tmp_path / "t.parquet")
        source = 'table = "t.parquet"\nkeys = ["id"]'
        own: Project = project_of(f"{SPLIT}[attribute.z]\n", source, TREE, tmp_path)
        found.append(Learned.of(own, table_of(own)))
    first, again = found
    assert edges_of(first.belief) == edges_of(again.belief)
    for one, other in zip(first.belief.forest.laws, again.belief.forest.laws, strict=True):
        assert one.tobytes() == other.tobytes()
