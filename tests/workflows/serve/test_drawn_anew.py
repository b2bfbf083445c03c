"""Cells asked for anew: other coins into other files, charged beside the first, of their epochs."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.workflows.release.test_reproducing import reproduce
from tests.workflows.serve import building
from tests.workflows.serve.running import running
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.interfaces.command_line.cli import run
from unspoken.storage.custody.archive import backup, restore
from unspoken.storage.custody.custody import verified
from unspoken.storage.ledger import Account, Ledger
from unspoken.tables.policy import Project
from unspoken.workflows.query import query
from unspoken.workflows.release import adopt_plan, prepare, rehearse, release
from unspoken.workflows.serve import Curator, Refused, Request

OF_ONES_OWN = ("unspoken.key", "unspoken.key.head", "ledger.sqlite")
COUNTED = "SELECT use, COUNT(*) FROM visits GROUP BY use"
ROOM = 'odds_cap = 5.0\n[plan]\nby = "cell"\nodds_cap = 2.0'
SOME = "odds_cap = 4.0\n[plan]\nby = 'cell'\nodds_cap = 3.0"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("room")
    adopt_plan(building.project(folder, ROOM), by="a steward", why="room for draws")
    return folder


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    return building.copied(made, tmp_path)


def shown(folder: Path) -> pa.Table:
    return pa.concat_tables(map(pq.read_table, sorted(folder.glob("*.parquet"))))


def account(path: Path) -> Account:
    return Account.of([event for _, event in Ledger(path.parent / "ledger.sqlite").history()])


def test_a_draw_is_charged_once_and_lies_in_files_of_its_own(path: Path) -> None:
    first, second = release(path), release(path, draw=2)
    assert (second.path.name, second.manifest.name) == (
        "released-draw-2", "released-manifests-draw-2",
    )  # fmt: skip
    one, two = shown(first.path), shown(second.path)
    assert one.select(["office", "day"]) == two.select(["office", "day"])
    p = second.p["use"]
    out = [[cell is not None for cell in rows["use"].to_pylist()] for rows in (one, two)]
    first_out, both = sum(out[0]), sum(a and b for a, b in zip(*out, strict=True))
    # Of what one draw shows another shows p: their coins are independent.
    assert abs(both / first_out - p) < 5 * math.sqrt(p * (1 - p) / first_out)
    assert release(path, draw=2).again
    assert shown(second.path) == two
    exponents = [account(path).exposure(((),)).exponents()[name] for name in ("arrival", "use")]
    planned = first.event.mechanism.exponents()
    assert exponents == [2 * planned["arrival"], 2 * planned["use"]]
    (paper,) = second.manifest.glob("0.json")
    assert json.loads(paper.read_text())["coins"]["draw"] == 2
    again = reproduce(paper, path)
    assert again.differs == ()
    assert "draw" not in json.loads((first.manifest / "0.json").read_text())["coins"]


@pytest.mark.slow
def test_what_would_fit_is_said_and_fits(tmp_path: Path) -> None:
    path = building.project(tmp_path, SOME)
    adopt_plan(path)
    release(path)
    with pytest.raises(LimitExceeded, match="could grow") as refused:
        rehearse(path, draw=2)
    scale = float(refused.value.fits.rpartition("scale ")[2].removesuffix(")"))
    assert 0 < scale < 1
    release(path, scale, draw=2)
    with pytest.raises(LimitExceeded):
        release(path, draw=3)


@pytest.mark.slow
def test_draws_of_whole_records_do_not_fit_and_say_what_does(tmp_path: Path) -> None:
    path = building.project(tmp_path)
    adopt_plan(path)
    release(path)
    with pytest.raises(LimitExceeded, match=r'by = "cell" and a smaller \[plan\] odds_cap'):
        release(path, draw=2)
    assert not (tmp_path / "released-draw-2").exists()


@pytest.mark.slow
def test_rows_that_came_late_are_not_drawn_anew(path: Path) -> None:
    release(path)
    building.arrived(path.parent, 50)
    release(path)
    way = r"changed since it was first read; draw 2 .* ask for draws of an epoch before rows come"
    with pytest.raises(LimitExceeded, match=way):
        release(path, draw=2, epochs=["1"])
    assert release(path, draw=2, epochs=["0"]).epochs is not None


@pytest.mark.slow
def test_epochs_that_are_as_they_were_are_drawn_beside_those_that_are_not(path: Path) -> None:
    """The others are named; once more it is the same, free; what was drawn before takes late rows,
    too, in a draw of their own.
    """
    release(path)
    other = building.copied(path.parent, path.parent / "other")
    building.arrived(path.parent, 50)
    release(path)
    trial, done = rehearse(path, draw=2), release(path, draw=2)
    for found in (trial, done):
        assert found.epochs is not None
        assert (found.epochs.new, found.epochs.undrawn, found.epochs.left) == (("0",), ("1",), 0)
        (said,) = [line for line in found.warnings if "not drawn anew" in line]
        assert said.startswith("epoch 1: not drawn anew, since rows came late or changed")
    assert tuple(done.event.readings) == ("0",)
    assert [file.name for file in done.path.glob("*.parquet")] == ["0.parquet"]
    again = release(path, draw=2)
    assert again.again
    assert again.epochs is not None
    assert (again.epochs.undrawn, again.epochs.left) == (("1",), 1)
    release(other, draw=2)
    building.arrived(other.parent, 50)
    for draw in (1, 2):
        late = release(other, draw=draw).epochs
        assert late is not None
        assert (late.late, late.undrawn) == ({"1": 5 * 25}, ())


def test_what_is_said_of_a_unit_counts_every_draw(path: Path) -> None:
    """A cell is blank to whoever has two draws if it is in both: less often than in one."""
    first, second = release(path), release(path, draw=2)
    said = [
        [each.text for each in done.said.cautions if "One office" in each.text]
        for done in (first, second)
    ]
    ready = prepare(path)
    chances = [{n: 1 - (1 - p) ** draws for n, p in first.p.items()} for draws in (1, 2)]
    for (text,), p in zip(said, chances, strict=True):
        (expected,) = [
            each.unmeasured().text for each in ready.cautions(p) if "One office" in each.text
        ]
        assert text == expected
    assert said[0] != said[1]


@pytest.mark.slow
def test_a_curator_charges_a_draw_for_its_epochs_alone(path: Path) -> None:
    curator = Curator.of(path)
    given = curator.cells("lighting", Request())
    again = Request(epochs=("0",), draw=2)
    trial = curator.rehearse("lighting", again)
    assert (trial.new, trial.refused) == (("0",), None)
    other = curator.cells("lighting", again)
    assert other.charged == ("0",)
    assert other.rows != given.rows.slice(0, other.rows.num_rows)
    assert curator.cells("lighting", again).charged == ()
    assert curator.cells("lighting", Request(before=True, draw=2)).rows == other.rows
    assert [each.draw for each in curator.account("lighting")] == [1, 2]
    (_, event), *_ = curator.ledger.history()
    eps, lighting = event.mechanism.exponents()["arrival"], [("lighting",)]
    told = {}
    for day in ("0", "1"):
        (past,) = account(path).before(replace(event, readings={day: {}}, draw=9), lighting)
        told[day] = past.exponents()["arrival"]
    assert told == {"0": 2 * eps, "1": eps}

    def many() -> None:
        for draw in range(3, 20):
            curator.cells("lighting", Request(epochs=("0",), draw=draw))

    with pytest.raises(Refused, match=r"would fit|nothing more fits"):
        many()
    (odds,) = [each.odds for each in curator.standings() if each.about == "arrival"]
    assert odds is not None
    assert odds.odds <= 5.0 * (1 + 1e-9)


def lost(folder: Path) -> dict[Path, bytes]:
    """What key and ledger are kept in, taken away."""
    held = {folder / name: (folder / name).read_bytes() for name in OF_ONES_OWN}
    for each in held:
        each.unlink()
    return held


def test_what_a_draw_gave_out_is_not_forgotten_by_others(path: Path) -> None:
    """Neither a lost ledger nor an older one starts anew beside what lies there of any draw."""
    release(path, draw=2)
    held = lost(path.parent)
    for draw in (1, 3):
        with pytest.raises(InputError, match=r"draw-2.0\.json: was released, and ledger"):
            release(path, draw=draw)
    assert not (path.parent / "unspoken.key").exists()
    for each, content in held.items():
        each.write_bytes(content)
        each.chmod(0o600)
    backup(path, path.parent / "kept")
    release(path, draw=3)
    lost(path.parent)
    with pytest.raises(InputError, match=r"draw-3.0\.json: is of event 4, and ledger .* only 3"):
        restore(path.parent / "kept", path.parent)
    for each, content in held.items():
        each.write_bytes(content)
        each.chmod(0o600)
    for again in (partial(release, path), partial(query, path, COUNTED), partial(verified, path)):
        with pytest.raises(InputError, match=r"draw-3.0\.json: is of event 4"):
            again()


def test_what_an_application_was_given_is_looked_at_before_a_ledger_is_put_back(
    path: Path,
) -> None:
    backup(path, path.parent / "kept")
    release(path, reader="lighting")
    (head,) = {each.number for at, each in verified(path).recorded.items() if "light" in str(at)}
    assert head == verified(path).head.number
    lost(path.parent)
    with pytest.raises(InputError, match=r"released-manifests-lighting.0\.json: is of event 3"):
        restore(path.parent / "kept", path.parent)


@pytest.mark.slow
def test_what_an_application_was_given_is_not_forgotten_by_others(path: Path) -> None:
    """Whoever comes next finds that a ledger was there."""
    release(path, reader="lighting")
    lost(path.parent)
    (path.parent / "belief.json").unlink()
    told = r"released-manifests-lighting.0\.json: was released, and ledger"
    for again in (
        partial(release, path, reader="planning"),
        partial(query, path, COUNTED),
        partial(adopt_plan, path),
    ):
        with pytest.raises(InputError, match=told):
            again()
    assert not (path.parent / "unspoken.key").exists()


@pytest.mark.slow
def test_a_draw_that_is_written_is_not_said_to_be_gone(path: Path) -> None:
    one = '\n[output]\nrelease = "out.parquet"\nmanifest = "out.json"\n'
    path.write_text(path.read_text() + one)
    release(path)
    for given in ({"draw": 2}, {"reader": "lighting"}):
        done = release(path, **given)
        assert verified(path).warnings == ()
        done.path.unlink()
        (warning,) = verified(path).warnings
        assert warning.startswith(f"{done.path.name} is not there, and event ")
        release(path, **given)


@pytest.mark.slow
def test_naming_draws_keeps_nothing_of_them(path: Path) -> None:
    """A dry run is free, and a million draws have names."""
    curator = Curator.of(path)
    for draw in (1, 2, 3, 4):
        assert curator.rehearse("lighting", Request(draw=draw)).refused is None
    assert len(curator._asked) == 1
    many = Request(epochs=("0",), draw=40)
    for draw in range(2, 12):
        with suppress(Refused):
            curator.cells("lighting", replace(many, draw=draw))
    there = len(curator._seen)
    with pytest.raises(Refused):
        curator.cells("lighting", many)
    assert len(curator._seen) == there


@pytest.mark.slow
def test_over_http_and_in_a_terminal(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running(path) as up:
        planning = up.client("planning")
        assert planning.ask(epochs=["0"]).charged == ["0"]
        assert planning.ask(epochs=["0"], draw=2).charged == ["0"]
        assert planning.ask(epochs=["0"], draw=2).charged == []
        assert [each.get("draw", 1) for each in planning.account()] == [1, 2]
    assert run(["release", "--for", "lighting", "--draw", "2", str(path)]) == 0
    assert (path.parent / "released-lighting-draw-2").is_dir()
    capsys.readouterr()
    assert run(["ledger", str(path)]) == 0
    assert "draw\N{NO-BREAK SPACE}2" in capsys.readouterr().out


@pytest.mark.parametrize("draw", [0, -1, 1.5, True, 10**7])
def test_draws_that_are_none(path: Path, draw: int) -> None:
    with pytest.raises(InputError, match=r"draw .*: is which of several, from 1 to"):
        release(path, draw=draw)


def test_an_application_is_not_called_as_files_of_a_draw_are(path: Path) -> None:
    path.write_text(path.read_text().replace("application.planning", "application.lighting-draw-2"))
    with pytest.raises(InputError, match="give it a plain name"):
        Project.read(path).serving("lighting-draw-2")
