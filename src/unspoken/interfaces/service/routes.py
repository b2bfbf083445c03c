"""What there is to ask, and who may: this table is the whole of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from unspoken.workflows.serve.tokens import ROLES, Role

__all__ = ["PAGES", "ROUTES", "Route"]

APPLICATION: tuple[Role, ...] = ("application",)
STEWARD: tuple[Role, ...] = ("steward",)
LOOKING: tuple[Role, ...] = ("steward", "auditor")


@dataclass(frozen=True)
class Route:
    """``method``: the one that there is; ``roles``: who may; None: anybody, without a token.

    ``body``: what is sent, if anything is. ``takes_slot``: whether it counts among the requests
    that are worked on at once, of which there are as many as bounds say. What takes none is
    answered from memory, or is bounded by the threads that work on it.
    """

    method: str
    roles: tuple[Role, ...] | None
    body: str = "application/json"
    takes_slot: bool = True


ROUTES: Mapping[str, Route] = {
    "/health": Route("GET", None, takes_slot=False),
    "/openapi.json": Route("GET", ROLES),
    "/metrics": Route("GET", LOOKING, takes_slot=False),
    "/v1/catalogue": Route("GET", APPLICATION),
    "/v1/cells": Route("POST", APPLICATION),
    "/v1/answers": Route("POST", APPLICATION),
    "/v1/account": Route("GET", APPLICATION),
    "/v1/standings": Route("GET", STEWARD),
    "/v1/refusals": Route("GET", STEWARD),
    "/v1/disclosures": Route("POST", STEWARD),
    "/v1/events": Route("GET", LOOKING),
}

# Pages of the dashboard, which look themselves who has signed in.
FORM = "application/x-www-form-urlencoded"
PAGES: Mapping[str, Route] = {
    "/dashboard": Route("GET", None, takes_slot=False),
    "/dashboard/plan": Route("GET", None, takes_slot=False),
    "/dashboard/history": Route("GET", None, takes_slot=False),
    "/dashboard/enter": Route("POST", None, FORM, takes_slot=False),
    "/dashboard/leave": Route("POST", None, FORM, takes_slot=False),
    "/dashboard/approve": Route("POST", None, FORM, takes_slot=False),
}
