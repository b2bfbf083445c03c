"""One way to write what may be written in several: the same question is the same request.

    3 < x, NOT x <= 3  ->  x > 3          x BETWEEN a AND b  ->  x >= a, x <= b
    x IN ('a')         ->  x = 'a'        x IN ('b', 'a')    ->  x IN ('a', 'b')

Comparisons of NULL are NULL in every spelling. What is written in yet another way is charged as a
question of its own: that is never too little.
"""

from __future__ import annotations

import json

from unspoken.tables.engines.syntax import Node

__all__ = ["conjuncts"]

COMPARE = "COMPARE_{}".format
TURNED = {
    COMPARE("LESSTHAN"): COMPARE("GREATERTHAN"),
    COMPARE("LESSTHANOREQUALTO"): COMPARE("GREATERTHANOREQUALTO"),
}
TURNED |= {there: here for here, there in TURNED.items()}
DENIED = {
    COMPARE("LESSTHAN"): COMPARE("GREATERTHANOREQUALTO"),
    COMPARE("GREATERTHAN"): COMPARE("LESSTHANOREQUALTO"),
    COMPARE("EQUAL"): COMPARE("NOTEQUAL"),
}
DENIED |= {there: here for here, there in DENIED.items()}
IN, NOT = COMPARE("IN"), "OPERATOR_NOT"


def conjuncts(condition: Node) -> list[Node]:
    """The conditions all of which hold where this one does."""
    kind = condition["type"]
    if kind == "CONJUNCTION_AND":
        return [part for below in condition["children"] for part in conjuncts(below)]
    if kind == COMPARE("BETWEEN"):
        low, high = COMPARE("GREATERTHANOREQUALTO"), COMPARE("LESSTHANOREQUALTO")
        ends = [(low, condition["lower"]), (high, condition["upper"])]
        return [_compared(to, condition["input"], end) for to, end in ends]
    return [_plain(condition)]


def _plain(condition: Node) -> Node:
    kind: str = condition["type"]
    below: list[Node] = condition.get("children") or []
    if kind == NOT and len(below) == 1:
        inner = _plain(below[0])
        denied = DENIED.get(inner["type"])
        return {**condition, "children": [inner]} if denied is None else {**inner, "type": denied}
    if kind == IN and _constant(below[1:]):
        values = sorted(below[1:], key=_written)
        if len(values) == 1:
            return _compared(COMPARE("EQUAL"), below[0], values[0])
        return {**condition, "children": [below[0], *values]}
    if condition["class"] == "COMPARISON":
        left, right = condition["left"], condition["right"]
        if _constant([left]) and not _constant([right]):
            return _compared(TURNED.get(kind, kind), right, left)
    return condition


def _compared(kind: str, left: Node, right: Node) -> Node:
    return {"class": "COMPARISON", "type": kind, "alias": "", "left": left, "right": right}


def _constant(parts: list[Node]) -> bool:
    return all(part["class"] == "CONSTANT" for part in parts)


def _written(part: Node) -> str:
    """A constant, wherever in the query it stands."""
    return json.dumps({k: v for k, v in part.items() if not k.startswith("query_")}, sort_keys=True)
