"""Everything whose format must never change: keys, ledger, coins, released bytes, manifests.

`coins.py` tosses a record's coin from the key (`prf.py`); `rows` turns rows into released rows;
`writing` writes them, and the manifest; `ledger` stores what was released, as a chain of events;
`custody` keeps key, ledger and noisy counts together, and packs them into an archive.
`stated.py`, `coarse.py` and `prose.py` round and word the numbers that a manifest publishes.

May import: core, noise, planning, tables.

Start reading: `rows/kernel.py`, where each cell is shown or withheld; then
`writing/publishing.py`, where rows become bytes.
"""
