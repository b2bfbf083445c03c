"""Noisy answers too many to list, bounded by how far their noise-free values can lie apart."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from unspoken.mechanisms.local import Question
from unspoken.mechanisms.parts import Query
from unspoken.types.likelihood import Likelihood
from unspoken.views import BandView, View

__all__ = ["band_view"]

# Values of the target up to which every set of them is a corner.
VALUES = 12


def band_view(question: Question, queries: Sequence[Query], alone: Sequence[View]) -> BandView:
    """Group bound (paper 003, eq. 4): changing the target and all it may move changes query c by

    at most sum_j |w_cj| (max x_j - min x_j), so likelihoods are at most e^(sum_c rate_c times that)
    apart. Variables that are independent of the target, given what is known, add common noise only.
    """
    belief, targets = question.belief, question.adversary.targets
    moved = belief.relevant((*targets, *question.worst_over), belief.domain.names)
    widths = {
        name: float(np.ptp(belief.domain.numbers(name)))
        for name in {*moved, *targets} - set(question.worst_over)
        if any(query.weights.get(name) for query in queries)
    }
    ratio = sum(
        query.noise.rate * abs(query.weights.get(name, 0.0)) * width
        for query in queries
        for name, width in widths.items()
    )
    likelihood = belief.outputs(question.keep, {})
    nothing = question.cloud(likelihood, {}, question.rounding(()))
    parts, revealed = [nothing, *alone], nothing.revealed()
    values = belief.cells(targets)
    if ratio == 0:
        return BandView(nothing, parts, revealed, ratio)
    if values > VALUES or math.isinf(ratio):
        return BandView(revealed, parts, revealed, ratio)
    prior = likelihood.prior.reshape(-1, values)
    raised = (np.arange(2**values)[:, None] >> np.arange(values) & 1).T.astype(float)
    with np.errstate(divide="ignore"):
        log = np.log(prior)[..., None] + ratio * raised
    excess = log.reshape(*likelihood.prior.shape, -1)
    extreme = Likelihood(likelihood.prior, np.full(2**values, -np.inf), excess, in_logs=True)
    corners = question.cloud(extreme, {"corner": range(2**values)}, question.rounding(()))
    return BandView(corners, parts, revealed, ratio)
