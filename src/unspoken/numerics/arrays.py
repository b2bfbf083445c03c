"""The array types every room shares."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["CELLS", "Array", "Codes", "Mask", "Words"]

Array = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]
Words = npt.NDArray[np.uint64]

# Cells of a table up to which it is listed: about 64 MB an array.
CELLS = 2**23
