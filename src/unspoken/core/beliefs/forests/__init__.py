"""Chains and trees: messages along arrows, cut where something is known."""
