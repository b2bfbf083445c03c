"""A project of any table, in as few words as a test has room for."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from unspoken.assessment import best
from unspoken.planning import Plan
from unspoken.storage.coarse import with_exponents
from unspoken.storage.ledger import Ledger

KEY = bytes(range(32))  # frozen coins: a test that passes passes always

Attributes = Mapping[str, Mapping[str, Any]]


def small(
    folder: Path, table: pa.Table | None, attributes: Attributes, *, name: str = "table.parquet",
    keys: Sequence[str] = ("id",), epoch: str = 'label = "1"', reads: Sequence[str] | None = None,
    source: str = "", key: bytes | None = KEY,
    form: str | None = None, **limits: Any,
) -> Path:  # fmt: skip
    """Write the table and the project file (of no tight limits, not closed) into a folder."""
    if table is not None:
        pq.write_table(table, folder / name)
    belief = {"noise": "none", "confidence": "none", **({"form": form} if form else {})}
    loose = {"limit_bits": 64.0, "odds_cap": 1e300, "close": False}
    parts = [
        "format = 1\n[source]",
        source or f'table = "{name}"',
        f"keys = {json.dumps(list(keys))}\n[epoch]\n{epoch}",
        *(_section(f"attribute.{one}", fields) for one, fields in attributes.items()),
        f"[application.all]\nreads = {json.dumps(list(attributes if reads is None else reads))}",
        _section("limit", {**loose, **limits}),
        '[plan]\nby = "cell"',
        _section("belief", belief),
    ]
    if key is not None and not (folder / "unspoken.key").exists():
        Ledger(folder / "ledger.sqlite")  # of no events; a key without a ledger is a lost ledger
        (folder / "unspoken.key").write_bytes(key)
        (folder / "unspoken.key").chmod(0o600)
    path = folder / "unspoken.toml"
    path.write_text("\n".join(parts))
    return path


def planned(monkeypatch: pytest.MonkeyPatch, **epsilon: float) -> None:
    """Let the plan be these eps, whatever would have been best."""

    def fixed(*given: Any, **more: Any) -> Plan:
        plan = best.best(*given, **more)
        own = {**plan.epsilon, **epsilon}
        object.__setattr__(plan, "epsilon", own)
        object.__setattr__(plan, "mechanism", with_exponents(plan.mechanism, own))
        return plan

    monkeypatch.setattr("unspoken.workflows.release.preparing.best", fixed)


def _section(name: str, fields: Mapping[str, Any]) -> str:
    lines = (f"{field} = {json.dumps(value)}" for field, value in fields.items())
    return "\n".join([f"[{name}]", *lines])
