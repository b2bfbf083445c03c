"""`import unspoken` loads no library and does little: names are fetched when asked for.

Nor does a command load what it does before it does it: what says what there is starts at once.
"""

from pathlib import Path

import pytest

from tests.structure.conftest import Plant
from tests.structure.source import ask, none_of

TESTS = Path(__file__).resolve().parents[2]
CALLS = 20_000  # twice what there are, nearly all for what Python itself imports
LIBRARIES = {
    "altair",
    "cryptography",
    "duckdb",
    "highspy",
    "fastapi",
    "jinja2",
    "numpy",
    "opendp",
    "pandas",
    "pyarrow",
    "pydantic",
    "pyspark",
    "rich",
    "scipy",
    "sqlalchemy",
    "starlette",
    "typer",
    "uvicorn",
}
LOADED = """
import json, sys
before = set(sys.modules)
import unspoken
print(json.dumps(sorted({name.partition(".")[0] for name in set(sys.modules) - before})))
"""
COUNTED = """
import json
from tests.work import count_calls
print(json.dumps(count_calls(lambda: __import__("unspoken"))))
"""
CACHED = """
import json, unspoken
kept = {name: getattr(unspoken, name) for name in unspoken.__all__}
print(json.dumps([name for name, found in kept.items() if vars(unspoken).get(name) is not found]))
"""


# What only says what there is, and what it may load: what options are made of.
AT_ONCE = [
    ("unspoken", ["--version"], {}),
    ("unspoken", ["--help"], {}),
    ("unspoken leak", ["leak", "--help"], {}),
    ("completion", [], {"COMP_WORDS": "unspoken ", "COMP_CWORD": "1"}),
    ("completion", [], {"COMP_WORDS": "unspoken plan --", "COMP_CWORD": "2"}),
]
OF_OPTIONS = {"rich", "typer"}
TO_READ_THEM = {"pydantic"}  # typer has it check what a command is given
RUN = """
import contextlib, io, json, os, sys
os.environ.update({environment}, COLUMNS="80")
sys.argv[1:] = {arguments}
said = io.StringIO()
with contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
    from unspoken.__main__ import main
    main()
loaded = sorted({{name.partition(".")[0] for name in sys.modules}})
print(json.dumps([said.getvalue(), loaded]))
"""


def loaded_by(root: Path, arguments: list[str], environment: dict[str, str]) -> tuple[str, set]:
    """What a command prints, and the libraries that it loads for it."""
    if environment:
        environment = {"_UNSPOKEN_COMPLETE": "complete_bash", **environment}
    said, loaded = ask(root, RUN.format(arguments=arguments, environment=environment))
    return said, LIBRARIES & set(loaded)


def loaded_libraries(root: Path) -> list[str]:
    return sorted(LIBRARIES & set(ask(root, LOADED)))


def calls_of_the_import(root: Path) -> int:
    """How many functions are called: as many on every machine, however slow or busy."""
    return int(ask(root, COUNTED, cwd=TESTS))


def test_import_loads_no_library(root: Path) -> None:
    none_of(loaded_libraries(root), "`import unspoken` must not load:")


def test_import_does_little(root: Path) -> None:
    calls = calls_of_the_import(root)
    assert calls < CALLS, f"`import unspoken` calls {calls} functions, allowed are {CALLS}"


def test_a_name_is_fetched_once(root: Path) -> None:
    none_of(ask(root, CACHED), "`unspoken.__getattr__` keeps what it has found:")


@pytest.mark.parametrize(("what", "arguments", "environment"), AT_ONCE)
def test_what_there_is_is_said_at_once(
    root: Path, what: str, arguments: list[str], environment: dict[str, str]
) -> None:
    said, loaded = loaded_by(root, arguments, environment)
    assert what in said if not environment else {"plan", "--adopt"} & set(said.split())
    loaded -= OF_OPTIONS | (TO_READ_THEM if arguments[1:] or environment else set())
    none_of(sorted(loaded), "What a command does is imported where it is done:")


def test_what_a_command_loads_too_early_is_found(plant: Plant) -> None:
    early = "def main():\n    import numpy\n    print('unspoken')"
    plant("src/unspoken/__main__.py", early)
    said, loaded = loaded_by(plant("src/unspoken/__init__.py", ""), ["--version"], {})
    assert (said, loaded) == ("unspoken\n", {"numpy"})


@pytest.mark.parametrize("text", ["import numpy", "import scipy.special"])
def test_a_loaded_library_is_found(text: str, plant: Plant) -> None:
    found = loaded_libraries(plant("src/unspoken/__init__.py", text))
    assert text.split()[1].partition(".")[0] in found


def test_a_name_that_is_fetched_again_is_found(plant: Plant) -> None:
    text = "__all__ = ['x']\ndef __getattr__(name):\n    return 1"
    assert ask(plant("src/unspoken/__init__.py", text), CACHED) == ["x"]


@pytest.mark.parametrize("text", ["import asyncio", "[len(str(i)) for i in range(20_000)]"])
def test_an_import_that_does_much_is_found(text: str, plant: Plant) -> None:
    assert calls_of_the_import(plant("src/unspoken/__init__.py", text)) >= CALLS
