"""Pictures: descriptions in Vega-Lite, plain dictionaries, in looks that they share."""

from unspoken.core.pictures.bars import Bar, bars
from unspoken.core.pictures.looks import BLUES, FONT, GREY, PAPER, RED, STRONG, TEXT, Chart, style
from unspoken.core.pictures.picture import Picture

__all__ = [
    "BLUES",
    "FONT",
    "GREY",
    "PAPER",
    "RED",
    "STRONG",
    "TEXT",
    "Bar",
    "Chart",
    "Picture",
    "bars",
    "style",
]
