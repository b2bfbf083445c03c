"""What a table shows before there is a project: which column tells what of which other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.console import Group, RenderableType

from unspoken.doors.report import words
from unspoken.doors.report.charts import heat, looks
from unspoken.doors.report.palette import LIGHT
from unspoken.doors.terminal import NBSP, Prose, blank, head, note, rows_of
from unspoken.pictures import Chart
from unspoken.policy.schema import LimitTable
from unspoken.releasing.assessing.few import ENOUGH
from unspoken.releasing.assessing.first_look import HAS, FirstLook
from unspoken.releasing.assessing.leaks import Leak
from unspoken.releasing.assessing.rare import FEW

__all__ = ["in_words", "picture"]

SHOWN = 3  # columns listed for each secret where every column is one in turn
SECRETS = 12  # secrets listed where every column is one in turn
LEAST = 0.001  # bits: what tells less is not worth a line
# The odds cap that a new project is given: pictures turn red beyond it.
CAP: float = LimitTable.model_fields["odds_cap"].default
BAR = 5  # letters for all there is to tell of a secret
HANG = 2  # spaces before what goes on below
NUMBERS = ["from", "to", "of rows", "odds", "bits", ""]


def in_words(look: FirstLook, begin: str) -> RenderableType:
    """Who tells what, the most telling first; ``begin``: the command that goes on from here."""
    return Group(
        *(_all_columns(look) if look.secret is None else _one_secret(look, look.secret)),
        blank(),
        *map(note, _notes(look, begin)),
    )


def _one_secret(look: FirstLook, secret: str) -> Iterator[RenderableType]:
    ((about, leaks),) = look.leaks.items()
    share = words.percent(look.before[about][HAS])
    yield head(f"{words.rows(look.rows)}. Who tells whether {secret} ({share} of rows), by itself:")
    yield blank()
    yield rows_of(["who: if it is", *NUMBERS], [_row(entry, look, "") for entry in leaks])


def _all_columns(look: FirstLook) -> Iterator[RenderableType]:
    """A column, and below it those that tell the most of it."""
    yield head(f"{words.rows(look.rows)}. Who tells what of a column, by itself:")
    yield blank()
    worth = {about: _worth(leaks) for about, leaks in look.leaks.items()}
    learned = [about for about, leaks in worth.items() if leaks]
    most = sorted(learned, key=lambda about: -worth[about][0].information.nats)[:SECRETS]
    listed = [about for about in learned if about in most]  # as they stand in the table
    rows = list[list[Prose | str]]()
    for about in listed:
        rows.append([Prose(about, style="bold", breaks=True), *[""] * len(NUMBERS)])
        rows += [_row(entry, look, "  ") for entry in worth[about][:SHOWN]]
    if rows:
        yield rows_of(["of, who: if it is → then", *NUMBERS], rows)
    if len(learned) > len(listed):
        yield blank()
        yield note(
            f"The {len(listed)} of {len(learned)} columns that others tell the most bits of; "
            "--picture FILE draws all, --json lists them."
        )
    silent = [about for about, leaks in worth.items() if not leaks]
    if silent:
        yield from [blank()] * bool(rows)
        yield note(f"Of {words.listed(silent)} no other column tells {LEAST:g}{NBSP}bit.")


def _worth(leaks: Sequence[Leak]) -> list[Leak]:
    return [entry for entry in leaks if entry.information.bits >= LEAST]


def _row(entry: Leak, look: FirstLook, indent: str) -> list[Prose | str]:
    """What is read, what that makes likelier, from and to, how often; odds and bits of all.

    Names and values are in one column, so that few of them are broken where a line is short.
    """
    answer = entry.answer
    said = ["no value", "", "", ""]
    if answer is not None and not words.tells_nothing(entry):
        (seen,) = map(str, answer.seen.values())
        what = seen if look.secret is not None else f"{seen} → {answer.secret}"
        said = [what, *map(words.percent, (answer.before, answer.after, answer.mass))]
    bits = words.bits_of(entry.information, unit=False)
    bar = "▇" * round(BAR * look.share_learned(entry))
    what, *shares = said
    read = Prose(f"{entry.who}: {what}", first=indent, breaks=True, hang=HANG)
    return [read, *shares, words.odds_of(entry.odds), bits, bar]


def _notes(look: FirstLook, begin: str) -> Iterator[str]:
    if look.secret is not None:
        yield "A blank in its own place, where nothing else is left out, tells it with certainty."
    if look.unsure:
        yield f"Rows for which {look.secret} is NULL count as rows for which it is true."
    if look.few_rows:
        yield (
            "CAUTION, few rows: of some two columns fewer than "
            f"{ENOUGH} rows have each combination of values that occurs, so much of this is chance."
        )
    reasons = dict[str, list[str]]()
    for name, why in look.left_out.items():
        reasons.setdefault(why, []).append(name)
    for why, names in reasons.items():
        yield f"Left out: {words.listed(names)}: {why.rstrip('.')}."
    if look.grouped:
        ways = words.listed(f"{name} by {by}" for name, by in look.grouped.items())
        yield f"Grouped, of too many values: {ways}."
    yield (
        f"A plug-in from {words.rows(look.rows)}; values that fewer than {FEW} rows have are taken "
        f"together. Columns together tell more than each by itself. Next: {begin}"
    )


def picture(look: FirstLook) -> Chart:
    """A row a column, a column a secret: the worst odds and the bits."""
    entries = [
        replace(entry, about=look.secret or entry.about)
        for leaks in look.leaks.values()
        for entry in leaks
    ]
    names = {entry.who: entry.who for entry in entries}
    return {
        **heat(entries, names, CAP, LIGHT),
        "title": "What each column tells, by itself",
        "config": looks(LIGHT),
    }
