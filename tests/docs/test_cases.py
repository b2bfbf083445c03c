"""Every case file in docs/cases is answered, and the page prints the answers."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from unspoken.core.measures import MEASURES
from unspoken.core.mechanisms import MECHANISMS
from unspoken.interfaces.case import Case
from unspoken.interfaces.wording import as_json

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "cases"
ROW = re.compile(
    r"^\| \[([\w-]+)\]\(\1\.toml\) \| [^|]+ \| `([^`]+)` \| (\S+) (\w+) \|$", re.MULTILINE
)
FILES = sorted(FOLDER.glob("*.toml"))


def printed(page: str) -> dict[str, dict[str, tuple[str, str]]]:
    """For each file, what was asked: (number, unit)."""
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for file, asked, answer, unit in ROW.findall(page):
        found.setdefault(file, {})[asked] = (answer, unit)
    return found


def answers(path: Path) -> dict[str, tuple[str, str]]:
    told: dict[str, Any] = as_json.case(Case.read(path).answer())
    return {name: number(own) for name, own in told.items() if name not in ("unspoken", "format")}


def number(answer: dict[str, Any]) -> tuple[str, str]:
    """A value with its unit; of all rules side by side the scale of the exact one."""
    if "rules" in answer:
        (scale,) = (row["scale"] for row in answer["rules"] if row["rule"] == "exact")
        return f"{scale:.6g}", "scale"
    return f"{float(answer['value']):.6g}", answer["unit"]


def rows(page: str) -> int:
    return sum(line.startswith("| [") for line in page.splitlines())


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_page_prints_the_answers(path: Path) -> None:
    assert answers(path) == printed((FOLDER / "README.md").read_text("utf-8"))[path.stem]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_case_begins_with_plain_words(path: Path) -> None:
    first = path.read_text("utf-8").splitlines()[0]
    assert first.startswith("# ")
    assert len(first) > 20


def test_every_case_is_on_the_page() -> None:
    page = (FOLDER / "README.md").read_text("utf-8")
    assert set(printed(page)) == {path.stem for path in FILES}
    assert rows(page) == sum(map(len, printed(page).values()))


def test_every_measure_and_mechanism_has_a_case() -> None:
    text = "\n".join(path.read_text("utf-8") for path in FILES)
    for name in (*MEASURES, *MECHANISMS):
        assert f'"{name}"' in text or (name == "odds" and "odds = {" in text), name


def test_a_wrong_number_is_found() -> None:
    page = (FOLDER / "README.md").read_text("utf-8").replace("0.620115", "0.620116")
    assert answers(FOLDER / "ddp-separation.toml") != printed(page)["ddp-separation"]


COMMANDS = FOLDER.parent / "command-line.md"


def differences(shown: Any, given: Any, where: str = "") -> list[str]:
    """What a page shows that is not given: names that are not there, numbers that differ."""
    if isinstance(shown, dict):
        below = (differences(own, given.get(key), f"{where}.{key}") for key, own in shown.items())
        return [line for lines in below for line in lines]
    near = isinstance(shown, float) and isinstance(given, float)
    same = math.isclose(shown, given, rel_tol=1e-6) if near else shown == given
    return [] if same else [f"{where}: {given!r}, shown is {shown!r}"]


def test_the_object_on_the_page_is_what_its_case_prints(tmp_path: Path) -> None:
    page = COMMANDS.read_text("utf-8").partition("## `unspoken case FILE`")[2]
    blocks = dict(re.findall(r"```(toml|json)\n(.*?)```", page, re.DOTALL))
    path = tmp_path / "case.toml"
    path.write_text(blocks["toml"])
    given, example = as_json.case(Case.read(path).answer()), json.loads(blocks["json"])
    assert list(example) == list(given)
    assert list(example["mutual-information"]) == list(given["mutual-information"])
    assert differences(example, given) == []
    assert differences({"odds": {"value": 1.7}}, given)
    assert differences({"mutual-information": {"status": "ok"}}, given)
