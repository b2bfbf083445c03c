"""Who learns what about what, given a context: the odds against those given the same context.

Plans hold their limits without contexts, so that is measured beside them, the worst first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from unspoken.assessment.leaks import Leak, leakage_matrix
from unspoken.core.mechanisms import Mechanism
from unspoken.tables.learning import ContextCounts, Learned

__all__ = ["InContext", "in_contexts", "worst_of"]


@dataclass(frozen=True)
class InContext:
    """``leak`` to whoever knows a context, in the worst of its values; ``without``: who does not.

    ``value``: the worst of its values for odds; empty where answers cannot be listed.
    """

    context: str
    leak: Leak
    without: Leak

    @property
    def value(self) -> str:
        known = {} if self.leak.answer is None else self.leak.answer.known
        return str(known.get(self.context, ""))


def in_contexts(
    learned: Learned,
    mechanism: Mechanism,
    readers: Mapping[str, Sequence[str]],
    without: Sequence[Leak],
) -> list[InContext]:
    """One entry for each context, reader and target, the worst odds first.

    ``without``: what each learns without a context; more leaks, to who knows attributes, may be
    among these.
    """
    plain = {(leak.who, leak.about): leak for leak in without}
    found = [
        InContext(name, _in_its(given, leak), plain[leak.who, leak.about])
        for name, given in learned.contexts.items()
        for leak in leakage_matrix(given.belief, mechanism, readers, learned.sensitive, (name,))
    ]
    return sorted(found, key=lambda entry: (-entry.leak.odds.nats, -entry.leak.information.nats))


def worst_of(entries: Sequence[InContext]) -> list[InContext]:
    """Of each context and target the reader who learns most; of entries with the worst first."""
    worst: dict[tuple[str, str], InContext] = {}
    for entry in entries:
        worst.setdefault((entry.context, entry.leak.about), entry)
    return list(worst.values())


def _in_its(given: ContextCounts, leak: Leak) -> Leak:
    """Of the rows in the value k that is the worst: n_k P(y | k)."""
    return leak if leak.answer is None else leak.of(given.rows[str(leak.answer.known[given.name])])
