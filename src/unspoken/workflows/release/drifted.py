"""Whether the rows that a release shows for the first time are like those that were counted.

They were counted by their labels while they were read, so no row is looked at twice; only whose
they are is asked of the keys. Releases are many: the k-th has a chance of LEVEL / (k (k + 1)) to
say what is not so, so all together one of LEVEL at most. What is said has shares of the rows as
they are: it is for the holder, and nothing is refused for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

import numpy as np

from unspoken.assessment.drift import LEVEL, ByLabels, Drifted, called
from unspoken.storage.custody.custody import Custody
from unspoken.storage.prose import listed
from unspoken.storage.rows.witness import Witness
from unspoken.workflows.release.asked import Asked

__all__ = ["drifted"]

NAMED = 3  # of the epochs whose rows differ


def drifted(
    asked: Asked, kept: Custody | None, witness: Witness, epochs: Collection[str]
) -> tuple[str, ...]:
    """What differs most in the rows of these epochs, which were not released before, if anything
    does.
    """
    believed, counts = asked.ready.believed, Counter[int]()
    for epoch in epochs:
        counts.update(witness.labels[epoch])
    if believed is None or not counts:
        return ()
    rules, numbers = asked.reading.rules, np.array([*counts])
    codes = dict(zip(rules.depends, np.unravel_index(numbers, rules.combinations), strict=True))
    sizes = zip(rules.depends, rules.combinations, strict=True)
    known = np.all([codes[name] < size - 1 for name, size in sizes], axis=0)
    texts = [text for epoch in epochs for text in witness.texts[epoch]]
    look = 1 + (kept.ledger.releases() if kept is not None else 0)
    compared = ByLabels.of(
        asked.ready.project,
        called(asked.ready.project, asked.reading.table, texts),
        believed,
        asked.ready.learned,
        {name: each[known] for name, each in codes.items()},
        np.array([*counts.values()])[known],
        LEVEL / (look * (look + 1)),
    )
    found = compared.found()
    if found:
        return (_said(asked, found[0], epochs),)
    if not _came_since(asked, witness) or not compared.since.rows:
        return ()
    return (_too_few(asked, epochs),) if compared.moves().none else ()


def _came_since(asked: Asked, witness: Witness) -> bool:
    """Whether there is something to be told: rows that were counted are like themselves."""
    project, believed = asked.ready.project, asked.ready.believed
    if believed is None or not project.protected:
        return False
    more = sum(witness.counts.values()) > believed.pinned.rows
    return more or project.belief.history is not None


def _named(asked: Asked, epochs: Collection[str]) -> str:
    names = sorted(epochs)
    more = [f"{len(names) - NAMED} more"] if len(names) > NAMED else []
    return listed([*names[:NAMED], *more]) if asked.ready.project.epoch.of else "this label"


def _too_few(asked: Asked, epochs: Collection[str]) -> str:
    source = asked.ready.project.source
    alone = {*source.unit} == {*source.keys}
    of = "rows" if alone else f"rows, counted by {listed(source.unit)},"
    return (
        f"whether the rows of {_named(asked, epochs)} are like those that were counted cannot be "
        f"told: such few {of} show nothing; unspoken diff looks at all rows since together"
    )


def _said(asked: Asked, found: Drifted, epochs: Collection[str]) -> str:
    where = _named(asked, epochs)
    holds = (
        "The odds cap holds all the same, whatever is believed"
        if asked.plan.is_floor
        else "The limits are kept by what was counted, and may not be by these rows"
    )
    return (
        f"the rows of {where} are not like those that were counted: "
        f"{found.in_words(asked.ready.project)} (for you, not for release). {holds}. "
        "unspoken diff says what the plan tells by them; then unspoken learn --again and unspoken "
        "plan --adopt"
    )
