"""One coin a record: the best table of what is shown of each, by a linear program.

A record x = (x_1, ..., x_n) shows a pattern S of its free attributes with probability W(S | x). Of
all such tables the one that shows most within the limits is found, held to them in exact
arithmetic, and bounded from above by multipliers that nobody has to trust.
"""
