"""What each key of a project file means, and the JSON Schema by which editors know it.

The schema is made of the tables of schema.py; what they cannot say is MEANINGS.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from unspoken.tables.policy.quoting import toml_text
from unspoken.tables.policy.schema import NAMED, SECTIONS, ProjectTable, TomlTable

__all__ = ["MEANINGS", "KeyInfo", "described", "json_schema"]

MEANINGS: dict[str, str] = {
    "format": "of this file: 1",
    "source.table": "the table: a Parquet or CSV file (`.csv.gz`, `.tsv`), or a folder or pattern "
    "of those, by the way from the project file; or a table of `database`",
    "source.database": "a DuckDB file that has the table, or the tables that `sql` names",
    "source.sql": "in place of `table`: a query over files, or over tables of `database`",
    "source.keys": "the columns that together name each row. They are public: releases show them",
    "source.unit": "whom to protect: the keys that name one person, office, ...; all keys if left "
    "out",
    "source.rows_per_unit": "the most rows that one unit may have: a source with more is refused; "
    "what all rows of one tell is said of as many. Not limited if left out",
    "source.preferences": "a file with one row for each value of the keys it has; `sensitive` can "
    "read its columns",
    "source.timezone": "whose hours and days moments have, wherever a command runs",
    "source.memory": "what the engine may use; what does not fit is spilled to TMPDIR",
    "source.threads": "what the engine may use, up to 1,024; all there are if not given",
    "source.nan": "that NaN is a missing value, wherever it is read; else it is an error",
    "source.engine": "what reads, sorts and works on the rows: `duckdb`, in this process, or "
    "`spark` (an extra), on many machines, which also reads a `table` of its catalog",
    "epoch.label": "one epoch for all rows: what is read under a label stays as first read, and "
    "new data need a new label",
    "epoch.of": "in place of `label`: SQL over key columns, by functions listed below; each row "
    "has its epoch for ever",
    "attribute.NAME.bins": "edges that part numbers, dates or times: `[8, 9]` is below 8, from 8 "
    "to below 9, and 9 or more. The bin is released, not the value",
    "attribute.NAME.values": "every value that occurs, of a column without `bins`; if left out its "
    'own, at most 20. `"exact"`, also beside `bins`: its own, at most 200, each released as it is',
    "attribute.NAME.sensitive": "SQL over the row: where it is true or NULL the cell is never "
    "released, and what the rest tells of it is limited; never sensitive if left out",
    "attribute.NAME.none_yet": "that no row is sensitive yet is known; else it is taken for a slip",
    "attribute.NAME.static": "that it is the same in all rows of one unit (`true`), or may change "
    "(`false`); if left out, secrets that never change within a unit are refused (where `unit` is "
    "all of the keys: within a key)",
    "attribute.NAME.missing": "to be missing is known to anybody (`public`), a value that may be "
    "sensitive (`value`), or an error (`never`)",
    "context.NAME.of": "SQL over key columns, by functions listed below, of at most 64 different "
    "values: what is learned given each of them is measured beside what is learned without",
    "context.NAME.previous": "in place of `of`: an attribute, whose value in the row before "
    "(of the same `unit`, in the order of keys) may be known",
    "context.NAME.habit": "in place of `of`: an attribute; the share of the other rows of the same "
    "`unit` in which it is sensitive may be known, by `edges`; needs `rows_per_unit`",
    "context.NAME.edges": "of a `habit`: shares that part it into classes",
    "application.NAME.reads": "the attributes it is given; keys everybody sees",
    "application.NAME.knows": "attributes that it has from elsewhere: limits hold given each of "
    "their values, too (record coins)",
    "application.NAME.weight": "the worth of a cell that it is shown, beside 1 of others",
    "application.NAME.share": "the least share of the cells it reads that is of use to it: a plan "
    "with less is refused",
    "limit.limit_bits": "the most that all answers together tell about each attribute, on "
    "average, in bits, for the observed frequencies as prior, with no allowance for chance; not "
    "limited if left out",
    "limit.unit_bits": "the most that all rows of one unit together tell of a habit in the secrets "
    "of one attribute, in bits: each row gets its share of it, by `rows_per_unit`. It rests on the "
    "observed frequencies. Not limited if left out",
    "limit.unit_epsilon": "the most that all answers with noise together, over all epochs, tell "
    "of all rows of one unit: their epsilons, times the rows of one that enter, add up to no more. "
    "Cells are not counted. Not limited if left out",
    "limit.epoch_epsilon": "the most that all answers with noise together, of all epochs, tell "
    "of the rows of one unit in any one epoch: each epoch has the same share, which "
    "`temporal_budget` says for `epoch_chain`. Cells are not counted. Not limited if left out",
    "limit.epoch_chain": "how the state of a unit goes from one epoch to the next, in the order of "
    "time, as it is believed: a row for each state, of the probabilities of the next",
    "limit.odds_cap": "the most that any answer multiplies the odds of a secret by, for every "
    "prior in the confidence set of the counts, or as `confidence` says",
    "limit.pooled_cap": "the cap for who pools what coalitions keep to themselves (record coins): "
    '`odds_cap` if left out; or `"none"`',
    "limit.cap_all": "the same for who knows every other row, whose odds the noise of the counts "
    "limits: then the smaller of `odds_cap` and this times e^-eps holds",
    "limit.exceed": "the share of answers that may be above `odds_cap`: of plans by cells for the "
    "observed frequencies",
    "limit.close": "whether values that by themselves tell more than `odds_cap` are withheld too: "
    "by cells, for the observed frequencies",
    "limit.target": "limits in bits of their own, for the attributes named here; they rest on the "
    "observed frequencies",
    "limit.coalitions": "who pools what they are given, each list by itself; all if left out",
    "belief.form": "`joint` (all combinations of values) or `tree` (the strongest pairs only, "
    "which may show far too little); `joint` if left out",
    "belief.noise": "eps of the noise on the counts that plans are made from: of who knows every "
    'other row it can multiply odds by e^eps more; or `"none"`: they are exact, and a plan tells '
    "of the rows",
    "belief.confidence": "the level of the confidence set of the counts: the odds cap of a plan "
    "holds for every prior in it, rows being independent. Where there are too many combinations "
    'of values for a set, the plan is the belief-free baseline. `"none"`: plans are for the '
    "observed frequencies as prior, with no allowance for chance",
    "belief.history": "SQL over keys: the rows for which it is true are counted, and never "
    "released; then the plan tells nothing of the rows that are",
    "belief.file": "what was counted, once: plans are made from this alone",
    "plan.by": "`record`: one coin a record, by a table that is the best for the limits; `cell`: "
    "one coin a cell, and the belief-free baseline where that shows more. As published, for the "
    'observed frequencies alone, cells are planned with `[belief] confidence = "none"`',
    "plan.events": "what the odds of are limited (record coins): `default`, every value against "
    "every other, any of all attributes, and any two attributes both; `attribute`: only the first "
    "of these",
    "plan.own_reads": "whether what an application is shown depends on what it reads alone (record "
    "coins); else its blanks may tell of other attributes, within the limits",
    "plan.unbiased": "whether a value is shown as often whatever else its record has, so that "
    "shares can be estimated for every table and group (record coins)",
    "plan.floor": "an eps: no answer is more than e^eps times as likely for a sensitive value as "
    "for any other, whatever is believed (record coins); not limited if left out",
    "plan.approve": "whether somebody has to adopt a plan, by `unspoken plan --adopt`, before "
    "anything is released",
    "plan.odds_cap": "the most that an answer of a plan multiplies odds by, where that is less "
    "than the `odds_cap` of all that is given out: what is between is left for answers with noise, "
    "and for extensions; all is for the plan if left out",
    "plan.limit_bits": "the same in bits: what plans may tell of the `limit_bits` of all that is "
    "given out",
    "plan.given": "a `[context]`: plans hold the limits whatever anybody knows of it, too (record "
    "coins); else they hold without contexts, and what is learned given each is measured",
    "query.rows_per_unit": "how many rows of one `unit` enter a noisy answer at most: which ones, "
    "coins of the key decide. All, if left out",
    "query.bounds": "between which numbers an attribute is added up, by SUM and AVG: values beyond "
    "count as the nearer end",
    "secret.key": "the file of the coin key: made at the first release, to be kept for yourself",
    "secret.ledger": "the file in which every release is charged, for ever; or the address of a "
    "PostgreSQL database, `postgresql://USER@HOST/DATABASE`",
    "output.release": "the released table: Parquet, sorted by key, withheld cells NULL. Without an "
    "ending a folder with a file for each epoch, of which old ones stay as they are; left out, "
    "`released`, such a folder, where epochs are a function of keys",
    "output.manifest": "what users of the release need to know of it; beside a folder another one",
    "output.report": "the page that `unspoken report` writes",
}


@dataclass(frozen=True)
class KeyInfo:
    """A key, in words: its table, what kind of value it takes, what it is if left out."""

    table: str
    name: str
    kind: str
    default: str
    meaning: str
    example: str


def described() -> Iterator[KeyInfo]:
    """Every key of a project file, in the order of the tables."""
    tables: dict[str, type[TomlTable]] = {"": ProjectTable, **SECTIONS}
    tables |= {f"{name}.NAME": table for name, table in NAMED.items()}
    order = [
        "",
        *(name for key in ProjectTable.model_fields for name in tables if name.startswith(key)),
    ]
    for table in order:
        schema = tables[table].model_json_schema()
        for name, field in tables[table].model_fields.items():
            path = f"{table}.{name}".removeprefix(".")
            if table or name not in {*SECTIONS, *NAMED}:
                yield KeyInfo(
                    table,
                    name,
                    _kind(schema["properties"][name]),
                    "must be given" if field.is_required() else _written(field.default),
                    MEANINGS.get(path, ""),
                    f"{name} = {(field.examples or [''])[0]}",
                )


def _kind(schema: dict[str, Any]) -> str:
    """The kind of value in a few words."""
    if schema.get("format") == "date-time":
        return "date"
    words = {"string": "text", "boolean": "true or false", "number": "number", "integer": "number"}
    if "enum" in schema:
        return " or ".join(f'"{option}"' for option in schema["enum"])
    if "const" in schema:
        return f'"{schema["const"]}"'
    if "anyOf" in schema:  # what may be left out
        kinds = [_kind(kind) for kind in schema["anyOf"] if kind.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
    if schema.get("type") == "array":
        return f"list of {_many(_kind(schema['items']))}"
    if schema.get("type") == "object":
        return f"{_kind(schema['additionalProperties'])} for each name"
    return words.get(schema.get("type", ""), "value")


def _many(kind: str) -> str:
    return {"text": "texts", "number": "numbers", "value": "values"}.get(
        kind, kind.replace("list", "lists", 1)
    )


def _written(default: object) -> str:
    """A default as TOML writes it; none, or an empty table, is not written."""
    if type(default) is str:
        return toml_text(default)
    return "" if default is None or default == {} else str(default).lower()


# ---------------------------------------------------------------- for editors


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a project file: what an editor completes, and explains."""
    schema = ProjectTable.model_json_schema()
    tables = {"": schema}
    tables |= {name: schema["$defs"][table.__name__] for name, table in SECTIONS.items()}
    tables |= {f"{name}.NAME": schema["$defs"][table.__name__] for name, table in NAMED.items()}
    for table, described in tables.items():
        described.pop("description", None)
        for name, key in described["properties"].items():
            meaning = MEANINGS.get(f"{table}.{name}".removeprefix("."))
            if meaning:
                key["description"] = meaning
            if "examples" in key:
                key["examples"] = [tomllib.loads(f"x = {e}")["x"] for e in key["examples"]]
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "unspoken.toml"}
    return {**head, **{key: value for key, value in schema.items() if key != "title"}}
