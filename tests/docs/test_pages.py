"""What the pages show is what the code does: their Python runs, their links lead somewhere."""

import doctest
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "studies/README.md"])
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)#:\s]+)(#[^)\s]*)?\)")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def dead_links(page: Path) -> list[str]:
    """Links to files that are not there; what has a scheme (https:) is not looked at."""
    links = [match.group(1) for match in LINK.finditer(page.read_text("utf-8"))]
    return [link for link in links if not (page.parent / link).exists()]


def run_blocks(page: Path) -> None:
    """Run the ``python`` blocks in order, in one namespace; after ``>>>`` compare the output."""
    text = page.read_text("utf-8")
    names: dict[str, Any] = {"__name__": "page"}
    for match in BLOCK.finditer(text):
        code, line = match.group(1), text.count("\n", 0, match.start(1))
        if ">>> " not in code:
            exec(compile("\n" * line + code, str(page), "exec"), names)
            continue
        shown = doctest.DocTestParser().get_doctest(code, names, page.name, str(page), line)
        doctest.DebugRunner(optionflags=FLAGS).run(shown, clear_globs=False)
        names = shown.globs


def test_links_lead_somewhere() -> None:
    dead = {str(page.relative_to(ROOT)): links for page in PAGES if (links := dead_links(page))}
    assert dead == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if BLOCK.search(page.read_text("utf-8"))],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_python_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_blocks(page)


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("[a](gone.md#top) [b](page.md) [c](https://example.org) [d](#here)")
    assert dead_links(page) == ["gone.md"]


def test_a_wrong_output_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```python\nx = 1\n```\nthen\n```python\n>>> y = x + 1\n>>> y\n2\n```\n")
    run_blocks(page)
    page.write_text("```python\nx = 1\n```\nthen\n```python\n>>> x\n2\n```\n")
    with pytest.raises(doctest.DocTestFailure):
        run_blocks(page)
