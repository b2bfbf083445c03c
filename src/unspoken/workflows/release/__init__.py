"""Releases: plan, check, read, toss coins, write, charge the ledger, publish (`flow`).

Beside them stand what the commands `leak` (`leaking`, a table and nothing else), `check`, `diff`
(`differing`) and `disclose` do, and `reproducing`, which makes a release again to verify it.
"""

from typing import TYPE_CHECKING

from unspoken.core.lending import lending

if TYPE_CHECKING:  # for those who read without running; tests/structure holds it equal to HOMES
    from unspoken.workflows.release.checking import Checked as Checked
    from unspoken.workflows.release.checking import check as check
    from unspoken.workflows.release.decided import adopt_plan as adopt_plan
    from unspoken.workflows.release.differing import Difference as Difference
    from unspoken.workflows.release.differing import difference as difference
    from unspoken.workflows.release.flow import rehearse as rehearse
    from unspoken.workflows.release.flow import release as release
    from unspoken.workflows.release.leaking import leak as leak
    from unspoken.workflows.release.preparing import Prepared as Prepared
    from unspoken.workflows.release.preparing import learn_project as learn_project
    from unspoken.workflows.release.preparing import prepare as prepare
    from unspoken.workflows.release.results import Rehearsed as Rehearsed
    from unspoken.workflows.release.results import Released as Released

# Where each name lives.
HOMES = {
    "checking": ["Checked", "check"],
    "decided": ["adopt_plan"],
    "differing": ["Difference", "difference"],
    "flow": ["rehearse", "release"],
    "leaking": ["leak"],
    "preparing": ["Prepared", "learn_project", "prepare"],
    "results": ["Rehearsed", "Released"],
}

__getattr__ = lending(__name__, HOMES)
__all__ = sorted(name for names in HOMES.values() for name in names)
