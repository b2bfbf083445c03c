"""The page for those who sign, in a browser: on a telephone nothing is beside what is seen."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.servers.conftest import needed
from tests.tables.engines.test_protocol import ATTRIBUTES, KEYS, rows
from tests.within import HANG
from tests.workflows.release.small import small
from unspoken.interfaces.report.page import write_report
from unspoken.workflows.release import prepare

PHONE = 400  # pixels; a window of Chromium is wider, so the page stands in a frame
FRAME = """<iframe width={width} height=900 srcdoc="{page}"
 onload="const seen = this.contentDocument.documentElement;
 const pictures = seen.querySelectorAll('svg, img').length;
 document.title = [seen.scrollWidth, seen.clientWidth, pictures]">"""


@pytest.fixture
def browser() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    needed(found, "chromium")
    return str(found)


def test_the_page_needs_no_wider_screen(browser: str, tmp_path: Path) -> None:
    asked = small(tmp_path, rows(), ATTRIBUTES, keys=KEYS, odds_cap=4.0)
    write_report(prepare(asked).findings(), tmp_path / "report.html")
    page = html.escape((tmp_path / "report.html").read_text("utf-8"))
    (tmp_path / "frame.html").write_text(FRAME.format(width=PHONE, page=page), "utf-8")
    alone = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'own'}"]
    shown = subprocess.run(
        [browser, *alone, "--dump-dom", (tmp_path / "frame.html").as_uri()],
        capture_output=True, text=True, timeout=HANG, check=True,
    )  # fmt: skip
    found = re.search(r"<title>(\d+),(\d+),(\d+)</title>", shown.stdout)
    assert found is not None, shown.stderr[-500:]
    wide, seen, pictures = map(int, found.groups())
    assert wide == seen <= PHONE
    assert pictures > 0
