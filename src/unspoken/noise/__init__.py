"""The least noise that keeps a limit, and the rules of the literature beside it.

`calibration` finds the scale, exactly or by a sound rule; `discrete_laplace.py` and `drawing.py`
draw the noise (OpenDP does); `comparing` sets all rules side by side; `published` has formulas as
they were printed, which guarantee nothing; `models` has the data models of paper 002.

May import: core.

Start reading: `calibration/calibrated.py`, where `calibrate` chooses a method.
"""
