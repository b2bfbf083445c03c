"""A project file with everything in it, and the columns it is about."""

from unspoken.tables.column import ColumnInfo

GOOD = """\
format = 1

[source]
table = "occupancy.parquet"
keys = ["office", "day"]
unit = ["office"]
preferences = "preferences.csv"

[epoch]
label = "2026"

[attribute.first_arrival]
bins = [8, 9, 10, 10.5, 12]
sensitive = "first_arrival > 10.5"
missing = "public"

[attribute.mean_occupancy]
bins = [0.1, 0.3]
sensitive = "mean_occupancy < 0.3"

[attribute.exits]

[attribute."day type"]
values = ["work", "feast"]
missing = "value"

[application.lighting]
reads = ["first_arrival"]

[application.planning]
reads = ["mean_occupancy", "exits"]

[limit]
limit_bits = 0.1
odds_cap = 4.0
exceed = 0.01
close = false
coalitions = [
    ["lighting"],
    ["planning", "lighting"],
]

[limit.target]
first_arrival = 0.05

[secret]
key = "keys/unspoken.key"
ledger = "keys/ledger.sqlite"

[output]
release = "out/released.parquet"
manifest = "out/released.manifest.json"
report = "out/report.html"

[plan]
by = "cell"
"""

LEAST = """\
format = 1
[source]
table = "t.csv"
keys = ["id"]
[epoch]
label = "1"
[attribute.a]
[application.app]
reads = ["a"]
[limit]
limit_bits = 0
"""

COLUMNS = (
    ColumnInfo("office", "text", 120, 0),
    ColumnInfo("day", "date", 250, 0),
    ColumnInfo("first_arrival", "number", 4000, 312, (5.1, 8.07, 8.93, 10.2, 14.4)),
    ColumnInfo("mean_occupancy", "number", 900, 0, (0.0, 0.11, 0.33, 0.62, 1.0)),
    ColumnInfo("exits", "integer", 12, 0, (0, 2, 4, 7, 11)),
    ColumnInfo("day type", "text", 2, 3, (), ("feast", "work")),
)


def edited(old: str, new: str, text: str = GOOD) -> str:
    """The text with one passage changed; the passage must be there, once."""
    assert text.count(old) == 1, f"{old!r} is there {text.count(old)} times"
    return text.replace(old, new)
