"""The worst adversary of a Gaussian belief: exhaustive, by branch and bound, on trees."""
