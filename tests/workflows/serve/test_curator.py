"""A curator gives what a release gives, charges it once, and tells an outsider what would fit."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.workflows.serve import building
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.storage.ledger import Ledger
from unspoken.tables.policy import Project
from unspoken.workflows.query import NoisyAnswer, Promised
from unspoken.workflows.release import adopt_plan, release
from unspoken.workflows.serve import Curator, Held, Refused, Request, Standing
from unspoken.workflows.serve.released import papers

COUNT = "SELECT COUNT(*) FILTER (WHERE arrival = 'late') FROM visits"


def events(path: Path) -> int:
    return len(Ledger(path.parent / "ledger.sqlite").history())


@pytest.mark.slow
def test_cells_are_those_of_a_release_and_charged_once(path: Path) -> None:
    other = building.copied(path.parent, path.parent / "other")
    release(other, reader="lighting")
    files = sorted((other.parent / "released-lighting").iterdir())
    whole = _plain(pa.concat_tables(map(pq.read_table, files)))
    curator = Curator.of(path)
    (nothing,) = curator.standings()
    given = curator.cells("lighting", Request())
    assert given.rows == whole.sort_by([("office", "ascending"), ("day", "ascending")])
    assert set(given.charged) == {"0", "1"}
    some = Request(where="office < 5", epochs=("0",))
    again = curator.cells("lighting", some)
    assert Curator.of(path).cells("lighting", some).rows == again.rows
    assert again.charged == ()
    assert again.rows.num_rows == 5 * 30
    assert events(path) == 1
    (inclusion,) = again.as_json()["inclusion"]
    assert inclusion["epochs"] == ["0"]
    assert inclusion["attributes"]["arrival"]["release_probability"] < 1
    assert "Count a shown label" in inclusion["estimating"]
    _stand(curator, nothing)


def _stand(curator: Curator, nothing: Standing) -> None:
    """What the coalition has had grows with what its second member is given, up to the cap."""
    (one,) = curator.standings()
    curator.cells("planning", Request())
    (both,) = curator.standings()
    assert nothing.odds is not None
    assert one.odds is not None
    assert both.odds is not None
    assert nothing.odds.odds == pytest.approx(1.0)
    assert 1 < one.odds.odds <= both.odds.odds <= 4 + 1e-9
    assert both.left == pytest.approx(4 / both.odds.odds)
    assert both.as_json()["about"] == "arrival"


def test_a_request_reads_the_manifests_of_its_epochs(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also those of rows that came late; of epochs whose names begin alike, and of others, none."""
    building.arrived(path.parent, 330)  # epochs 0 to 10
    Curator.of(path).cells("lighting", Request())
    building.arrived(path.parent, 345)  # and half of epoch 11
    curator, read = Curator.of(path), list[str]()
    curator.cells("lighting", Request(epochs=("11",)))
    building.arrived(path.parent, 350)
    curator.cells("lighting", Request(epochs=("11",)))
    sound = Path.read_bytes

    def counting(file: Path) -> bytes:
        if file.suffix == ".json" and file.name != "belief.json":
            read.append(file.name)
        return sound(file)

    monkeypatch.setattr(Path, "read_bytes", counting)
    for epoch, expected in {"1": {"1.json"}, "11": {"11.json", "11.2.json"}}.items():
        for request in (Request(epochs=(epoch,)), Request(epochs=(epoch,), before=True)):
            curator.cells("lighting", request)
            read.clear()
            assert curator.cells("lighting", request).charged == ()
            assert {*read} == expected
        read.clear()
        curator.rehearse("lighting", Request(epochs=(epoch,)))
        assert {*read} == expected


@pytest.mark.slow
def test_days_that_arrive_are_given_too(path: Path) -> None:
    curator = Curator.of(path)
    before = curator.cells("planning", Request(epochs=("1",)))
    building.arrived(path.parent, 47)
    after = curator.cells("planning", Request(epochs=("1",)))
    assert (before.rows.num_rows, after.rows.num_rows) == (15 * 25, 17 * 25)
    assert after.charged == ("1",)
    old = after.rows.to_pylist()
    assert all(row in old for row in before.rows.to_pylist())
    assert curator.cells("planning", Request(epochs=("1",), before=True)).rows == after.rows


def test_a_dry_run_charges_nothing_and_says_as_much(path: Path) -> None:
    curator = Curator.of(path)
    request = Request(("arrival",), "office < 5 AND day >= 30")
    said = curator.rehearse("lighting", request)
    assert said.new == ("1",)
    assert said.refused is None
    assert events(path) == 0
    assert not (path.parent / "released-lighting").exists()
    given = curator.cells("lighting", request)
    assert sum(said.rows.values()) == given.rows.num_rows
    shown = given.rows.num_rows - given.rows["arrival"].null_count
    assert abs(said.expected["arrival"] - shown) < 5 * given.rows.num_rows**0.5
    (event,) = Ledger(path.parent / "ledger.sqlite").events()
    assert set(event.readings) == {"1"}  # only what is asked for is charged
    assert event.readers == ("lighting",)


@pytest.mark.slow
def test_a_dry_run_looks_at_no_protected_cell(path: Path) -> None:
    """Other values in the same rows: the same words."""
    curator = Curator.of(path)
    table = building.rows(-60, 45)
    said = curator.rehearse("lighting", Request()).as_json()
    late = pa.array(["late"] * table.num_rows)
    pq.write_table(table.set_column(2, "arrival", late), path.parent / "visits.parquet")
    assert Curator.of(path).rehearse("lighting", Request()).as_json() == said


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (Request(("use",)), "attributes: there is no"),
        (Request(where="arrival = 'late'"), 'column of the keys: there is no "arrival"'),
        (Request(where="use = 'low'"), 'column of the keys: there is no "use"'),
        (Request(where="true"), "reads no key"),
        (Request(where="office"), "where"),
        (Request(where="office < 5; DROP TABLE visits"), "only one SELECT"),
        (Request(where="office IN (SELECT office FROM visits)"), "subquery"),
        (Request(where="random() < 0.5 AND office = 1"), "random"),
        (Request(where="lpad(office::TEXT, 1000000000, 'x') = ''"), "any length"),
        (Request(where="office = 1 OR " * 1000 + "office = 1"), "characters"),
        (Request(where="office::DATE > 3"), "where"),
        (Request(where="read_text('/etc/passwd') = '' AND office = 1"), "where"),
        (Request(where=""), "where: is empty"),
        (Request(epochs=("7",)), "epochs: there is no"),
        (Request(epochs=("../0",)), "epochs: there is no"),
        (Request(where="office < 0"), "no row"),
        (Request(before=True), "nothing of these was given"),
    ],
)
def test_requests_that_are_refused(asked: Curator, request_: Request, words: str) -> None:
    with pytest.raises(InputError, match=words):
        asked.cells("lighting", request_)
    assert not asked.account("lighting")


def test_strangers_are_refused(asked: Curator) -> None:
    with pytest.raises(InputError, match="application"):
        asked.cells("nobody", Request())


def test_too_many_rows_are_refused_before_they_are_charged(path: Path) -> None:
    with pytest.raises(InputError, match="at most 100 are given"):
        Curator.of(path, most=100).cells("lighting", Request())
    assert events(path) == 0


def test_a_noisy_answer_and_a_refusal_that_says_what_would_fit(path: Path) -> None:
    adopt_plan(_limited(path, 3.0))
    curator = Curator.of(_limited(path, 4.0))
    promised = curator.answer("lighting", COUNT, dry_run=True)
    assert isinstance(promised, Promised)
    first = curator.answer("lighting", COUNT)
    again = curator.answer("lighting", COUNT)
    assert isinstance(first, NoisyAnswer)
    assert isinstance(again, NoisyAnswer)
    assert first.rows == again.rows
    assert again.again
    (entry,) = curator.account("lighting")
    assert entry.query == COUNT
    assert curator.account("planning") == []
    with pytest.raises(Refused) as caught:
        curator.answer("lighting", COUNT, epsilon=5.0)
    said, whole = str(caught.value), str(caught.value.__cause__)
    assert "epsilon" in said
    assert "would fit" in said
    assert "grow" not in said  # by how much is what was given before, to whomever
    assert "grow" in whole
    assert isinstance(caught.value.__cause__, LimitExceeded)


def test_what_is_the_holders_business_is_not_said(path: Path) -> None:
    curator = Curator.of(path)
    (path.parent / "unspoken.key").unlink()
    with pytest.raises(Held) as caught:
        curator.cells("lighting", Request())
    assert str(path.parent) not in str(caught.value)
    assert "unspoken.key" in str(caught.value.__cause__)


@pytest.mark.slow
def test_a_changed_source_is_refused_and_what_was_given_stays(path: Path) -> None:
    curator = Curator.of(path)
    before = curator.cells("lighting", Request(epochs=("0",)))
    shutil.rmtree(path.parent / "ledger.sqlite.first")
    table = building.rows(-60, 45)
    changed = pa.array(["early"] * table.num_rows)
    pq.write_table(table.set_column(2, "arrival", changed), path.parent / "visits.parquet")
    with pytest.raises(Refused) as caught:
        curator.cells("lighting", Request(epochs=("0",)))
    assert "changed" not in str(caught.value)
    given = curator.cells("lighting", Request(epochs=("0",), before=True))
    assert given.rows == before.rows


@pytest.mark.slow
def test_a_file_that_was_changed_is_not_given(path: Path) -> None:
    curator = Curator.of(path)
    curator.cells("lighting", Request(epochs=("0",)))
    file = path.parent / "released-lighting" / "0.parquet"
    table = pq.read_table(file)
    pq.write_table(table.slice(0, 10), file)
    with pytest.raises((Held, InputError)):
        curator.cells("lighting", Request(epochs=("0",), before=True))


@pytest.mark.slow
@pytest.mark.parametrize(
    "said",
    [
        "",
        "{",
        "[]",
        '{"unspoken": "release", "release": 5}',
        '{"unspoken": "release", "release": {"rows": "x"}, "readings": {}}',
    ],
)
def test_a_manifest_that_is_none_is_one_line(said: str, path: Path) -> None:
    """Found by fuzzing: `unspoken audit` and the service ended in a traceback."""
    curator = Curator.of(path)
    curator.cells("lighting", Request(epochs=("0",)))
    manifest = path.parent / "released-manifests-lighting" / "0.json"
    before = manifest.read_text()
    for text in (said, before.replace('"attributes": {', '"attributes": 5, "x": {')):
        manifest.write_text(text)
        with pytest.raises(InputError, match=r"0\.json: is no manifest that unspoken wrote; rest"):
            papers(curator.project.serving("lighting"))


@pytest.mark.slow
def test_a_plan_that_is_adopted_meanwhile_is_served(path: Path) -> None:
    curator = Curator.of(path)
    curator.cells("lighting", Request(epochs=("0",)))
    adopt_plan(_limited(path, 3.0))
    given = curator.cells("lighting", Request())
    assert len(given.inclusion) == 2  # the old epoch as it was, the new one by the new plan
    adopted = curator.ready.adopted
    assert adopted is not None
    assert adopted.limits["odds_cap"] == 3.0


def test_no_plan_no_service(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no plan is adopted"):
        Curator.of(building.project(tmp_path))


def test_the_catalogue(asked: Curator) -> None:
    said = asked.catalogue("lighting").as_json()
    assert said["attributes"].keys() == {"arrival"}
    assert said["epochs"] == {"0": 750, "1": 375}
    assert said["keys"] == {"office": "BIGINT", "day": "BIGINT"}
    assert said["given"] == []


@pytest.mark.slow
def test_one_file_for_all_epochs(path: Path) -> None:
    text = path.read_text() + '[output]\nrelease = "released.parquet"\n'
    path.write_text(text)
    assert not Project.read(path).files.by_epoch
    curator = Curator.of(path)
    given = curator.cells("lighting", Request(epochs=("1",)))
    assert given.rows.num_rows == 375
    assert curator.cells("lighting", Request(where="day < 3")).rows.num_rows == 75
    assert events(path) == 1


def _limited(path: Path, cap: float) -> Path:
    text = path.read_text()
    for other in (3.0, 4.0):
        text = text.replace(f"odds_cap = {other}", f"odds_cap = {cap}")
    path.write_text(text)
    return path


def _plain(rows: pa.Table) -> pa.Table:
    return pa.table({name: rows[name].cast(kind) for name, kind in zip(
        rows.column_names, ["int64", "int64", "string"], strict=True)})  # fmt: skip
