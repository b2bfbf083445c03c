"""The worst adversary of any belief, mechanism and measure, where those that matter can be listed.

Somebody is after x_i and does not know x_U. Draw an edge between variables that are in one
another's blanket, and let C be those of U + {i} that i is joined to without passing a known one;
x_W are the other unknown ones. What is known separates W from C, so P(x_W | x_K, x_i) does not
depend on x_i, and the cloud of posteriors is coarser than that of somebody who knows x_W too: the
likelihoods are means over x_W of theirs, with the same weights for every value of x_i, and so is
the prior the same. No sup- or mean-measure is larger on it. So only those matter who know all but a
connected set C (in a chain: an interval). Of what they know only the boundary of C says anything
about C; the rest moves an answer by a known amount, and its own outputs tell nothing.

- Independent: every C is one variable; whatever else is known, knowing all is worst.
- A joint table: every set is connected. With Laplace noise on one sum all are had at once
  (nodes.py), in (d + 1)^n cells; else it takes n 2^(n-1) views.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np

from unspoken.core.adversary import Adversary
from unspoken.core.beliefs import Belief, Joint
from unspoken.core.errors import TooLarge
from unspoken.core.mechanisms import Mechanism
from unspoken.core.mechanisms.parts import Parts, Query
from unspoken.core.numerics.arrays import CELLS
from unspoken.core.searching.certificate import Certificate, Ends, epsilons, group
from unspoken.core.searching.nodes import pdp_nodes
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.sums import Weights
from unspoken.core.views import View

__all__ = [
    "ADVERSARIES",
    "AllBut",
    "Listing",
    "boundary",
    "connected",
    "counted",
    "worst_of_table",
]

# So many adversaries are looked at one by one: minutes, at some milliseconds each.
ADVERSARIES = 2**15
# Sums that range over more than this many times the noise lose digits in nodes.py.
RANGE = 300.0


@dataclass(frozen=True)
class AllBut:
    """Somebody after ``target`` who knows all but ``unknown``; of that ``boundary`` matters."""

    target: str
    unknown: tuple[str, ...]
    boundary: tuple[str, ...]


def connected(belief: Belief, targets: Sequence[str]) -> list[AllBut]:
    """Those who know all but a connected set; counted while they are listed, before any view."""
    names = belief.domain.names
    place = {name: axis for axis, name in enumerate(names)}
    edges = [0] * len(names)
    for name in names:
        for other in belief.blanket(name):
            edges[place[name]] |= 1 << place[other]
            edges[place[other]] |= 1 << place[name]
    sets_found = []
    for target in targets:
        for sets in _connected_sets(1 << place[target], edges):
            sets_found.append((target, *sets))
            if len(sets_found) > ADVERSARIES:
                _refuse(belief, targets)
    return [
        AllBut(target, _named(names, inside ^ 1 << place[target]), _named(names, beside))
        for target, inside, beside in sets_found
    ]


def boundary(belief: Belief, inside: Collection[str]) -> tuple[str, ...]:
    """What shields these variables from all others."""
    beside = {other for name in inside for other in belief.blanket(name)}
    return tuple(name for name in belief.domain.names if name in beside and name not in inside)


def _connected_sets(target: int, edges: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Every connected set with these members, once, beside its boundary (sets as masks)."""
    stack = [(target, _beside(target, edges), 0)]
    while stack:
        inside, beside, never = stack.pop()
        yield inside, beside
        addable = beside & ~never
        while addable:
            new = addable & -addable
            addable ^= new
            grown = inside | new
            stack.append((grown, (beside | edges[new.bit_length() - 1]) & ~grown, never))
            never |= new


def _beside(inside: int, edges: Sequence[int]) -> int:
    return edges[inside.bit_length() - 1] & ~inside


def _named(names: Sequence[str], mask: int) -> tuple[str, ...]:
    return tuple(name for axis, name in enumerate(names) if mask >> axis & 1)


def _refuse(belief: Belief, targets: Sequence[str]) -> NoReturn:
    n = len(belief.domain.names)
    blocks = {name: len(block) for block in belief.blocks() for name in block}
    each = [2 ** (blocks[name] - 1) for name in targets]
    cells = math.prod(size + 1 for size in belief.domain.sizes)
    raise TooLarge(
        f"worst: up to {_many(sum(each))} adversaries of {n} variables, more than {ADVERSARIES:,} "
        f"to look at one by one; ask about one target (up to {_many(max(each))}), for "
        f'"max-log-ratio" of one noisy sum ({_many(cells)} cells, at most {CELLS:,}), or with a '
        f"Chain ({_many(n * (n + 1) * (n + 2) // 6)} intervals), Tree or Exchangeable belief"
    )


def _many(count: int) -> str:
    return f"{count:,}" if count < 10**12 else f"2^{count.bit_length() - 1}"


def counted(belief: Belief, parts: Parts, targets: Sequence[str]) -> list[AllBut] | None:
    """Of those who know equally many variables of each kind, one; of a kind are those that neither
    the belief nor their weights tell apart. None where no two are of a kind but depend on each
    other, and where outputs of single variables are seen.
    """
    alike = belief.alike()
    depends = any(len(block) > 1 for block in belief.blocks())
    if parts.beside_queries or len(alike) == len(belief.domain.names) or not depends:
        return None
    groups: dict[Hashable, list[str]] = {}
    for number, names in enumerate(alike):
        for name in names:
            key = (number, *(query.weights.get(name, 0.0) for query in parts.queries))
            groups.setdefault(key, []).append(name)
    wanted = set(targets)
    firsts = [next(filter(wanted.__contains__, members), None) for members in groups.values()]
    count = math.prod(len(members) + 1 for members in groups.values())
    if count * len(groups) > ADVERSARIES:
        return None
    everyone = []
    for target in filter(None, firsts):
        rest = [[name for name in members if name != target] for members in groups.values()]
        for sizes in itertools.product(*(range(len(members) + 1) for members in rest)):
            split = [
                (members[:size], members[size:]) for members, size in zip(rest, sizes, strict=True)
            ]
            unknown, known = (tuple(itertools.chain(*part)) for part in zip(*split, strict=True))
            everyone.append(AllBut(target, unknown, known))
    return everyone


@dataclass(frozen=True)
class Listing:
    """All of these adversaries, those who may learn most first.

    ``of``: the ends of the measure, and those with the rounding behind them; ``most``: what the
    measure is at most where likelihoods are that far apart.
    """

    belief: Belief
    mechanism: Mechanism
    everyone: Sequence[AllBut]
    of: Callable[[View], tuple[Ends, Ends]]
    most: Callable[[float], float]

    def steps(self) -> Iterator[Certificate]:
        domain, total = self.belief.domain, len(self.everyone)
        parts = self.mechanism.parts(domain, Adversary(self.everyone[0].target))
        epsilon = epsilons(domain, parts)
        separation = [
            group(epsilon[name] for name in (who.target, *who.unknown)) for who in self.everyone
        ]
        order = sorted(range(total), key=lambda k: -separation[k])
        caps = [self.most(separation[k]) for k in order] + [0.0]
        best, reached = Certificate(0.0, caps[0], "", frozenset(), 0, total, "group bound"), 0.0
        least = most = 0.0
        yield best
        for done, k in enumerate(order):
            if caps[done] <= best.low:
                break
            who = self.everyone[k]
            (low, high), (below, above) = self.of(self.view(who))
            reached, most = max(reached, min(high, caps[done])), max(most, above)
            if low > best.low:
                best = replace(best, low=low, target=who.target, unknown=frozenset(who.unknown))
                least = below
            left = caps[done + 1]
            best = replace(best, high=max(best.low, reached, left), outer=(least, max(most, left)))
            best = replace(best, done=done + 1)
            yield best
        how = f"the worst of {total:,} adversaries; nobody else learns more"
        high = max(best.low, reached)
        yield replace(best, high=high, done=total, how=how, outer=(least, most))

    def view(self, who: AllBut) -> View:
        """What they may come to believe."""
        remaining = Remaining({who.target, *who.unknown}, self.mechanism)
        return remaining.view(self.belief, Adversary(who.target, knows=who.boundary))


@dataclass(frozen=True)
class Remaining(Mechanism):
    """What a mechanism shows of the variables in ``unknown``: the rest of it is known anyway."""

    unknown: Collection[str]
    mechanism: Mechanism

    def parts(self, domain: Domain, adversary: Adversary) -> Parts:
        parts = self.mechanism.parts(domain, adversary)
        return Parts(
            tuple((name, toss) for name, toss in parts.tosses if name in self.unknown),
            tuple((name, channel) for name, channel in parts.channels if name in self.unknown),
            tuple(replace(query, weights=self._unknown(query)) for query in parts.queries),
        )

    def _unknown(self, query: Query) -> Weights:
        return {name: w for name, w in query.weights.items() if name in self.unknown}

    def sensitive_values(self, domain: Domain, name: str) -> tuple[Value, ...] | None:
        return self.mechanism.sensitive_values(domain, name)


def worst_of_table(
    belief: Belief, query: Query, targets: Sequence[str]
) -> Iterator[Certificate] | None:
    """Certificates of the max-log-ratio of one noisy sum; None where tables do not do.

    A table for each independent block: what is known of others does not matter.
    """
    wanted = set(targets)
    blocks = [block for block in belief.blocks() if wanted & set(block)]
    epsilon = epsilons(belief.domain, Parts(queries=(query,)))
    most = [group(epsilon[name] for name in block) for block in blocks]
    cells = max(math.prod(1 + belief.cells([name]) for name in block) for block in blocks)
    if max(most) > RANGE or cells > CELLS or not all(map(belief.knows_jointly, blocks)):
        return None
    return _of_tables(belief, query, blocks, targets, most)


def _of_tables(
    belief: Belief,
    query: Query,
    blocks: Sequence[tuple[str, ...]],
    targets: Sequence[str],
    most: Sequence[float],
) -> Iterator[Certificate]:
    """Blocks in the order of what they leak at most."""
    best = Certificate(0.0, max(most), "", frozenset(), 0, len(blocks), "group bound")
    yield best
    order = sorted(range(len(blocks)), key=lambda k: -most[k])
    for k, beyond in zip(order, [*(most[j] for j in order[1:]), 0.0], strict=True):
        block, weights = blocks[k], [query.weights.get(name, 0.0) for name in blocks[k]]
        pairs = zip(block, weights, strict=True)
        values = [belief.domain.values_of(v) if w else range(belief.cells([v])) for v, w in pairs]
        joint = Joint(belief.marginal(block), block, values)
        leaks = pdp_nodes(joint, weights, 1 / query.noise.rate).leaks
        leaks[[name not in targets for name in block]] = np.nan
        row, known = divmod(int(np.nanargmax(leaks)), leaks.shape[1])
        if leaks[row, known] > best.low:
            hidden = frozenset(_named(block, (2 ** len(block) - 1) ^ known ^ 1 << row))
            best = replace(best, low=float(leaks[row, known]), target=block[row], unknown=hidden)
        best = replace(best, high=max(best.low, beyond), done=best.done + 1)
        yield best
    count = sum(2 ** (len(block) - 1) * len(set(targets) & set(block)) for block in blocks)
    how = f"the worst of all {count:,} adversaries"
    if len(belief.blocks()) > 1:
        how += " who know all that is independent of the target"
    yield replace(best, high=best.low, how=how)
