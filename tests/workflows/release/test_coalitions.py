"""Applications that do not pool: each gets a file of its own, each coalition is held on its own.

The secret is whether a and b differ: either alone says nothing of it, both say all. An attacker
pools files and counts; what they work out is compared with the cap on odds.
"""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.workflows.release.small import planned
from unspoken.assessment.findings import readers
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.storage.ledger import Ledger
from unspoken.tables.policy import Project
from unspoken.workflows.release import prepare, rehearse, release

ROWS, CAP = 4_000, 3.0
A, B = np.random.default_rng(5).integers(0, 2, (2, ROWS))
READS = {"one": ["a"], "two": ["b"], "three": ["b"]}
TEXT = """\
format = 1
[source]
table = "table.parquet"
keys = ["id"]
[epoch]
label = "{label}"
[attribute.a]
values = [0, 1]
[attribute.b]
values = [0, 1]
[attribute.differ]
values = ["no", "yes"]
sensitive = "differ = 'yes'"
{applications}
[plan]
by = "cell"
[limit]
limit_bits = {bits}
odds_cap = {cap}
close = false
exceed = {exceed}
{coalitions}
[belief]
noise = "none"
confidence = "none"
"""


def project(
    folder: Path,
    coalitions: Sequence[Sequence[str]] | None = None,
    reads: Mapping[str, Sequence[str]] = READS,
    label: str = "1",
    bits: float = 0.2,
    cap: float = CAP,
    exceed: float = 0.0,
) -> Path:
    values = np.where(A == B, "no", "yes")
    pq.write_table(
        pa.table({"id": np.arange(ROWS), "a": A, "b": B, "differ": values}),
        folder / "table.parquet",
    )
    applications = "\n".join(
        f"[application.{json.dumps(name)}]\nreads = {json.dumps(own)}"
        for name, own in reads.items()
    )
    said = "" if coalitions is None else f"coalitions = {json.dumps(coalitions)}"
    text = TEXT.format(
        applications=applications,
        coalitions=said,
        label=label,
        bits=bits,
        cap=cap,
        exceed=exceed,
    )
    (folder / "unspoken.toml").write_text(text)
    return folder / "unspoken.toml"


def odds_factor(path: Path, *files: Path) -> float:
    """What pooling these files does at most to the odds of any group of like rows."""
    tables = [pq.read_table(file) for file in files]
    columns = {n: t[n].to_pylist() for t in tables for n in t.column_names if n != "id"}
    seen = np.array([str(row) for row in zip(*columns.values(), strict=True)])
    secret = A != B
    before = secret.mean() / (1 - secret.mean())
    worst = 0.0
    for answer in set(seen.tolist()):
        after = secret[seen == answer].mean()
        worst = max(worst, math.inf if after == 1 else after / (1 - after) / before)
    return worst


APART = [["one"], ["two"], ["three"]]


@pytest.mark.slow
def test_each_coalition_is_held_and_all_pooled_would_not_be(tmp_path: Path) -> None:
    path = project(tmp_path, APART)
    done = {name: release(path, reader=name) for name in READS}
    for name, own in READS.items():
        assert pq.read_table(done[name].path).column_names == ["id", *own]
        assert done[name].event.readers == (name,)
        assert set(done[name].event.mechanism.exponents()) == set(own)
        assert odds_factor(path, done[name].path) <= CAP
    # A half each says nothing, so it is all shown; two halves say everything.
    assert pq.read_table(done["one"].path)["a"].null_count == 0
    assert odds_factor(path, done["one"].path, done["two"].path) == math.inf


def test_everybody_is_held_by_default(tmp_path: Path) -> None:
    path = project(tmp_path)
    done = release(path)
    assert done.event.readers == ()
    assert done.path.name == "released.parquet"
    assert odds_factor(path, done.path) <= CAP * 1.05
    alone = release(path, reader="one")
    assert alone.path.name == "released-one.parquet"
    assert pq.read_table(alone.path)["a"].equals(pq.read_table(done.path)["a"])


@pytest.mark.slow
@pytest.mark.parametrize("pools", [[["one", "two"], ["three"]], [["one", "two"], ["two", "three"]]])
def test_a_coalition_that_pools_is_held(tmp_path: Path, pools: list[list[str]]) -> None:
    path = project(tmp_path, pools)
    one, two = (release(path, reader=name).path for name in ("one", "two"))
    assert odds_factor(path, one, two) <= CAP * 1.05
    assert prepare(path).plan().odds.odds <= CAP * (1 + 1e-9)


@pytest.mark.slow
def test_the_ledger_holds_what_pools_whatever_was_planned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attack: ask for one half after the other. Who does not pool may have the same half."""
    planned(monkeypatch, a=math.inf, b=math.inf)
    path = project(tmp_path, [["one", "two"], ["three"]])
    release(path, reader="one")
    with pytest.raises(LimitExceeded, match="told about differ would be"):
        release(path, reader="two")
    with pytest.raises(LimitExceeded, match="told about differ would be"):
        rehearse(path, reader="two")
    release(path, reader="three")
    assert [event.readers for event in Ledger(tmp_path / "ledger.sqlite").events()] == [
        ("one",),
        ("three",),
    ]


@pytest.mark.slow
def test_coalitions_that_are_joined_later_answer_for_what_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned(monkeypatch, a=math.inf, b=math.inf)
    release(project(tmp_path, APART), reader="one")
    joined = project(tmp_path, [["one", "two"], ["three"]])
    release(joined, reader="one")  # which has it all already
    with pytest.raises(LimitExceeded, match="told about differ"):
        release(joined, reader="two")


def test_what_is_given_to_one_answers_for_what_others_were_given_of_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under one label, a value that is shown and then declared sensitive; b alone is read then."""
    planned(monkeypatch, a=0.5, b=0.5)
    pooled = [["one", "two"], ["three"]]
    release(project(tmp_path, pooled, bits=64.0, cap=1e6), reader="one")
    path = project(tmp_path, pooled, bits=64.0, cap=1e6)
    path.write_text(path.read_text().replace("attribute.a]", "attribute.a]\nsensitive = 'a = 1'"))
    with pytest.raises(LimitExceeded, match=r'attribute\.a: "1" is sensitive now, and may'):
        release(path, reader="two")


def test_who_is_not_declared_any_more_may_pool_with_anybody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attack: call an application by another name, and its past is forgotten."""
    planned(monkeypatch, a=math.inf, b=math.inf)
    release(project(tmp_path, APART), reader="one")
    renamed = {"uno": ["a"], "two": ["b"]}
    path = project(tmp_path, [["uno"], ["two"]], renamed)
    with pytest.raises(LimitExceeded, match="told about differ"):
        release(path, reader="two")
    release(path, reader="uno")


@pytest.mark.slow
def test_what_was_for_everybody_is_known_to_every_coalition(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned(monkeypatch, a=math.inf, b=0.0)
    release(project(tmp_path))
    planned(monkeypatch, a=math.inf, b=math.inf)
    path = project(tmp_path, APART)
    with pytest.raises(LimitExceeded, match="told about differ"):
        release(path, reader="three")
    release(path, reader="one")


@pytest.mark.slow
def test_labels_add_up_for_each_coalition(tmp_path: Path) -> None:
    """Fresh coins are charged to those who see them; on average, since every answer may be rare."""
    pools = [["one", "two"], ["three"]]
    for reader in ("one", "two"):
        release(project(tmp_path, pools, exceed=1.0), reader=reader)
    later = project(tmp_path, pools, label="2", exceed=1.0)
    with pytest.raises(LimitExceeded, match="differ"):
        deque((release(later, reader=reader) for reader in ("one", "two")), 0)
    release(later, reader="three")


def test_a_file_for_whom_has_to_be_said(tmp_path: Path) -> None:
    path = project(tmp_path, APART)
    with pytest.raises(InputError, match=r'limit\.coalitions: .* --for "one" or --for "two"'):
        release(path)
    with pytest.raises(InputError, match='Did you mean "three"'):
        release(path, reader="tree")
    assert not (tmp_path / "ledger.sqlite").exists()


@pytest.mark.parametrize("name", ["../one", ".one", "one/two", "a:b", " one", "one."])
def test_a_name_that_is_no_part_of_a_files_name(tmp_path: Path, name: str) -> None:
    path = project(tmp_path, [[name], ["two"]], {name: ["a"], "two": ["b"]})
    with pytest.raises(InputError, match="plain name of its own"):
        release(path, reader=name)


def test_a_file_for_one_never_takes_the_place_of_another(tmp_path: Path) -> None:
    text = project(tmp_path, APART).read_text()
    taken = f'{text}[secret]\nledger = "released-one.parquet"\n'
    (tmp_path / "unspoken.toml").write_text(taken)
    with pytest.raises(InputError, match="would be another file"):
        release(tmp_path, reader="one")
    twins = project(tmp_path, [["one"], ["One"]], {"one": ["a"], "One": ["b"]})
    with pytest.raises(InputError, match="would be another file"):
        release(twins, reader="One")


def test_the_paper_says_for_whom(tmp_path: Path) -> None:
    path = project(tmp_path, APART)
    done = release(path, reader="two")
    paper = json.loads(done.manifest.read_text())
    assert done.manifest.name == "released-two.manifest.json"
    assert (paper["readers"], list(paper["attributes"])) == (["two"], ["b"])
    assert paper["limits"]["coalitions"] == APART
    again = release(path, reader="two")
    assert again.manifest.read_bytes() == done.manifest.read_bytes()


def test_findings_show_coalitions_and_say_what_pooling_would_do(tmp_path: Path) -> None:
    path = project(tmp_path, [["one", "three"], ["two", "three"]])
    found = prepare(path).findings(curve=False)
    assert set(readers(Project.read(path))) == {
        "one", "two", "three", "one + three", "two + three",
    }  # fmt: skip
    assert {told.who for told in found.planned} == set(readers(Project.read(path)))
    assert all(told.odds.odds <= CAP * (1 + 1e-9) for told in found.planned)
    assert "Only these pool what they get: one and three; two and three." in found.assumptions[-1]
    apart = prepare(project(tmp_path, APART)).findings(curve=False)
    assert "No two readers pool. If all did" in apart.assumptions[-1]
    assert (
        "could make a secret certain, and all answers would tell up to 1 bit"
        in apart.assumptions[-1]
    )
    assert apart.plan.objective > found.plan.objective
