"""Tables and project files in, priors out.

`engines` read, sort and group rows (DuckDB, Spark) and know no privacy; `policy` reads a project
file and says what is wrong with it; `learning` counts rows and makes priors of the counts, and sets
of all priors that the counts leave possible; `simulation` makes a building to try things on. Below
them stand columns and texts as arrays, and files that appear whole or not at all (`files.py`).

May import: core, noise, planning.

Start reading: `learning/plain.py`, where `learn` turns a table into a prior.
"""
