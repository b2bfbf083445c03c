"""Processes that begin where everything is imported already: there is one server of them a run."""

from __future__ import annotations

import multiprocessing

__all__ = ["FORKED"]

FORKED = multiprocessing.get_context("forkserver")
# All that a child imports: of a package whose names are fetched when they are asked for, the
# modules. Importing a release takes twice as long as one.
FORKED.set_forkserver_preload(
    [
        "pytest",
        "sqlalchemy.dialects.sqlite",
        "tests.storage.ledger.charging",
        "tests.workflows.release.killed",
        "unspoken.workflows.query.flow",
        "unspoken.workflows.release.flow",
    ]
)
