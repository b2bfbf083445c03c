"""A planted change of each kind is reported, by name."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.frozen import __main__ as frozen
from tests.frozen.described import describe_content, describe_signatures
from tests.frozen.differences import differences


def _reported(before: str, now: str) -> str:
    (found,) = differences({"plan > output": before}, {"plan > output": now})
    name, _, lines = found.partition(":\n")
    assert name == "plan > output"
    return lines.strip()


def test_nothing_is_reported_of_equal_texts() -> None:
    assert not list(differences({"a": "1"}, {"a": "1"}))


def test_a_changed_number() -> None:
    before = json.dumps({"shares": {"late": [0.25, 0.1]}, "unit": "nat"})
    now = before.replace("0.1", "0.10000000000000002")
    assert _reported(before, now) == ".shares.late[1]: 0.1 -> 0.10000000000000002"
    assert _reported('{"n": 1}', '{"n": 1.0}') == ".n: 1 -> 1.0"
    assert _reported('{"n": 1}', '{"m": 1}') == ".n: is gone\n    .m: is new"
    assert _reported('{"n": 1}', '{"n":  1}') == "the same JSON, written in another way"


def test_a_changed_message() -> None:
    shown = _reported("Plan\nodds at most 4\n", "Plan\nodds at most 5\n").splitlines()
    assert [line.strip() for line in shown[1:]] == ["-odds at most 4", "+odds at most 5"]


def test_a_text_that_comes_or_goes() -> None:
    assert list(differences({"a": ""}, {"b": ""})) == [
        "a: is not there any more",
        "b: was not there",
    ]


def _parquet(cell: str, **metadata: str) -> bytes:
    table = pa.table({"id": [1, 2], "late": ["yes", cell]}).replace_schema_metadata(metadata)
    pq.write_table(table, written := io.BytesIO())
    return written.getvalue()


@pytest.mark.parametrize("now", [_parquet("?"), _parquet("no", unspoken="2"), _parquet("no")[:-9]])
def test_a_changed_byte_of_a_release(now: bytes, tmp_path: Path) -> None:
    before = _parquet("no", unspoken="1")
    assert "sha256" in _reported(describe_content(before), describe_content(now))
    assert describe_content(before) == describe_content(bytes(before))


def test_any_other_bytes() -> None:
    assert describe_content(b"\xff\x00") != describe_content(b"\xff\x01")


def plan(limit: float = 4.0, *, by: str = "cell") -> str: ...  # type: ignore[empty-body]


@dataclass(frozen=True)
class Plan:
    total: float

    @property
    def bound(self) -> float:
        return self.total

    def show(self, digits: int) -> str:
        return f"{self.total:.{digits}f}"


def test_a_changed_signature() -> None:
    def changed(limit: float = 4.0, *, by: str = "record") -> str:
        return by

    before = describe_signatures("unspoken", {"plan": plan})
    (found,) = differences(before, describe_signatures("unspoken", {"plan": changed}))
    assert found.startswith("unspoken.plan:\n")
    assert "'record'" in found


def test_a_method_that_is_gone() -> None:
    before = describe_signatures("unspoken", {"Plan": Plan})
    assert before["unspoken.Plan.bound"] == "property"
    smaller = type("Plan", (), {"__init__": Plan.__init__, "bound": Plan.bound})
    found = list(differences(before, describe_signatures("unspoken", {"Plan": smaller})))
    assert "unspoken.Plan.show: is not there any more" in found


def test_a_clone_without_the_commit_is_skipped(capsys: pytest.CaptureFixture[str]) -> None:
    assert frozen.main(["0" * 40]) == 0
    assert "skipped" in capsys.readouterr().out
