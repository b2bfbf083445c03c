"""What every test may use: the property-test profiles, the stress mark, the outside data."""

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Before numpy: its threads wait by spinning, and where workers share the cores they do little
# else (tests/core/mechanisms/test_shields.py: 31 s of processor time, or 7). Commands inherit it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest
from hypothesis import HealthCheck, Phase, is_hypothesis_test, settings
from opendp.measurements import make_laplace

from tests.effort import EFFORT, EXAMPLES
from tests.perturbed import perturb, seed_of_environment
from tests.repeatable import Draws, repeat
from tests.selection import has_nothing_selected

ROOT = Path(__file__).resolve().parents[1]

# A slow machine, or one that is busy, fails no test: there is no deadline, and examples may be slow
# to draw.
NO_CLOCK: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("default", derandomize=True, max_examples=EXAMPLES, **NO_CLOCK)
# Fresh draws find what fixed ones never will; but whether a commit is good must not depend on luck,
# so in CI the longer run has the same draws every time.
settings.register_profile(
    "stress",
    database=None,
    print_blob=True,
    derandomize=bool(os.environ.get("CI")),
    max_examples=EXAMPLES,
    **NO_CLOCK,
)
# With a fault planted (tests/faults) a counterexample is all that is wanted, not the least one.
settings.register_profile(
    "faults", settings.get_profile("default"), phases=[Phase.explicit, Phase.generate]
)
settings.load_profile("stress" if EFFORT > 1 else "default")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files of which nothing is selected are not imported: all imports together take long."""
    selection: str = config.option.markexpr
    if selection and collection_path.match("test_*.py"):
        return has_nothing_selected(collection_path.read_text("utf-8"), selection) or None
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every property test is worth running long."""
    for item in items:
        if is_hypothesis_test(getattr(item, "obj", None)):
            item.add_marker(pytest.mark.stress)


def pytest_collection_finish() -> None:
    """What is collected stays to the end; searching it for garbage again and again is slow."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def pytest_sessionfinish() -> None:
    gc.unfreeze()


def pytest_report_header() -> str:
    return f"effort: {EFFORT}, {EXAMPLES} examples per property"


DRAWS = Draws()
LUCK = EFFORT > 1 and not os.environ.get("CI")


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(fixturedef: Any, request: pytest.FixtureRequest) -> None:
    """What a fixture draws follows from its name and from what it is made for."""
    whom = getattr(request.node, "nodeid", "") if fixturedef.scope == "function" else ""
    which = getattr(request, "param_index", 0)
    DRAWS.begin(f"{fixturedef.baseid} {fixturedef.argname} {which} {whom}")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    DRAWS.begin(item.nodeid)


@pytest.fixture(scope="session", autouse=True)
def _repeatable() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        if not LUCK:
            repeat(DRAWS, patch)
        if (seed := seed_of_environment()) is not None:
            perturb(patch, seed)
        yield


@pytest.fixture(autouse=True)
def _afresh(request: pytest.FixtureRequest) -> Iterator[None]:
    """Tests of the drawing itself draw afresh."""
    with pytest.MonkeyPatch.context() as patch:
        if request.node.get_closest_marker("afresh"):
            patch.setattr("unspoken.storage.coins.os", os)
            patch.setattr("unspoken.noise.discrete_laplace.make_laplace", make_laplace)
        yield


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
