"""All rules for the noise side by side: sound ones, published ones, and what each really leaves."""

from unspoken.noise.comparing.compared import Compared, compare
from unspoken.noise.comparing.row import Row
from unspoken.noise.comparing.rules import RULES, ScaleRule

__all__ = ["RULES", "Compared", "Row", "ScaleRule", "compare"]
