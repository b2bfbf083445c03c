"""The least noise there is, and who needs it.

scale            the least scale for a belief, or for every belief of a set
  threats        at a scale: who learns most; and so the least scale, one adversary at a time
    adversaries        those who know the same, or are listed
    single_variable    those who know all others: the floor
    worst_adversary    anybody, whatever they know: searched for
    branched           anybody, on trees too large to search: what branches let through
    windows, sides     long chains: what a window tells, the rest seen to its edge
    unlisted           sets of beliefs that cannot be listed
  separation     one law of sums at every scale
  contexts       what is known, value by value
"""
