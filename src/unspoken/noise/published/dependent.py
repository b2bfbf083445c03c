"""Dependent differential privacy as printed (paper 002), and a relative: scales without guarantee.

The paper's mechanism adds Laplace noise of the scale sigma that solves (eq. 22 to 25)

    sigma limit = max_i DS_i,    DS_i = sum over j in C_i of rho_ij(sigma) DeltaQ_j,    rho_ii = 1,

where C_i are "the tuples that are dependent with the i-th" and rho_ij is printed ambiguously. What
is sound of it is in `unspoken.calibrate`: method "dpm" and "mean" (linear queries, C_i the whole
block), "group" (any query, blocks jointly independent of one another). Here is the rest.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np

from unspoken.core.beliefs import A_BELIEF, Belief
from unspoken.core.errors import InputError, NotKnown, among, quoted, shown, unknown
from unspoken.core.mechanisms.linear import Weighted
from unspoken.core.numerics.arrays import Array, Mask, most_of_few
from unspoken.core.numerics.numbers import number
from unspoken.core.numerics.roots import least_scale
from unspoken.core.types.bound import Estimate
from unspoken.core.types.kinds import expect, items
from unspoken.noise.calibration.problem import NoiseProblem
from unspoken.noise.calibration.rules.dpm import READINGS as ADDED
from unspoken.noise.calibration.rules.dpm import Moves, fixed_point
from unspoken.noise.calibration.rules.pair_laws import PairLaws, alike, moves_of_targets
from unspoken.noise.models.friends import READINGS, Neighbour

__all__ = [
    "baseline",
    "dpm",
    "dpm_any_query",
    "dpm_neighbours",
    "dpm_one_endpoint",
    "dpm_pairwise",
    "pairs",
    "pearson",
]

# Two tuples are taken for independent where their joint law is a product up to this.
PRODUCT = 1e-12
# Values that are nearer than this many scales are told apart by plain exponentials.
NEAR = 300.0
# Numbers that are looked at together, so that they stay near the processor.
AT_ONCE = 2**15

Graph = Mapping[str, Iterable[str]]
Pairs = Mapping[tuple[str, str], Neighbour]


def _lower(other: Neighbour, sigma: float) -> float:
    """sigma log E e^(|y - c|_1 / sigma) for the lower corner c of the range only."""
    distances = other.corners[0]
    peak = float(distances.max()) / sigma
    grown = other.law @ np.exp(distances / sigma - peak)
    return sigma * (peak + math.log(float(grown.max())))


def _pairwise(others: PairLaws, sigma: float) -> Array:
    """sigma max_o,a,b log E[e^(-|x_j - o| / sigma) | a] / E[... | b], o being a value of x_j."""
    numbers, at_once = others.ends[:, 0], max(1, AT_ONCE * len(others.laws) // others.laws.size)
    ratios = []
    for first in range(0, len(numbers), at_once):
        some = slice(first, first + at_once)
        away = np.abs(numbers[some, :, None] - numbers[some, None, :]) / sigma
        ratios.append(_widest(others.laws[some], others.possible[some], away))
    return sigma * np.concatenate(ratios)


def _widest(laws: Array, possible: Mask, away: Array) -> Array:
    """The largest log-ratio for some j, of all i; ``away[j, o, x]``, in scales."""
    if away.max(initial=0.0) < NEAR:
        of_values = (laws.reshape(len(laws), -1, laws.shape[-1]) @ np.exp(-away)).reshape(
            *laws.shape
        )
        most, least = _ends(of_values, possible)
        return np.asarray(np.log(most_of_few(most / least)))
    with np.errstate(divide="ignore"):
        terms = np.log(laws)[..., None, :] - away[:, None, None]
    most, least = _ends(np.logaddexp.reduce(terms, axis=-1), possible)
    return most_of_few(most - least)


def _ends(of_values: Array, possible: Mask) -> tuple[Array, Array]:
    """The largest and the least over the values a that are possible, of [j, i, a, o]."""
    most = least = of_values.swapaxes(-2, -1)
    if not possible.all():
        can_be = possible[..., None, :]
        most, least = np.where(can_be, most, -np.inf), np.where(can_be, least, np.inf)
    return most_of_few(most), -most_of_few(-least)


# Of scalar tuples that are added up, all pairs at once; and of any tuples, one pair at a time.
LINEAR: dict[str, Moves] = {**ADDED, "14": _pairwise, "lo": PairLaws.lower}
PRINTED: dict[str, Callable[[Neighbour, float], float]] = {**READINGS, "lo": _lower}


def pairs(
    belief: Belief,
    neighbours: Graph | None = None,
    ranges: Mapping[str, tuple[float, float]] | None = None,
) -> dict[tuple[str, str], Neighbour]:
    """P(x_j | x_i) for all ordered pairs, or those of a graph; ``ranges``: declared, {name: ends}.

    An edge is written down at one of its ends at least.
    """
    expect(belief, Belief, "pairs.belief", A_BELIEF)
    ranges = {} if ranges is None else ranges
    expect(ranges, Mapping, "ranges", "give {name: (low, high)}")
    wanted = _linked(belief, neighbours)
    for name in ranges:
        belief.domain.axis(name, "ranges")
    laws = {}
    for i, j in sorted(wanted):
        joint = belief.marginal([i, j])
        joint = joint[joint.sum(1) > 0]
        ends = _range(j, ranges[j]) if j in ranges else ()
        numbers = belief.domain.numbers(j)
        laws[i, j] = Neighbour.of(joint / joint.sum(1, keepdims=True), numbers, *ends)
    return laws


def dpm(belief: Belief, weights: Weighted = None, *, limit: float, reading: str = "B") -> Estimate:
    """The scale of eq. 18 to 25 over all other tuples, as the paper has it: for everybody.

    In readings B and M it holds for those who know nothing else, and is a bound in
    `unspoken.calibrate`; the paper's adversary knows all other tuples.
    """
    why = (
        "eq. 18-25 for those who know other tuples: with D1, D2 fair coins and D3 = D1 xor D2, "
        "whoever knows D3 learns 1.27 times the limit from D1 + D2"
    )
    return _linear(belief, weights, limit, reading, None, why)


def dpm_neighbours(
    belief: Belief,
    neighbours: Graph,
    weights: Weighted = None,
    *,
    limit: float,
    reading: str = "B",
) -> Estimate:
    """Eq. 23 summed over neighbours in a graph, as in section VII of the paper."""
    why = (
        "eq. 23 over neighbours: on a chain of 8 bits that keep with 95 % its scale leaks 2.19 "
        "times the limit; dependence does not end at the neighbours"
    )
    return _linear(belief, weights, limit, reading, neighbours, why)


def dpm_one_endpoint(belief: Belief, weights: Weighted = None, *, limit: float) -> Estimate:
    """Eq. 18 with d_j* the lower end of the range only."""
    why = "eq. 18 with one end of the range: two tuples leak 1.17 times the limit (weights 2.16, 1)"
    return _linear(belief, weights, limit, "lo", None, why)


def dpm_pairwise(belief: Belief, weights: Weighted = None, *, limit: float) -> Estimate:
    """Eq. 14, exactly, summed over all others: 0 for tuples independent two by two."""
    why = (
        "eq. 14 summed over pairs: three bits, any two of them independent and the third their "
        "xor, leak log((1 + e^(2 limit)) / 2), up to twice the limit"
    )
    return _linear(belief, weights, limit, "14", None, why)


def dpm_any_query(
    moves: Mapping[str, float], pairs: Pairs, *, limit: float, reading: str = "B"
) -> Estimate:
    """Eq. 22 to 25 for any query: ``moves`` are DeltaQ_j, how far one tuple moves the answer.

    ``pairs``: {(i, j): the law of D_j given D_i}; tuples may be vectors.
    """
    why = (
        "eq. 22 where the answer is no sum of the tuples: a count of two tuples above 1/2 leaks "
        "1.25 times the limit, the sum of one coordinate of two vectors up to 1.3 times"
    )
    return Estimate(_solved(moves, pairs, limit, reading), "scale", why)


def baseline(
    belief: Belief,
    weights: Weighted = None,
    *,
    limit: float,
    neighbours: Graph | None = None,
) -> Estimate:
    """Theorem 7: L DeltaQ / limit, L counting those that depend on a tuple, and itself.

    They are counted pair by pair, or as neighbours in a graph. Group privacy needs more: a block
    that is jointly independent of all others (`unspoken.calibrate`, method "group").
    """
    reach = NoiseProblem(belief, weights, limit).reach
    if neighbours is None:
        size = 1 + _dependent(belief)
    else:
        linked = Counter(i for i, _ in _linked(belief, neighbours))
        size = 1 + max(linked.values(), default=0)
    how = "pair by pair" if neighbours is None else "in a graph"
    why = (
        f"Theorem 7 with L = {size} counted {how}: three bits, any two independent and the "
        "third their xor, have L = 1 and leak log((1 + e^(2 limit)) / 2)"
    )
    return Estimate(size * reach / limit, "scale", why)


def pearson(
    belief: Belief, weights: Weighted = None, *, limit: float, threshold: float = 0.0
) -> Estimate:
    """Correlated sensitivity (Zhu, Xiong, Li and Zhou): max_i sum_j |corr_ij| DeltaQ_j / limit.

    Correlations below the ``threshold`` count as 0.
    """
    moves = NoiseProblem(belief, weights, limit).reaches
    if not 0 <= number(threshold) <= 1:
        raise InputError(f"pearson.threshold: {shown(threshold)}; correlations are from 0 to 1")
    related = _correlations(belief)
    related = np.where(related < number(threshold), 0.0, related)
    most = float((related @ np.array([moves[name] for name in belief.domain.names])).max())
    why = (
        "correlations see straight lines only: D2 = 1[D1 is not 1/2] has correlation 0 with D1 in "
        "{0, 1/2, 1}, and their sum leaks 1.5 times the limit"
    )
    return Estimate(most / limit, "scale", why)


def _linear(
    belief: Belief,
    weights: Weighted,
    limit: float,
    reading: str,
    neighbours: Graph | None,
    why: str,
) -> Estimate:
    among("reading", reading, LINEAR)
    problem = NoiseProblem(belief, weights, limit)
    links = None if neighbours is None else _linked(belief, neighbours)
    tables = list(moves_of_targets(problem, [belief.domain.names], links))
    return Estimate(fixed_point(problem, tables, LINEAR[reading]), "scale", why)


def _linked(belief: Belief, neighbours: Graph | None) -> set[tuple[str, str]]:
    """All ordered pairs, or both directions of the edges of a graph."""
    expect(belief, Belief, "belief", A_BELIEF)
    if neighbours is None:
        return set(itertools.permutations(belief.domain.names, 2))
    expect(neighbours, Mapping, "neighbours", "give {name: names of its neighbours}")
    listed = {i: items(others, f"neighbours of {i}") for i, others in neighbours.items()}
    for name in itertools.chain(listed, *listed.values()):
        belief.domain.axis(name, "neighbours")
    once = {(i, j) for i, others in listed.items() for j in others if i != j}
    return once | {(j, i) for i, j in once}


def _range(name: str, ends: tuple[float, float]) -> tuple[float, float]:
    numbers = [number(end) for end in items(ends, f"ranges of {name}")]
    if len(numbers) != 2 or not all(map(math.isfinite, numbers)):
        raise InputError(
            f"ranges of {name}: {quoted(ends)}; two numbers are expected, low and high"
        )
    return numbers[0], numbers[1]


def _solved(moves: Mapping[str, float], laws: Pairs, limit: float, reading: str) -> float:
    """The fixed point; DS(sigma) / sigma falls, so it is the only one."""
    among("reading", reading, PRINTED)
    expect(moves, Mapping, "dpm.moves", "give {name: how far it moves the answer}")
    expect(laws, Mapping, "dpm.pairs", "give {(i, j): the law of j given i}, as `pairs` does")
    for pair, law in laws.items():
        expect(pair, tuple, "dpm.pairs", "its keys are pairs of names")
        expect(law, Neighbour, "dpm.pairs", "its values are laws, as `pairs` makes them")
    for name in itertools.chain(*laws):
        if name not in moves:
            raise unknown("moves", name, moves)
    moves = {name: number(move) for name, move in moves.items()}
    least = max(moves.values(), default=0.0)
    finite = all(0 <= move < math.inf for move in moves.values())
    given, limit = limit, number(limit)  # of whatever width
    if not (0 < limit < math.inf and finite):
        raise InputError(
            f"dpm: limit {shown(given)} must be positive, and moves 0 or more and finite"
        )

    def leak(sigma: float) -> float:
        total = dict(moves)
        for (i, j), other in laws.items():
            if other.width and moves[j]:
                total[i] += moves[j] * PRINTED[reading](other, sigma) / other.width
        return max(total.values()) / sigma

    low = least / limit
    return least_scale(leak, limit, low, 2 * low) if low else low


def _joints(belief: Belief) -> Iterator[tuple[list[str], list[str], Array]]:
    """The joint laws of all pairs, between those of as many values: [j, i, x_i, x_j]."""
    kinds = list(alike(belief, belief.domain.names))
    for names, targets in itertools.product(kinds, kinds):
        yield names, targets, belief.beside(names, targets)


def _dependent(belief: Belief) -> int:
    """How many there are that a variable does not form a product with, for the one with most."""
    count = dict.fromkeys(belief.domain.names, 0)
    for names, targets, joint in _joints(belief):
        products = joint.sum(3, keepdims=True) * joint.sum(2, keepdims=True)
        off = np.abs(np.subtract(joint, products, out=products)) > PRODUCT
        linked = off.reshape(*off.shape[:2], -1).any(-1)
        place = {name: row for row, name in enumerate(names)}
        for k, target in enumerate(targets):
            itself = target in place and bool(linked[place[target], k])
            count[target] += int(linked[:, k].sum()) - itself
    return max(count.values())


def _correlations(belief: Belief) -> Array:
    """|Pearson|; 1 with itself, 0 where one of the two does not vary."""
    place = {name: k for k, name in enumerate(belief.domain.names)}
    related = np.eye(len(place))
    for names, targets, joint in _joints(belief):
        columns, rows = (
            np.stack([_standard(belief, n) for n in side]) for side in (names, targets)
        )
        table = np.abs(np.einsum("ia,jiax,jx->ij", rows, joint, columns))
        related[np.ix_([place[i] for i in targets], [place[j] for j in names])] = table.clip(
            max=1.0
        )
    np.fill_diagonal(related, 1.0)
    return related


def _standard(belief: Belief, name: str) -> Array:
    """The values with mean 0 and variance 1."""
    try:
        law, numbers = belief.marginal([name]), belief.domain.numbers(name)
    except InputError:
        raise NotKnown(f'pearson: the values of "{name}" are no numbers, to correlate') from None
    centred: Array = numbers - law @ numbers
    spread = math.sqrt(float(law @ centred**2))
    return centred / spread if spread else np.zeros_like(centred)
