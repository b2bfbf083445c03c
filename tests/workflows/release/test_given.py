"""A plan that holds whatever is known of a context: given each value, and softly known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import unspoken
from tests.workflows.release.small import small
from unspoken.assessment.leaks import leakage_matrix
from unspoken.core.errors import InputError, LimitExceeded
from unspoken.workflows.release import adopt_plan, prepare, rehearse

CAP, ROWS, SITES, STRONG = 3.0, 20_000, 2, 0.3
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "late": {"values": ["no", "yes"], "sensitive": "late = 'yes'"},
    "use": {"values": ["low", "mid", "high"]},
}


def table() -> pa.Table:
    """What `use` says of `late` is another thing at each site, and next to nothing at all."""
    rng = np.random.default_rng(11)
    site = np.arange(ROWS) % SITES
    late = rng.random(ROWS) < 0.25
    use = np.where(rng.random(ROWS) < STRONG, (site + late) % 2, rng.integers(0, 3, ROWS))
    words = np.array(["low", "mid", "high"])
    return pa.table(
        {"site": site, "n": np.arange(ROWS), "late": np.where(late, "yes", "no"), "use": words[use]}
    )


def project(folder: Path, given: str = 'given = "site"', noise: str = '"none"') -> Path:
    path = small(folder, table(), ATTRIBUTES, keys=["site", "n"], odds_cap=CAP)
    text = path.read_text().replace('by = "cell"', f'by = "record"\n{given}')
    text = text.replace('confidence = "none"', "confidence = 0.95")
    text = text.replace('noise = "none"', f"noise = {noise}").replace("limit_bits = 64.0\n", "")
    path.write_text(f'{text}\n[context.site]\nof = "site"\n')
    return path


def worst(path: Path) -> float:
    """The largest odds about anybody's secret, whatever is known of the site, softly too."""
    ready = prepare(path)
    mechanism, given = ready.plan().mechanism, ready.learned.contexts["site"]
    rng, found = np.random.default_rng(5), 0.0
    mixes = [*np.eye(SITES), *rng.dirichlet([0.3] * SITES, 60)]
    for mix in mixes:
        law = np.tensordot(mix, given.joint / given.joint.sum((1, 2), keepdims=True), 1)
        belief = unspoken.Joint(law, tuple(given.labels), tuple(given.labels.values()))
        leaks = leakage_matrix(belief, mechanism, {"all": ["late", "use"]}, ready.sensitive)
        found = max(found, *(leak.odds.odds for leak in leaks))
    return found


def test_the_cap_holds_whatever_is_known_of_the_context(tmp_path: Path) -> None:
    assert worst(project(tmp_path)) <= CAP
    assert worst(project(tmp_path, given="")) > 1.3 * CAP


def test_it_shows_more_than_what_needs_no_belief(tmp_path: Path) -> None:
    """Known and unknown alike: the floor holds given all contexts, and shows less."""
    findings = prepare(project(tmp_path)).findings(curve=False)
    assert not findings.is_floor
    assert findings.plan.gain is not None
    assert findings.plan.gain > 0.05
    assert not any("without" in caution.text for caution in findings.cautions)


def test_what_plans_hold_given_has_to_be_declared(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r'plan.given: there is no context "sites".*"site"'):
        prepare(project(tmp_path, 'given = "sites"'))


def test_a_plan_that_was_not_made_given_a_context_does_not_claim_it(tmp_path: Path) -> None:
    path = project(tmp_path, "", noise="2.0")
    adopt_plan(path)
    rehearse(path)
    for claim in ('given = "site"', "unbiased = true", "own_reads = true", "floor = 2.0"):
        text = path.read_text()
        path.write_text(text.replace('by = "record"', f'by = "record"\n{claim}'))
        with pytest.raises(LimitExceeded, match=f"plan.{claim.split()[0]}: was not so when"):
            rehearse(path)
        path.write_text(text)
    path.write_text(text.replace('by = "record"', 'by = "record"\ngiven = "site"'))
    adopt_plan(path)
    rehearse(path)
