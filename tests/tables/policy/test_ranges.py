"""Numbers of a project file that no machine or arithmetic can take are refused in one line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from unspoken.core.errors import InputError
from unspoken.tables.policy import Project
from unspoken.tables.policy.range_checks import LARGEST
from unspoken.tables.policy.schema import (
    ApplicationTable,
    LimitTable,
    PlanTable,
    QueryTable,
    SourceTable,
    TomlTable,
)

TEXT = """\
format = 1
[source]
table = "rows.parquet"
keys = ["id", "day"]
unit = ["id"]
{source}
[epoch]
of = "day"
[attribute.a]
[application.all]
reads = ["a"]
{application}
[limit]
{limit}
[plan]
{plan}
[query]
{query}
"""
CHAIN = "epoch_chain = [[0.8, 0.2], [0.3, 0.7]]\n"
# section, what stands beside it, key, the most, what is more
MOST = [
    ("source", "", "threads", "1024", "20000"),
    ("source", "", "threads", "1024", "1025"),
    ("source", "", "memory", '"100TB"', '"101TB"'),
    ("source", "", "memory", '"100TB"', '"999999TB"'),
    ("source", "", "rows_per_unit", "1000000000", "1000000001"),
    ("source", "", "rows_per_unit", "1000000000", "1" + "0" * 30),
    ("application", "", "weight", "1e6", "1e300"),
    ("application", "", "weight", "1e-6", "1e-300"),
    ("application", "", "share", "1.0", "1.5"),
    ("limit", "", "limit_bits", "1e6", "1e300"),
    ("limit", "", "unit_bits", "1e6", "1e300"),
    ("limit", "", "unit_epsilon", "1e6", "1e300"),
    ("limit", CHAIN, "epoch_epsilon", "1e6", "1e300"),
    ("limit", "", "target", "{ a = 1e6 }", "{ a = 1e300 }"),
    ("plan", "", "limit_bits", "1e6", "1e300"),
    ("plan", "", "floor", "1e6", "1e300"),
    ("query", "", "rows_per_unit", "1000000000", "1" + "0" * 30),
    ("query", "", "bounds", "{ a = [-1e15, 1e15] }", "{ a = [0, 1e300] }"),
]


def read(folder: Path, section: str, lines: str) -> Project:
    source = "" if "rows_per_unit" in lines and section == "source" else "rows_per_unit = 5"
    parts = {"source": source, "application": "", "limit": "", "plan": "", "query": ""}
    parts[section] = f"{parts[section]}\n{lines}"
    path = folder / "unspoken.toml"
    path.write_text(TEXT.format(**parts))
    return Project.read(path)


@pytest.mark.parametrize(("section", "beside", "key", "most", "more"), MOST)
def test_a_number_up_to_its_end_and_beyond(
    tmp_path: Path, section: str, beside: str, key: str, most: str, more: str
) -> None:
    read(tmp_path, section, f"{beside}{key} = {most}")
    with pytest.raises(InputError) as refused:
        read(tmp_path, section, f"{beside}{key} = {more}")
    line = str(refused.value)
    where = "application.all" if section == "application" else section
    assert re.search(rf"unspoken\.toml:\d+ {where}\.{key}", line)
    assert re.search(r"is above|are beyond|is below|is a share", line)
    assert "Write" in line
    assert "\n" not in line


def test_every_number_of_the_file_has_an_end() -> None:
    """But caps on odds, of which a large one says that there is none."""
    tables: dict[str, type[TomlTable]] = {
        "source": SourceTable, "application": ApplicationTable, "limit": LimitTable,
        "plan": PlanTable, "query": QueryTable,
    }  # fmt: skip
    numbers = {
        (section, name)
        for section, table in tables.items()
        for name, field in table.model_fields.items()
        if re.search(r"\b(int|float)\b", str(field.annotation))
    }
    tried = {(section, key) for section, _, key, *_ in MOST}
    apart = {"odds_cap", "pooled_cap", "cap_all", "exceed", "epoch_chain"}
    assert {each for each in numbers if each[1] not in apart} <= tried
    assert LARGEST.keys() <= tried
