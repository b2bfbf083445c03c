"""Doors: the command line and the report. They show numbers; they make none."""
