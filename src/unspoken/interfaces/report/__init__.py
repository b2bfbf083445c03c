"""The report: one page for those who share data and those it is about; its pictures as files.

Nothing is opened here: `words` is for all doors, and `page`, which writes, needs an extra.
"""
