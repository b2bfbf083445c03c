"""The commands: what each is asked, and what it does.

At the top stands what options are made of; the work is imported by the command that does it.
"""
