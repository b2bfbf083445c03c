"""What the pages say, as plain strings in the order they say them; templates only lay them out."""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterable, Mapping
from typing import Any

from unspoken.core.pictures.palette import BEYOND
from unspoken.core.types.premise import Premise
from unspoken.interfaces.wording import words
from unspoken.storage import prose
from unspoken.workflows.serve.history import Happened
from unspoken.workflows.serve.overview import OfferedPlan, Overview, WhatIf
from unspoken.workflows.serve.standing import FULL, Standing
from unspoken.workflows.serve.stream import UNKNOWN, FullestEpoch, Stream

__all__ = ["history_page", "overview_page", "plan_page"]

Row = dict[str, Any]
EDGES = (*(step / BEYOND for step in range(1, BEYOND)), FULL, 2.0)  # where colours begin
LATEST = 8  # events and notices on the first page
KINDS = {
    "release": "released",
    "answer": "answered",
    "belief": "counted",
    "plan": "adopted",
    "disclosure": "became known",
}
NOTICES = {"limit": "refused", "held": "could not be answered"}


def overview_page(found: Overview) -> Row:
    """Where accounts stand, what was refused, and what has happened last."""
    return {
        "table": found.table,
        "tiles": _tiles(found),
        "alarms": [f"{_when(each.at)}: {each.why}" for each in found.alarms],
        "standings": [_standing(each) for each in found.coalitions],
        "streams": [_stream(each) for each in found.streams],
        "epochs": [row for row in map(_stream, found.streams) if row["epoch"]],
        "unit": prose.listed(found.streams[0].unit) if found.streams else "",
        "promise": [*map(prose.unbroken, found.promise)],
        "premises": _premises(found.coalitions, found.noisy),
        "matrix": _matrix(found),
        "about": list(dict.fromkeys(each.about for each in found.coalitions)),
        "cap": prose.factor(found.odds_cap),
        "exceed": prose.percent(found.exceed) if found.exceed else "",
        "readers": [_reader(each) for each in found.readers],
        "refusals": _notices(found)[:LATEST],
        "more_refusals": max(0, len(_notices(found)) - LATEST),
        "history": [_happened(each) for each in found.history[::-1][:LATEST]],
        "more_history": max(0, len(found.history) - LATEST),
    }


def history_page(found: Overview) -> Row:
    """Everything that has happened, the newest first."""
    return {
        "table": found.table,
        "history": [_happened(each) for each in found.history[::-1]],
        "refusals": _notices(found),
    }


def plan_page(found: WhatIf, table: str, cap: float | None, wrong: str = "") -> Row:
    """The plan that is served, the one that may be approved, and what other caps would let out."""
    same = found.declared is not None and found.declared.digest == found.adopted.digest
    offers = {"served now": found.adopted}
    if found.declared is not None and not same:
        offers["as declared now"] = found.declared
    if found.asked is not None:
        offers[f"with a cap of {prose.factor(found.asked.odds_cap)}"] = found.asked
    most = max((point.released for point in found.curve), default=0.0)
    return {
        "table": table,
        "same": same,
        "why_not": found.why_not,
        "wrong": wrong,
        "digest": "" if found.declared is None else found.declared.digest,
        "asked": "" if cap is None else f"{cap:g}",
        "cap_in": found.cap_in,
        "offers": list(offers),
        "shares": _shares(offers),
        "leaks": _leaks(offers),
        "curve": [
            {
                "cap": prose.factor(point.odds_cap),
                "asks": f"{point.odds_cap:g}",
                "released": prose.percent(point.released),
                "y": round(170 - 130 * point.released / most) if most else 170,
                "chosen": point.chosen,
            }
            for point in found.curve
        ],
    }


def _tiles(found: Overview) -> list[Row]:
    """The numbers to take away."""
    odds = [each.odds for each in found.coalitions if each.odds is not None]
    most = max(odds, key=lambda bound: bound.odds, default=None)
    unknown = len(found.coalitions) - len(odds)
    refused = sum(each.kind == "limit" for each in found.refusals)
    return [
        {
            "name": "The most that any odds may have grown so far, by all that was given"
            + (f"; {unknown} not known" if unknown else ""),
            "number": "nothing known" if most is None else prose.odds_of(most),
            "of": f"of {prose.factor(found.odds_cap)}",
        },
        {
            "name": "Releases and answers that were charged",
            "number": f"{sum(e.kind in ('release', 'answer') for e in found.history):,}",
            "of": "",
        },
        {"name": "Requests that were refused", "number": f"{refused:,}", "of": ""},
    ]


def _standing(each: Standing) -> Row:
    """One coalition about one target: what is spent of the limits, in numbers and as bars."""
    row = {
        "who": prose.listed(each.coalition)
        + (f", knowing {prose.listed(each.knows)}" if each.knows else ""),
        "about": each.about,
        "odds": "",
        "cap": prose.factor(each.odds_cap),
        "bits": "",
        "limit": prose.limit(each.limit) if math.isfinite(each.limit) else "no limit",
        "left": "",
        "spent": "0",
        "spent_bits": "",
        "why": each.why,
        "full": False,
    }
    if each.odds is None or each.information is None or each.left is None or each.spent is None:
        return row
    return row | {
        "odds": prose.odds_of(each.odds),
        "bits": prose.bits_of(each.information),
        "left": prose.factor(math.floor(each.left * 100) / 100),
        "spent": _width(each.spent),
        "spent_bits": "" if each.spent_on_average is None else _width(each.spent_on_average),
        "full": each.spent > FULL,
    }


def _stream(each: Stream) -> Row:
    """What answers with noise told one coalition of a unit, of the limit, and what odds of it."""
    row = {
        "who": prose.listed(each.coalition),
        "limit": f"{each.limit:g}" if math.isfinite(each.limit) else "no limit",
        "spent": "",
        "odds": "",
        "left": "",
        "width": "",
        "full": False,
        "why": UNKNOWN,
        "epoch": _epoch(each.fullest),
    }
    if each.spent is None or each.odds is None:
        return row
    row |= {"spent": f"{float(each.spent):.4g}", "odds": prose.measured(each.odds), "why": ""}
    if each.left is None or each.share is None:
        return row
    left = max(0.0, math.floor(each.left * 1000) / 1000)
    return row | {"left": f"{left:g}", "width": _width(each.share), "full": each.left < 0}


def _epoch(each: FullestEpoch | None) -> Row:
    """The epoch that most was told of, of the share that each has; empty: none is limited."""
    if each is None:
        return {}
    share = math.floor(each.share * 1e4) / 1e4
    left = max(0.0, math.floor(each.left * 10_000) / 10_000)
    return {
        "name": each.name or "none yet",
        "spent": f"{float(each.spent):.4g}",
        "share": f"{share:g}",
        "left": f"{left:g}",
        "width": _width(float(each.spent) / each.share if each.share else float(each.spent > 0)),
        "full": each.left < 0,
        "limit": f"{each.limit:g}",
    }


def _premises(standings: Iterable[Standing], noisy: bool) -> list[str]:
    """What the numbers stand on, each once."""
    held: list[Premise] = [each.odds.premise for each in standings if each.odds is not None]
    return list(dict.fromkeys(words.premise(each, noisy) for each in held))


def _matrix(found: Overview) -> list[Row]:
    """Who has learned what about what: a row a reader, a cell a target, coloured by its step."""
    rows: dict[tuple[str, ...], list[Standing]] = {}
    for each in (*found.alone, *found.coalitions):
        if not any(each.about == known.about for known in rows.get(each.coalition, [])):
            rows.setdefault(each.coalition, []).append(each)
    return [
        {
            "who": prose.listed(who) + (" together" if len(who) > 1 else ""),
            "cells": [
                {
                    "odds": "–" if each.odds is None else prose.odds_of(each.odds),
                    "bits": "not known" if each.information is None
                    else prose.bits_of(each.information),
                    "step": _step(each.spent),
                }
                for each in leaks
            ],
        }
        for who, leaks in rows.items()
    ]  # fmt: skip


def _step(spent: float | None) -> int:
    """The colour of odds: steps within the cap, then one beyond it, and one far so."""
    return 0 if spent is None else bisect.bisect_left(EDGES, spent)


def _reader(each: Any) -> Row:
    return {
        "name": each.name,
        "reads": prose.listed(each.reads),
        "knows": prose.listed(each.knows) or "nothing",
        "weight": f"{each.weight:g}",
        "share": prose.percent(each.share) if each.share else "none asked",
        "given": f"{each.given:,}",
    }


def _notices(found: Overview) -> list[Row]:
    """Who was refused, the newest first."""
    return [
        {
            "at": _when(each.at),
            "kind": NOTICES[each.kind],
            "who": each.who,
            "what": each.what,
            "why": each.why,
        }
        for each in found.refusals[::-1]
    ]


def _happened(each: Happened) -> Row:
    approved = f"by {each.by}" if each.by else ""
    given = each.kind in ("release", "answer", "disclosure")
    return {
        "at": _when(each.at),
        "kind": KINDS.get(each.kind, each.kind),
        "who": prose.listed(each.who) or ("everybody" if given else ""),
        "what": each.what,
        "approved": f"{approved}: {each.why}" if each.why else approved,
    }


def _shares(offers: Mapping[str, OfferedPlan]) -> list[Row]:
    """Of all cells of an attribute how many each plan shows."""
    names = dict.fromkeys(name for offer in offers.values() for name in offer.shares)
    return [
        {
            "name": name,
            "cells": [
                {
                    "share": prose.percent(offer.shares.get(name, 0.0)),
                    "width": _width(offer.shares.get(name, 0.0)),
                }
                for offer in offers.values()
            ],
        }
        for name in names
    ]


def _leaks(offers: Mapping[str, OfferedPlan]) -> list[Row]:
    """Who would learn what by each plan alone."""
    rows: dict[tuple[str, str], list[str]] = {}
    for offer in offers.values():
        for leak in offer.leaks:
            said = f"{prose.odds_of(leak.odds)}, {prose.bits_of(leak.information)}"
            rows.setdefault((leak.who, leak.about), []).append(said)
    return [{"who": who, "about": about, "cells": cells} for (who, about), cells in rows.items()]


def _width(share: float) -> str:
    """Of a bar, in per cent."""
    return f"{100 * min(1.0, share):.1f}"


def _when(at: str) -> str:
    return f"{at[:16].replace('T', ' ')}{prose.NBSP}UTC"
