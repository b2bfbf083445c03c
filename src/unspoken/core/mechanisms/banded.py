"""Noisy answers too many to list, bounded by how far their noise-free values can lie apart."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from unspoken.core.mechanisms.local import LocalQuestion
from unspoken.core.mechanisms.parts import Query
from unspoken.core.types.likelihood import Likelihood
from unspoken.core.types.sums import moved_by
from unspoken.core.views import BandView, BaseView

__all__ = ["band_view"]

# Values of the target up to which every set of them is a corner.
VALUES = 12


def band_view(
    question: LocalQuestion, queries: Sequence[Query], alone: Sequence[BaseView]
) -> BandView:
    """Group bound (paper 003, eq. 4): changing the target and all it may move changes the queries
    by at most sum_j max over x_j, x_j' of sum_c |f_cj(x_j) - f_cj(x_j')|, changes being counted in
    scales of noise, and likelihoods are at most e^that apart. Variables that are independent of the
    target, given what is known, add common noise only.
    """
    belief, targets = question.belief, question.adversary.targets
    moved = belief.relevant((*targets, *question.worst_over), belief.domain.names)
    ratio = 0.0
    for name in {*moved, *targets} - set(question.worst_over):
        terms = [(query.noise.moves, query.weights.get(name, 0.0)) for query in queries]
        ratio += moved_by(belief.domain, name, terms)
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
