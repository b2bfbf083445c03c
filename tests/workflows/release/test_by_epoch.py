"""A folder with a file for each epoch: old ones are left alone, what came late is added."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.project_copies import copy_project
from tests.workflows.release.small import small
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.storage.custody.custody import verified
from unspoken.storage.ledger import Ledger
from unspoken.storage.rows.outputs import output_of
from unspoken.tables.policy import Project
from unspoken.workflows.release import rehearse, release

ATTRIBUTES: dict[str, dict[str, Any]] = {
    "a": {"values": ["x", "y", "z"], "sensitive": "a = 'z'"},
    "b": {"values": ["u", "v"]},
}
MONTHS = 'of = "substr(day, 1, 7)"'

Row = dict[str, Any]


def months(*numbers: int) -> list[Row]:
    """Rows of these months, 60 of each."""
    return [
        {"id": i, "day": f"2026-{month:02d}-{1 + i % 28:02d}", "a": "xyz"[i * month % 3 % 3],
         "b": "uv"[i % 7 % 2]}
        for month in numbers
        for i in range(60)
    ]  # fmt: skip


def project(folder: Path, rows: list[Row], **more: Any) -> Path:
    return small(
        folder, pa.Table.from_pylist(rows), ATTRIBUTES, keys=("id", "day"),
        **{"epoch": MONTHS, **more},
    )  # fmt: skip


@pytest.fixture(scope="module")
def folder_of_january(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a project of which one month was released."""
    folder = tmp_path_factory.mktemp("january")
    release(project(folder, months(1)))
    return folder


@pytest.fixture
def january(folder_of_january: Path, tmp_path: Path) -> Path:
    return copy_project(folder_of_january, tmp_path)


def files(path: Path) -> dict[str, bytes]:
    """What lies in the folders that are handed on."""
    found = [*path.parent.glob("released*/*")]
    return {f"{file.parent.name}/{file.name}": file.read_bytes() for file in found}


def charges(path: Path) -> int:
    return len(Ledger(path.parent / "ledger.sqlite").events())


def keys(file: Path) -> set[tuple[int, str]]:
    table = pq.read_table(file)
    return set(zip(table["id"].to_pylist(), table["day"].to_pylist(), strict=True))


def test_months_that_arrive_one_by_one(tmp_path: Path) -> None:
    """With a row that comes late, and a record that was changed: all but that goes through."""
    first = release(project(tmp_path, months(1)))
    assert (first.rows, first.path) == (60, tmp_path / "released")
    january = files(tmp_path / "unspoken.toml")
    assert set(january) == {"released/2026-01.parquet", "released-manifests/2026-01.json"}
    late = {"id": 1_000, "day": "2026-01-30", "a": "x", "b": "u"}
    rows = [*months(1, 2), late]
    rows[3] = {**rows[3], "a": "y" if rows[3]["a"] != "y" else "x"}
    second = release(project(tmp_path, rows))
    assert second.rows == 61
    assert second.epochs is not None
    assert (second.epochs.new, dict(second.epochs.late)) == (("2026-02",), {"2026-01": 1})
    assert dict(second.epochs.changed) == {"2026-01": 1}
    (refused,) = second.epochs.refused()
    assert refused.startswith("epoch 2026-01: 1 record changed since first read")
    now = files(tmp_path / "unspoken.toml")
    assert {name: now[name] for name in january} == january  # not written again, bit for bit
    assert keys(tmp_path / "released" / "2026-01.2.parquet") == {(1_000, "2026-01-30")}
    assert "changed" not in json.dumps([json.loads(now[n]) for n in now if n.endswith("json")])
    assert charges(second.path) == 2
    third = release(project(tmp_path, [*rows, *months(3)]))
    assert third.rows == 60
    assert third.epochs is not None
    assert (third.epochs.late, dict(third.epochs.changed)) == ({}, {"2026-01": 1})
    assert pq.read_table(tmp_path / "released").num_rows == 181
    assert third.to_arrow().num_rows == 181


@pytest.mark.slow
def test_nothing_new_costs_nothing(tmp_path: Path) -> None:
    path = project(tmp_path, months(1, 2))
    release(path)
    before = {file: file.stat().st_mtime_ns for file in (tmp_path / "released").iterdir()}
    again = release(path)
    assert (again.again, again.rows, charges(path)) == (True, 0, 1)
    assert {file: file.stat().st_mtime_ns for file in (tmp_path / "released").iterdir()} == before


@pytest.mark.slow
def test_a_changed_record_alone_is_said_each_time(tmp_path: Path, january: Path) -> None:
    """What was given out stays as it is, and nobody has to do anything."""
    rows = months(1)
    for row in rows[:2]:
        row["b"] = "v" if row["b"] == "u" else "u"
    path = project(tmp_path, rows)
    before = files(path)
    for done in (release(path), rehearse(path), release(path)):
        assert any("epoch 2026-01: 2 records changed since first" in w for w in done.warnings)
    assert files(path) == before
    assert charges(path) == 1


@pytest.mark.slow
def test_what_becomes_sensitive_is_a_change(tmp_path: Path, january: Path) -> None:
    stricter = {**ATTRIBUTES, "a": {**ATTRIBUTES["a"], "sensitive": "a in ('y', 'z')"}}
    path = small(
        tmp_path, pa.Table.from_pylist(months(1)), stricter, keys=("id", "day"), epoch=MONTHS
    )
    count = sum(row["a"] == "y" for row in months(1))
    before = files(path)
    (said,) = release(path).warnings
    assert said.startswith(f"epoch 2026-01: {count} records changed")
    assert files(path) == before


@pytest.mark.slow
def test_rows_that_are_gone_stay_out(tmp_path: Path, january: Path) -> None:
    before = files(tmp_path / "unspoken.toml")
    done = release(project(tmp_path, months(1, 2)[5:]))
    assert done.epochs is not None
    assert dict(done.epochs.gone) == {"2026-01": 5}
    assert "5 rows of 2026-01 not in the source any more" in str(done)
    assert before.items() <= files(tmp_path / "unspoken.toml").items()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["released/2026-01.parquet", "released-manifests/2026-01.2.json"])
def test_a_file_that_is_gone_is_written_again(name: str, tmp_path: Path, january: Path) -> None:
    late = {"id": 7_000, "day": "2026-01-30", "a": "y", "b": "v"}
    path = project(tmp_path, [*months(1), late])
    release(path)
    before = files(path)
    (tmp_path / name).unlink()
    again = release(path)
    assert files(path) == before
    assert (charges(path), again.again) == (2, True)
    assert again.epochs is not None
    assert again.epochs.again == ("2026-01",)
    assert verified(path).head.number == 2


@pytest.mark.slow
def test_late_rows_come_again_and_again(tmp_path: Path, january: Path) -> None:
    """Each time a file with those alone, and the epoch is compared with all that it had."""
    rows = months(1)
    for number in (2, 3):
        rows = [*rows, {"id": 1_000 * number, "day": "2026-01-02", "a": "x", "b": "u"}]
        assert release(project(tmp_path, rows)).rows == 1
        assert keys(tmp_path / f"released/2026-01.{number}.parquet") == {
            (1_000 * number, "2026-01-02")
        }
        assert release(project(tmp_path, rows)).again
    rows[-1]["b"] = "v"
    (said,) = release(project(tmp_path, rows)).warnings
    assert "1 record changed" in said


def test_without_what_was_first_read_nothing_that_differs_is_released(
    tmp_path: Path, january: Path
) -> None:
    (kept,) = (tmp_path / "ledger.sqlite.first").iterdir()
    whole = kept.read_bytes()
    late = {"id": 7_000, "day": "2026-01-30", "a": "y", "b": "v"}
    path = project(tmp_path, [*months(1), late])
    middle = len(whole) // 2
    wrong = bytes([whole[middle] ^ 1])
    for broken in (None, b"", whole[:middle], whole[:middle] + wrong + whole[middle + 1 :]):
        kept.unlink() if broken is None else kept.write_bytes(broken)
        with pytest.raises(LimitExceeded, match=f"epoch 2026-01: .*{kept.name} is not there, or"):
            release(path)
    assert charges(path) == 1
    kept.write_bytes(whole)
    assert release(path).rows == 1


@pytest.mark.slow
def test_what_was_first_read_is_made_again_while_nothing_differs(
    tmp_path: Path, january: Path
) -> None:
    path = january
    (kept,) = (tmp_path / "ledger.sqlite.first").iterdir()
    whole = kept.read_bytes()
    kept.unlink()
    release(path)
    assert kept.read_bytes() == whole
    assert kept.stat().st_mode & 0o077 == 0


@pytest.mark.slow
def test_a_file_of_all_epochs_is_moved_to_a_folder(tmp_path: Path) -> None:
    """What was released into one file stands as it was charged; its rows are written again."""
    output = '\n[output]\nrelease = "all.parquet"\nmanifest = "all.json"\n'
    path = project(tmp_path, months(1, 2))
    path.write_text(path.read_text() + output)
    whole = release(path)
    assert whole.rows == 120
    late = {"id": 7_000, "day": "2026-01-30", "a": "y", "b": "v"}
    path = project(tmp_path, [*months(1, 2, 3), late])
    path.write_text(path.read_text() + output)
    with pytest.raises(LimitExceeded, match=r"changed since it was first read.*\[output\] release"):
        release(path)
    done = release(project(tmp_path, months(1, 2)))
    assert (done.again, done.rows, charges(path)) == (True, 120, 1)
    order = [("id", "ascending"), ("day", "ascending")]
    assert done.to_arrow().sort_by(order).equals(whole.to_arrow())
    assert release(project(tmp_path, [*months(1, 2, 3), late])).rows == 61


@pytest.mark.parametrize(
    ("epoch", "stem"),
    [
        ("2026-Q1", "2026-Q1"),
        ("../x", "%2E%2E%2Fx"),
        (".", "%2E"),
        ("", "%"),
        ("CON", "%43ON"),
        ("_é/", "%5F%C3%A9%2F"),
        ("a\\b:c\n", "a%5Cb%3Ac%0A"),
        ("2026-01.2", "2026-01%2E2"),
        ("50%", "50%25"),
    ],
)
def test_names_of_epochs_are_names_of_files(epoch: str, stem: str, tmp_path: Path) -> None:
    own = Project.read(project(tmp_path, months(1))).files
    first, second = output_of(own, epoch), output_of(own, epoch, 2)
    assert first == (own.release / f"{stem}.parquet", own.manifest / f"{stem}.json")
    assert second == (own.release / f"{stem}.2.parquet", own.manifest / f"{stem}.2.json")


def test_long_names_are_cut_and_stay_different(tmp_path: Path) -> None:
    own = Project.read(project(tmp_path, months(1))).files
    stems = {output_of(own, "é" * n).release.name for n in range(30, 400)}
    assert len(stems) == 370
    assert max(map(len, stems)) < 200


@pytest.mark.slow
@pytest.mark.parametrize("sql", ["CAST(day AS DATE)", "id / 30", "CAST(day AS TIMESTAMP)"])
def test_epochs_of_other_types_are_read_by_themselves(sql: str, tmp_path: Path) -> None:
    done = release(project(tmp_path, months(1, 2), epoch=f'of = "{sql}"'))
    found = list((tmp_path / "released").iterdir())
    assert done.epochs is not None
    assert len(found) == len(done.epochs.new) > 1
    assert sum(pq.read_metadata(file).num_rows for file in found) == 120
    late = {"id": 30, "day": "2026-01-01", "a": "x", "b": "u"}
    assert release(project(tmp_path, [*months(1, 2), late], epoch=f'of = "{sql}"')).rows == 1


def test_two_epochs_never_share_a_file(tmp_path: Path) -> None:
    path = project(tmp_path, months(1), epoch="of = \"CASE WHEN id < 9 THEN 'a' ELSE 'A' END\"")
    with pytest.raises(InputError, match=r'epoch\.of: names one epoch "[aA]" and another'):
        release(path)
    assert charges(path) == 0
    assert files(path) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["released/2026-02.parquet", "released-manifests/2026-02.json"])
@pytest.mark.parametrize("folder", [True, False])
def test_what_is_not_ours_costs_nothing(name: str, folder: bool, tmp_path: Path) -> None:
    path = project(tmp_path, months(1, 2))
    (tmp_path / name).parent.mkdir()
    (tmp_path / name).mkdir() if folder else (tmp_path / name).write_text("notes")
    with pytest.raises(InputError, match=Path(name).name):
        release(path)
    assert charges(path) == 0
    assert sum(file.is_file() for file in tmp_path.glob("released*/*")) == (not folder)


@pytest.mark.slow
def test_a_ledger_put_back_is_found_out_by_any_of_the_files(tmp_path: Path, january: Path) -> None:
    old = {n: (tmp_path / n).read_bytes() for n in ("ledger.sqlite", "unspoken.key.head")}
    path = project(tmp_path, months(1, 2))
    release(path)
    assert len(verified(path).recorded) == 3
    for name, content in old.items():
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=r"2026-02\.json: is of event 2, .*has only 1"):
        release(path)


@pytest.mark.slow
def test_an_epoch_without_any_row_is_said(tmp_path: Path) -> None:
    """Of a table that was put back to an older copy nothing is new, and somebody has to notice."""
    release(project(tmp_path, months(1, 2, 3)))
    path = project(tmp_path, months(1))
    said = "no row of 2026-02, 2026-03 in the source any more: what is out stays"
    for done in (rehearse(path), release(path)):
        assert done.epochs is not None
        assert said in done.epochs.said()
    one = release(path, epochs=["2026-01"]).epochs
    assert one is not None
    assert one.said() == ["none new, 1 left as they were"]
    back = release(project(tmp_path, months(1, 2, 3))).epochs
    assert back is not None
    assert back.said() == ["none new, 3 left as they were"]
