"""What needs an extra that is not installed is refused before any work is done for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interfaces.conftest import Run

MISSING_MODULES = [
    ("unspoken.interfaces.images", "vl_convert"),
    ("unspoken.interfaces.report.page", "jinja2"),
]


@pytest.mark.parametrize(("module", "name"), MISSING_MODULES)
@pytest.mark.parametrize(
    "arguments",
    [
        ("report",),
        ("report", "--json"),
        ("audit", "--page", "attacks.html"),
        ("audit", "--catalogue", "--page", "attacks.html"),
    ],
    ids=" ".join,
)
def test_a_page_is_refused_before_the_table_is_read(
    module: str,
    name: str,
    arguments: tuple[str, ...],
    run: Run,
    edited: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Path("occupancy.parquet").unlink()  # whoever reads it would say that it is not there
    monkeypatch.setattr(f"{module}.{name}", None)
    done = run(*arguments)
    assert done.code == 2
    assert "pip install 'unspoken[report]'" in done.err
    assert done.err.count("\n") == 1
    assert not Path("unspoken.key").exists()


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("unspoken.interfaces.service.app", "fastapi"),
        ("unspoken.interfaces.service.running", "uvicorn"),
    ],
)
def test_a_service_is_refused_before_the_project_is_opened(
    module: str, name: str, run: Run, edited: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{module}.{name}", None)
    run("serve").refused_with(2, "pip install 'unspoken[service]'")
