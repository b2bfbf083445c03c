"""What is found out before anything is released: who learns what, and what a plan shows.

table_scan     a table alone, before there is a project: telling_cells; rare values together
best           the best plan: closing what tells by itself, given contexts
cells_for_set  one coin a cell that holds for every prior in the confidence set
findings       all that is found of a project and its best plan, in one record
  leaks        who learns what of whom; matrix: as a picture; in_context: given what is known
  boxed        the same for every belief that counts leave possible
  trade_off    what other limits would let out
  held_back    what holds the plan back; starved: who gets nothing; merging: what would help
  assumed      what the numbers stand on
blank_columns  columns that would be released and say nothing
cautions       what has to be said beside them: few rows, units and their habits
promise        what a plan promises, and for which priors
since, drift   whether the rows that came since are like those: samples, and moves of their shares
"""
