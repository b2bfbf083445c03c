"""Which tests are run: `make test` leaves out those marked slow, which `make test-slow` runs."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

__all__ = ["DAILY", "SLOW", "has_nothing_selected", "slow_tests", "slow_values"]

# What is given to pytest's option -m.
DAILY, SLOW = "not slow", "slow"

MARK = "pytest.mark.slow"
WHOLE_FILE = re.compile(rf"^pytestmark = \[?\s*{re.escape(MARK)}\b", re.MULTILINE)


def has_nothing_selected(text: str, selection: str) -> bool:
    """Whether the text of a test file shows that this selection takes no test of it.

    Such a file need not be imported. Of other files pytest looks at each test.
    """
    if selection == DAILY:
        return WHOLE_FILE.search(text) is not None
    return selection == SLOW and MARK not in text and slow_values.__name__ not in text


def slow_values(*values: Any) -> list[Any]:
    """Values of a parameter with which a test is slow; with its other values it is not."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]


def slow_tests(file: Path) -> set[str]:
    """The test functions of a file that are marked slow, by themselves or with the whole file."""
    text = file.read_text("utf-8")
    if MARK not in text:
        return set()
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    return {
        function.name
        for function in functions
        if WHOLE_FILE.search(text)
        or any(ast.unparse(decorator) == MARK for decorator in function.decorator_list)
    }
