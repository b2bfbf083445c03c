"""What every result shows of itself: a few lines, a small table, rows of a frame, a picture."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import unspoken
from tests.workflows.release.small import small
from unspoken.core.pictures import Bar, bars
from unspoken.interfaces import frames, images
from unspoken.noise import published
from unspoken.workflows.release import rehearse

pytestmark = pytest.mark.slow

LINES, LETTERS, HTML = 50, 4000, 8000
JOINT = unspoken.Joint([[0.2, 0.1], [0.1, 0.6]], names=["<A>", "B"])
NOISE = unspoken.Laplace(2.0)
COINS = unspoken.OneSided({"<A>": 1.0})
NAMES = ["<A>", "B", "shown before"]
HIDDEN: dict[str, list[Any]] = {"<A>": [0], "B": [0], "shown before": ["[[]]"]}
ADDED = unspoken.Suppression({}, NAMES, [[0, 1], [0, 1], ["[[]]"]], HIDDEN)
WIDE = unspoken.Independent([[0.5, 0.5]] * 100)
CHAIN = unspoken.Chain([0.5, 0.5], [[0.9, 0.1], [0.2, 0.8]], 100)
PAIR = unspoken.Gaussian([[1.0, 0.3], [0.3, 2.0]], [1.0, 2.0])
SHARES = ([0.1, 0.1], [0.1, 0.5]), ([0.9, 0.9], [0.9, 0.9])
ATTRIBUTES = {"arrival": {"sensitive": "arrival = 'late'"}, "light": {}}

RESULTS: dict[str, Callable[[], Any]] = {
    "joint": lambda: JOINT,
    "wide": lambda: WIDE,
    "chain": lambda: CHAIN,
    "gaussian": lambda: PAIR,
    "beliefs": lambda: unspoken.Beliefs([JOINT, JOINT]),
    "box": lambda: unspoken.Box.within(JOINT, 0.1),
    "rows": lambda: unspoken.Rows(*SHARES, given=["x0"]),
    "ball": lambda: unspoken.GaussianBall(PAIR, 0.1),
    "coins": lambda: COINS,
    "many coins": lambda: unspoken.OneSided({f"x{k}": 1.0 for k in range(500)}),
    "noise": lambda: NOISE,
    "many weights": lambda: unspoken.Laplace(1.0, {f"x{k}": 1.0 for k in range(500)}),
    "finite": lambda: unspoken.Finite("B", [[0.9, 0.1], [0.2, 0.8]]),
    "geometric": lambda: unspoken.Geometric(0.5),
    "one-sided noise": lambda: unspoken.OneSidedNoise(0.5, {"A": {1: 1}}, {"A": [0]}),
    "record counts": lambda: unspoken.RecordCounts(0.5, {"A": [0], "B": [0]}, [[[1]]]),
    "randomized": lambda: unspoken.RandomizedResponse("B", 1.0),
    "suppression": lambda: COINS.as_suppression(JOINT.domain),
    "extension": lambda: unspoken.Extension(COINS.as_suppression(JOINT.domain), ADDED),
    "view of records": lambda: unspoken.view(
        JOINT, COINS.as_suppression(JOINT.domain), unspoken.Adversary("B")
    ),
    "together": lambda: unspoken.Together([COINS, NOISE]),
    "finite view": lambda: unspoken.view(JOINT, COINS, unspoken.Adversary("B")),
    "noisy view": lambda: unspoken.view(JOINT, NOISE, unspoken.Adversary("B")),
    "bound": lambda: unspoken.leakage(JOINT, NOISE, unspoken.Adversary("B")),
    "impossible": lambda: unspoken.Bound.impossible("odds", JOINT.premise, "never"),
    "estimate": lambda: unspoken.Estimate(0.3, "nat", "a guess"),
    "leakages": lambda: unspoken.leakages(JOINT, NOISE),
    "many leakages": lambda: unspoken.leakages(CHAIN, NOISE),
    "worst": lambda: unspoken.worst(JOINT, NOISE),
    "calibrated": lambda: unspoken.calibrate(JOINT, limit=1.0),
    "compared": lambda: unspoken.compare(JOINT, limit=1.0),
    "plan": lambda: unspoken.plan(JOINT, limit_bits=0.1),
    "plan of many": lambda: unspoken.plan(WIDE, limit_bits=0.1, account="bit"),
    "temporal": lambda: unspoken.temporal(CHAIN, 0.1),
    "graph": lambda: published.graph(JOINT, [1.0, 1.0], 2.0),
}
FRAMED = [
    *("bound", "impossible", "estimate", "leakages", "many leakages", "compared"),
    *("plan", "plan of many", "trade-off"),
]
DRAWN = [name for name in FRAMED if name != "estimate"]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    days = range(400)
    table = pa.table(
        {
            "id": list(days),
            "arrival": ["late" if day % 3 else "on time" for day in days],
            "light": ["on" if day % 7 % 2 else "off" for day in days],
        }
    )
    folder = tmp_path_factory.mktemp("project")
    return small(folder, table, ATTRIBUTES, limit_bits=0.1, odds_cap=4.0)


@pytest.fixture(scope="module")
def results(project: Path) -> dict[str, Any]:
    ready = unspoken.prepare(project)
    findings = ready.findings()
    return {
        **{name: make() for name, make in RESULTS.items()},
        "prepared": ready,
        "learned": ready.learned,
        "closure": ready.closed,
        "findings": findings,
        "leak": findings.planned[0],
        "trade-off": findings.curve,
        "rehearsed": rehearse(project),
        "released": unspoken.release(project),
        "released again": unspoken.release(project),
    }


def test_nothing_is_page_long(results: dict[str, Any]) -> None:
    for name, result in results.items():
        text, page = repr(result), result._repr_html_()
        assert len(text) < LETTERS, f"{name}: {len(text)} letters"
        assert text.count("\n") < LINES, f"{name}: {text.count(chr(10))} lines"
        assert 0 < len(page) < HTML, f"{name}: {len(page)} letters of HTML"
        assert page.startswith("<table>"), name
        assert "<A>" not in page, name
        assert "(Project(" not in text, name
        assert "Source(table=" not in text, name


def test_limits_stand_in_nats_and_bits(results: dict[str, Any]) -> None:
    """Python takes nats where the command line takes bits: who reads either sees both."""
    for name in ("bound", "calibrated", "compared", "plan", "temporal"):
        assert " nat" in repr(results[name]), name
        assert " bit" in repr(results[name]), name
    with pytest.raises(unspoken.UnspokenError, match="limit, in nat: -1 must be finite"):
        unspoken.calibrate(JOINT, limit=-1)
    with pytest.raises(unspoken.UnspokenError, match="limit, in odds: 1 must be finite and more "):
        unspoken.calibrate(JOINT, limit=1, measure="odds")


def test_results_print_nothing(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    unspoken.prepare(project).findings()
    unspoken.release(project)
    unspoken.worst(JOINT, NOISE)
    unspoken.calibrate(JOINT, limit=1.0)
    assert capfd.readouterr() == ("", "")


def test_rows_of_a_frame(results: dict[str, Any]) -> None:
    pandas = pytest.importorskip("pandas")
    for name in FRAMED:
        frame = results[name].to_frame()
        assert isinstance(frame, pandas.DataFrame), name
        assert len(frame) == len(results[name].records()) > 0, name
    leakages = results["leakages"]
    assert list(leakages.to_frame()["high"]) == [bound.high for bound in leakages.values()]
    assert list(results["plan"].to_frame()["p"]) == list(results["plan"].p.values())


def test_a_release_as_a_frame(results: dict[str, Any], project: Path) -> None:
    pytest.importorskip("pandas")
    released = results["released"]
    assert released.to_arrow().num_rows == len(released.to_frame()) == 400
    assert list(released.to_frame().columns) == ["id", "arrival", "light"]


def test_a_release_that_is_gone(project: Path, tmp_path: Path) -> None:
    released = unspoken.release(project)
    moved = released.path.rename(tmp_path / "moved.parquet")
    with pytest.raises(unspoken.UnspokenError, match=r"released.parquet: cannot be read any more"):
        released.to_arrow()
    moved.rename(released.path)


def test_what_can_be_printed_as_json(results: dict[str, Any]) -> None:
    for name in FRAMED:
        json.dumps(results[name].as_json(), allow_nan=False)


def test_without_pandas(results: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "pandas", None)
    for name in ("bound", "released"):
        with pytest.raises(unspoken.UnspokenError, match="pip install pandas"):
            results[name].to_frame()


@pytest.mark.parametrize("name", DRAWN)
def test_pictures(name: str, results: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    picture = results[name].plot()
    shown = picture._repr_mimebundle_()
    assert shown["image/svg+xml"].startswith("<svg")
    assert "\n" not in repr(picture)
    assert picture.save(tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(unspoken.UnspokenError, match=r"ends in .png or .svg"):
        picture.save("picture.jpg")


def test_pictures_without_the_extra(
    results: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images, "vl_convert", None)
    with pytest.raises(unspoken.UnspokenError, match=r"pip install 'unspoken\[report\]'"):
        results["plan"].plot()


def test_bars_keep_their_ends() -> None:
    inf = math.inf
    rows = [Bar("A", 1.0, 2.0, "1 to 2"), Bar("B", inf, inf, "inf"), Bar("C", math.nan, 0.0, "")]
    points = bars(rows, "T", "under", "nat")["data"]["values"]
    assert [(p["name"], p["low"], p["high"]) for p in points] == [
        ("A", 1.0, 2.0),
        ("B", 2.2, 2.2),
        ("C", 0.0, 0.0),
    ]
    many = [Bar(f"x{k}", 0.0, k / 100, "") for k in range(100)]
    described = bars(many, "T", "under", "nat")
    assert [p["name"] for p in described["data"]["values"]] == [f"x{k}" for k in range(60, 100)]
    assert described["title"]["subtitle"] == ["under", "60 more are less"]


# What IPython looks for (IPython.core.formatters), and how it calls the first two.
OWN = {"_ipython_display_": {}, "_repr_mimebundle_": {"include": None, "exclude": None}}
KINDS = ("html", "markdown", "latex", "javascript", "json", "svg", "png", "jpeg", "pdf", "pretty")


def in_a_notebook(result: Any) -> dict[str, Any]:
    """What IPython shows of it: what answers to any name at all it takes for no such object."""
    assert not hasattr(result, "_ipython_canary_method_should_not_exist_")
    asked = OWN | {f"_repr_{kind}_": {} for kind in KINDS}
    return {
        name: getattr(result, name)(**how) for name, how in asked.items() if hasattr(result, name)
    }


def test_notebooks_show_them(results: dict[str, Any]) -> None:
    for name, result in results.items():
        shown = in_a_notebook(result)
        assert shown.keys() == {"_repr_html_"}, name
        assert shown["_repr_html_"].startswith("<table>"), name


def test_notebooks_show_pictures(results: dict[str, Any]) -> None:
    pytest.importorskip("vl_convert")
    shown = in_a_notebook(results["bound"].plot())
    assert shown.keys() == {"_repr_mimebundle_"}
    assert shown["_repr_mimebundle_"]["image/svg+xml"].startswith("<svg")
