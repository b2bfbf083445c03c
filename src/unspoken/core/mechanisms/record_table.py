"""What is shown of each record, as integers: one table however its parts were ordered when given.

A pattern is a set of names, bit k of its mask being the k-th name. Of 2^62 each record has weights
for the patterns that it may be shown in; what they leave shows nothing, and so does any record that
is not listed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np

from unspoken.core.errors import InputError, quoted, shown, unknown
from unspoken.core.mechanisms.arguments import LABELS, LABELS_BY_NAME
from unspoken.core.mechanisms.thresholds import Thresholds
from unspoken.core.numerics.arrays import Codes, Counts
from unspoken.core.types.domain import Domain, Value
from unspoken.core.types.frozen import Frozen
from unspoken.core.types.kinds import expect, items, labels

__all__ = ["BITS", "WHOLE", "RecordPatterns", "RecordTable"]

# A record's weights are out of so many; masks have as many bits.
BITS = 62
WHOLE = 1 << BITS
HALF = 31  # bits of a weight that are added up by themselves

# Keys are tuples: of labels, and of names.
Shows = Mapping[Any, Mapping[Any, int]]


@dataclass(frozen=True)
class RecordPatterns:
    """Records by the positions of their labels, ``codes[record, name]``, and what each shows:

    ``masks`` and ``weights`` from starts[record] to starts[record + 1].
    """

    codes: Counts
    starts: Counts
    masks: Counts
    weights: Counts

    @classmethod
    def of(cls, codes: Any, starts: Any, masks: Any, weights: Any, names: int) -> RecordPatterns:
        """Of any arrays or lists of whole numbers that fit each other."""
        where, rows = "suppression", _whole("codes", codes)
        if rows.size and (rows.ndim != 2 or rows.shape[1] != names):
            raise InputError(f"{where}.codes: shape {rows.shape}; give a row of {names} a record")
        rows = rows.reshape(-1, names)
        first = _whole("starts", starts)
        entries = _whole("masks", masks), _whole("weights", weights)
        sizes = len(entries[0]), len(entries[1]), int(first[-1]) if first.size else -1
        rising = first.shape == (len(rows) + 1,) and not first[0] and (np.diff(first) >= 0).all()
        if not rising or len({*sizes}) > 1 or any(each.ndim != 1 for each in entries):
            raise InputError(
                f"{where}: {len(rows)} records, {sizes[0]} masks and {sizes[1]} weights do not fit "
                "the starts, from 0 to their number"
            )
        return cls(rows, first, *entries)

    @classmethod
    def read(cls, records: Shows, domain: Domain) -> RecordPatterns:
        """From {record: {(names shown): integer}}."""
        expect(records, Mapping, "suppression", "give {record: {(names shown): integer}}")
        places = [{value: code for code, value in enumerate(values)} for values in domain.values]
        codes, starts, masks, weights = [], [0], list[int](), list[int]()
        for record, shows in records.items():
            codes.append(_codes(record, domain, places))
            expect(shows, Mapping, f"suppression of {record}", "give {(names shown): integer}")
            for pattern, weight in shows.items():
                names = items(pattern, f"suppression of {record}")
                axes = {domain.axis(name, f"suppression of {record}") for name in names}
                masks.append(sum(1 << axis for axis in axes))
                weights.append(_weight(weight, record, names))
            starts.append(len(masks))
        return cls.of(codes, starts, masks, weights, len(domain.names))

    @property
    def record(self) -> Codes:
        """Of which record each entry is."""
        return np.repeat(np.arange(len(self.codes)), np.diff(self.starts))

    def permuted(self, order: Sequence[int], ranks: Sequence[Codes]) -> RecordPatterns:
        """With the names in this order, and labels by these ranks; records and masks rising."""
        codes = np.stack([ranks[axis][self.codes[:, axis]] for axis in order], axis=1)
        masks = np.zeros_like(self.masks)
        for bit, axis in enumerate(order):
            masks |= ((self.masks >> axis) & 1) << bit
        by = np.lexsort(codes.T[::-1])
        place = np.empty_like(by)
        place[by] = np.arange(len(by))
        entry = np.lexsort((masks, place[self.record]))
        starts = np.concatenate([[0], np.cumsum(np.diff(self.starts)[by])])
        return RecordPatterns(codes[by], starts, masks[entry], self.weights[entry])

    def telling(self) -> RecordPatterns:
        """Without what shows nothing: weights of 0, the empty pattern, records with nothing else"""
        keep = (self.weights > 0) & (self.masks > 0)
        left = np.bincount(self.record[keep], minlength=len(self.codes))
        starts = np.concatenate([[0], np.cumsum(left[left > 0])])
        return RecordPatterns(self.codes[left > 0], starts, self.masks[keep], self.weights[keep])


@dataclass(frozen=True, eq=False)
class RecordTable:
    """``domain``: names and labels in the order of their words; ``sensitive`` labels by name."""

    domain: Domain
    sensitive: Frozen[str, tuple[Value, ...]]
    listed: RecordPatterns

    @classmethod
    def of(cls, domain: Domain, sensitive: Any, given: RecordPatterns) -> RecordTable:
        """Checked, and in one order."""
        _check_codes(given, domain)
        order = sorted(range(len(domain.names)), key=domain.names.__getitem__)
        by_word = [
            sorted(range(len(values)), key=_words(values).__getitem__) for values in domain.values
        ]
        ranks = [np.argsort(sorted_values) for sorted_values in by_word]
        named = Domain(
            tuple(domain.names[axis] for axis in order),
            tuple(tuple(domain.values[axis][i] for i in by_word[axis]) for axis in order),
        )
        hidden = _hidden(sensitive, named)
        listed = given.permuted(order, ranks)
        _check_twice(listed, named)
        _check_weights(listed, named)
        listed = listed.telling()
        _check_sensitive(listed, named, hidden)
        for array in (listed.codes, listed.starts, listed.masks, listed.weights):
            array.flags.writeable = False
        return cls(named, hidden, listed)

    def plain(self) -> dict[str, Any]:
        """As plain data; entries lie in lists of their own for each record."""
        names, values, listed = self.domain.names, self.domain.values, self.listed
        cuts = listed.starts[1:-1]
        return {
            "names": list(names),
            "values": LABELS_BY_NAME.written(dict(zip(names, values, strict=True)), "values"),
            "sensitive": LABELS_BY_NAME.written(self.sensitive, "sensitive"),
            "codes": listed.codes.tolist(),
            "masks": [part.tolist() for part in np.split(listed.masks, cuts) if part.size],
            "weights": [part.tolist() for part in np.split(listed.weights, cuts) if part.size],
        }

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the plain data as JSON, keys sorted and without blanks: 64 digits."""
        text = json.dumps(self.plain(), sort_keys=True, separators=(",", ":"), allow_nan=False)
        return hashlib.sha256(text.encode("ascii")).hexdigest()

    @cached_property
    def thresholds(self) -> Thresholds:
        """What coins are compared with."""
        listed = self.listed
        return Thresholds.of(
            self.domain.sizes, listed.codes, listed.starts, listed.masks, listed.weights
        )

    def positions(self, domain: Domain, name: str) -> Codes:
        """Of each value of the domain where it is among the labels here, -1 being nowhere; of -1
        too, which is the last place.
        """
        places = {value: code for code, value in enumerate(self.domain.values_of(name))}
        asked = domain.values_of(name, "suppression")
        return np.array([*(places.get(value, -1) for value in asked), -1], dtype=np.intp)


def _words(values: Sequence[Value]) -> list[str]:
    """Each label as JSON has it, types and all."""
    return [json.dumps(each) for each in LABELS.written(tuple(values), "suppression.values")]


def _whole(name: str, numbers: Any) -> Counts:
    """Whole numbers below 2^63, as an array."""
    try:
        array = np.asarray(numbers)
        fits = not array.size or (
            array.dtype.kind in "iu" and array.max() <= np.iinfo(np.int64).max
        )
    except (TypeError, ValueError, OverflowError):
        fits = False
    if not fits:
        raise InputError(f"suppression.{name}: give whole numbers below 2^63, in rows that fit")
    return array.astype(np.int64)


def _weight(weight: Any, record: Any, pattern: Sequence[str]) -> int:
    integer = isinstance(weight, Integral) and not isinstance(weight, bool)
    number = int(weight) if integer else -1
    if not 0 <= number <= WHOLE:
        raise InputError(
            f"suppression of {shown(record)}, showing {', '.join(pattern) or 'nothing'}: "
            f"{quoted(weight)} is no integer from 0 to 2^62"
        )
    return number


def _codes(record: Any, domain: Domain, places: Sequence[Mapping[Value, int]]) -> list[int]:
    record_labels = labels(record, "suppression, a record")
    if len(record_labels) != len(places):
        raise InputError(
            f"suppression of {shown(record)}: {len(record_labels)} labels for {len(places)} names; "
            "a record has one of each"
        )
    for name, label, known in zip(domain.names, record_labels, places, strict=True):
        if label not in known:
            raise unknown(f"suppression of {shown(record)}, value of {name}", label, known)
    return [known[label] for label, known in zip(record_labels, places, strict=True)]


def _hidden(sensitive: Any, domain: Domain) -> Frozen[str, tuple[Value, ...]]:
    expect(sensitive, Mapping, "suppression.sensitive", "give {name: values}")
    codes: dict[str, set[int]] = {}
    for name, values in sensitive.items():
        where = "suppression.sensitive"
        codes[name] = {*domain.codes(name, labels(values, f"{where} of {name}"), where)}
    return Frozen(
        (name, tuple(values[code] for code in sorted(codes[name])))
        for name, values in zip(domain.names, domain.values, strict=True)
        if codes.get(name)
    )


def _check_codes(given: RecordPatterns, domain: Domain) -> None:
    """Positions of labels, and names, that there are."""
    if len(domain.names) > BITS:
        raise InputError(f"suppression.names: {len(domain.names)} of them; at most {BITS}")
    if (given.codes < 0).any() or (given.codes >= np.array(domain.sizes)).any():
        raise InputError("suppression.codes: a position that no value of its name has")
    if (given.masks < 0).any() or (given.masks >> len(domain.names)).any():
        raise InputError(f"suppression.masks: a bit beyond the {len(domain.names)} names")


def _check_twice(listed: RecordPatterns, domain: Domain) -> None:
    same = (listed.codes[1:] == listed.codes[:-1]).all(1)
    if same.any():
        said = _said(listed, domain, int(same.argmax()))
        raise InputError(f"suppression: the record {said} is given twice")
    record = listed.record
    again = (record[1:] == record[:-1]) & (listed.masks[1:] == listed.masks[:-1])
    if again.any():
        at = int(again.argmax())
        mask = int(listed.masks[at])
        names = ", ".join(n for bit, n in enumerate(domain.names) if mask >> bit & 1) or "nothing"
        said = _said(listed, domain, int(record[at]))
        raise InputError(f"suppression of {said}: what shows {names} is given twice")


def _check_weights(listed: RecordPatterns, domain: Domain) -> None:
    """From 0, and no more than 2^62 a record; added up in halves, which no sum overflows."""
    weights, record = listed.weights, listed.record
    if (weights < 0).any() or (weights > WHOLE).any():
        at = int(((weights < 0) | (weights > WHOLE)).argmax())
        said = _said(listed, domain, int(record[at]))
        raise InputError(f"suppression of {said}: {weights[at]} is no integer from 0 to 2^62")
    high, low = (np.zeros(len(listed.codes), dtype=np.int64) for _ in range(2))
    np.add.at(high, record, weights >> HALF)
    np.add.at(low, record, weights & ((1 << HALF) - 1))
    high, low = high + (low >> HALF), low & ((1 << HALF) - 1)
    above = (high > 1 << HALF) | ((high == 1 << HALF) & (low > 0))
    if above.any():
        said = _said(listed, domain, int(above.argmax()))
        raise InputError(f"suppression of {said}: the weights sum to more than 2^62; they may not")
    silent = listed.masks == 0
    short = silent & ((high[record] != 1 << HALF) | (low[record] != 0))
    if short.any():
        said = _said(listed, domain, int(record[short.argmax()]))
        raise InputError(
            f"suppression of {said}: what shows nothing has what the others leave of 2^62; "
            "leave it out"
        )


def _check_sensitive(
    listed: RecordPatterns, domain: Domain, hidden: Mapping[str, tuple[Value, ...]]
) -> None:
    """No pattern shows a sensitive label."""
    record = listed.record
    for bit, name in enumerate(domain.names):
        hidden_codes = domain.codes(name, hidden.get(name, ()))
        shows = np.isin(listed.codes[record, bit], hidden_codes) & (listed.masks >> bit & 1 > 0)
        if shows.any():
            said = _said(listed, domain, int(record[shows.argmax()]))
            raise InputError(f"suppression of {said}: shows {name}, which is sensitive there")


def _said(listed: RecordPatterns, domain: Domain, record: int) -> str:
    codes = listed.codes[record].tolist()
    return shown(tuple(values[code] for values, code in zip(domain.values, codes, strict=True)))
