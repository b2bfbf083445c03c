"""What whoever asks is told: what there is, what a request would show, and does, or why not."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from unspoken.core.errors import InputError, LimitExceeded, UnspokenError
from unspoken.workflows.serve.released import Inclusion

__all__ = [
    "Catalogue",
    "ReleasedCells",
    "Held",
    "Refused",
    "Rehearsal",
    "outward",
    "refuse_many",
]

STEPS = 1e3  # what is said of shares has three decimal places


class Refused(LimitExceeded):
    """A limit of the holder stands in the way: what an outsider is told of it.

    What would fit, and nothing of what anybody was given: that is in the refusal it comes from.
    """

    @classmethod
    def of(cls, refusal: LimitExceeded) -> Refused:
        fits = refusal.fits or "what would fit is not known; ask whoever keeps the project"
        return cls(f"refused: this would break a limit of the holder; {fits}", fits)


class Held(UnspokenError):
    """Something on the holder's side stands in the way, which is no business of whoever asks."""

    def __init__(self) -> None:
        super().__init__(
            "held: this cannot be answered now, for a reason on the holder's side; nothing is "
            "wrong with the request. Whoever keeps the project has been told"
        )


@contextmanager
def outward(*about: str) -> Iterator[None]:
    """Errors as an outsider is told them; the whole of it is their cause, for the holder.

    ``about``: how errors begin that are about the request itself, and say what is wrong with it.
    """
    try:
        yield
    except (Refused, Held):
        raise
    except LimitExceeded as refusal:
        raise Refused.of(refusal) from refusal
    except UnspokenError as error:
        if about and str(error).startswith(about):
            raise
        raise Held() from error
    except OSError as error:
        raise Held() from error


@dataclass(frozen=True)
class Catalogue:
    """What an application may ask for. ``keys``: public columns, each with its type in SQL;
    ``attributes``: what it reads, as declared; ``knows``, ``weight``, ``share``: as declared of it.
    ``epochs``: rows of each; ``given``: those it was given any of. ``promise``: for whom the limits
    hold.
    """

    application: str
    keys: Mapping[str, str]
    attributes: Mapping[str, Mapping[str, Any]]
    knows: tuple[str, ...]
    weight: float
    share: float
    epochs: Mapping[str, int]
    given: tuple[str, ...]
    promise: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "application": self.application,
            "keys": dict(self.keys),
            "attributes": {name: dict(rule) for name, rule in self.attributes.items()},
            "knows": list(self.knows),
            "weight": self.weight,
            "share": self.share,
            "epochs": dict(self.epochs),
            "given": list(self.given),
            "promise": list(self.promise),
        }


@dataclass(frozen=True)
class Rehearsal:
    """What a request would show. ``rows``: of each epoch, as keys say; ``new``: those for which
    something is charged, all else is free; ``shares``: of all cells of an attribute how many are
    shown, by the plan. ``refused``: why it would not be answered; None: nothing that keys and plan
    say stands in the way.
    """

    attributes: tuple[str, ...]
    rows: Mapping[str, int]
    new: tuple[str, ...]
    shares: Mapping[str, float]
    refused: Refused | None = None

    @property
    def expected(self) -> dict[str, int]:
        """How many cells of each attribute are shown, more or less."""
        rows = sum(self.rows.values())
        return {name: round(rows * _coarse(share)) for name, share in self.shares.items()}

    def as_json(self) -> dict[str, Any]:
        refusal = {"refused": str(self.refused), "fits": self.refused.fits} if self.refused else {}
        return {
            "dry_run": True,
            "attributes": list(self.attributes),
            "rows": dict(self.rows),
            "charged": list(self.new),
            "shares": {name: _coarse(share) for name, share in self.shares.items()},
            "cells": self.expected,
            **refusal,
        }


@dataclass(frozen=True)
class ReleasedCells:
    """Released rows: keys, and cells that are true or NULL. ``inclusion``: how often a cell is not
    withheld, and what may be computed from that; ``charged``: the epochs that were charged for it.
    """

    rows: pa.Table
    attributes: tuple[str, ...]
    inclusion: Sequence[Inclusion]
    charged: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """What goes with the rows."""
        return {
            "rows": self.rows.num_rows,
            "attributes": list(self.attributes),
            "inclusion": [
                {
                    "epochs": list(each.epochs),
                    "attributes": {name: dict(rule) for name, rule in each.attributes.items()},
                    "estimating": each.estimating,
                }
                for each in self.inclusion
            ],
            "charged": list(self.charged),
        }


def refuse_many(rows: int, most: int) -> None:
    """Refuse what is too much for one answer."""
    if rows > most:
        raise InputError(
            f"rows: {rows:,} are asked for, and at most {most:,} are given at once; name epochs, "
            "or take a narrower `where`"
        )


def _coarse(share: float) -> float:
    return math.floor(share * STEPS) / STEPS
