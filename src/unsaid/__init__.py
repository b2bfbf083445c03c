"""unsaid: what a release says about things that were not released, kept within a limit you set."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unsaid.adversary import Adversary
    from unsaid.beliefs import Independent, Joint, Pairwise
    from unsaid.errors import UnsaidError
    from unsaid.learning import learn_table as learn
    from unsaid.mechanisms import OneSided
    from unsaid.planning import Plan, plan
    from unsaid.questions import leakage, odds, view
    from unsaid.releasing import prepare, release
    from unsaid.types.bound import Bound, Estimate
    from unsaid.types.domain import NOT_SENSITIVE, RELEASED, WITHHELD

__all__ = [
    "Adversary",
    "Bound",
    "Estimate",
    "Independent",
    "Joint",
    "NOT_SENSITIVE",
    "OneSided",
    "Pairwise",
    "Plan",
    "RELEASED",
    "UnsaidError",
    "WITHHELD",
    "leakage",
    "learn",
    "odds",
    "plan",
    "prepare",
    "release",
    "view",
]

_HOME = {
    "Adversary": "adversary",
    "Bound": "types.bound",
    "Estimate": "types.bound",
    "Independent": "beliefs",
    "Joint": "beliefs",
    "NOT_SENSITIVE": "types.domain",
    "OneSided": "mechanisms",
    "Pairwise": "beliefs",
    "Plan": "planning",
    "RELEASED": "types.domain",
    "UnsaidError": "errors",
    "WITHHELD": "types.domain",
    "leakage": "questions",
    "learn": "learning",
    "odds": "questions",
    "plan": "planning",
    "prepare": "releasing",
    "release": "releasing",
    "view": "questions",
}


# What is called something else where it lives.
_AT_HOME = {"learn": "learn_table"}


def __getattr__(name: str) -> object:
    """Load a public name when it is first asked for: `import unsaid` itself loads nothing."""
    if name not in _HOME:
        raise AttributeError(f"module 'unsaid' has no attribute {name!r}")
    return getattr(import_module(f"unsaid.{_HOME[name]}"), _AT_HOME.get(name, name))


def __dir__() -> list[str]:
    return __all__
