"""All rules for the noise side by side: sound ones, published ones, and what each really leaves."""

from unsaid.comparing.compared import Compared, Row, compare
from unsaid.comparing.picture import picture
from unsaid.comparing.rules import RULES, Rule

__all__ = ["RULES", "Compared", "Row", "Rule", "compare", "picture"]
