"""Who learns what from a project's release, and whether it may go out.

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
cautions       what has to be said beside them: few rows, units and their habits; unmodelled
promise        what a plan promises, and for which priors
since, drift   whether the rows that came since are like those: samples, and moves of their shares

The folder `deciding` has the plan that is adopted, and whether one more release may be.

May import: core, noise, planning, tables, storage.

Start reading: `findings.py`, then `deciding/admission.py`.
"""
