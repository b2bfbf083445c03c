"""The report: one page for those who share data and those it is about; its pictures as files.

`content` has what the page says, `charts` its pictures; `page`, which writes it, needs an extra.
"""
