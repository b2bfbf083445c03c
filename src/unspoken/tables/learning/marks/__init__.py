"""What a value counts as: cells, marks of rows, labels."""
