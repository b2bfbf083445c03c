"""Priors, mechanisms, adversaries, and exact bounds on what an adversary learns.

A prior P(X) (`beliefs`, and sets of them in `families`) and a mechanism P(Y|X) (`mechanisms`) give
an adversary (`adversary.py`) a view: every possible answer with its probability and the posterior
that it leads to (`views`). A measure (`measures`) is the maximum or the average of a convex
function of these posteriors; the result is a bound with two ends and a premise (`types/bound.py`).
`questions.py` asks for it of one adversary, `searching` of the worst one, `conversion` starts from
an epsilon. Below them stand exact arithmetic (`numerics`), shared types (`types`), errors, and how
results show themselves (`display.py`, `pictures`). No files, no SQL, no keys, no sentences: NumPy
is all that is needed.

May import: nothing of unspoken.

Start reading: `questions.py`, whose `leakage` goes through all of it on one page.
"""
