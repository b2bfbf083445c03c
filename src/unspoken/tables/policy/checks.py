"""What must hold of a project file by itself, before any table is opened.

Each check is a generator of complaints over the tables of the file; CHECKS lists them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from zoneinfo import available_timezones

from unspoken.tables.engines.session import bytes_of
from unspoken.tables.policy.bin_edges import Edge, edge_text, kind_of_edge
from unspoken.tables.policy.complaints import Complaint, nearest, quoted
from unspoken.tables.policy.locate import KeyPath
from unspoken.tables.policy.range_checks import check_ranges
from unspoken.tables.policy.schema import (
    EXACT,
    FORMS,
    TOO_LATE,
    AttributeTable,
    ContextTable,
    LimitTable,
    ProjectTable,
)

__all__ = ["complaints", "each_once", "known"]

LEAST_MEMORY = 50e6  # with less DuckDB cannot sort at all

KINDS: dict[type, str] = {str: "text", bool: "true or false", int: "numbers", float: "numbers"}

# The eps of noise on counts: of less there is nothing but noise, of more there is none.
LEAST_NOISE, MOST_NOISE = 1e-3, 20.0


def complaints(tables: ProjectTable) -> Iterator[Complaint]:
    """Everything that is wrong with these tables."""
    for check in CHECKS:
        yield from check(tables)


# ---------------------------------------------------------------- names in lists


def each_once(path: KeyPath, names: Sequence[str]) -> Iterator[Complaint]:
    """No name of a list is empty or there twice."""
    for place, name in enumerate(names):
        if not name.strip():
            yield Complaint((*path, place), "holds an empty name. Write the name, or take it out.")
        elif name in names[:place]:
            yield Complaint((*path, place), f"lists {quoted(name)} twice. Keep it once.")


def known(
    path: KeyPath, names: Sequence[str], what: str, all_of: Iterable[str]
) -> Iterator[Complaint]:
    """Every name of a list is one of these."""
    options = list(all_of)
    for place, name in enumerate(names):
        if name.strip() and name not in options:
            text = f"there is no {what} {quoted(name)}. {nearest(name, options)}"
            yield Complaint((*path, place), text)


def filled(path: KeyPath, text: str | None, otherwise: str) -> Iterator[Complaint]:
    """A text that is given says something."""
    if text is not None and not text.strip():
        yield Complaint(path, f"is empty. {otherwise}")


def unlike_in_sql(path: KeyPath, name: str, others: Iterable[str]) -> Iterator[Complaint]:
    """No other column's name is this one in other letter case."""
    alike = [o for o in others if o != name and o.casefold() == name.casefold()]
    if alike:
        text = f"{quoted(name)} and {quoted(alike[0])} differ in letter case only, which SQL does "
        yield Complaint(path, f"{text}not see. Rename one of the columns by source.sql.")


# ---------------------------------------------------------------- [source], [epoch]


def check_source(tables: ProjectTable) -> Iterator[Complaint]:
    """One place where the rows are; the keys that name them, the unit among these."""
    source, keys, unit = tables.source, ("source", "keys"), ("source", "unit")
    if source.table is not None and source.sql is not None:
        yield Complaint(("source", "sql"), "table and sql are both given. Keep one of them.")
    if source.table is None and source.sql is None:
        text = 'says nowhere to read. Write table = "FILE.parquet", or sql = "SELECT ...".'
        yield Complaint(("source",), text)
    yield from filled(("source", "sql"), source.sql, "Write a query, or table = ... instead.")
    if not source.keys:
        yield Complaint(keys, "is empty. List the columns that together name each row.")
    yield from each_once(keys, source.keys)
    for place, name in enumerate(source.keys):
        yield from unlike_in_sql((*keys, place), name, source.keys)
    if source.unit is not None:
        if not source.unit:
            text = "is empty. List the keys that name whom to protect, or leave unit out: each row."
            yield Complaint(unit, text)
        yield from each_once(unit, source.unit)
        yield from known(unit, source.unit, "key", source.keys)
    if source.rows_per_unit is not None and source.rows_per_unit < 1:
        text = "is below 1. Write the most rows that one unit may have, or leave it out: any."
        yield Complaint(("source", "rows_per_unit"), text)


@cache
def _zones() -> frozenset[str]:
    """All time zones: some hundred files, looked at once."""
    return frozenset(available_timezones())


def check_engine(tables: ProjectTable) -> Iterator[Complaint]:
    """What the engine is given to work with: a time zone, memory, threads."""
    source = tables.source
    zone = source.timezone  # a machine may know none but UTC; DuckDB knows all
    if zone != "UTC" and _zones() and zone not in _zones():
        text = f"there is no time zone {quoted(zone)}. {nearest(zone, _zones())}"
        yield Complaint(("source", "timezone"), text)
    if bytes_of(source.memory) < LEAST_MEMORY:
        text = f'{quoted(source.memory)} is no size of 50 MB or more. Write, for example, "2GB".'
        yield Complaint(("source", "memory"), text)
    if source.threads is not None and source.threads < 1:
        text = "is below 1. Write how many threads to use, or leave it out: all there are."
        yield Complaint(("source", "threads"), text)


def check_epoch(tables: ProjectTable) -> Iterator[Complaint]:
    """Either a label or a function of the keys."""
    label, of = tables.epoch.label, tables.epoch.of
    if label is not None and of is not None:
        yield Complaint(("epoch", "of"), "label and of are both given. Keep one of them.")
    if label is None and of is None:
        text = 'needs label or of. Write, for example, label = "2026"'
        yield Complaint(("epoch",), text)
    yield from filled(("epoch", "label"), label, 'Write, for example, label = "2026"')
    yield from filled(("epoch", "of"), of, "Write SQL over key columns, or a label instead.")


# ---------------------------------------------------------------- [attribute.NAME]


def check_attributes(tables: ProjectTable) -> Iterator[Complaint]:
    """At least one; each with a name of its own and values that are told apart."""
    if not tables.attribute:
        text = "there is no attribute. Write a table [attribute.COLUMN] for each column to release."
        yield Complaint(("attribute",), text)
    for name, attribute in tables.attribute.items():
        path = ("attribute", name)
        yield from attribute_name(path, name, tables)
        if attribute.bins is not None and isinstance(attribute.values, list):
            text = "bins and values are both given. Keep one of them"
            yield Complaint((*path, "values"), f'{text}, or write values = "{EXACT}".')
        yield from bins((*path, "bins"), attribute.bins)
        yield from values((*path, "values"), attribute)
        text = "Write SQL over the row, or leave it out: never sensitive."
        yield from filled((*path, "sensitive"), attribute.sensitive, text)


def attribute_name(path: KeyPath, name: str, tables: ProjectTable) -> Iterator[Complaint]:
    """A name that is no key; and no two that SQL would take for one."""
    if not name.strip():
        yield Complaint(path, "its name is empty. Write [attribute.COLUMN].")
    if name in tables.source.keys:
        text = "is a key, and keys are public: every release shows them. Take it out of one place."
        yield Complaint(path, text)
    yield from unlike_in_sql(path, name, [*tables.source.keys, *tables.attribute])


def bins(path: KeyPath, edges: Sequence[Edge] | None) -> Iterator[Complaint]:
    """At least one edge, of one kind, each above the one before it."""
    if edges is not None and not edges:
        yield Complaint(path, "is empty. Write at least one edge, or leave it out.")
    for place, (lower, upper) in enumerate(pairwise(edges or ()), 1):
        kinds = kind_of_edge(lower), kind_of_edge(upper)
        if kinds[0] != kinds[1]:
            text = f"mixes {kinds[0]} and {kinds[1]}. Write all edges alike."
            yield Complaint((*path, place), text)
        elif not lower < upper:  # type: ignore[operator]
            text = f"{edge_text(upper)} follows {edge_text(lower)}. Sort the edges, each once."
            text = f"must increase, but {text}"
            yield Complaint((*path, place), text)


def values(path: KeyPath, attribute: AttributeTable) -> Iterator[Complaint]:
    """Texts, numbers or truth values, of one kind, finite, each once, at least two."""
    given = attribute.values
    if not isinstance(given, list):
        return
    if not given:
        yield Complaint(path, "is empty. List every value that occurs, or leave it out.")
    if len(given) == 1 and attribute.missing != "value":
        text = (
            "has a single value, so there is nothing to tell. List all, or take the attribute out."
        )
        yield Complaint(path, text)
    kinds = [KINDS.get(type(value), "") for value in given]
    for place, (value, kind) in enumerate(zip(given, kinds, strict=True)):
        item = (*path, place)
        if not kind:
            text = "holds something else than text, numbers, true or false. Write dates as text."
            yield Complaint(item, text)
        elif kind != kinds[0]:
            text = f"mixes {kinds[0] or 'other things'} and {kind}. Write all values alike."
            yield Complaint(item, text)
        elif kind == "numbers" and not math.isfinite(value):
            yield Complaint(item, "holds NaN or infinity, which are no values. Take them out.")
        elif value in given[:place]:
            yield Complaint(item, f"lists {quoted(value)} twice. Keep it once.")


# ---------------------------------------------------------------- [context.NAME]


def check_contexts(tables: ProjectTable) -> Iterator[Complaint]:
    """Each with a name that no attribute has, of a belief that has room for it."""
    for name, context in tables.context.items():
        path = ("context", name)
        if not name.strip():
            yield Complaint(path, "its name is empty. Write [context.NAME].")
        if name in tables.attribute:
            yield Complaint(path, "is the name of an attribute. Give the context one of its own.")
        if tables.belief.form == "tree":
            text = 'a tree is learned without contexts. Take them out, or form = "tree".'
            yield Complaint(path, text)
        yield from filled((*path, "of"), context.of, "Write SQL over key columns.")
        given = [key for key in ("of", "previous", "habit") if getattr(context, key) is not None]
        if len(given) != 1:
            text = f"needs one of of, previous and habit, and has {' and '.join(given) or 'none'}."
            yield Complaint(path, f"{text} Write one of them.")
        yield from _of_unit(path, context, tables)


def _of_unit(path: KeyPath, context: ContextTable, tables: ProjectTable) -> Iterator[Complaint]:
    """What is made of other rows of a unit: an attribute, units of several rows, classes."""
    source = tables.source
    for key in ("previous", "habit"):
        name = getattr(context, key)
        if name is None:
            continue
        yield from known((*path, key), [name], "attribute", tables.attribute)
        if source.unit is None or set(source.unit) == set(source.keys):
            text = "is of other rows of a unit, and each row is its own. Name the unit in [source]."
            yield Complaint((*path, key), text)
    if context.habit is None:
        if context.edges is not None:
            yield Complaint((*path, "edges"), "is of a habit, and there is none. Take it out.")
        return
    attribute = tables.attribute.get(context.habit)
    if attribute is not None and attribute.sensitive is None:
        text = f"{quoted(context.habit)} is never sensitive, so there is no habit of it."
        yield Complaint((*path, "habit"), f"{text} Take it out.")
    if source.rows_per_unit is None:
        text = "one row moves all of its unit. Declare rows_per_unit in [source]."
        yield Complaint((*path, "habit"), text)
    edges = context.edges or []
    if not edges or any(not 0 < edge <= 1 for edge in edges) or sorted(set(edges)) != edges:
        text = "has to list increasing shares, above 0 and at most 1. Write, for example, [0.1]"
        yield Complaint((*path, "edges"), text)


# ---------------------------------------------------------------- [application.NAME]


def check_applications(tables: ProjectTable) -> Iterator[Complaint]:
    """At least one; each reads attributes that there are."""
    if not tables.application:
        text = "there is no application. Write a table [application.NAME] for everybody who reads."
        yield Complaint(("application",), text)
    for name, application in tables.application.items():
        path = ("application", name, "reads")
        if not name.strip():
            yield Complaint(path[:2], "its name is empty. Write [application.NAME].")
        if not application.reads:
            yield Complaint(path, "is empty. List the attributes it reads, or take it out.")
        yield from each_once(path, application.reads)
        keys = [read for read in application.reads if read in tables.source.keys]
        for key in keys:
            text = f"{quoted(key)} is a key, which everybody sees. Take it out of reads."
            yield Complaint((*path, application.reads.index(key)), text)
        options = [*tables.attribute, *keys]
        yield from known(path, application.reads, "attribute", options)


# ---------------------------------------------------------------- [belief], [limit]


def check_belief(tables: ProjectTable) -> Iterator[Complaint]:
    """A form that there is."""
    form = tables.belief.form
    if form is not None and form not in FORMS:
        text = f"there is no form {quoted(form)}. {nearest(form, FORMS)}"
        yield Complaint(("belief", "form"), text)


def check_noise(tables: ProjectTable) -> Iterator[Complaint]:
    """An eps that noise can be drawn for, a level below certainty, a cap that can be kept."""
    noise, confidence = tables.belief.noise, tables.belief.confidence
    if noise != "none" and not LEAST_NOISE <= noise <= MOST_NOISE:
        text = f'is an eps, from {LEAST_NOISE:g} to {MOST_NOISE:g}. Write 0.5, or "none".'
        yield Complaint(("belief", "noise"), text)
    if confidence != "none" and not 0 < confidence < 1:
        text = 'is a probability between 0 and 1. Write 0.95, or "none".'
        yield Complaint(("belief", "confidence"), text)
    if noise == "none" and tables.plan.approve:
        text = "needs [belief] a noise: with exact counts every release plans anew."
        yield Complaint(("plan", "approve"), text)
    cap = tables.limit.cap_all
    if cap is not None and cap < 1:
        text = "is below 1, which nothing meets. Write 1 (say nothing) or more."
        yield Complaint(("limit", "cap_all"), text)
    counted = 0.0 if noise == "none" or tables.belief.history is not None else noise
    if cap is not None and cap >= 1 and math.log(cap) < counted:
        text = (
            f"is less than e^{noise}, by which counts with that noise multiply odds by themselves. "
            "Raise it, or write a smaller [belief] noise, or a history to learn from."
        )
        yield Complaint(("limit", "cap_all"), text)
    if cap is not None and noise == "none" and tables.belief.history is None:
        text = (
            "cannot be kept: exact counts tell who knows every other row the last one. Give "
            "[belief] a noise, or a history to learn from."
        )
        yield Complaint(("limit", "cap_all"), text)


def check_limits(tables: ProjectTable) -> Iterator[Complaint]:
    """Numbers within their ranges."""
    limit = tables.limit
    if limit.limit_bits is not None and limit.limit_bits < 0:
        yield Complaint(("limit", "limit_bits"), "is negative. Write 0 (say nothing) or more bits.")
    path = ("limit", "unit_bits")
    if limit.unit_bits is not None and limit.unit_bits < 0:
        yield Complaint(path, "is negative. Write 0 (say nothing) or more bits.")
    if limit.unit_bits is not None and tables.source.rows_per_unit is None:
        text = "is shared by the rows of a unit. Write rows_per_unit = 366, say, under [source]."
        yield Complaint(path, text)
    if limit.odds_cap < 1:
        text = "is below 1, which nothing meets. Write 1 (say nothing) or more; 4 is recommended."
        yield Complaint(("limit", "odds_cap"), text)
    if not 0 <= limit.exceed <= 1:
        text = "is a share of answers, from 0 to 1. Write 0 to keep the cap for every answer."
        yield Complaint(("limit", "exceed"), text)


def check_targets(tables: ProjectTable) -> Iterator[Complaint]:
    """Limits of their own are for attributes, and not negative."""
    for name, bits in tables.limit.target.items():
        path = ("limit", "target", name)
        if name not in tables.attribute and name in LimitTable.model_fields:
            yield Complaint(path, TOO_LATE)
        elif name not in tables.attribute:
            text = f"there is no attribute {quoted(name)}. {nearest(name, tables.attribute)}"
            yield Complaint(path, text)
        if bits < 0:
            yield Complaint(path, "is negative. Write 0 (say nothing) or more bits.")


def check_coalitions(tables: ProjectTable) -> Iterator[Complaint]:
    """Lists of applications; nobody is left out, since nothing would limit what they learn."""
    path, given = ("limit", "coalitions"), tables.limit.coalitions
    if given is None:
        return
    for place, coalition in enumerate(given):
        if not coalition:
            yield Complaint((*path, place), "holds an empty list. List who pools, or take it out.")
        yield from each_once((*path, place), coalition)
        yield from known((*path, place), coalition, "application", tables.application)
    members = {name for coalition in given for name in coalition}
    for name in tables.application:
        if name not in members:
            text = f"{quoted(name)} is in none, so no limit holds for it. Add [{quoted(name)}]."
            yield Complaint(path, text, rank=1)


Check = Callable[[ProjectTable], Iterator[Complaint]]

CHECKS: tuple[Check, ...] = (
    check_source,
    check_engine,
    check_epoch,
    check_attributes,
    check_contexts,
    check_applications,
    check_belief,
    check_noise,
    check_limits,
    check_targets,
    check_coalitions,
    check_ranges,
)
