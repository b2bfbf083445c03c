"""Every figure, table, example and numeric claim of the four papers, computed again."""
