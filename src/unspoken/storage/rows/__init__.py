"""From source rows to released rows, in Arrow batches.

`reading` reads and checks rows, `kernel` shows or withholds each cell by its coin, `sorting` and
`gathering` order rows by epoch, `witness` computes their fingerprint, `outputs` names the files.
"""
