"""Sentences and tables for people: what results say on a terminal, in reports and as JSON."""
