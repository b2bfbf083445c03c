"""Bayesian networks in BIF, the interchange format, read without losing a digit.

Probabilities are taken as decimal numbers: each becomes the nearest float, and whether a row sums
to 1 is asked exactly. The format is read liberally: commas are blanks, names may be quoted,
comments and properties are passed over, and a table may come as one row for each combination of
the parents' values, with a default, or whole (its own values slowest, the last parent fastest).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from pathlib import Path
from typing import NamedTuple, NoReturn

import numpy as np

from unspoken.core.errors import InputError, quoted
from unspoken.core.numerics.arrays import Array

__all__ = ["ParsedNetwork", "read_bif"]

TOKEN = re.compile(
    r'(?P<blank>(?:[\s,]|//[^\n]*|/\*.*?\*/)+)|"(?P<quoted>[^"\n]*)"'
    r'|(?P<sign>[{}()\[\];|])|(?P<word>(?:(?!//|/\*)[^\s,{}()\[\];|"])+)',
    re.DOTALL,
)
NUMBER = re.compile(r"\+?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?")
# Printed with fewer digits, a row that is rounded looks like one with an entry missing.
COARSEST = Decimal("0.001")
DOUBLE = Decimal(2) ** -52
Key = tuple[str, ...]


class Lexeme(NamedTuple):
    """``kind``: "sign", "word", "quoted", or "end" after the last one."""

    text: str
    line: int
    kind: str


@dataclass
class ParsedNetwork:
    """What a file says: the values, the parents and the table (parents ..., own) of each name."""

    values: dict[str, Key] = field(default_factory=dict)
    parents: dict[str, list[str]] = field(default_factory=dict)
    tables: dict[str, Array] = field(default_factory=dict)


def read_bif(path: str | Path) -> ParsedNetwork:
    """Read a file; whatever is wrong with it is refused with its line."""
    try:
        text = Path(path).read_text("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8 text; save it as UTF-8") from None
    except (TypeError, ValueError):
        raise InputError(f"{quoted(path)} is no path of a file") from None
    reader = _Reader(str(path), list(_lexemes(text, str(path))))
    parsed = ParsedNetwork()
    while reader.here.kind != "end":
        reader.block(parsed)
    missing = [name for name in parsed.values if name not in parsed.parents]
    if missing or not parsed.values:
        block = f"probability ( {missing[0]} ... )" if missing else "variable"
        reader.expected(f"a block '{block}'")
    order = list(parsed.values)
    parsed.parents = {name: parsed.parents[name] for name in order}
    parsed.tables = {name: parsed.tables[name] for name in order}
    return parsed


def _lexemes(text: str, path: str) -> Iterator[Lexeme]:
    at, line = 0, 1
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            what = "a closing quote" if text[at] == '"' else "the comment to end"
            raise InputError(f"{path}:{line}: expected {what} after {text[at : at + 20]!r}")
        kind = str(match.lastgroup)
        if kind != "blank":
            yield Lexeme(match.group(kind), line, kind)
        line += text.count("\n", at, match.end())
        at = match.end()
    yield Lexeme("the end of the file", line, "end")


@dataclass
class _Reader:
    path: str
    lexemes: list[Lexeme]
    at: int = 0

    @property
    def here(self) -> Lexeme:
        return self.lexemes[self.at]

    def expected(self, what: str) -> NoReturn:
        """Refuse what stands here."""
        here = self.here.text if self.here.kind == "end" else f"'{self.here.text}'"
        raise InputError(f"{self.path}:{self.here.line}: expected {what}, found {here}")

    def refuse(self, line: int, why: str) -> NoReturn:
        raise InputError(f"{self.path}:{line}: {why}")

    def skips(self, text: str) -> bool:
        """Whether this stands here, unquoted; then it is passed over."""
        stands = self.here.text == text and self.here.kind in ("sign", "word")
        self.at += stands
        return stands

    def take(self, *texts: str, after: str) -> None:
        for text in texts:
            if not self.skips(text):
                self.expected(f"'{text}' {after}")

    def name(self, what: str) -> Lexeme:
        if self.here.kind not in ("word", "quoted"):
            self.expected(what)
        self.at += 1
        return self.lexemes[self.at - 1]

    def names_until(self, sign: str, what: str) -> list[Lexeme]:
        names = []
        while not self.skips(sign):
            names.append(self.name(f"{what} or '{sign}'"))
        return names

    def property(self) -> bool:
        """Pass over ``property ... ;``."""
        if not self.skips("property"):
            return False
        while not self.skips(";"):
            if self.here.kind == "end" or self.here.text in ("{", "}"):
                self.expected("';' after a property")
            self.at += 1
        return True

    def block(self, parsed: ParsedNetwork) -> None:
        if self.skips("network"):
            self.names_until("{", "the name of the network")
            while self.property():
                pass
            self.take("}", after="after the properties of the network")
        elif self.skips("variable"):
            self.variable(parsed)
        elif self.skips("probability"):
            self.probability(parsed)
        else:
            self.expected("'network', 'variable' or 'probability'")

    def variable(self, parsed: ParsedNetwork) -> None:
        lexeme = self.name("the name of a variable")
        if lexeme.text in parsed.values:
            self.refuse(lexeme.line, f"variable {lexeme.text} is given twice")
        self.take("{", after=f"after variable {lexeme.text}")
        while not self.skips("}"):
            if not self.property():
                if lexeme.text in parsed.values:
                    self.refuse(self.here.line, f"the type of {lexeme.text} is given twice")
                self.take("type", after=f"or 'property' in variable {lexeme.text}")
                parsed.values[lexeme.text] = self.values(lexeme)
        if lexeme.text not in parsed.values:
            self.refuse(lexeme.line, f"expected 'type discrete [ n ] {{ ... }};' in {lexeme.text}")

    def values(self, variable: Lexeme) -> Key:
        self.take("discrete", "[", after=f"in the type of {variable.text}")
        count = self.name(f"the number of values of {variable.text}")
        self.take("]", "{", after=f"before the values of {variable.text}")
        values = tuple(
            lexeme.text for lexeme in self.names_until("}", f"a value of {variable.text}")
        )
        self.take(";", after=f"after the values of {variable.text}")
        if count.text != str(len(values)):
            said = f"expected {count.text} values of {variable.text}, found {len(values)}"
            self.refuse(count.line, said)
        if len(set(values)) < len(values) or not values:
            self.refuse(count.line, f"expected different values of {variable.text}, at least one")
        return values

    def probability(self, parsed: ParsedNetwork) -> None:
        self.take("(", after="after probability")
        variable = self.variable_of(parsed, "the name of a variable")
        self.skips("|")
        parents = []
        while not self.skips(")"):
            parents.append(self.variable_of(parsed, f"a parent of {variable.text} or ')'").text)
        if variable.text in parsed.parents:
            self.refuse(variable.line, f"the probability of {variable.text} is given twice")
        if len({variable.text, *parents}) <= len(parents):
            self.refuse(variable.line, f"expected different parents of {variable.text}, not itself")
        self.take("{", after=f"after probability ( {variable.text} ... )")
        parsed.parents[variable.text] = parents
        parsed.tables[variable.text] = _Block(self, variable, parents, parsed.values).read()

    def variable_of(self, parsed: ParsedNetwork, what: str) -> Lexeme:
        lexeme = self.name(what)
        if lexeme.text not in parsed.values:
            self.at -= 1
            self.expected(f"{what} given before")
        return lexeme


@dataclass
class _Block:
    """The inside of one probability block."""

    reader: _Reader
    variable: Lexeme
    parents: Sequence[str]
    values: dict[str, Key]

    def read(self) -> Array:
        reader, size = self.reader, len(self.values[self.variable.text])
        rows: dict[Key, list[float]] = {}
        default: list[float] | None = None
        cases = list(itertools.product(*(self.values[parent] for parent in self.parents)))
        while not reader.skips("}"):
            line = reader.here.line
            if reader.property():
                continue
            if reader.skips("table"):
                whole = self.numbers(size * len(cases))
                for i, case in enumerate(cases):
                    self.add(rows, case, self.law(whole[i :: len(cases)], case, line), line)
            elif reader.skips("default"):
                if default is not None:
                    reader.refuse(line, f"the default of {self.variable.text} is given twice")
                default = self.law(self.numbers(size), None, line)
            elif reader.skips("("):
                case = self.case()
                self.add(rows, case, self.law(self.numbers(size), case, line), line)
            else:
                reader.expected(
                    f"'table', 'default', '(' or '}}' in probability of {self.variable.text}"
                )
        for case in cases:
            if case not in rows:
                if default is None:
                    reader.refuse(
                        self.variable.line, f"no row for {self.named(case)}, and no default"
                    )
                rows[case] = default
        shape = [len(self.values[parent]) for parent in self.parents]
        return np.array([rows[case] for case in cases]).reshape(*shape, size)

    def case(self) -> Key:
        """One value for each parent, up to the closing parenthesis."""
        values = []
        for parent in self.parents:
            lexeme = self.reader.name(f"a value of {parent}")
            if lexeme.text not in self.values[parent]:
                self.reader.at -= 1
                self.reader.expected(f"a value of {parent} ({', '.join(self.values[parent])})")
            values.append(lexeme.text)
        self.reader.take(")", after=f"after a value for each parent of {self.variable.text}")
        return tuple(values)

    def numbers(self, count: int) -> list[Decimal]:
        numbers = []
        while not self.reader.skips(";"):
            lexeme = self.reader.name(f"a probability of {self.variable.text} or ';'")
            if not NUMBER.fullmatch(lexeme.text):
                self.reader.at -= 1
                self.reader.expected(
                    f"a probability of {self.variable.text}, a number of 0 or more"
                )
            numbers.append(Decimal(lexeme.text))
        if len(numbers) != count:
            line = self.reader.lexemes[self.reader.at - 1].line
            said = f"expected {count} probabilities of {self.variable.text}, found {len(numbers)}"
            self.reader.refuse(line, said)
        return numbers

    def law(self, row: Sequence[Decimal], case: Key | None, line: int) -> list[float]:
        """The row as floats; where rounding in print left the sum a little off 1, normalised."""
        with localcontext(prec=60):
            total = sum(row, Decimal(0))
            if abs(total - 1) > max(min(_rounding(row), COARSEST), DOUBLE * len(row)):
                where = "the default" if case is None else self.named(case)
                self.reader.refuse(line, f"{where} sums to {_short(total)}; every row sums to 1")
            law = [float(p) if total == 1 else float(p / total) for p in row]
        if any(p and not kept for p, kept in zip(row, law, strict=True)):
            self.reader.refuse(line, "a probability is below 1e-323, which no float tells from 0")
        return law

    def add(self, rows: dict[Key, list[float]], case: Key, law: list[float], line: int) -> None:
        if case in rows:
            self.reader.refuse(line, f"{self.named(case)} is given twice")
        rows[case] = law

    def named(self, case: Key) -> str:
        given = ", ".join(f"{p}={v}" for p, v in zip(self.parents, case, strict=True))
        return f"the probability of {self.variable.text}" + (f" given {given}" if given else "")


def _short(total: Decimal) -> str:
    return f"{total:f}" if abs(total.adjusted()) < 20 else f"{total:.6e}"


def _rounding(row: Sequence[Decimal]) -> Decimal:
    """How far printing may have moved the sum: half a unit of each entry's last digit.

    Zeros at the end may have been dropped. So all entries count as printed like the one with the
    most decimals, or like the one with the most significant digits (%g prints at least six).
    """
    decimals = Decimal(1).scaleb(min(int(p.as_tuple().exponent) for p in row)) * len(row)
    digits = max(6, *(len(p.as_tuple().digits) for p in row))
    significant = sum((Decimal(1).scaleb(p.adjusted() - digits + 1) for p in row if p), Decimal(0))
    return max(decimals, significant) / 2
