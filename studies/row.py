"""A row of a study: what a paper says, how it is computed here, and what comes out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from unspoken.core.pictures import Chart

__all__ = ["Outcome", "Row", "Verdict", "compared"]


class Verdict(StrEnum):
    """What came of a claim."""

    AGREES = "agrees"
    DIFFERS = "differs"
    CANNOT = "cannot be reproduced"


@dataclass(frozen=True)
class Outcome:
    """``comes_out`` and ``why`` in words and numbers; ``pictures``: {name of the file: picture}."""

    comes_out: str
    verdict: Verdict
    why: str = ""
    pictures: Mapping[str, Chart] = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """``where`` in the ``paper``, what it ``says``, ``how`` that is ``computed(small)``.

    ``needs``: the data set of `studies.data` that it reads. ``sized``: in the small size there are
    fewer draws or users, and only the verdict is the same.
    """

    paper: str
    where: str
    says: str
    how: str
    computed: Callable[[bool], Outcome]
    needs: str = ""
    sized: bool = False


def compared(
    holds: bool, comes_out: str, why: str = "", pictures: Mapping[str, Chart] | None = None
) -> Outcome:
    """What agrees if this holds of the numbers that came out, and else differs."""
    return Outcome(comes_out, Verdict.AGREES if holds else Verdict.DIFFERS, why, pictures or {})
