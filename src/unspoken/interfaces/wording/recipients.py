"""What the page says to those who get a release: what to compute from it, with the code."""

from __future__ import annotations

from pathlib import Path

from unspoken.assessment.findings import Findings
from unspoken.storage.writing.manifest import estimating

__all__ = ["code", "said"]

# 1 / a(v) cells for each that is shown: of all rows the share that has this label.
CODE = """\
import json
import pyarrow.parquet as pq

rows = pq.read_table({release!r})
with open({manifest!r}, encoding="utf-8") as file:
    attributes = json.load(file)["attributes"]
for name, of in attributes.items():
    for label in rows[name].drop_null().value_counts().to_pylist():
        a = {often}
        if a > 0:
            print(name, label["values"], round(label["counts"] / a / len(rows), 3))
"""
BY_LABEL, BY_NAME = 'of["shown_given"][str(label["values"])]', 'of["release_probability"]'


def said(findings: Findings) -> str:
    """As the manifest of a release will say it."""
    closed = findings.closure.added if findings.project.closing_values else {}
    by_cell = not findings.plan.mechanism.record_coins()
    return estimating(findings.project, by_cell, _noisy(findings), closed, findings.unexpected)


def code(findings: Findings) -> str:
    """What computes the shares of all labels that are shown; empty where these cannot be had."""
    project = findings.project
    files = project.files.serving("APPLICATION") if project.divided else project.files
    by_cell = not findings.plan.mechanism.record_coins()
    if not (by_cell or _noisy(findings)):
        return ""

    def named(path: Path, ending: str) -> str:
        return f"{path.name}/EPOCH{ending}" if files.by_epoch else path.name

    return CODE.format(
        release=named(files.release, ".parquet"),
        manifest=named(files.manifest, ".json"),
        often=BY_NAME if by_cell else BY_LABEL,
    )


def _noisy(findings: Findings) -> bool:
    """Whether it may be said how often each label is shown."""
    return findings.project.belief.noise is not None
