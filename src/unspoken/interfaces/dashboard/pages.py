"""The pages as text: no scripts, and no file or address beside themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from unspoken.interfaces.dashboard import content
from unspoken.workflows.serve.overview import Overview, WhatIf

__all__ = ["POLICY", "Pages", "enter"]

# What a browser may do with a page of ours: nothing, but send its forms back.
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; "
    "frame-ancestors 'none'; base-uri 'none'"
)


@dataclass(frozen=True)
class Pages:
    """For the steward ``who`` has signed in; ``form``: the word that forms of theirs have."""

    who: str
    form: str

    def overview(self, found: Overview) -> str:
        return self._page("overview", "/dashboard", content.overview_page(found))

    def history(self, found: Overview) -> str:
        return self._page("history", "/dashboard/history", content.history_page(found))

    def plan(self, found: WhatIf, table: str, cap: float | None, wrong: str = "") -> str:
        said = content.plan_page(found, table, cap, wrong)
        return self._page("plan", "/dashboard/plan", said)

    def _page(self, name: str, here: str, said: Mapping[str, Any]) -> str:
        return _drawn(name, {**said, "who": self.who, "form": self.form, "here": here})


def enter(wrong: str = "") -> str:
    """For whoever has not signed in."""
    return _drawn("enter", {"wrong": wrong, "who": "", "form": "", "here": ""})


def _drawn(name: str, said: Mapping[str, Any]) -> str:
    from unspoken.interfaces.report.page import drawn

    return drawn(f"dashboard/{name}.html.jinja", said)
