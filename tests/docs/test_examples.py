"""Every example runs on its own, in a fresh Python, and has something to say."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.within import HANG

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
THEOREMS = sorted((ROOT / "docs" / "theorems").glob("*.md"))


def run(example: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script, warnings being errors, from a folder of its own."""
    return subprocess.run(
        [sys.executable, "-W", "error", str(example)],
        cwd=folder,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.stem)
def test_example_runs(example: Path, tmp_path: Path) -> None:
    done = run(example, tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip()
    assert not done.stderr
    assert not any(tmp_path.iterdir()), "an example leaves no files behind"


def test_every_theorem_has_its_example() -> None:
    pages = {page.stem.replace("-", "_") for page in THEOREMS if page.stem != "README"}
    assert pages
    assert pages <= {example.stem for example in EXAMPLES}


def test_a_failing_example_is_found(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("import warnings\nwarnings.warn('old')\n")
    done = run(broken, tmp_path)
    assert done.returncode != 0
    assert "old" in done.stderr
