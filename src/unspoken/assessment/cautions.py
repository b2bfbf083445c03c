"""What has to be said beside the numbers of a project, before anybody relies on them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from unspoken.assessment.few import mostly_noise, too_few_rows
from unspoken.assessment.in_context import InContext
from unspoken.assessment.leaks import Leak, leakage_matrix
from unspoken.assessment.units import Units
from unspoken.assessment.unmodelled import Unmodelled
from unspoken.core.mechanisms import OneSided
from unspoken.core.types.domain import Value
from unspoken.storage.coarse import up
from unspoken.storage.ledger import Account, Release
from unspoken.storage.prose import listed
from unspoken.tables.learning import Learned
from unspoken.tables.learning.pinned import Pinned
from unspoken.tables.policy import Project

TREE = "is not counted where the belief, a tree of pairs, does not have it"
WHATEVER = "The odds cap of this plan holds whatever is known"
ANY = "The odds cap of this plan holds all the same, whatever a recipient believes beforehand."
POSSIBLE = "The odds cap of this plan holds for every prior in the confidence set of the counts."

__all__ = [
    "Caution",
    "beyond_contexts",
    "cautions",
    "certain_in_contexts",
    "fewer_rows",
    "most_in_words",
]


@dataclass(frozen=True)
class Caution:
    """A few sentences; ``red``: the numbers beside it may be far off.

    ``handed_on``: what stands in their place where nothing may be said that was measured.
    ``accepts``: what whoever says yes accepts, though it is beyond what a row may tell.
    """

    text: str
    red: bool = False
    handed_on: str = ""
    accepts: str = ""

    def unmeasured(self) -> Caution:
        """As a message says it that is handed on."""
        return replace(self, text=self.handed_on or self.text, handed_on="")


def cautions(
    learned: Learned,
    units: Units,
    hidden: Mapping[str, Sequence[Value]],
    chances: Mapping[str, float],
    pinned: Pinned | None = None,
    floor: bool = False,
    held: bool = False,
) -> tuple[Caution, ...]:
    """Few rows, counts that are noise, several rows of one unit, what public missingness tells by
    itself, and contexts.

    ``chances``: p of each attribute under the plan, if there is one; ``hidden``: withheld;
    ``pinned``: the counts, if they have noise; ``floor``: whether the plan is it, ``held``: whether
    it keeps its cap for every belief that the counts leave possible. Bits are of one belief always.
    """
    kept = ANY if floor else POSSIBLE if held else ""
    off = not kept or units.project.limits.on_average
    said = [
        Caution(too_few_rows(learned, pinned, kept), red=off),
        Caution("" if pinned is None else mostly_noise(pinned, kept), red=off),
        _of_units(learned, units, hidden, chances),
        _of_tree(units, learned),
        _public(units.project, learned),
        _contexts(units.project, floor),
    ]
    return tuple(caution for caution in said if caution.text)


def beyond_contexts(
    project: Project, known: Sequence[InContext], said: Sequence[Caution], floor: bool = False
) -> tuple[Caution, ...]:
    """What has to be said, with what a plan tells whoever knows a context in place of that it may.

    ``known``: the worst odds first. ``floor``: whether the plan is it, which holds given any.
    """
    unmeasured = _contexts(project, floor)
    free = [entry for entry in known if entry.context != project.plan.given]
    if not free or not unmeasured.text:
        return tuple(said)
    worst, cap = free[0], project.limits.odds_cap
    given = f"{worst.context} {worst.value}".rstrip()
    odds, without = worst.leak.odds.odds, worst.without.odds.odds
    held = WHATEVER if floor else _held(project)
    measured = Caution(
        f"{held}: under the plan, given {given}, an answer could "
        f"multiply odds about {worst.leak.about} by {up(odds):g} (without: {up(without):g}).",
        red=odds > cap,
        handed_on=unmeasured.text,
    )
    return (*(caution for caution in said if caution != unmeasured), measured)


def certain_in_contexts(known: Sequence[InContext]) -> tuple[Caution, ...]:
    """That a context makes a secret certain, by counts with noise: no number of the table."""
    for worst in known:
        if math.isinf(worst.leak.odds.odds):
            text = (
                f"Limits are held without this context: whoever knows {worst.context} of a row can "
                f"become certain about {worst.leak.about}; `unspoken plan` says where."
            )
            return (Caution(text, red=True),)
    return ()


def _contexts(project: Project, floor: bool = False) -> Caution:
    """That plans do not look at contexts, in words that tell nothing of the table; the ``floor``
    looks at nothing that is believed.
    """
    names = [name for name in project.contexts if name != project.plan.given]
    if not names or not project.protected:
        return Caution("")
    some = listed(names, "or")
    if floor:
        bits = min(project.limits.about(name) for name in project.attributes)
        without = "" if bits == math.inf else "; its limits in bits are held without contexts"
        return Caution(f"{WHATEVER} of a row, such as {some}{without}.")
    return Caution(
        f"{_held(project)}: whoever knows {some} of a row may learn more than they say; "
        "`unspoken plan` says how much."
    )


def _held(project: Project) -> str:
    """Whatever of which is known."""
    given = project.plan.given
    kept = "without contexts" if given is None else f"given {given}, and without other contexts"
    return f"Limits are held {kept}"


def fewer_rows(event: Release, account: Account) -> tuple[Caution, ...]:
    """What it means that an earlier label had more rows: which are missing now is plain to see."""
    most, label = account.most_rows(event.table)
    if event.per_key or event.rows is None or event.rows >= most:
        return ()
    return (
        Caution(
            f"{most - event.rows:,} of the {most:,} rows that epoch {label} had are not in this "
            "source. If they are left out for what they hold, that they are missing tells it, and "
            "no number counts it: leave out rows by their keys only."
        ),
    )


def _of_units(
    learned: Learned,
    units: Units,
    hidden: Mapping[str, Sequence[Value]],
    chances: Mapping[str, float],
) -> Caution:
    """Limits are about rows: what that means for who has several."""
    if not units.several:
        return Caution("")
    shown = {name: p * _open(learned, name, hidden[name]) for name, p in chances.items()}
    public = units.public(chances, closed=shown != dict(chances))
    accepts = units.given_away(chances)
    return Caution(public + units.measured(learned, shown), handed_on=public, accepts=accepts)


def _open(learned: Learned, name: str, hidden: Sequence[Value]) -> float:
    """Of the rows in which an attribute is not sensitive, the share that may be shown.

    None, where noisy counts leave no such rows.
    """
    counts = dict(zip(learned.labels[name], learned.counts[name], strict=True))
    free = sum(count for label, count in counts.items() if label not in hidden)
    harmless = sum(n for label, n in counts.items() if label not in learned.sensitive[name])
    return free / harmless if harmless else 0.0


def _of_tree(units: Units, learned: Learned) -> Caution:
    """What a belief that is a tree does not have, as far as the rows show it."""
    project = units.project
    if learned.tree is None or not project.protected:
        return Caution("")
    places = {name: project.at("attribute", name) for name in project.attributes}
    found = Unmodelled.of(learned, units.table, places)
    cap = project.limits.odds_cap
    beyond = any(two.rows_odds > max(cap, two.tree_odds) for two in found.together)
    text = f"Measured in the rows, not for release: {'; '.join(found.said())}."
    return Caution(text, beyond, f"What three or more attributes tell together {TREE}.")


def _public(project: Project, learned: Learned) -> Caution:
    """What "missing" tells by itself where it is public: shown for every row, and never limited."""
    public = [name for name in project.reads if project.attributes[name].missing == "public"]
    if not public or not project.protected:
        return Caution("")
    values = {name: learned.labels[name][:-1] for name in public}  # its last label is "missing"
    shown = OneSided(dict.fromkeys(public, float("inf")), values)
    leaks = leakage_matrix(learned.belief, shown, {"everybody": public}, learned.sensitive)
    known = (
        f"That a value is missing is public for {', '.join(public)}: a release shows it for every "
        "row, whatever is closed, and no number counts it. To somebody who did not know it before, "
    )
    odds, bits = _most(leaks)
    kept = odds <= project.limits.odds_cap and bits <= project.limits.bits
    compared = "no more than" if kept else "more than"
    return Caution(
        f"{known}it {most_in_words(leaks)}.",
        handed_on=f"{known}it tells {compared} the limits allow; `unspoken plan` says how much.",
    )


def most_in_words(leaks: Sequence[Leak]) -> str:
    """The worst of these."""
    worst, most = _most(leaks)
    bits = f"all answers would tell up to {up(most):g} bit"
    odds = "make a secret certain" if math.isinf(worst) else f"multiply odds by {up(worst):g}"
    return f"could {odds}, and {bits}"


def _most(leaks: Sequence[Leak]) -> tuple[float, float]:
    """The largest odds, and the most bits."""
    worst = max((leak.odds.odds for leak in leaks), default=1.0)
    return worst, max((leak.information.bits for leak in leaks), default=0.0)
