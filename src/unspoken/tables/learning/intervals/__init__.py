"""What counts, exact or noisy, leave possible: ends that hold all at once."""
