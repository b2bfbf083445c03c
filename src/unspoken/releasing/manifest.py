"""The paper that goes with a release: what was done, and what users need to work with it.

Nothing secret is in it, and nothing that confirms a guess: the source is named by a keyed
fingerprint, the coin key by one that tells nothing about it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from unspoken.display import json_number
from unspoken.ledger import Release
from unspoken.mechanisms.one_sided import release_probability
from unspoken.policy import Project
from unspoken.releasing.leaks import Leak

__all__ = ["FORMAT", "described", "leakage", "text"]

FORMAT = 1


def described(
    project: Project, event: Release, number: int, rows: int, digest: str, leaks: Sequence[Leak]
) -> dict[str, Any]:
    """The manifest as plain data, the same for the same release."""
    return {
        "unspoken": "release",
        "format": FORMAT,
        "release": {"file": project.files.release.name, "rows": rows, "sha256": digest},
        **({"readers": list(event.readers)} if event.readers else {}),
        "keys": list(project.source.keys),
        "attributes": {name: _attribute(project, event, name) for name in project.reads},
        "epoch": {"of" if event.per_key else "label": event.epoch},
        "coins": {"algorithm": event.coins, "key": event.key},
        "readings": {epoch: dict(read) for epoch, read in event.readings.items()},
        "limits": dict(event.limits),
        "leakage": leakage(leaks),
        "charge": number,
    }


def text(manifest: Mapping[str, Any]) -> str:
    """The manifest as the file holds it."""
    return json.dumps(manifest, indent=2, sort_keys=False, allow_nan=False) + "\n"


def leakage(leaks: Sequence[Leak]) -> list[dict[str, Any]]:
    """Who learns how much about what."""
    return [
        {
            "who": leak.who,
            "about": leak.about,
            "odds": leak.odds.as_json(),
            "information": leak.information.as_json(),
        }
        for leak in leaks
    ]


def _attribute(project: Project, event: Release, name: str) -> dict[str, Any]:
    epsilon = event.mechanism.exponents()[name]
    return {
        "epsilon": json_number(epsilon),
        "release_probability": release_probability(epsilon),
        "withheld": "NULL",
        "missing": project.attributes[name].missing,
    }
