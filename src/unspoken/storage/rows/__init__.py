"""Rows on their way: read, looked at, sorted and gathered by epoch, in Arrow batches."""
