"""What may be released: the plan that is adopted, and whether one more release is within limits."""
