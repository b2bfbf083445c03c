"""What has to be right about [plan], and about what applications declare of it."""

from __future__ import annotations

from collections.abc import Iterator

from unspoken.tables.policy.checks import each_once, known
from unspoken.tables.policy.complaints import Complaint
from unspoken.tables.policy.schema import PlanTable, ProjectTable

__all__ = ["complaints"]

NOT_OF_CELLS = 'is for plan.by = "record". Take it out.'
# Keys of [plan] that record coins have, and cell coins have not.
OF_RECORDS = ("given", "events", "own_reads", "unbiased", "floor")


def complaints(tables: ProjectTable) -> Iterator[Complaint]:
    """Everything that is wrong with them."""
    yield from check_coins(tables)
    yield from check_numbers(tables)
    yield from check_known(tables)
    yield from check_static(tables)


def check_coins(tables: ProjectTable) -> Iterator[Complaint]:
    """What only one kind of coins has."""
    given, plan = tables.limit, tables.plan
    if plan.by == "record" and given.exceed:
        text = 'is for plan.by = "cell": one coin a record has no use for it. Write 0.'
        yield Complaint(("limit", "exceed"), text)
    if plan.by == "record":
        return
    for name in OF_RECORDS:
        if getattr(plan, name) != PlanTable.model_fields[name].default:
            yield Complaint(("plan", name), NOT_OF_CELLS)
    if given.pooled_cap is not None:
        yield Complaint(("limit", "pooled_cap"), NOT_OF_CELLS)
    for name, application in tables.application.items():
        if application.knows:
            yield Complaint(("application", name, "knows"), NOT_OF_CELLS)


def check_numbers(tables: ProjectTable) -> Iterator[Complaint]:
    """Within their ranges."""
    yield from check_within(tables)
    floor, pooled = tables.plan.floor, tables.limit.pooled_cap
    if floor is not None and floor <= 0:
        yield Complaint(("plan", "floor"), "is an eps above 0. Write 3, or take it out.")
    if pooled is not None and pooled != "none" and pooled < 1:
        text = 'is below 1, which nothing meets. Write 1 or more, or "none".'
        yield Complaint(("limit", "pooled_cap"), text)
    for name, application in tables.application.items():
        if not application.weight > 0:
            text = "is what a cell is worth beside 1. Write a number above 0."
            yield Complaint(("application", name, "weight"), text)
        if not 0 <= application.share <= 1:
            text = "is a share of the cells it reads. Write a number from 0 to 1."
            yield Complaint(("application", name, "share"), text)


def check_within(tables: ProjectTable) -> Iterator[Complaint]:
    """A plan keeps to limits of its own where these are within those of all that is given out."""
    plan, limits = tables.plan, tables.limit
    least = {"odds_cap": (1.0, "below 1, which nothing meets"), "limit_bits": (0.0, "below 0")}
    for name, (low, text) in least.items():
        planned, most = getattr(plan, name), getattr(limits, name)
        if planned is not None and planned < low:
            yield Complaint(("plan", name), f"is {text}. Write more, or take it out.")
        elif planned is not None and most is not None and planned > most:
            text = f"is above limit.{name} = {most:g}, which holds for all that is given out. "
            yield Complaint(("plan", name), f"{text}Write less, or take it out.")


def check_static(tables: ProjectTable) -> Iterator[Complaint]:
    """What is the same in all rows of a unit is released once, and told of by every row."""
    source = tables.source
    if source.unit is None or set(source.unit) == set(source.keys):
        return
    unit = " and ".join(source.unit)
    read = {name for application in tables.application.values() for name in application.reads}
    for name, attribute in tables.attribute.items():
        path = ("attribute", name, "static")
        if attribute.static and name in read:
            text = f"each row of one {unit} tosses a coin of its own, which show it together. "
            text += f"Release {name} by itself, from a table with one row for each {unit}."
            yield Complaint(path, text)
        elif attribute.static and attribute.sensitive and tables.limit.unit_bits is None:
            text = f"every row of one {unit} tells of it anew. Give [limit] unit_bits."
            yield Complaint(path, text)


def check_known(tables: ProjectTable) -> Iterator[Complaint]:
    """An application knows attributes that there are, and anybody a context that there is."""
    given = tables.plan.given
    for complaint in known(("plan", "given"), [given] if given else [], "context", tables.context):
        yield Complaint(("plan", "given"), complaint.text)
    for name, application in tables.application.items():
        path = ("application", name, "knows")
        yield from each_once(path, application.knows)
        yield from known(path, application.knows, "attribute", tables.attribute)
