"""Results as tables for a terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from unsaid.doors.report import words
from unsaid.ledger import Release, exposure
from unsaid.releasing import Findings, Prepared, Released
from unsaid.releasing.told import Told

__all__ = ["leak", "learned", "ledger", "plan", "released"]

TELLING = 8  # telling values listed before "and n more"


def learned(ready: Prepared) -> RenderableType:
    """Labels and shares per attribute, and the values that tell too much."""
    own = ready.learned
    table = _table("attribute", "labels", "sensitive rows")
    for name, labels in own.labels.items():
        counts = dict(zip(labels, own.counts[name], strict=True))
        hidden = sum(counts[label] for label in own.sensitive[name])
        table.add_row(name, str(len(labels)), words.percent(hidden / own.rows))
    head = f"Learned from {words.rows(own.rows)}, smoothed by {own.prior_rows:.4g} rows of a prior"
    return Group(Text(head), _indented(table), *_telling(ready))


def leak(found: Findings, told: Sequence[Told]) -> RenderableType:
    """The matrix: for every reader and target the worst factor, the bits, and the answer."""
    table = _table("who", "about", "odds", "bits", "most telling answer")
    for one in told:
        table.add_row(
            words.readers(found)[one.who], one.about, words.odds_of(one.odds),
            words.bits_of(one.information), _answer(one),
        )  # fmt: skip
    sentences = [Text(f"  {_in_words(found, one)}") for one in _worst_per_target(told)]
    head = Text("If everything not sensitive were released")
    return Group(head, _indented(table), *sentences, _premise(found))


def plan(found: Findings) -> RenderableType:
    """What is released how often, what that tells, and what closing telling values buys."""
    table = _table("attribute", "release", "eps", "of all rows")
    for name, share in found.shares.items():
        p, epsilon = found.plan.p[name], found.plan.epsilon[name]
        table.add_row(name, words.percent(p), words.epsilon(epsilon), words.percent(share))
    limits = found.project.limits
    head = Text(f"Plan: odds at most × {limits.odds_cap:g}, {limits.bits:g} bit about anything")
    worst = [Text(f"  {_in_words(found, one)}") for one in _worst_per_target(found.planned)]
    bound = found.plan.bound
    ratio = bound.high / bound.low if bound.low > 0 else math.inf
    sums = f"  no plan within these limits lets out more than {ratio:.4f} times this"
    if bound.low == 0:
        sums = (
            "  nothing can be released within these limits; see what closing or a higher cap buys"
        )
    return Group(head, _indented(table), Text(sums), *worst, *_closing(found), _premise(found))


def released(done: Released) -> RenderableType:
    """Where the release is and what it may tell."""
    worst = max(done.told, key=lambda one: one.odds.nats, default=None)
    told = f"; odds grow at most {words.odds_of(worst.odds)}" if worst else ""
    rows = f"{words.rows(done.rows)}, withheld cells are NULL, sorted by key"
    return Group(
        Text(f"Released {done.path} ({rows})"),
        Text(f"and {done.manifest}; charged to the ledger{told}."),
    )


def ledger(history: Sequence[tuple[str, Release]]) -> RenderableType:
    """The events, oldest first, and what they show together."""
    table = _table("at", "table", "epoch", "eps")
    for at, event in history:
        table.add_row(at, event.table, event.epoch, _listed(event.epsilon))
    together = _listed(exposure([event for _, event in history]))
    return Group(
        _indented(table), Text(f"All together they show as much as one release: {together}")
    )


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for column in columns:
        right = column in (
            "odds",
            "bits",
            "release",
            "eps",
            "of all rows",
            "sensitive rows",
            "labels",
        )
        table.add_column(column, justify="right" if right else "left", overflow="fold")
    return table


def _indented(table: Table) -> Padding:
    return Padding(table, (0, 0, 0, 2))


def _answer(one: Told) -> str:
    if words.tells_nothing(one):
        return "none"
    if one.answer is None:
        return "too many to list"
    return ", ".join(f"{name} {output}" for name, output in one.answer.seen.items())


def _in_words(found: Findings, one: Told) -> str:
    return words.sentence(one, found.learned.sensitive[one.about])


def _worst_per_target(told: Sequence[Told]) -> list[Told]:
    worst: dict[str, Told] = {}
    for one in told:
        if one.about not in worst or one.odds.nats > worst[one.about].odds.nats:
            worst[one.about] = one
    return list(worst.values())


def _telling(ready: Prepared) -> list[Text]:
    told = [one for added in ready.closed.rounds for one in added]
    if not told:
        return [Text("No single value tells more than the odds cap allows.")]
    lines = [Text("Values that tell too much by themselves; close = true withholds them too:")]
    lines += [Text(f"  {one}") for one in told[:TELLING]]
    return lines + ([Text(f"  and {len(told) - TELLING} more")] if len(told) > TELLING else [])


def _closing(found: Findings) -> list[Text]:
    if not found.closure.added or not found.project.limits.close:
        return []
    closed = "; ".join(f"{name}: {words.listed(v)}" for name, v in found.closure.added.items())
    without = sum(found.open_plan.p[name] for name in found.project.reads)
    return [
        Text(f"  closed, since they tell too much by themselves: {closed}"),
        Text(f"  without closing them the release probabilities would add up to {without:.3g}, "
             f"with it to {sum(found.plan.p[name] for name in found.project.reads):.3g}"),
    ]  # fmt: skip


def _premise(found: Findings) -> Text:
    return Text(f"  premise: {found.learned.belief.premise}", style="dim")


def _listed(epsilon: Mapping[str, float]) -> str:
    return ", ".join(f"{n} {'∞' if math.isinf(e) else f'{e:.4g}'}" for n, e in epsilon.items())
