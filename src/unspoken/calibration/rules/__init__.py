"""Sound rules of the literature for the scale of noise."""
