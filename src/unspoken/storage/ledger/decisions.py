"""What the ledger keeps beside releases: which belief was learned, and which plan was adopted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import Field

from unspoken.storage.ledger.answers import Answered, AnswerEvent
from unspoken.storage.ledger.disclosures import Disclosure
from unspoken.storage.ledger.event import Described, Kept, Release

__all__ = ["Adoption", "Decision", "Event", "KINDS", "Learning"]


@dataclass(frozen=True)
class Learning(Kept):
    """A table was counted. ``fingerprint``: a keyed code of its exact counts, by which the same
    rows are known again; ``digest``: of the belief file that was made of them. ``epsilon``: of the
    noise; ``history``: SQL over keys, the rows that were counted and are not
    released; None: all that there were. ``key``: the fingerprint of the coin key.
    """

    kind: ClassVar = "belief"

    fingerprint: str
    digest: str
    epsilon: Annotated[float, Field(gt=0)]
    sensitivity: Annotated[int, Field(strict=True, gt=0)]
    rows: Annotated[int, Field(strict=True, ge=0)]
    history: str | None
    key: str

    def __str__(self) -> str:
        return f"{self.table}: {self.rows:,} rows counted, with noise of eps {self.epsilon:g}"

    @property
    def text_digest(self) -> str:
        return self.digest

    @property
    def what(self) -> str:
        """What was counted."""
        return f"{self.rows:,} rows, with noise of eps {self.epsilon:g}"


@dataclass(frozen=True)
class Adoption(Kept):
    """A plan was adopted: what is released from then on shows ``mechanism``, or a share of it.

    ``closed``: values that tell too much by themselves, and so are withheld; ``belief``: the digest
    of the belief file it was made from. ``by`` and ``why``: who said so, as they said it.
    ``upper``: how many labels of a record no plan could show more than, where that was kept.
    ``premise``: for which priors its cap on odds holds; empty in ledgers of before, which do not
    say it.
    """

    kind: ClassVar = "plan"

    mechanism: Described
    closed: Mapping[str, list[str]]
    limits: Mapping[str, Any]
    belief: str
    key: str
    by: str = ""
    why: str = ""
    upper: Annotated[float, Field(ge=0)] | None = None
    premise: str = ""

    @property
    def body(self) -> dict[str, Any]:
        kept = {**super().body, "mechanism": self.mechanism.describe()}
        if self.upper is None:
            del kept["upper"]
        if not self.premise:
            del kept["premise"]
        return kept

    def __str__(self) -> str:
        by, why = f" by {self.by}" if self.by else "", f" ({self.why})" if self.why else ""
        return f"{self.table}: plan {'extended' if self._extends else 'adopted'}{by}{why}"

    @property
    def what(self) -> str:
        """What was adopted."""
        return "an extension of the plan before" if self._extends else "a plan"

    @property
    def _extends(self) -> bool:
        return any(len(coin.coins) > 1 for coin in self.mechanism.record_coins())


Event = Release | Learning | Adoption | Disclosure | Answered
Decision = Learning | Adoption | Disclosure
KINDS: Mapping[str, type[Event]] = {
    each.kind: each for each in (Release, Learning, Adoption, Disclosure, AnswerEvent, Answered)
}
