"""What people do with a project: release, query, serve, audit; one folder each.

`release` plans, checks, charges the ledger, reads rows, tosses coins and writes, in this order;
`query` answers SQL with noise; `serve` gives applications what they may have, without knowing HTTP;
`audit` attacks releases, and holds what each attack reaches against the bound that was claimed.

May import: core, noise, planning, tables, storage, assessment.

Start reading: `release/flow.py`, a release on one page.
"""
