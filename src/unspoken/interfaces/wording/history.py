"""The ledger in a terminal: every event, what they show together, and that it is whole."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType

from unspoken.core.mechanisms import Mechanism
from unspoken.core.mechanisms.one_sided import release_probability
from unspoken.interfaces.wording.terminal import NBSP, Prose, blank, head, near, rows_of
from unspoken.storage import prose
from unspoken.storage.custody.custody import Verified
from unspoken.storage.ledger import AnswerEvent, Decision, Release, fold, merged, tossing

__all__ = ["ledger", "verified"]

NOTHING = "Nothing was released so far."
NAMED = 3  # epochs of a release, which are named up to so many
MANIFESTS = 2  # files that are named, of those that have a head


def ledger(
    history: Sequence[tuple[str, Release]],
    decisions: Sequence[tuple[str, Decision]] = (),
    answers: Sequence[tuple[str, AnswerEvent]] = (),
) -> RenderableType:
    """The events, oldest first, and what they show together."""
    listed = sorted([*decisions, *answers], key=lambda item: item[0])
    decided = [Prose(f"{at[:16].replace('T', NBSP)} UTC  {event}") for at, event in listed]
    if not history:
        said = "No cells were released so far; answers were given:" if answers else NOTHING
        return Group(head(said), *decided)
    records = merged([coin for _, event in history for coin in event.mechanism.record_coins()])
    several = len(records) > 1
    rows = [
        (
            at[:16].replace("T", NBSP),
            event.table,
            _epochs(event),
            _shows([event.mechanism], several),
        )
        for at, event in history
    ]
    cells = fold([event for _, event in history], {})
    together = _shows([cells, *records], several)
    return Group(
        rows_of(["at (UTC)", "table", "epoch", "released, of what is not sensitive"], rows),
        blank(),
        Prose(_together(together, history)),
        *decided,
    )


def _epochs(event: Release) -> str:
    """Those that were charged, where rows have epochs of their own; and which draw of the coins."""
    charged = sorted(event.readings) if event.per_key else [event.epoch]
    said = prose.listed(charged)
    if len(charged) > NAMED:
        said = f"{charged[0]} to {charged[-1]} ({len(charged)})"
    return said if event.draw == 1 else f"{said}, draw{NBSP}{event.draw}"


def _together(shown: str, history: Sequence[tuple[str, Release]]) -> str:
    """Coins of records of several tables or labels are several: no one release shows as much."""
    coins = {(c.digest, tossing(e)) for _, e in history for c in e.mechanism.record_coins()}
    if len(coins) > 1:
        return f"All together they show {shown}: by {len(coins)} coins, which tell more than one."
    return f"All together they show no more than one release of {shown}."


def verified(checked: Verified) -> RenderableType:
    """That the ledger is whole, and what says so."""
    number, files = checked.head.number, checked.recorded.items()
    events = "1 event is" if number == 1 else f"{number} events are"
    listed = [f"event {head.number} in {near(path)}" for path, head in files]
    more = [f"{len(listed) - MANIFESTS} more manifests"] if len(listed) > MANIFESTS + 1 else []
    recorded = " and ".join([*listed[:MANIFESTS], *more] if more else listed)
    return Prose(f"{events} as charged: the chain holds, and has all heads recorded: {recorded}.")


def _shows(mechanisms: Sequence[Mechanism], several: bool) -> str:
    """What cells' coins let out how often; and what coins of records deliver, by which table if
    there are ``several``.
    """
    cells = [(name, e) for each in mechanisms for name, e in sorted(each.exponents().items()) if e]
    said = [f"{name}{NBSP}{prose.chance(release_probability(eps))}" for name, eps in cells]
    said += [
        f"{prose.listed(coin.delivered)} by one coin a record"
        + (f" (table{NBSP}{coin.digest[:8]})" if several else "")
        for coin in merged([coin for each in mechanisms for coin in each.record_coins()])
    ]
    return ", ".join(said) or "nothing"
