"""The release that shows most within limits on what it reveals, with a certificate.

`plan` takes a prior and limits, and gives a plan: by cell (a release probability for each
attribute) or by record (one coin for each record, from a linear program, in `records`).

May import: core, noise.

Start reading: `plans.py`, where `plan` decides which of the two is asked for; then
`records/planner.py`, which has the linear program built (`records/program.py`) and solved
(`records/solver.py`), and `frontier.py` for plans by cell.
"""

from unspoken.planning.closure import Closure, closure
from unspoken.planning.limits import Broken, Limits
from unspoken.planning.plans import Plan, baseline_plan, plan
from unspoken.planning.supports import Telling

__all__ = ["Broken", "Closure", "Limits", "Plan", "Telling", "baseline_plan", "closure", "plan"]
