"""Names of files: what one purpose has, no other may be given."""

from __future__ import annotations

from pathlib import Path

import pytest

from unspoken.core.errors import InputError
from unspoken.tables.policy import Project

TEXT = """\
format = 1
[source]
table = "t.parquet"
keys = ["id"]
[epoch]
label = "1"
[attribute.a]
values = ["x", "y"]
[application.all]
reads = ["a"]
[limit]
limit_bits = 1.0
[secret]
key = "{key}"
ledger = "{ledger}"
[output]
release = "{release}"
manifest = "{manifest}"
report = "{report}"
"""
USUAL = {
    "key": "unspoken.key", "ledger": "ledger.sqlite", "release": "released.parquet",
    "manifest": "released.manifest.json", "report": "report.html",
}  # fmt: skip


def read(folder: Path, **names: str) -> Project:
    return Project.parse(TEXT.format(**{**USUAL, **names}), folder / "unspoken.toml")


def test_usual_names_are_taken(tmp_path: Path) -> None:
    assert read(tmp_path).files.release == tmp_path / "released.parquet"
    assert read(tmp_path, report="Page.HTM", manifest="PAPER.JSON").files.report.name == "Page.HTM"


@pytest.mark.parametrize(
    ("names", "kept"),
    [
        ({"key": ".released.parquet.partial"}, "output.release"),
        ({"ledger": ".released.parquet.partial"}, "output.release"),
        ({"ledger": ".report.html.partial"}, "output.report"),
        ({"key": ".ledger.sqlite.partial"}, "secret.ledger"),
        ({"ledger": "unspoken.key.head"}, "secret.key"),
        ({"ledger": "Unspoken.KEY.head"}, "secret.key"),
        ({"ledger": ".unspoken.key.partial"}, "secret.key"),
        ({"key": "ledger.sqlite-wal"}, "secret.ledger"),
        ({"manifest": "ledger.sqlite-wal"}, "secret.ledger"),
        ({"key": "./x/../ledger.sqlite-journal"}, "secret.ledger"),
        ({"ledger": "l.json", "key": "l.json-shm"}, "secret.ledger"),
        ({"key": "k.json", "ledger": "k.json.head"}, "secret.key"),
    ],
)
def test_what_is_kept_beside_a_file_is_no_other(
    names: dict[str, str], kept: str, tmp_path: Path
) -> None:
    """A release would write over the key, SQLite would delete a manifest."""
    with pytest.raises(InputError, match=f"is the same file as one that is kept beside {kept}"):
        read(tmp_path, **names)


def test_letter_case_makes_no_other_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"secret\.ledger: is the same file as secret\.key"):
        read(tmp_path, key="secret", ledger="SECRET")


@pytest.mark.parametrize("ledger", ["here/unspoken.key.head", "ledger", "here/ledger"])
def test_a_link_is_what_it_points_to(ledger: str, tmp_path: Path) -> None:
    (tmp_path / "here").symlink_to(tmp_path)
    (tmp_path / "ledger").symlink_to("unspoken.key.head")
    with pytest.raises(
        InputError, match=r"is the same file as one that is kept beside secret\.key"
    ):
        read(tmp_path, ledger=ledger)


@pytest.mark.parametrize(
    ("what", "name"),
    [
        ("key", ".unspoken/key"),
        ("ledger", "x/../.unspoken/l.sqlite"),
        ("report", ".UNSPOKEN/a/b.html"),
        ("manifest", "here/.unspoken/m.json"),
        ("ledger", ".unspoken"),
    ],
)
def test_the_folder_of_counts_is_for_counts(what: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "here").symlink_to(tmp_path)
    with pytest.raises(InputError, match=rf"{what}: is in \.unspoken, which is for counts"):
        read(tmp_path, **{what: name})
    assert read(tmp_path, report=".unspoken.html").files.report.name == ".unspoken.html"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ({"release": "released.csv"}, r'release: must end in \.parquet.*release = "released\.pa'),
        ({"manifest": "thesis.docx"}, r'manifest: must end in \.json.*manifest = "released\.man'),
        ({"report": "main.py"}, r'report: must end in \.html.*report = "report\.html"'),
    ],
)
def test_a_file_ends_as_what_it_is(names: dict[str, str], said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        read(tmp_path, **names)


def test_a_ledger_may_be_at_an_address(tmp_path: Path) -> None:
    address = "postgresql://curator:geheim@db.example.org/privacy?options=-csearch_path%3Dledger"
    files = read(tmp_path, ledger=address).files
    assert files.charged == address
    assert files.ledger == tmp_path / "unspoken.key.ledger"
    assert "geheim" not in repr(files)
    usual = read(tmp_path).files
    assert usual.charged == usual.ledger == tmp_path / "ledger.sqlite"


@pytest.mark.parametrize(
    "address", ["mysql://u:geheim@h/d", "s3://bucket/geheim", "postgresql://u:ge heim@h/d"]
)
def test_no_other_address_is(address: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"secret\.ledger: is an address") as refusal:
        read(tmp_path, ledger=address)
    assert "heim" not in str(refusal.value)
