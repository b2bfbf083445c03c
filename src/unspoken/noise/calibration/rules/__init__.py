"""Published rules for the scale, in sound readings: no search, and more noise.

methods      the table of them, and whom each holds for
bayesian     transitions of a chain, or correlations, by their largest and smallest
group        any dependence in a block; or only how strong it is (`budget`)
dpm          dependence coefficients and their means, from the laws of pairs (pair_laws)
wasserstein  how far the sum has to be carried
quilt        two variables of a chain that shield what lies between
influence    what neighbours do to one another's odds
"""
