"""Pictures: descriptions in Vega-Lite, plain dictionaries, in looks that they share."""

from unspoken.pictures.bars import Bar, bars
from unspoken.pictures.looks import BLUES, FONT, GREY, PAPER, RED, STRONG, TEXT, Chart, style
from unspoken.pictures.picture import Picture

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
