"""The paper that goes with a release: what was done, and what users need to work with it.

It says what was decided, and p as it was tossed, of three decimal places. What the release tells is
computed from the very table: at full digits it would confirm a guess about one of its rows, so it
stays in the ledger. The source is named by a keyed fingerprint, the coin key by one that tells
nothing about it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from unspoken.storage.custody.custody import MARK, by_digest
from unspoken.storage.ledger import Head, Release
from unspoken.storage.stated import less_often
from unspoken.tables.policy import Project
from unspoken.tables.policy.bin_edges import bin_names, plain_edge
from unspoken.tables.policy.reading import installed_version

__all__ = [
    "FORMAT",
    "InclusionRates",
    "Written",
    "by_digest",
    "described",
    "estimating",
    "rule",
    "terms",
    "text",
]

FORMAT = 2


class Written(NamedTuple):
    """What the file of a release has; ``columns``: the type of each, as Arrow names it."""

    file: str
    rows: int
    sha256: str
    columns: Mapping[str, str]


class InclusionRates(NamedTuple):
    """How often what may be shown is, ``given`` its value where that differs, and the names that
    rows which are ``unexpected`` show less often. ``by_cell``: by coins of cells, not of records.
    """

    p: Mapping[str, float]
    given: Mapping[str, Mapping[str, float]]
    unexpected: Sequence[str]
    by_cell: bool


def terms(
    project: Project,
    shown: InclusionRates,
    closed: Mapping[str, Any],
    promise: Sequence[str],
    belief: str | None,
) -> dict[str, Any]:
    """What a manifest says beside the event of its release, as plain data.

    The ledger keeps it with the event, so that every manifest of the release says the same, and is
    checked against it. ``belief``: the digest of what was counted; None: nothing was kept.
    """
    return {
        "format": FORMAT,
        "version": installed_version(),
        "keys": list(project.source.keys),
        "unit": list(project.source.unit),
        "attributes": {
            name: {
                "release_probability": shown.p[name],
                **({"shown_given": dict(shown.given[name])} if name in shown.given else {}),
                **rule(project, name),
                "closed": closed.get(name, []),
                "withheld": "NULL",
            }
            for name in project.reads
        },
        "estimating": estimating(
            project, shown.by_cell, bool(shown.given), closed, shown.unexpected
        ),
        "close": project.limits.close,
        "promise": list(promise),
        **({} if belief is None else {"belief": belief}),
    }


def described(
    event: Release,
    terms: Mapping[str, Any],
    head: Head,
    charged: str,
    written: Written,
    by_epoch: bool,
) -> dict[str, Any]:
    """The manifest as plain data, the same for the same release: what is written, and what a
    manifest is verified by.

    ``head``: of the event in the ledger; ``charged``: when, to the second. ``by_epoch``: whether
    there is a file for each epoch; then the event is that of one of them.
    """
    return {
        **MARK,
        "format": terms["format"],
        "version": terms["version"],
        "release": written._asdict(),
        **({"readers": list(event.readers)} if event.readers else {}),
        **{name: terms[name] for name in ("keys", "unit", "attributes", "estimating")},
        "limits": dict(sorted({**event.limits, "close": terms["close"]}.items())),
        "promise": terms["promise"],
        **{name: terms[name] for name in ("belief",) if name in terms},
        "epoch": {
            "of" if event.per_key else "label": event.epoch,
            **(_epoch(event) if by_epoch else {}),
        },
        "coins": {
            "algorithm": event.coins,
            "key": event.key,
            **_table(event),
            **({} if event.draw == 1 else {"draw": event.draw}),
        },
        "readings": {epoch: dict(sorted(read.items())) for epoch, read in event.readings.items()},
        "charge": head.as_json(),
        "charged": charged,
    }


def estimating(
    project: Project,
    by_cell: bool,
    given: bool,
    closed: Mapping[str, Any],
    unexpected: Sequence[str] = (),
) -> str:
    """What recipients may compute from what is shown, and what not. ``by_cell``: whether coins are
    tossed for cells, not records; ``given``: whether recipients are
    told how often each label is shown; ``unexpected``: the names that rows at which the counts are
    0 show less often. For whoever computes: docs/recipients.md.
    """
    hidden = [
        name
        for name in project.reads
        if project.attributes[name].sensitive is not None or closed.get(name)
    ]
    names = " and ".join(filter(None, [", ".join(hidden[:-1]), *hidden[-1:]]))
    one_sided = (
        " Labels that are never shown have no weight: a mean, a quantile or a correlation of "
        f"{names} is biased, weighted or not."
    )
    beside = f" {less_often(unexpected)}" if unexpected else ""
    return _weighted(project, by_cell, given) + beside + (one_sided if hidden else "")


def _weighted(project: Project, by_cell: bool, given: bool) -> str:
    """What a shown label counts for."""
    if by_cell:
        return (
            "Count a shown label as 1 / release_probability cells: right for every group of rows."
        )
    if not given:
        return (
            "How often a label is shown differs from label to label, and is not said, since the "
            "table was counted without noise: shares cannot be estimated."
        )
    if project.plan.unbiased:
        return (
            "Count a shown label as 1 / shown_given cells: right for every group of rows, but not "
            "for two attributes at once."
        )
    return (
        "Count a shown label as 1 / shown_given cells: right under the belief that was learned, on "
        "average over all rows; off in groups of rows and in other tables, for labels of which few "
        "rows are shown, since the counts have noise, and for two attributes at once."
    )


def _epoch(event: Release) -> dict[str, Any]:
    """Which epoch a file is of; and the how manieth of its files it is."""
    (name,) = event.readings
    return {"name": name, "part": event.parts.get(name, 1)}


def _table(event: Release) -> dict[str, Any]:
    """Which table of what is shown its coins look up, where there is one a record; and which ones
    it extends, the first one first.
    """
    for coin in event.mechanism.record_coins():
        *extended, table = coin.coins
        return {"of": "records", "table": table, **({"extends": extended} if extended else {})}
    return {"of": "cells"}


def text(manifest: Mapping[str, Any]) -> str:
    """The manifest as the file holds it."""
    return json.dumps(manifest, indent=2, sort_keys=False, allow_nan=False) + "\n"


def rule(project: Project, name: str) -> dict[str, Any]:
    """How its values are told apart, and which are never shown, as the project file says it."""
    declared = project.attributes[name]
    bins = map(plain_edge, declared.bins or ()) if declared.grouped else None
    parted = {"bins": bins, "values": declared.values}
    return {
        **{key: list(edges) for key, edges in parted.items() if edges is not None},
        "shows": list(bin_names(declared.bins or ())) if declared.grouped else "values",
        "sensitive": declared.sensitive,
        "missing": declared.missing,
    }
