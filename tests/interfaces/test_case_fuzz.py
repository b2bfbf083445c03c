"""Case files with parts exchanged for anything at all: an answer or a line, never a traceback."""

from __future__ import annotations

import copy
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.effort import examples
from tests.interfaces.test_case import BELIEF, MECHANISM
from tests.interfaces.test_case_sets import FAMILY
from unspoken.core.errors import UnspokenError
from unspoken.interfaces.case import Case
from unspoken.interfaces.wording import as_json

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 40),
    st.floats(allow_nan=True),
    st.sampled_from(["A", "B", "inf", "answer", "withheld", "x", "", "a\nb", "joint", "laplace"]),
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["A", "B", "kind", "name", "eps", "scale"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)


@st.composite
def spoiled(draw: st.DrawFn) -> Any:
    """A case in which one to three things are replaced, dropped or added."""
    beliefs = {**BELIEF, **FAMILY}
    kind, belief = draw(st.sampled_from(list(MECHANISM))), draw(st.sampled_from(list(beliefs)))
    case: dict[str, Any] = {
        "belief": {"kind": belief, **copy.deepcopy(beliefs[belief])},
        "mechanism": {"kind": kind, **copy.deepcopy(MECHANISM[kind][0])},
        "adversary": {"target": "A", "secret": [0], "knows": [], "sees": ["A"], "asks": 1},
        "ask": {
            "measures": ["odds", {"name": "delta", "eps": 0.5}],
            "odds": {"B": "withheld"},
            "plan": {"limit": 0.1, "sensitive": {"A": [0]}},
        },
    }
    for _ in range(draw(st.integers(1, 3))):
        where: Any = case
        for _ in range(draw(st.integers(1, 3))):
            inner = [
                key for key, value in _items(where) if isinstance(value, dict | list) and value
            ]
            if not inner or draw(st.integers(0, 3)) == 0:
                break
            where = where[draw(st.sampled_from(inner))]
        keys = [key for key, _ in _items(where)]
        if not keys:
            continue
        key = draw(st.sampled_from(keys))
        if draw(st.booleans()):
            where[key] = draw(ANYTHING)
        elif isinstance(where, dict):
            del where[key]
            where[draw(st.sampled_from(["extra", "A", "file", "parts", "names"]))] = draw(ANYTHING)
    return case


def _items(where: Any) -> list[tuple[Any, Any]]:
    return list(where.items()) if isinstance(where, dict) else list(enumerate(where))


@pytest.mark.filterwarnings("error")
@examples(150)
@given(spoiled())
def test_any_structure_is_answered_or_refused_in_a_line(case: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.json"
        path.write_text(json.dumps(case))
        try:
            told = as_json.case(Case.read(path).answer())
        except UnspokenError as refusal:
            said = str(refusal)
            assert said.startswith(str(path)), said
            assert "\n" not in said
        else:
            json.dumps(told, allow_nan=False)


@given(
    st.binary(max_size=200) | st.text(max_size=200).map(str.encode),
    st.sampled_from([".toml", ".json"]),
)
def test_any_bytes_are_refused_in_a_line(text: bytes, suffix: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"case{suffix}"
        path.write_bytes(text)
        with pytest.raises(UnspokenError) as refusal:
            Case.read(path).answer()
        assert "\n" not in str(refusal.value)


def test_tables_without_end(tmp_path: Path) -> None:
    path = tmp_path / "case.json"
    path.write_text('{"ask": ' + "[" * 100_000 + "]" * 100_000 + "}")
    with pytest.raises(UnspokenError, match="without end"):
        Case.read(path).answer()
