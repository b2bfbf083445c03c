"""The tables of unspoken.toml, format 1: which keys there are and what kind of value each takes.

Strict: nothing is converted, no key is ignored, NaN and infinity are no numbers. What pydantic has
accepted has the right shape; whether it makes sense together is asked in checks.py. The examples
are shown when a key is missing or of the wrong kind.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainValidator
from pydantic_core import PydanticCustomError

from unspoken.tables.policy.bin_edges import Edge, edge

__all__ = [
    "EXACT",
    "FORMAT",
    "FORMS",
    "HOMES",
    "NAMED",
    "SECTIONS",
    "TOO_LATE",
    "AttributeTable",
    "ContextTable",
    "LimitTable",
    "OutputTable",
    "PlanTable",
    "ProjectTable",
    "QueryTable",
    "TomlTable",
    "example",
    "table_at",
]

FORMAT = 1
FORMS = ("joint", "tree")  # of a learned belief: all combinations, or the strongest pairs

EXACT: Literal["exact"] = "exact"  # in place of a list of values: all there are, as they are

Names = list[str]
BinEdge = Annotated[Edge, PlainValidator(edge, json_schema_input_type=Edge)]


def _values(given: Any) -> list[Any] | Literal["exact"]:
    if given == EXACT or isinstance(given, list):
        return given  # type: ignore[no-any-return]
    raise PydanticCustomError("values_type", "no values")


Values = Annotated[
    list[Any] | Literal["exact"],
    PlainValidator(_values, json_schema_input_type=list[Any] | Literal["exact"]),
]


def _like(text: str) -> Any:
    return Field(examples=[text])


class TomlTable(BaseModel):
    """A TOML table that takes these keys and no others."""

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, frozen=True)


class SourceTable(TomlTable):
    """``[source]``: where the rows are and what names them."""

    table: Annotated[str | None, _like('"occupancy.parquet"')] = None
    database: Annotated[str | None, _like('"building.duckdb"')] = None
    sql: Annotated[str | None, _like("\"SELECT * FROM 'occupancy.parquet'\"")] = None
    keys: Annotated[Names, _like('["office", "day"]')]
    unit: Annotated[Names | None, _like('["office"]')] = None
    rows_per_unit: Annotated[int | None, _like("366")] = None
    preferences: Annotated[str | None, _like('"preferences.csv"')] = None
    timezone: Annotated[str, _like('"Europe/Brussels"')] = "UTC"
    memory: Annotated[str, _like('"2GB"')] = "1GB"
    threads: Annotated[int | None, _like("4")] = None
    nan: Annotated[Literal["missing"] | None, _like('"missing"')] = None
    engine: Annotated[Literal["duckdb", "spark"], _like('"spark"')] = "duckdb"


class EpochTable(TomlTable):
    """``[epoch]``: what is read and coined once for ever."""

    label: Annotated[str | None, _like('"2026"')] = None
    of: Annotated[str | None, _like('"substr(day, 1, 7)"')] = None


class AttributeTable(TomlTable):
    """``[attribute.NAME]``: one column, its values, and when it is sensitive."""

    bins: Annotated[list[BinEdge] | None, _like("[8, 9, 10.5]")] = None
    values: Annotated[Values | None, _like('["a", "b"]')] = None
    sensitive: Annotated[str | None, _like('"first_arrival > 10.5"')] = None
    none_yet: Annotated[bool, _like("true")] = False
    static: Annotated[bool | None, _like("true")] = None
    missing: Annotated[Literal["public", "value", "never"], _like('"value"')] = "never"


class ContextTable(TomlTable):
    """``[context.NAME]``: what anybody may know of a row beside what is released of it."""

    of: Annotated[str | None, _like('"dayname(day::DATE)"')] = None
    previous: Annotated[str | None, _like('"first_arrival"')] = None
    habit: Annotated[str | None, _like('"first_arrival"')] = None
    edges: Annotated[list[float] | None, _like("[0.1, 0.5]")] = None


class ApplicationTable(TomlTable):
    """``[application.NAME]``: who reads which attributes."""

    reads: Annotated[Names, _like('["first_arrival"]')]
    knows: Annotated[Names, _like('["exits"]')] = []
    weight: Annotated[float, _like("2.0")] = 1.0
    share: Annotated[float, _like("0.3")] = 0.0


class BeliefTable(TomlTable):
    """``[belief]``: what is learned of how the attributes go together."""

    form: Annotated[str | None, _like('"tree"')] = None
    noise: Annotated[float | Literal["none"], _like("0.5")] = 0.5
    confidence: Annotated[float | Literal["none"], _like("0.95")] = 0.95
    history: Annotated[str | None, _like("\"day < '2026-01-01'\"")] = None
    file: Annotated[str, _like('"belief.json"')] = "belief.json"


class PlanTable(TomlTable):
    """``[plan]``: how what is released is decided."""

    by: Annotated[Literal["record", "cell"], _like('"cell"')] = "record"
    approve: Annotated[bool, _like("true")] = False
    odds_cap: Annotated[float | None, _like("3.0")] = None
    limit_bits: Annotated[float | None, _like("0.05")] = None
    given: Annotated[str | None, _like('"weekday"')] = None
    events: Annotated[Literal["default", "attribute"], _like('"attribute"')] = "default"
    own_reads: Annotated[bool, _like("true")] = False
    unbiased: Annotated[bool, _like("true")] = False
    floor: Annotated[float | None, _like("3.0")] = None


class LimitTable(TomlTable):
    """``[limit]``: how much a release may say."""

    limit_bits: Annotated[float | None, _like("0.1")] = None
    unit_bits: Annotated[float | None, _like("2.0")] = None
    unit_epsilon: Annotated[float | None, _like("5.0")] = None
    epoch_epsilon: Annotated[float | None, _like("0.5")] = None
    epoch_chain: Annotated[list[list[float]] | None, _like("[[0.8, 0.2], [0.3, 0.7]]")] = None
    odds_cap: Annotated[float, _like("4.0")] = 4.0
    pooled_cap: Annotated[float | Literal["none"] | None, _like("4.0")] = None
    cap_all: Annotated[float | None, _like("6.0")] = None
    exceed: Annotated[float, _like("0.0")] = 0.0
    close: Annotated[bool, _like("true")] = True
    target: Annotated[dict[str, float], _like("{ first_arrival = 0.05 }")] = {}
    coalitions: Annotated[list[Names] | None, _like('[["lighting"], ["planning"]]')] = None


class QueryTable(TomlTable):
    """``[query]``: what noisy answers are made of."""

    rows_per_unit: Annotated[int | None, _like("5")] = None
    bounds: Annotated[dict[str, list[float]], _like("{ first_arrival = [6, 20] }")] = {}


class SecretTable(TomlTable):
    """``[secret]``: the files that never leave the holder."""

    key: Annotated[str, _like('"unspoken.key"')] = "unspoken.key"
    ledger: Annotated[str, _like('"ledger.sqlite"')] = "ledger.sqlite"


class OutputTable(TomlTable):
    """``[output]``: the files to hand on, and the report on them."""

    release: Annotated[str, _like('"released.parquet"')] = "released.parquet"
    manifest: Annotated[str, _like('"released.manifest.json"')] = "released.manifest.json"
    report: Annotated[str, _like('"report.html"')] = "report.html"


class ProjectTable(TomlTable):
    """The whole file."""

    format: Annotated[int, _like("1")]
    source: SourceTable
    epoch: EpochTable
    attribute: dict[str, AttributeTable]
    context: dict[str, ContextTable] = {}
    application: dict[str, ApplicationTable]
    limit: LimitTable = LimitTable()
    belief: BeliefTable = BeliefTable()
    plan: PlanTable = PlanTable()
    query: QueryTable = QueryTable()
    secret: SecretTable = SecretTable()
    output: OutputTable = OutputTable()


# The tables whose keys are names of the holder's choice, and what each name stands for.
NAMED: dict[str, type[TomlTable]] = {
    "attribute": AttributeTable,
    "context": ContextTable,
    "application": ApplicationTable,
}
SECTIONS: dict[str, type[TomlTable]] = {
    "source": SourceTable,
    "epoch": EpochTable,
    "limit": LimitTable,
    "belief": BeliefTable,
    "plan": PlanTable,
    "query": QueryTable,
    "secret": SecretTable,
    "output": OutputTable,
}
# In which table each key is at home, the first of several: for whoever puts it into another one.
HOMES: dict[str, str] = {
    **{key: f"[{name}.NAME]" for name, table in NAMED.items() for key in table.model_fields},
    **{
        key: f"[{name}]" for name, table in reversed(SECTIONS.items()) for key in table.model_fields
    },
}

# Said of a key that stands below the header of a sub-table, and so in it.
TOO_LATE = "this is a key of [limit], not an attribute. Move it above [limit.target]."


def table_at(path: tuple[str | int, ...]) -> type[TomlTable] | None:
    """Which of the tables above stands at this path, if any."""
    if not path:
        return ProjectTable
    if len(path) == 1:
        return SECTIONS.get(str(path[0]))
    return NAMED.get(str(path[0])) if len(path) == 2 else None


def example(path: tuple[str | int, ...]) -> str:
    """A line, or the header of a table, as it could stand at this path; empty if none is known."""
    table, name = table_at(path[:-1]), str(path[-1])
    if table is ProjectTable and name in SECTIONS:
        return f"[{name}]"
    if table is ProjectTable and name in NAMED:
        return f"[{name}.NAME]"
    if table is None or name not in table.model_fields:
        return ""
    shown = table.model_fields[name].examples or [""]
    return f"{name} = {shown[0]}"
