"""All rules for the noise side by side: sound ones, published ones, and what each really leaves."""

from unspoken.comparing.compared import Compared, Row, compare
from unspoken.comparing.picture import picture
from unspoken.comparing.rules import RULES, Rule

__all__ = ["RULES", "Compared", "Row", "Rule", "compare", "picture"]
