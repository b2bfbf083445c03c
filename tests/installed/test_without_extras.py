"""What an installation without any extra does: all but reports, pictures and the service.

The extras are made impossible to import, so that this means the same wherever they are installed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.installed.conftest import Ended, run_program

pytestmark = pytest.mark.slow

WITHOUT_EXTRAS = """
import sys
absent = sys.argv.pop(1).split(",")
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in absent:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
from unspoken.__main__ import main
main()
"""
# What the extras and the tests bring, and nothing else.
EXTRAS = "fastapi,jinja2,markupsafe,pandas,polars,psycopg,pyspark,starlette,uvicorn,vl_convert"


def unspoken(folder: Path, *arguments: object) -> Ended:
    """Run `unspoken` where no extra can be imported."""
    return run_program(folder, sys.executable, "-c", WITHOUT_EXTRAS, EXTRAS, *arguments)


def test_the_demo_does_all_but_the_report(tmp_path: Path) -> None:
    ended = unspoken(tmp_path, "demo", "demo", "--offices", 40, "--days", 60)
    assert (ended.code, ended.errors) == (0, ""), ended
    words = " ".join(ended.output.split())
    assert "Report: not written" in words
    assert "pip install 'unspoken[report]'" in words
    assert any((tmp_path / "demo/released").iterdir())
    for command in ("check", "leak", "plan", "release", "ledger", "audit"):
        again = unspoken(tmp_path, command, "demo", "--json")
        assert again.code == 0, again
        assert again.json["unspoken"] == command


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        (["report"], "report"),
        (["audit", "--catalogue", "--page", "attacks.html"], "report"),
        (["serve"], "service"),
    ],
)
def test_what_needs_an_extra_names_it(command: list[str], extra: str, tmp_path: Path) -> None:
    ended = unspoken(tmp_path, *command)
    assert (ended.code, ended.output) == (2, "")
    assert f"pip install 'unspoken[{extra}]'" in ended.errors
    assert ended.errors.count("\n") == 1
