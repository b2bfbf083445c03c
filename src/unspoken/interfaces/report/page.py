"""One HTML file that shows what is told, planned and assumed, and asks for nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Any

from unspoken.assessment.findings import Findings
from unspoken.core.errors import InputError, printable
from unspoken.core.pictures.palette import DARK, LIGHT, PAGE
from unspoken.interfaces import images, templates
from unspoken.interfaces.report.charts import CHARTS, Chart, chart
from unspoken.interfaces.report.content import content
from unspoken.interfaces.wording.decision import Signed
from unspoken.storage.ledger import Ledger
from unspoken.tables.files import atomically
from unspoken.workflows.query import GivenAnswer, given_answers, refused_beside

try:
    import jinja2
    from markupsafe import Markup, escape
except ImportError:  # said when a page is asked for
    jinja2 = None  # type: ignore[assignment]

__all__ = ["drawn", "inline", "page", "replaceable", "require_report_extra", "write_report"]

OURS = '<meta name="generator" content="unspoken">'  # by which a page of ours is known
BEGIN = 2_000  # bytes that have it
LEAST, MOST = 0.72, 1.3  # how far a picture shrinks before it is scrolled, and how far it grows


def require_report_extra() -> None:
    """Refuse, before any work is done, what could not be drawn without the extra ``report``."""
    if jinja2 is None:
        raise InputError(images.MISSING)
    images.opened()


def write_report(findings: Findings, path: Path, folder: Path | None = None) -> list[Path]:
    """Write the page, and each picture as PNG and SVG into the folder; gives those files."""
    replaceable(path, "[output] report")
    file = findings.project.path
    digest = sha256(file.read_bytes()).hexdigest() if file.is_file() else ""
    given = given_answers(findings.project)
    refused = bool(refused_beside(findings.project))
    signed = Signed(datetime.now().astimezone(), _ledger(findings, given), digest, given, refused)
    text = page(findings, signed)
    with atomically(path) as out:
        out.write(text.encode())
    if folder is None:
        return []
    folder.mkdir(parents=True, exist_ok=True)
    pictures = {name: chart(name, findings, LIGHT) for name in CHARTS}
    return [
        images.picture_writer(folder / f"{name}{kind}")(picture)
        for kind in images.KINDS
        for name, picture in pictures.items()
        if picture
    ]


def replaceable(path: Path, named: str) -> None:
    """Refuse to write over what is no page of ours; ``named``: where it has its name."""
    if path.is_file() and path.stat().st_size and OURS.encode() not in path.read_bytes()[:BEGIN]:
        raise InputError(
            f"{path}: is there already, and no page that unspoken wrote; move it away, or give "
            f"{named} another name"
        )


def _ledger(findings: Findings, given: Sequence[GivenAnswer]) -> str:
    """What the ledger of the project has, in words."""
    named = findings.project.files.charged
    history = Ledger(named).history() if Ledger.there(named) else []
    also = f"{len(given)} answer{'s' * (len(given) > 1)} with noise" if given else ""
    if not history:
        return f"nothing released so far{f', {also}' if also else ''}"
    last = history[-1][0][:19].replace("T", " ")
    count = f"{len(history)} release{'s' * (len(history) > 1)} so far, the last at {last} UTC"
    return f"{count}; {also}" if also else count


def page(findings: Findings, signed: Signed) -> str:
    """The page as text: no scripts, and no file or address beside itself."""
    return drawn(
        "report/page.html.jinja",
        content(findings, signed)
        | {"picture": lambda name, says: inline(chart(name, findings, PAGE), says)},
    )


def drawn(template: str, said: Mapping[str, Any]) -> str:
    """A page of ours, from one of our templates, in our colours; it shows all that it has.

    Names and values are others': U+202E would turn what follows around.
    """
    if jinja2 is None:
        raise InputError(images.MISSING)
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=jinja2.FunctionLoader(_template),
    )
    environment.filters["quoted"] = _quoted
    text = environment.get_template(template).render(
        said,
        ours=Markup(OURS),
        light=Markup(LIGHT.variables()),
        dark=Markup(DARK.variables()),
    )
    return printable(text)


def _template(name: str) -> str:
    return resources.files(templates).joinpath(*name.split("/")).read_text("utf-8")


def inline(described: Chart, says: str) -> Markup:
    """An inline picture with a text in its place for those who do not see it."""
    image = images.svg(described)
    natural = re.search(r'<svg[^>]* width="(\d+)', image)
    width = int(natural[1]) if natural else 0
    size = f"min-width: {LEAST * width:.0f}px; max-width: {MOST * width:.0f}px"
    styled = image.replace("<svg ", f'<svg style="{size}" aria-hidden="true" ', 1)
    return Markup(f'<div class="chart" role="img" aria-label="{escape(says)}">{styled}</div>')


def _quoted(text: str) -> Markup:
    """A sentence in which short quoted labels stay on one line."""
    unbroken = r'<span class="whole">\g<0></span>'
    return Markup(re.sub("“[^“”<>]{1,12}”", unbroken, str(escape(text))))
