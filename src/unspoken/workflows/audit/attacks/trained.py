"""Black boxes: what practice alone teaches, without any model of the release.

Frequencies of what is seen, the nearest of what was seen before, and a line between the two cases:
three estimators of what an answer tells, of which the first is best where answers come again, the
others where they do not (Cherubin, Chatzikokolakis and Palamidessi, 2019).
"""

from __future__ import annotations

import numpy as np

from unspoken.core.numerics.arrays import Array
from unspoken.workflows.audit.attacks.protocol import PublicKnowledge, Scorer
from unspoken.workflows.audit.trials import Trials

__all__ = ["classified", "digits", "frequent", "nearest"]

CELLS = 32  # into which an answer that is a number is parted
REMEMBERED = 400  # trials of either case that are compared with
NEAREST = 25
AT_ONCE = 4_000_000  # distances that are held at a time
LABELS = 24  # of a column, the commonest, each with a weight of its own
STEPS, RIDGE = 12, 1e-3  # of Newton's method; what keeps weights finite where cases part cleanly


def frequent(known: PublicKnowledge, practice: Trials) -> Scorer | None:
    """log of (how often with the secret / how often without), for each whole answer by itself.

    Half a trial is added to either, so that what came once is not certain.
    """
    parted = [
        _parted(column, size) for column, size in zip(practice.seen.T, known.sizes, strict=True)
    ]

    def coded(seen: Array) -> Array:
        return np.stack(
            [np.searchsorted(ends, column) for ends, column in zip(parted, seen.T, strict=True)], 1
        )

    answers, which = np.unique(coded(practice.seen), axis=0, return_inverse=True)
    which = which.ravel()
    with_it = np.bincount(which[practice.secret], minlength=len(answers)) + 0.5
    without = np.bincount(which[~practice.secret], minlength=len(answers)) + 0.5
    log_ratios = np.log(with_it / with_it.sum()) - np.log(without / without.sum())
    score = {
        answer.tobytes(): float(log_ratio)
        for answer, log_ratio in zip(answers, log_ratios, strict=True)
    }

    def scored(seen: Array) -> Array:
        found, back = np.unique(coded(seen), axis=0, return_inverse=True)
        return np.array([score.get(answer.tobytes(), 0.0) for answer in found])[back.ravel()]

    return scored


def digits(known: PublicKnowledge, practice: Trials) -> Scorer | None:
    """How many of its last binary digits an answer does not use, beside how large it is.

    Noise that is added as a double has as many as the sum leaves it, and so tells the sum.
    """
    if any(known.sizes):
        return None

    def unused(seen: Array) -> Array:
        mantissa, exponent = np.frexp(np.abs(seen))
        whole = (mantissa * 2.0**53).astype(np.int64)
        low = np.where(whole, whole & -whole, 1)
        return np.concatenate([np.log2(low.astype(float)), np.clip(exponent, -8, 8), seen > 0], 1)

    columns = 3 * len(known.sizes)
    taught = Trials(unused(practice.seen), practice.secret)
    score = frequent(PublicKnowledge(None, (64,) * columns), taught)
    assert score is not None
    return lambda seen: score(unused(seen))


def nearest(known: PublicKnowledge, practice: Trials) -> Scorer | None:
    """The share of secrets among the nearest that were seen, labels being apart or not."""
    few = [np.flatnonzero(practice.secret == which)[:REMEMBERED] for which in (True, False)]
    kept = practice.taken(np.concatenate(few))
    scale = np.maximum(kept.seen.std(0), 1e-9)
    labels = np.array(known.sizes) > 0

    def share(rows: Array) -> Array:
        away = np.zeros((len(rows), len(kept)))
        for column, label in enumerate(labels):
            gap = rows[:, None, column] - kept.seen[None, :, column]
            away += (gap != 0) if label else (gap / scale[column]) ** 2
        k = min(NEAREST, len(kept)) - 1
        near = away <= np.partition(away, k, axis=1)[:, k, None]  # all that are as near as the last
        shares: Array = (near @ kept.secret.astype(float)) / near.sum(1)
        return shares

    def scored(seen: Array) -> Array:
        found, back = np.unique(seen, axis=0, return_inverse=True)
        step = max(1, AT_ONCE // max(1, len(kept)))
        parts = [share(found[at : at + step]) for at in range(0, len(found), step)]
        return np.concatenate(parts)[back.ravel()]

    return scored if len(kept) else None


def classified(known: PublicKnowledge, practice: Trials) -> Scorer | None:
    """A logistic line: each label has a weight, and each number."""
    middle, scale = practice.seen.mean(0), np.maximum(practice.seen.std(0), 1e-9)
    common = [_commonest(column) for column in practice.seen.T]

    def features(seen: Array) -> Array:
        columns = [np.ones(len(seen))]
        for place, size in enumerate(known.sizes):
            column = seen[:, place]
            if size:
                columns += [(column == label).astype(float) for label in common[place]]
            else:
                columns.append((column - middle[place]) / scale[place])
        return np.stack(columns, 1)

    weights = _logistic(features(practice.seen), practice.secret.astype(float))

    def scored(seen: Array) -> Array:
        line: Array = features(seen) @ weights
        return line

    return scored


def _commonest(column: Array) -> Array:
    values, counts = np.unique(column, return_counts=True)
    kept: Array = values[np.argsort(-counts, kind="stable")[:LABELS]]
    return kept


def _parted(column: Array, size: int) -> Array:
    """Where a column is parted: between any two labels, or into as many cells of equal weight."""
    if size:
        return np.arange(-1.0, size)
    return np.unique(np.quantile(column, np.linspace(0, 1, CELLS + 1)[1:-1]))


def _logistic(features: Array, truth: Array) -> Array:
    """Weights of the largest likelihood but for a ridge, by Newton's method."""
    weights = np.zeros(features.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(features @ weights, -30, 30)))
        slope = features.T @ (truth - chance) - RIDGE * len(truth) * weights
        curved = (features * (chance * (1 - chance))[:, None]).T @ features
        weights = weights + np.linalg.solve(
            curved + RIDGE * len(truth) * np.eye(len(weights)), slope
        )
    return weights
