"""Results as tables and sentences for a terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from unspoken.assessment.cautions import Caution
from unspoken.assessment.few import GROUP, few, named, rows_of_label
from unspoken.assessment.findings import Findings, Openly
from unspoken.assessment.leaks import Leak, TellingAnswer
from unspoken.assessment.promise import Promise
from unspoken.interfaces.wording import coins, in_context, shown_shares, starved, words
from unspoken.interfaces.wording.terminal import NBSP, Prose, blank, head, near, note, rows_of, said
from unspoken.planning import Telling
from unspoken.storage import prose
from unspoken.storage.coarse import up
from unspoken.storage.stated import less_often
from unspoken.tables.learning import Learned
from unspoken.tables.policy import Project
from unspoken.workflows.release import Prepared, Rehearsed, Released
from unspoken.workflows.release.results import EpochOutcomes, Said

if TYPE_CHECKING:
    from unspoken.workflows.query import Offer
    from unspoken.workflows.release.undeclared import Undeclared

__all__ = ["leak", "learned", "plan", "rehearsed", "released"]

UNLIMITED = "Nothing is declared sensitive, so nothing is limited."
FAR = 20  # percent that a plan may be from the best possible
TELLING = 8  # telling values listed before "and n more"


def learned(ready: Prepared) -> RenderableType:
    """Labels and shares per attribute, and the values that tell too much."""
    model = ready.learned
    rows = []
    for name, labels in model.labels.items():
        share = prose.percent(model.sensitive_share(name))
        shown = named(ready.project, model, name, labels)
        rows.append((name, share, ", ".join(map(_whole, shown))))
    return Group(
        head(f"Learned from {prose.rows(model.rows)}"),
        Prose(_counted(ready)),
        blank(),
        rows_of(["attribute", "sensitive rows", "values told apart"], rows),
        blank(),
        *_telling(ready),
        note(f"{prose.rows(model.rows)}; {_occupied(ready)}: {model.occupied:,}"),
        *_tree(model, links=True),
        blank(),
        *_promised(ready.promise),
        *_cautions(ready.cautions()),
    )


def leak(findings: Openly, keys: Sequence[Undeclared] = ()) -> RenderableType:
    """The matrix: for every reader and target the worst factor, the bits, and the answer."""
    if not findings.everything:
        return Group(
            head("Nothing is declared sensitive: there is nothing that a release could tell.")
        )
    names, cap = findings.called, findings.project.limits.odds_cap
    rows = [
        (names[entry.who], entry.about, _factor(entry, cap),
         prose.bits_of(entry.information, unit=False), _answer(entry))
        for entry in findings.everything
    ]  # fmt: skip
    return Group(
        head(f"If everything not sensitive were released ({prose.rows(findings.learned.rows)})"),
        blank(),
        rows_of(["who", "about", "odds", "bits", "most telling answer"], rows),
        blank(),
        *_in_words(findings, findings.everything),
        blank(),
        *in_context.in_table(findings, findings.known),
        *_boxed(findings.boxed),
        _premise(findings),
        *_tree(findings.learned),
        *in_context.of_keys(findings, keys),
        *_cautions(findings.cautions),
    )


def plan(
    findings: Findings, keys: Sequence[Undeclared] = (), offered: Sequence[Offer | str] = ()
) -> RenderableType:
    """What is released how often, what that tells, and what closing telling values buys."""
    rows = [
        (name, prose.chance(findings.plan.p[name]), prose.percent(share))
        for name, share in findings.shares.items()
    ]
    return Group(
        head(f"Plan: {_limits(findings.project)}"),
        blank(),
        rows_of(["attribute", "release", "of all rows"], rows),
        blank(),
        note(_best(findings)),
        *([note(less_often(findings.unexpected))] if findings.unexpected else []),
        *map(note, coins.in_words(findings)),
        *_closing(findings),
        *map(note, starved.in_words(findings).values()),
        *map(note, starved.zeros(findings)),
        *(note(str(offer)) for offer in offered),
        blank(),
        *_in_words(findings, findings.planned),
        *([blank()] if findings.planned else []),
        *(_promised(findings.promise) if findings.promise and findings.planned else []),
        *shown_shares.uncounted(findings.project, findings.promise),
        *_boxed(findings.boxed),
        *([blank()] if findings.planned_known else []),
        *in_context.in_table(findings, findings.planned_known),
        _premise(findings),
        *_tree(findings.learned),
        *in_context.of_keys(findings, keys),
        *_cautions(findings.cautions),
    )


def rehearsed(done: Rehearsed) -> RenderableType:
    """What a release would let out; nothing happened."""
    return Group(
        head("This would be released; nothing was charged or written:"),
        *_epochs(done.epochs),
        *shown_shares.shares(done.p, done.said),
        *shown_shares.uncounted(done.said.project, done.said.promise),
        *_said(done.said),
    )


def released(done: Released) -> RenderableType:
    """Where the release is and what it may tell."""
    same = "the same as before" if done.epochs is None else "nothing is new"
    charge = f"{same}, so nothing was charged" if done.again else "charged to the ledger"
    what = f"({prose.rows(done.rows)}; withheld cells are NULL, sorted by key)"
    where = f"Released to {near(done.path)} {what} and {near(done.manifest)}; {charge}."
    if done.again and not done.rows:
        where = f"In {near(done.path)} nothing is new, so nothing was written or charged."
    return Group(
        Prose(where),
        *_epochs(done.epochs),
        *shown_shares.shares(done.p, done.said),
        *_said(done.said),
    )


# ---------------------------------------------------------------- sentences


def _epochs(epochs: EpochOutcomes | None) -> list[RenderableType]:
    """What became of each, for the holder."""
    return [] if epochs is None else [Prose(f"Epochs: {'; '.join(epochs.said())}.")]


def _counted(ready: Prepared) -> str:
    """How the numbers were counted."""
    believed = ready.believed
    if believed is None:
        return "Exact counts, for you alone: a plan that is made from them tells of the rows."
    pinned, file = believed.pinned, near(ready.project.files.belief)
    return f"Counted once, with noise of eps {pinned.epsilon:g}, on {pinned.learned}: {file}"


def _occupied(ready: Prepared) -> str:
    """What combinations are counted: noise leaves counts of some that no row has."""
    if ready.believed is None:
        return "combinations of values that occur"
    return "combinations of values with noisy counts above 0"


def _limits(project: Project) -> str:
    within = project.planned
    left = f"; plans keep to {_kept(within)}" if within.limits != project.limits else ""
    return _kept(project) + left


def _kept(project: Project) -> str:
    limits = project.limits
    share = f"{prose.percent(limits.exceed)} of the answers"
    but = f" (but for {share}, which may give a secret away)" if limits.exceed else ""
    most = f"odds at most ×{NBSP}{limits.odds_cap:g}{but}" if limits.odds_cap < math.inf else ""
    each = f"{prose.limit(limits.bits)} about each attribute" if limits.bits < math.inf else ""
    single = [f"{prose.limit(bits)} about {name}" for name, bits in limits.targets.items()]
    given = project.plan.given
    known = f"whatever is known of {given}" if given is not None else ""
    return ", ".join(filter(None, [most, each, *single, known])) or "none"


def _best(findings: Findings) -> str:
    """How far from the best possible the plan can be."""
    bound = findings.plan.bound
    if not findings.planned:
        return UNLIMITED
    if bound.low <= 0:
        return (
            "Nothing can be released within these limits. See what a higher cap or limit lets out: "
            "unspoken report draws the curve."
        )
    times = bound.high / bound.low
    more = 100 * (times - 1)
    most = prose.digits(up(more)) if more > 0.01 else "0.01"
    fair = " that gives whoever gets least as much" if len(findings.plan.shares) > 1 else ""
    if more > FAR:
        as_much = f"{prose.digits(up(times))} times as much"
        if findings.is_floor:
            return f"No plan within these limits{fair} lets out more than {as_much}."
        said = f"Whether other plans within these limits{fair} let out more is not known"
        return f"{said}: up to {as_much}."
    return f"No plan within these limits{fair} lets out {most}{NBSP}% more."


def _in_words(findings: Openly, entries: Sequence[Leak]) -> list[Prose]:
    worst: dict[str, Leak] = {}
    for entry in entries:
        if entry.about not in worst or entry.odds.nats > worst[entry.about].odds.nats:
            worst[entry.about] = entry
    return [
        said(words.sentence(entry, findings.learned.sensitive[entry.about]))
        for entry in worst.values()
    ]


def _said(what: Said) -> list[RenderableType]:
    """What all releases tell together, as limits; and what no limit is about."""
    if not what.project.protected:
        return [note(UNLIMITED)]
    keys = what.project.source.keys
    beside = "is" if len(keys) == 1 else "are"
    before = "With all that was released of these rows"
    return [
        Prose(f"! {before}, {what.together}.", "  ", "bold red")
        if what.together
        else note(f"{before}: {prose.unbroken(' '.join(what.promise.lines()))}"),
        note(
            f"No limit counts the keys: {prose.listed(keys)} {beside} shown with every row, and "
            "whoever knows how they go with a secret learns more."
        ),
        *_cautions(what.cautions),
    ]


def _boxed(lines: Sequence[str]) -> list[RenderableType]:
    """What every belief that the counts leave possible says."""
    return [note(prose.times(line)) for line in lines]


def _promised(promise: Promise) -> list[RenderableType]:
    """What the plan promises, and for which priors."""
    return [note(prose.unbroken(" ".join(promise.lines())))]


def _cautions(those: Sequence[Caution]) -> list[RenderableType]:
    """What has to be said beside every number; red where it may be far off."""
    return [
        part
        for caution in those
        for part in (blank(), Prose(f"! {caution.text}", "  ", "bold red" if caution.red else ""))
    ]


def _tree(model: Learned, links: bool = False) -> list[RenderableType]:
    """What a tree does not have; and the pairs it has, if ``links``."""
    if model.tree is None:
        return []
    pairs = [(link.first, link.second, f"{link.bits:.3f}") for link in model.tree.links]
    kept: list[RenderableType] = [rows_of(["attribute", "and", "bits"], pairs), blank()]
    return [blank(), *(kept if links else []), *map(note, model.tree.said())]


def _premise(findings: Openly) -> Prose:
    """What numbers stand on."""
    rows, premise = findings.learned.rows, findings.learned.belief.premise
    noisy = findings.promise is not None and findings.promise.pinned
    counts = "the noisy counts" if noisy else "the table"
    learned = (
        f"learned from {prose.rows(rows)} (a plug-in: the shares in {counts} are taken for the "
        "truth, with no allowance for chance)"
    )
    shown = str(premise) if premise.certifies else learned
    return Prose(f"premise of the other numbers: {shown}", first="  ", style="dim")


# ---------------------------------------------------------------- cells


def _factor(entry: Leak, cap: float) -> Text:
    return Text(prose.odds_of(entry.odds), style="bold red" if entry.beyond(cap) else "")


def _answer(entry: Leak) -> str:
    if prose.tells_nothing(entry.odds):
        return "none"
    if entry.answer is None:
        return "too many to list"
    return GROUP if few(entry.answer.rows) else _seen(entry.answer)


def _seen(answer: TellingAnswer) -> str:
    each = {name: words.cell(out) for name, out in answer.seen.items()}
    shown = [f"{name} {_whole(text)}" for name, text in each.items() if text is not None]
    hidden = [name for name, text in each.items() if text is None]
    return ", ".join([*shown, *([f"{prose.listed(hidden)} withheld"] if hidden else [])])


def _whole(label: object) -> str:
    """A label that stays on one line."""
    return str(label).replace(" ", NBSP)


# ---------------------------------------------------------------- values that tell too much


def _telling(ready: Prepared) -> list[RenderableType]:
    telling = ready.closed.telling
    if not ready.project.protected:
        return []
    if not telling:
        return [note("No single value tells more than the odds cap allows.")]
    rows = [
        (entry.name, *_value(ready, entry), entry.target, prose.measured(entry.factor))
        for entry in telling[:TELLING]
    ]
    closing = "close = true withholds them too" if ready.project.closing_values else "left open"
    more = [note(f"and {len(telling) - TELLING} more")] if len(telling) > TELLING else []
    return [
        head(f"Values that by themselves tell more than the odds cap allows ({closing})"),
        blank(),
        rows_of(["attribute", "value", "rows with it", "tells about", "odds"], rows),
        *more,
        blank(),
    ]


def _value(ready: Prepared, entry: Telling) -> tuple[str, str]:
    """The value and the share of rows that have it, unless they are too few to be named."""
    if few(rows_of_label(ready.learned, entry.name, entry.value)):
        return GROUP, ""
    return _whole(entry.value), prose.percent(entry.probability)


def _closing(findings: Findings) -> list[Prose]:
    added = findings.closure.added
    if not added:
        return []
    closed = "; ".join(
        f"{name} {prose.listed(words.labels(findings, name, values))}"
        for name, values in added.items()
    )
    if findings.project.plan.by == "record" or findings.project.plans_for_set:
        return []
    if not findings.project.closing_values:
        return [
            note(f"Left open, though they tell too much by themselves: {closed}. Try{NBSP}--close.")
        ]
    reads = findings.project.reads
    best = findings.open_plan
    without = ", ".join(f"{n}{NBSP}{prose.chance(best.p[n])}" for n in reads)
    return [
        note(f"Withheld too, since they tell too much by themselves: {closed}."),
        note(f"Left open, the best plan would release: {without}."),
    ]
