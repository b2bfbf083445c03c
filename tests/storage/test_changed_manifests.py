"""Whoever changes, adds, removes or retypes anything in a manifest is found out by verifying it."""

from __future__ import annotations

import copy
import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.project_copies import copy_project
from tests.selection import slow_values
from tests.workflows.release.test_by_record import project, table
from unspoken.assessment.promise import Promise
from unspoken.core.errors import InputError
from unspoken.interfaces.command_line.cli import run
from unspoken.storage.ledger import Ledger
from unspoken.workflows.release import release
from unspoken.workflows.release.reproducing import UNCHECKED, reproduce_all

Place = tuple[str | int, ...]


def one_file(folder: Path) -> Path:
    """A release with one coin a record, of counts with noise, to one application."""
    path = project(folder, more='\n[application.few]\nreads = ["use"]\n')
    text = path.read_text().replace('noise = "none"', "noise = 0.5")
    text = text.replace('confidence = "none"', "confidence = 0.95")
    path.write_text(text.replace('keys = ["id"]', 'keys = ["id"]\nunit = ["id"]'))
    release(path, reader="all")
    return folder / "released-all.manifest.json"


def of_late_rows(folder: Path) -> Path:
    """The file of rows that came late to an epoch, with one coin a cell."""

    def made(rows: pa.Table) -> Path:
        month = pa.array([n % 2 for n in range(rows.num_rows)])
        path = project(folder, rows.append_column("month", month))
        text = path.read_text().replace('by = "record"', 'by = "cell"')
        text = text.replace('label = "1"', 'of = "month"')
        path.write_text(text.replace('keys = ["id"]', 'keys = ["id", "month"]'))
        return path

    release(made(table().slice(0, 200)))
    release(made(table().slice(0, 250)))
    return folder / "released-manifests" / "0.2.json"


def of_another_draw(folder: Path) -> Path:
    """A release with one coin a cell, of exact counts, drawn twice."""
    path = project(folder, table().slice(0, 200), odds_cap=30.0)
    path.write_text(path.read_text().replace('by = "record"', 'by = "cell"'))
    release(path, 0.4)
    release(path, 0.4, draw=2)
    return folder / "released-draw-2.manifest.json"


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The manifest of ``one_file``, in a folder that is copied and never changed."""
    return one_file(tmp_path_factory.mktemp("released"))


@pytest.fixture
def manifest(released: Path, tmp_path: Path) -> Path:
    """The same in a copy of that folder."""
    copy_project(released.parent, tmp_path)
    return tmp_path / released.name


def places(document: Any, place: Place = ()) -> Iterator[Place]:
    """Every path in a document, inner ones after outer ones."""
    yield place
    if isinstance(document, dict):
        for name, value in document.items():
            yield from places(value, (*place, name))
    elif isinstance(document, list):
        for number, value in enumerate(document):
            yield from places(value, (*place, number))


def changes(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The document with one thing in it changed, by what that is."""
    for *outer, last in filter(None, places(document)):
        for value in other_values(at(document, outer)[last]):
            changed = copy.deepcopy(document)
            at(changed, outer)[last] = value
            yield f"{[*outer, last]} is {value!r}", changed
        changed = copy.deepcopy(document)
        del at(changed, outer)[last]
        yield f"{[*outer, last]} is removed", changed
    for place in places(document):
        changed = copy.deepcopy(document)
        beneath = at(changed, place)
        if isinstance(beneath, dict | list):
            beneath.update(another=1) if isinstance(beneath, dict) else beneath.append("another")
            yield f"{[*place]} has another", changed


def other_values(value: Any) -> Iterator[Any]:
    """Other values of its type, and about the same of other types."""
    kind = type(value)
    if kind is bool:
        yield from (not value, int(value))
    elif kind in (int, float):
        yield from (value + 1, str(value))
        yield int(value) if kind is float and value == int(value) else value * 1.5
    elif kind is str:
        yield from (f"{value}.", None)
    elif value is None:
        yield from ("", False)
    else:
        yield from ([*value, 0], [*map(str, value), ""], None)
        if kind is dict and value:
            yield dict.fromkeys(value, 0)


def at(document: Any, place: Any) -> Any:
    """What is at this place of a document."""
    for name in place:
        document = document[name]
    return document


def missed(folder: Path, manifest: Path) -> list[str]:
    """What of all changes to a manifest verifying it does not find."""
    paper, found = json.loads(manifest.read_text()), list[str]()
    together, copies = dict[Path, str](), folder / "copies"
    copies.mkdir()
    for number, (what, changed) in enumerate(changes(paper)):
        other = copies / f"{number}.json"
        other.write_text(json.dumps(changed))
        if is_comparable(changed, paper):
            together[other] = what
        elif not found_alone(folder, other):
            found.append(what)
    assert len(together) > 100
    verified = reproduce_all(list(together), folder)
    return [*found, *(together[other] for other, each in verified if not each.differs)]


def is_comparable(changed: dict[str, Any], paper: dict[str, Any]) -> bool:
    """Whether it is not refused before anything is compared."""
    read = json.dumps([changed.get("unspoken"), changed.get("charge")])
    epochs = changed.get("readings")
    return (
        read == json.dumps([paper["unspoken"], paper["charge"]])
        and isinstance(changed.get("release"), dict)
        and isinstance(epochs, dict)
        and [*epochs] == [*paper["readings"]]
    )


def found_alone(folder: Path, manifest: Path) -> bool:
    try:
        ((_, found),) = reproduce_all([manifest], folder)
    except InputError:
        return True
    return found.differs != ()


@pytest.mark.parametrize("make", [one_file, *slow_values(of_late_rows, of_another_draw)])
def test_each_change_is_found(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    manifest = make(tmp_path)
    ((_, same),) = reproduce_all([manifest], tmp_path)
    assert (same.differs, same.unchecked) == ((), ())
    assert missed(tmp_path, manifest) == []


def changed(manifest: Path, **fields: Any) -> Path:
    """A copy of a manifest in which these fields are other ones."""
    other = manifest.with_name("other.json")
    other.write_text(json.dumps({**json.loads(manifest.read_text()), **fields}))
    return other


@pytest.mark.slow
def test_the_first_difference_is_named(
    tmp_path: Path, manifest: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    limits = {**json.loads(manifest.read_text())["limits"], "odds_cap": 300.0}
    other = changed(manifest, limits=limits, promise=[])
    assert run(["verify", str(other), str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "limits.odds_cap: the manifest has 300.0, and it should have 3.0" in said
    assert "promise" not in said


@pytest.mark.slow
@pytest.mark.parametrize("value", [None, "removed", 1.0, 10**6, "", "0" * 64, True])
@pytest.mark.parametrize("field", ["number", "head"])
def test_a_changed_charge_is_named(
    tmp_path: Path, manifest: Path, field: str, value: object
) -> None:
    charge = json.loads(manifest.read_text())["charge"]
    charge = {**charge, field: value}
    if value == "removed":
        del charge[field]
    with pytest.raises(InputError, match=rf"other\.json: .*charge\.{field}"):
        list(reproduce_all([changed(manifest, charge=charge)], tmp_path))


@pytest.mark.slow
def test_a_name_that_is_there_twice_is_refused(tmp_path: Path, manifest: Path) -> None:
    other = manifest.with_name("other.json")
    other.write_text(manifest.read_text().replace('"unit": [', '"unit": ["name"],\n  "unit": ['))
    with pytest.raises(InputError, match="is no manifest that unspoken wrote"):
        list(reproduce_all([other], tmp_path))


@pytest.mark.slow
def test_words_of_another_version_stay(
    tmp_path: Path, manifest: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was written is verified, and written again, by what the ledger kept of it."""
    before = manifest.read_bytes()
    monkeypatch.setattr(Promise, "lines", lambda _: ("in other words",))
    monkeypatch.setattr("unspoken.storage.writing.manifest.installed_version", lambda: "9.9")
    ((_, found),) = reproduce_all([manifest], tmp_path)
    assert found.differs == ()
    manifest.unlink()
    (tmp_path / "released-all.parquet").unlink()
    assert release(tmp_path, reader="all").again
    assert manifest.read_bytes() == before
    assert Ledger(tmp_path / "ledger.sqlite").releases() == 1


@pytest.mark.slow
def test_terms_that_were_changed_in_the_ledger(tmp_path: Path, manifest: Path) -> None:
    with sqlite3.connect(tmp_path / "ledger.sqlite") as connection:
        update = "UPDATE beliefs SET text = replace(text, 'biased', 'right')"
        assert connection.execute(f"{update} WHERE text LIKE '%is biased%'").rowcount == 1
    connection.close()
    with pytest.raises(InputError, match="what the manifest of event 3 says was changed; restore"):
        list(reproduce_all([manifest], tmp_path))
    with sqlite3.connect(tmp_path / "ledger.sqlite") as connection:
        connection.execute("DELETE FROM beliefs WHERE text LIKE '%is right, weighted%'")
    connection.close()
    with pytest.raises(InputError, match="what the manifest of event 3 says is gone; restore"):
        list(reproduce_all([manifest], tmp_path))


@pytest.mark.slow
def test_an_event_of_an_older_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as older:
        older.setattr("unspoken.workflows.release.asked.digest_of", lambda _: None)
        manifest = one_file(tmp_path)
    assert '"terms"' not in Ledger(tmp_path / "ledger.sqlite").events()[0].to_json()
    other = changed(manifest, promise=[], version="9.9")
    assert run(["verify", str(other), str(tmp_path), "--json"]) == 0
    printed = capsys.readouterr()
    (found,) = json.loads(printed.out)["reproduced"]
    assert found["unchecked"] == [*UNCHECKED]
    assert "promise, belief cannot be checked: the ledger has them only of releases" in printed.err
    for place in [("limits", "odds_cap"), ("coins", "key"), ("charged",), ("readers",)]:
        document = json.loads(manifest.read_text())
        at(document, place[:-1])[place[-1]] = "another"
        assert found_alone(tmp_path, changed(manifest, **document))
    assert release(tmp_path, reader="all").again  # it is the very same event


@pytest.mark.slow
def test_a_belief_that_was_changed_in_the_ledger_is_found(tmp_path: Path, manifest: Path) -> None:
    with sqlite3.connect(tmp_path / "ledger.sqlite") as own:
        own.execute("UPDATE beliefs SET text = replace(text, '\"rows\"', '\"Rows\"')")
    with pytest.raises(InputError, match=r"the belief of event 1 \(.*\) was changed"):
        list(reproduce_all([manifest], tmp_path))
