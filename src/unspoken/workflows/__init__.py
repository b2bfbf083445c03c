"""What people do with a project: release, query, serve, audit; one folder each.

`release` plans, checks, reads rows, tosses coins, writes hidden files, charges the ledger and
publishes, in this order (and looks at a table alone, for `leak`);
`query` answers SQL with noise; `serve` gives applications what they may have, without knowing HTTP;
`audit` attacks releases, and holds what each attack reaches against the bound that was claimed.

May import: core, noise, planning, tables, storage, assessment.

Start reading: `release/flow.py`, a release on one page.
"""
