"""Releases: plan -> check -> charge -> read -> coin -> write."""

from typing import TYPE_CHECKING

from unspoken.core.lending import lending

if TYPE_CHECKING:  # for those who read without running; tests/house holds it equal to HOMES
    from unspoken.releasing.checking import Checked as Checked
    from unspoken.releasing.checking import check as check
    from unspoken.releasing.decided import adopt_plan as adopt_plan
    from unspoken.releasing.differing import Difference as Difference
    from unspoken.releasing.differing import difference as difference
    from unspoken.releasing.flow import rehearse as rehearse
    from unspoken.releasing.flow import release as release
    from unspoken.releasing.leaking import leak as leak
    from unspoken.releasing.preparing import Prepared as Prepared
    from unspoken.releasing.preparing import learn_project as learn_project
    from unspoken.releasing.preparing import prepare as prepare
    from unspoken.releasing.results import Rehearsed as Rehearsed
    from unspoken.releasing.results import Released as Released

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
