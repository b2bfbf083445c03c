"""The dashboard in a browser: nothing comes from elsewhere, nothing is wider than a telephone."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.interfaces.test_dashboard import NAMES, pages
from tests.servers.conftest import needed
from tests.within import HANG

PHONE = 400
# What a page loads beside itself, and how wide it is; a page may scroll within a part of it.
LOOKED = """<iframe width={width} height=900 srcdoc="{page}" onload="
 const seen = this.contentDocument, all = this.contentWindow.performance;
 const tabs = [...seen.querySelectorAll('a, button, input:not([type=hidden]), textarea')];
 const reached = tabs.filter(each => {{ each.focus(); return seen.activeElement === each; }});
 document.title = [seen.documentElement.scrollWidth, seen.documentElement.clientWidth,
  all.getEntriesByType('resource').length, tabs.length, reached.length]">"""


@pytest.mark.parametrize("name", NAMES)
def test_pages_in_a_browser(name: str, tmp_path: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    needed(browser, "chromium")
    page = html.escape(pages()[name])
    (tmp_path / "frame.html").write_text(LOOKED.format(width=PHONE, page=page), "utf-8")
    own = f"--user-data-dir={tmp_path / 'own'}"
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", own]
    address = (tmp_path / "frame.html").as_uri()
    shown = subprocess.run(
        [str(browser), *options, "--disable-background-networking", "--enable-logging=stderr",
         "--dump-dom", address],
        capture_output=True, text=True, timeout=HANG, check=True,
    )  # fmt: skip
    found = re.search(r"<title>([\d,]+)</title>", shown.stdout)
    assert found is not None, shown.stderr[-500:]
    wide, seen, loaded, tabs, reached = map(int, found[1].split(","))
    assert wide == seen <= PHONE
    assert loaded == 0
    assert tabs == reached > 1
    assert "CONSOLE" not in shown.stderr
