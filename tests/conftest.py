"""What every test may use: the property-test profiles, the stress mark, the outside data."""

import os
from pathlib import Path

import pytest
from hypothesis import Phase, is_hypothesis_test, settings

from tests.effort import EFFORT, EXAMPLES

ROOT = Path(__file__).resolve().parents[1]

settings.register_profile("default", derandomize=True, deadline=None, max_examples=EXAMPLES)
# Fresh draws find what fixed ones never will; but whether a commit is good must not depend on luck,
# so in CI the longer run has the same draws every time.
settings.register_profile(
    "stress",
    deadline=None,
    database=None,
    print_blob=True,
    derandomize=bool(os.environ.get("CI")),
    max_examples=EXAMPLES * EFFORT,
)
# With a fault planted (tests/faults) a counterexample is all that is wanted, not the least one.
settings.register_profile(
    "faults", settings.get_profile("default"), phases=[Phase.explicit, Phase.generate]
)
settings.load_profile("stress" if EFFORT > 1 else "default")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every property test is worth running long."""
    for item in items:
        if is_hypothesis_test(getattr(item, "obj", None)):
            item.add_marker(pytest.mark.stress)


def pytest_report_header() -> str:
    return f"effort: {EFFORT} x {EXAMPLES} examples per property"


@pytest.fixture(scope="session")
def effort() -> int:
    """By how much a stress test that is no property test multiplies its work."""
    return EFFORT


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The data sets and papers kept beside the checkout, not in it."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("needs the data sets kept beside the checkout in ../shared, absent here")
    return folder
