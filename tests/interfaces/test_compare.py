"""`unspoken case` with all rules side by side: table, JSON, and the picture."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interfaces.conftest import Run
from unspoken.interfaces import images
from unspoken.noise.comparing import RULES

pytestmark = pytest.mark.slow

CASE = """
[belief]
kind = "chain"
start = [0.5, 0.5]
step = [[0.9, 0.1], [0.1, 0.9]]
length = 4

[ask]
compare = { limit = 1.0 }
"""


@pytest.fixture
def case(folder: Path) -> Path:
    path = folder / "case.toml"
    path.write_text(CASE, "utf-8")
    return path


def test_a_table_that_fits_a_terminal(run: Run, case: Path) -> None:
    shown = run("case", case)
    assert shown.code == 0
    assert all(len(line) <= 80 for line in shown.out.splitlines())
    for name, rule in RULES.items():
        assert f"  {name} " in shown.out
        assert rule.why[:20] in shown.out or name in ("bdp_gaussian", "bdp_markov", "influence")


def test_json(run: Run, case: Path) -> None:
    told = run("case", case, "--json").json["compare"]
    assert {row["rule"] for row in told["rules"]} == set(RULES)
    for row in told["rules"]:
        assert row["expected_error"] == row["scale"]
        if row["sound"] and row["scale"] is not None:
            assert row["leakage"]["value"] <= 1 + 1e-12


@pytest.mark.parametrize("kind", sorted(images.KINDS))
def test_a_picture_beside_the_table(run: Run, case: Path, folder: Path, kind: str) -> None:
    pytest.importorskip("vl_convert", reason="needs the extra `report`: vl-convert-python")
    before = set(folder.iterdir())
    assert run("case", case, "--picture", folder / f"noise{kind}").code == 0
    (made,) = set(folder.iterdir()) - before
    assert made.read_bytes().startswith((b"\x89PNG", b"<svg"))


def test_a_picture_that_cannot_be_written_is_refused_before_anything_else(
    run: Run, case: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("case", case, "--picture", folder / "noise.gif").refused_with(
        2, "noise.gif", ".png", ".svg"
    )
    case.write_text(CASE.replace("compare", "calibrate"), "utf-8")
    run("case", case, "--picture", folder / "noise.png").refused_with(2, "case.toml", "compare")
    case.write_text(CASE, "utf-8")
    monkeypatch.setattr(images, "vl_convert", None)
    run("case", case, "--picture", folder / "noise.png").refused_with(2, "unspoken[report]")


def test_mistakes_are_one_line(run: Run, case: Path) -> None:
    for wrong, says in (
        ("compare = { limit = 0 }", "more than 0"),
        ('compare = { limit = 1.0, knows = "all" }', "compare.knows"),
        ("compare = 1.0", "a table"),
        ("compare = { limit = 1.0, methods = 2 }", "methods"),
    ):
        case.write_text(CASE.replace("compare = { limit = 1.0 }", wrong), "utf-8")
        run("case", case).refused_with(2, "case.toml", says)
