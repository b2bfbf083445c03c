"""Engines: where tables live. They know no privacy, and every error is one line with its place."""
