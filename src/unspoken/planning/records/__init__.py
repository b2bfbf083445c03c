"""One coin a record: the best table of what is shown of each, by a linear program.

A record x = (x_1, ..., x_n) shows a pattern S of its free attributes with probability W(S | x). Of
all such tables the one that shows most within the limits is found, held to them in exact
arithmetic, and bounded from above by multipliers that nobody has to trust.

problem         what is asked: known beside, out earlier; context_beliefs: what the rows stand on
planner         from that to the table, in order; task: a problem with its rows; planned: a table
  cells         what a record can be and may show; answers: what a coalition sees of it
  conditions    the rows P(y | s) <= cap P(y | not s)
    boxed       for every belief of a set, by knapsacks, or by laws where a threshold is in common
    bits        on I(S; Y)
  routes        which patterns there is room for
  program       all unknowns and rows
    model       solved step by step; solver: by HiGHS
    column_generation  very many pairs, of which only those that pay are in it: answer_catalogue,
                smoothed
  quiet         of all best tables one that tells little; needed: and one that keeps its rows
  rounding      in whole numbers, every row exactly; exact_rounding: and every equation,
                solved before by solution_space
  interior      the caps that leave no room, and a table with room in all others
  certificate   what no release exceeds
  binding       what holds the table back; telling: what it tells
floor           what needs no belief
"""
