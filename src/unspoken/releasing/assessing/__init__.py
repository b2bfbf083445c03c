"""What is found out before anything is released: who learns what, and what a plan shows."""
