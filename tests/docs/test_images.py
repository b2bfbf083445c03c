"""The picture in docs/calibration.md is the one that the code draws."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import unspoken
from unspoken.interfaces.images import picture_writer

pytestmark = pytest.mark.slow

SHOWN = Path(__file__).resolve().parents[2] / "docs" / "images" / "noise.svg"


def lines(image: str) -> list[str]:
    """The lines and names, without how the file is laid out."""
    return re.findall(r'<path[^>]* d="([^"]*)"|<text[^>]*>([^<]*)</text>', image)


@pytest.mark.slow
def test_noise_against_the_limit(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert", reason="needs the extra `report`: vl-convert-python")
    sticky = unspoken.Chain([0.5, 0.5], [[0.9, 0.1], [0.1, 0.9]], 100)
    drawn = unspoken.compare(sticky, limit=1.0, knows="nothing").picture()
    path = picture_writer(tmp_path / "noise.svg")(drawn)
    found = lines(path.read_text("utf-8"))
    assert len(found) > 40
    assert found == lines(SHOWN.read_text("utf-8"))
