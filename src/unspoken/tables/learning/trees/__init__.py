"""Trees of pairs: the one that keeps most, and what it keeps."""
