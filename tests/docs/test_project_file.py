"""docs/project-file.md lists every key that a project file may have, as the code knows it."""

import os
import re
from itertools import groupby
from pathlib import Path

from unspoken.tables.policy import Project
from unspoken.tables.policy.described import MEANINGS, KeyInfo, described

PAGE = Path(__file__).resolve().parents[2] / "docs" / "project-file.md"
HEAD = "| key | takes | default | meaning | example |\n|---|---|---|---|---|\n"
BLOCK = re.compile(r"\| key \| takes \|.*?\n(?!\|)", re.DOTALL)
REWRITE = bool(os.environ.get("UNSPOKEN_REWRITE"))


def row(key: KeyInfo) -> str:
    default = f"`{key.default}`" if key.default not in ("", "must be given") else key.default
    return f"| `{key.name}` | {key.kind} | {default} | {key.meaning} | `{key.example}` |\n"


def tables() -> dict[str, str]:
    """The table of each section, by its heading."""
    return {
        f"## `[{name}]`\n" if name else "## At the top\n": HEAD + "".join(map(row, keys))
        for name, keys in groupby(described(), key=lambda key: key.table)
    }


def rewritten(text: str) -> str:
    """The page with these tables at the end of their sections."""
    for heading, table in tables().items():
        before, _, after = text.partition(heading)
        said, gap, rest = after.partition("\n## ")
        said = BLOCK.sub("", said + "\n").rstrip()
        text = f"{before}{heading}{said}\n\n{table}{gap}{rest}"
    return text


def test_every_key_is_on_the_page_as_the_code_has_it() -> None:
    text = PAGE.read_text("utf-8")
    if REWRITE:
        PAGE.write_text(text := rewritten(text), "utf-8")
    missing = [heading.strip() for heading, table in tables().items() if table not in text]
    assert missing == [], "UNSPOKEN_REWRITE=1 pytest tests/docs/test_project_file.py mends it"


def test_every_key_has_a_meaning_and_an_example() -> None:
    named = {f"{key.table}.{key.name}".removeprefix(".") for key in described()}
    assert {path for path in named if not MEANINGS.get(path)} == set()
    assert set(MEANINGS) == named
    assert [key.name for key in described() if key.example.endswith("= ")] == []


def test_the_example_of_the_page_is_a_project() -> None:
    (block,) = re.findall(r"^```toml\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert Project.parse(block).reads == ("first_arrival", "exits")
