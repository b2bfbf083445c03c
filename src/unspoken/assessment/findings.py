"""Everything that is found out about a project before anything is released."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from unspoken.assessment.assumed import assumptions
from unspoken.assessment.best import Best, as_adopted, evaluated, mean, shares
from unspoken.assessment.cautions import Caution
from unspoken.assessment.held_back import HeldBack, OnAverage, Poor, held_back, on_average, poor
from unspoken.assessment.in_context import InContext, in_contexts
from unspoken.assessment.leaks import Leak, leakage_matrix, most_told
from unspoken.assessment.matrix import heat, short_names
from unspoken.assessment.promise import Promise
from unspoken.assessment.trade_off import ByCap, OfCap, Share, TradeOff
from unspoken.core.display import Shown
from unspoken.core.errors import InputError, TooLarge
from unspoken.core.mechanisms import Mechanism, OneSided
from unspoken.core.pictures import Chart, Picture
from unspoken.core.pictures.palette import LIGHT, Palette, looks
from unspoken.planning import Closure, Plan
from unspoken.storage.ledger import Adoption
from unspoken.storage.stated import unexpected
from unspoken.tables.learning import Learned
from unspoken.tables.learning.pinned import Pinned
from unspoken.tables.policy import Project

__all__ = [
    "CELLS",
    "FLOOR",
    "NOW",
    "OUT",
    "Findings",
    "by_cap",
    "findings",
    "readers",
    "who_learns",
]

CELLS, FLOOR = "one coin a cell", "the floor, which needs no belief"  # rivals of record coins
NOW = "the best plan now"  # where another one is adopted
OUT = "what is out already"  # of an extension, which has no other
OPENLY = "If everything not sensitive were released"

# The limits of the trade-off curve, as multiples of the one that is set.
CURVE = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8)
# Of combinations and what they may show: up to how many a dozen plans take a minute or so, with
# secrets of one attribute twice as many; and up to how many one plan does.
PAIRS, ONCE = 5_000, 40_000
# The odds caps of the other curve, beside the one that is set if that can be drawn with them.
CAPS, LARGEST = (1.25, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0, 32.0), 1e3


@dataclass(frozen=True, repr=False, kw_only=True)
class Openly(Shown):
    """``everything``: what would leak if all that is declared free were released; ``known``: the
    same to whoever knows a context. ``boxed``: what every belief that the counts leave possible
    says, in words.
    """

    project: Project
    learned: Learned
    everything: Sequence[Leak]
    known: Sequence[InContext]
    cautions: Sequence[Caution] = ()
    promise: Promise | None = None
    boxed: Sequence[str] = ()

    @classmethod
    def of(cls, project: Project, learned: Learned) -> Openly:
        """Nothing is planned for it."""
        free = all_free(project, learned)
        everything = _leaks(project, learned, free)
        known = in_contexts(learned, free, readers(project), everything)
        return Openly(project=project, learned=learned, everything=everything, known=known)

    def facts(self) -> list[tuple[str, str]]:
        return [*most_told(self.everything), ("rows", f"{self.learned.rows:,}")]

    @property
    def called(self) -> dict[str, str]:
        """Everybody who reads, by a short name."""
        return short_names(self.everything, self.project.applications)

    def matrix(self, entries: Sequence[Leak], use: Palette) -> Chart:
        """Who learns what about what."""
        return heat(entries, self.called, self.project.limits.odds_cap, use)

    def matrices(self, use: Palette) -> Chart:
        """All there are."""
        return {**self.matrix(self.everything, use), "title": {"text": OPENLY}}

    def plot(self) -> Picture:
        """Who learns what about what: the worst odds, and bits on average."""
        if not self.everything:
            raise InputError(
                f"plot: no attribute of {self.project.path.name} says what is `sensitive`, so "
                "there is nothing to learn of; say what is, then draw it"
            )
        return Picture({**self.matrices(LIGHT), "config": looks(LIGHT)})


@dataclass(frozen=True, repr=False, kw_only=True)
class Findings(Openly):
    """``planned``: what leaks under the plan; ``planned_known``: to whoever knows a context.
    ``open_plan``: the best plan without closing telling values. ``shares``: per
    attribute read, the share of all rows whose cell the plan releases; ``open_shares``: those of
    the other; ``rivals``: of all cells read the share that other ways to release would let out.
    ``held_back``: the answers that hold a plan of record coins back, ``on_average``: the limits on
    bits that do; ``poor``: what it shows next
    to nothing of; ``unexpected``: what rows at which the counts are 0 show less often.
    ``adopted``: whether this is the plan by which everything is released.
    """

    closure: Closure
    plan: Plan
    open_plan: Plan
    planned: Sequence[Leak]
    planned_known: Sequence[InContext]
    shares: Mapping[str, float]
    open_shares: Mapping[str, float]
    rivals: Mapping[str, float]
    curve: TradeOff | ByCap
    assumptions: Sequence[str]
    held_back: Sequence[HeldBack] = ()
    on_average: OnAverage | None = None
    poor: Sequence[Poor] = ()
    unexpected: Sequence[str] = ()
    adopted: bool = False
    curve_of_caps: ByCap = field(default_factory=ByCap)

    def facts(self) -> list[tuple[str, str]]:
        shares = [
            (name, f"{share:.2%} of all rows released") for name, share in self.shares.items()
        ]
        word = "closed" if self.project.closing_values else "left open"
        telling = [(word, str(value)) for value in self.closure.telling[:5]]
        return [*shares, *telling, *most_told(self.planned), ("rows", f"{self.learned.rows:,}")]

    def matrices(self, use: Palette) -> Chart:
        """Without a plan and under it, beside one another."""
        under = {**self.matrix(self.planned, use), "title": {"text": "Under the plan"}}
        return {
            "title": {"text": "Who learns what about what"},
            "hconcat": [Openly.matrices(self, use), under],
            "spacing": 40,
        }

    @property
    def released(self) -> float:
        """The share of all cells read that the plan lets out."""
        return mean(self.shares)

    @property
    def is_floor(self) -> bool:
        """Whether the plan is the floor, which holds for every belief."""
        return self.plan.is_floor

    @property
    def open_released(self) -> float:
        """The share that the best plan without closing lets out."""
        return mean(self.open_shares)


def findings(
    project: Project,
    made: Best,
    closure: Closure,
    curve: bool = True,
    adopted: Adoption | None = None,
    pinned: Pinned | None = None,
) -> Findings:
    """Plans, what they tell, and what was assumed. ``adopted``: the plan that is looked at; None:
    the best there is. ``pinned``: the counts, if they have noise.
    """
    learned = made.learned
    chosen, now = _chosen(project, made, adopted)
    left_open = made.plan(project.closing(False)) if project.closing_values else now or chosen
    openly, planned = Openly.of(project, learned), _leaks(project, learned, chosen.mechanism)
    planned_known = in_contexts(learned, chosen.mechanism, readers(project), planned)
    shown = shares(project, learned, chosen)
    by_record = project.plan.by == "record"
    drawn, of_caps = _curves(project, made) if curve else (TradeOff(), ByCap())
    return Findings(
        project=project,
        learned=learned,
        closure=closure,
        plan=chosen,
        open_plan=left_open,
        everything=openly.everything,
        planned=planned,
        known=openly.known,
        planned_known=planned_known,
        shares=shown,
        open_shares=shares(project, learned, left_open),
        rivals=_rivals(project, made, chosen, now),
        curve=drawn,
        curve_of_caps=of_caps,
        assumptions=assumptions(project, learned, chosen),
        adopted=adopted is not None,
        held_back=held_back(project, learned, chosen) if by_record else (),
        on_average=on_average(project, chosen) if by_record else None,
        poor=poor(project, made, chosen, shown, pinned) if by_record else (),
        unexpected=unexpected(chosen.mechanism, learned.belief),
    )


def _chosen(project: Project, made: Best, adopted: Adoption | None) -> tuple[Plan, Plan | None]:
    """The plan that is looked at, and the best one now, where that is another; None: it was not
    looked for, which would take minutes.
    """
    learned = made.learned
    if adopted is not None and not (_quick(project, learned) or _pairs(project, learned) <= ONCE):
        return as_adopted(project, learned, adopted), None
    now = made.plan(project)
    if adopted is None or adopted.mechanism == now.mechanism.showing(project.reads):
        return now, now
    kept = as_adopted(project, learned, adopted)
    return (kept if kept.is_floor else replace(kept, floor=now.floor)), now


def all_free(project: Project, learned: Learned) -> OneSided:
    """What shows everything that is read and not sensitive."""
    return OneSided(dict.fromkeys(project.reads, math.inf), learned.sensitive)


def _rivals(project: Project, made: Best, chosen: Plan, now: Plan | None) -> dict[str, float]:
    """The floor that needs no belief, and one coin a cell, planned for the observed frequencies; of
    an extension what it adds to.
    """
    learned, found = made.learned, dict[str, float]()
    if project.plan.by == "cell" and not project.plans_for_set:
        return {}
    plan, belief = replace(project.plan, by="cell"), replace(project.belief, confidence=None)
    cells = replace(project, plan=plan, belief=belief)
    if chosen.floor is not None:
        shown = _released(project, learned, evaluated(project, learned, chosen.floor))
        if any(coin.chain.tables[1:] for coin in chosen.floor.mechanism.record_coins()):
            return {OUT: shown}
        found[FLOOR] = shown
    with suppress(TooLarge):
        found[CELLS] = made.released(cells)
    if now is not None and now is not chosen:
        found[NOW] = _released(project, learned, now)
    return found


def _leaks(project: Project, learned: Learned, mechanism: Mechanism) -> list[Leak]:
    """Who learns what of whom, with the rows that give each answer."""
    return [leak.of(learned.rows) for leak in who_learns(project, learned, mechanism)]


def who_learns(project: Project, learned: Learned, mechanism: Mechanism) -> list[Leak]:
    """Of each reader by what it sees; then with each attribute that it has from elsewhere, as plans
    are held to (`[application] knows`, and what became known otherwise).
    """
    belief, secrets = learned.belief, learned.sensitive
    found = leakage_matrix(belief, mechanism, readers(project), secrets)
    for members, reads in _groups(project).items():
        for name in sorted({name for who in members for name in project.terms[who].known}):
            knowing = {f"{' + '.join(members)}, knowing {name}": reads}
            others = {about: labels for about, labels in secrets.items() if about != name}
            found += leakage_matrix(belief, mechanism, knowing, others, (name,))
    return found


def readers(project: Project, serving: str | None = None) -> dict[str, tuple[str, ...]]:
    """Who sees what: each application alone, each coalition pooled, and everybody if all pool.

    ``serving``: only that application, and the coalitions it is in.
    """
    return {
        " + ".join(members): reads
        for members, reads in _groups(project).items()
        if serving is None or serving in members
    }


def _groups(project: Project) -> dict[tuple[str, ...], tuple[str, ...]]:
    groups: dict[tuple[str, ...], tuple[str, ...]] = {}
    groups |= {(name,): reads for name, reads in project.applications.items()}
    groups |= project.pools
    if not project.divided:
        groups[tuple(project.applications)] = project.reads
    return groups


def _curves(project: Project, made: Best) -> tuple[TradeOff | ByCap, ByCap]:
    """Of the limit on bits, and of the odds cap; of the cap alone where there is no other; none
    that take minutes.
    """
    if not _quick(project, made.learned):
        return TradeOff(), ByCap()
    caps = by_cap(project, made)
    if project.limits.bits < math.inf:
        return trade_off(project, made), caps
    return caps, ByCap()


def _quick(project: Project, learned: Learned) -> bool:
    """Whether a plan takes seconds."""
    events = min(2, len(learned.secrets))
    if project.plan.by == "cell":
        return not project.plans_for_set or events * _pairs(project, learned) <= PAIRS // 10
    return events * _pairs(project, learned) <= 2 * PAIRS


def _pairs(project: Project, learned: Learned) -> int:
    """Of a combination of values and what may be shown of it; of two contexts where given one."""
    cells = math.prod(map(len, learned.labels.values()))
    if project.plan.given is not None:
        cells *= len(learned.contexts[project.plan.given].values) ** 2  # rows are of two of them
    return cells << len(project.reads)


def trade_off(project: Project, made: Best) -> TradeOff:
    """What other limits would let out, the odds cap staying as it is."""
    bits = project.planned.limits.bits
    return TradeOff(
        Share(scale * bits, made.released(project, scale), scale == 1) for scale in CURVE
    )


def by_cap(project: Project, made: Best) -> ByCap:
    """What other odds caps would let out, the limits staying as they are. A higher one closes fewer
    values, too. Where it extends what is out, there is no point of a cap that this breaks.
    """
    within = project.planned
    points, declared_cap = [], within.limits.odds_cap
    for cap in sorted({*CAPS, declared_cap} if declared_cap <= LARGEST else CAPS):
        other = replace(within, limits=within.limits.capped(cap))
        with suppress(*([] if made.extends is None else [InputError])):
            points.append(OfCap(cap, made.released(other), cap == declared_cap))
    return ByCap(points)


def _released(project: Project, learned: Learned, chosen: Plan) -> float:
    return mean(shares(project, learned, chosen))
