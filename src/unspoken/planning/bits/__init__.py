"""The papers' account (eq. 21): what is told by *which* cells are released."""
