"""Counting rows: by marks, by context, by unit, two by two; and what was counted, kept."""
