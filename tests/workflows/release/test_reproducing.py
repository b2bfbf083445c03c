"""A release is had again, to the byte, from ledger, key and source; or what differs is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.workflows.release.small import small
from unspoken.core.errors import InputError
from unspoken.interfaces.command_line.cli import run
from unspoken.workflows.release import release
from unspoken.workflows.release.reproducing import Reproduced, reproduce_all

ATTRIBUTES: dict[str, dict[str, Any]] = {
    "a": {"values": [0, 1], "sensitive": "a = 1"},
    "b": {"values": [0, 1]},
}


def reproduce(manifest: Path, project: Path) -> Reproduced:
    """Of one manifest."""
    ((_, found),) = reproduce_all([manifest], project)
    return found


def table(changed: int = 0) -> pa.Table:
    """200 rows, of which one may be another."""
    a = [n % 2 for n in range(200)]
    return pa.table(
        {"id": range(200), "a": [*a[:-1], a[-1] ^ changed], "b": [n % 3 % 2 for n in a]}
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = small(tmp_path, table(), ATTRIBUTES, odds_cap=3.0)
    release(path)
    return path


@pytest.mark.slow
def test_the_same_bytes(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = path.with_name("released.manifest.json")
    (path.parent / "released.parquet").rename(path.parent / "away.parquet")
    found = reproduce(manifest, path)
    assert found.differs == ()
    assert (found.number, found.rows) == (1, 200)
    assert found.sha256 == json.loads(manifest.read_text())["release"]["sha256"]
    assert run(["verify", str(manifest), str(path)]) == 0
    assert "event 1 gives the same 200 rows again, to the byte" in capsys.readouterr().err
    assert run(["verify", str(manifest), str(path), "--json"]) == 0
    same = {"manifest": str(manifest), "event": 1, "rows": 200, "sha256": found.sha256}
    assert json.loads(capsys.readouterr().out)["reproduced"] == [{**same, "unchecked": []}]


def test_a_changed_source_is_named(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small(path.parent, table(changed=1), ATTRIBUTES, odds_cap=3.0)
    manifest = path.with_name("released.manifest.json")
    found = reproduce(manifest, path)
    assert found.differs[0] == "the source of a in epoch 1 is not what was read then"
    assert not any("of b in" in each for each in found.differs)
    assert run(["verify", str(manifest), str(path)]) == 2
    assert "is not reproduced: the source of a in epoch 1" in capsys.readouterr().err


@pytest.mark.slow
def test_a_changed_manifest_is_named(path: Path) -> None:
    manifest = path.with_name("released.manifest.json")
    paper = json.loads(manifest.read_text())
    other = path.with_name("other.json")
    other.write_text(json.dumps({**paper, "release": {**paper["release"], "rows": 7}}))
    said = "release.rows: the manifest has 7, and it should have 200"
    assert reproduce(other, path).differs == (said,)
    other.write_text(json.dumps({**paper, "charge": {**paper["charge"], "number": 7}}))
    with pytest.raises(InputError, match=r"other\.json: is of event 7, and ledger .* has only 1"):
        reproduce(other, path)
    other.write_text("{}")
    with pytest.raises(InputError, match="is no manifest that unspoken wrote"):
        reproduce(other, path)
    with pytest.raises(InputError, match="cannot be read: No such file"):
        reproduce(path.with_name("none.json"), path)


def months(late: int = 0, gone: int = 0, changed: int = 0) -> pa.Table:
    """Two epochs of 100 rows; of the first ``late`` more, ``gone`` less, one changed."""
    ids = [*range(gone, 200), *range(1_000, 1_000 + late)]
    a = [n % 2 for n in ids]
    month = [n // 100 if n < 1_000 else 0 for n in ids]
    return pa.table(
        {"id": ids, "month": month, "a": [a[0] ^ changed, *a[1:]], "b": [n % 3 % 2 for n in ids]}
    )


def by_epoch(folder: Path, rows: pa.Table) -> Path:
    keys, epoch = ["id", "month"], 'of = "month"'
    return small(folder, rows, ATTRIBUTES, odds_cap=3.0, keys=keys, epoch=epoch)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two epochs, and rows that came late to the first."""
    release(by_epoch(tmp_path, months()))
    release(by_epoch(tmp_path, months(late=30)))
    return tmp_path


@pytest.mark.slow
def test_each_file_of_many(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    papers = sorted((folder / "released-manifests").iterdir())
    assert [paper.name for paper in papers] == ["0.2.json", "0.json", "1.json"]
    for paper, (number, rows) in zip(papers, [(2, 30), (1, 100), (1, 100)], strict=True):
        found = reproduce(paper, folder)
        assert (found.number, found.rows, found.differs) == (number, rows, ())
        assert found.sha256 == json.loads(paper.read_text())["release"]["sha256"]
    assert run(["verify", str(folder / "released-manifests"), str(folder)]) == 0
    assert capsys.readouterr().err.count("to the byte") == 3
    assert run(["verify", str(folder / "released"), str(folder)]) == 2
    assert "has no manifest in it" in capsys.readouterr().err


@pytest.mark.slow
def test_a_changed_row_is_of_one_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    by_epoch(folder, months(late=30, changed=1))
    assert run(["verify", str(folder / "released-manifests"), str(folder)]) == 2
    said = capsys.readouterr().err
    assert said.count("to the byte") == 2
    assert "0.json: is not reproduced: the source of a in epoch 0 is not what was read" in said


@pytest.mark.slow
def test_rows_that_are_gone_and_what_was_first_read_lost(folder: Path) -> None:
    papers = sorted((folder / "released-manifests").iterdir())
    by_epoch(folder, months(gone=1, late=30))
    assert reproduce(papers[0], folder).differs == ()
    said = "release.rows: the manifest has 100, and it should have 99"
    assert said in reproduce(papers[1], folder).differs
    by_epoch(folder, months(late=30).slice(100))  # of the first epoch none but those that came late
    assert reproduce(papers[1], folder).differs == ("of epoch 0 no row is there any more",)
    assert reproduce(papers[2], folder).differs == ()
    by_epoch(folder, months(late=30))
    for file in (folder / "ledger.sqlite.first").iterdir():
        file.unlink()
    assert reproduce(papers[2], folder).differs == ()  # nothing came late to it
    said = "release.rows: the manifest has 100, and it should have 130"
    assert said in reproduce(papers[1], folder).differs


@pytest.mark.slow
def test_the_manifest_of_another_epoch(folder: Path) -> None:
    papers = sorted((folder / "released-manifests").iterdir())
    paper = json.loads(papers[2].read_text())
    other = folder / "other.json"
    other.write_text(json.dumps({**paper, "readings": {"7": paper["readings"]["1"]}}))
    with pytest.raises(InputError, match="is of epoch 7, and its event of the ledger is not"):
        reproduce(other, folder)
