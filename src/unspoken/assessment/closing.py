"""What tells too much by itself is withheld too: by the belief, and by what that leaves out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unspoken.core.types.domain import Value
from unspoken.planning import Closure, closure
from unspoken.tables.learning import Learned
from unspoken.tables.policy import Project

__all__ = ["closed_by", "withheld_by"]


def withheld_by(project: Project, learned: Learned) -> Mapping[str, Sequence[Value]]:
    """What is never released: as declared, and closed where that is asked."""
    closing = project.closing_values
    return closed_by(project, learned).sensitive if closing else learned.sensitive


def closed_by(project: Project, learned: Learned) -> Closure:
    """What tells too much by itself: by the belief, and by the pairs that a tree leaves out."""
    cap, secrets = project.planned.limits.odds_cap, learned.sensitive
    closed = closure(learned.belief, secrets, cap, project.reads)
    if learned.tree is None:
        return closed
    worst = {(telling.name, telling.value): telling for telling in closed.telling}
    for pair in learned.tree.pairs:
        names = pair.domain.names
        both, read = {name: secrets[name] for name in names}, {*names} & {*project.reads}
        for telling in closure(pair, both, cap, read).telling:
            before = worst.get((telling.name, telling.value), telling)
            factors = before.factor, telling.factor
            worst[telling.name, telling.value] = before if factors[0] >= factors[1] else telling
    hidden = {
        name: tuple(v for v in labels if v in secrets[name] or (name, v) in worst)
        for name, labels in learned.labels.items()
    }
    ranked = sorted(worst.values(), key=lambda telling: (-telling.factor, -telling.probability))
    return Closure(hidden, tuple(ranked))
