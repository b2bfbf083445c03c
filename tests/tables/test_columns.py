"""Columns of Arrow as numbers of NumPy."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from unspoken.tables.columns import NUMBER_TYPES, number_type

WITHOUT_PANDAS = """
import sys
sys.modules["pandas"] = None
import pyarrow as pa
from unspoken.tables.engines.arrow import array, numbers
from unspoken.tables.columns import NUMBER_TYPES, number_type
for kind in NUMBER_TYPES:
    if not pa.types.is_boolean(kind):
        assert numbers(array(kind, number_type(kind).type([1, 0]))).tolist() == [1, 0]
"""


@pytest.mark.parametrize("kind", NUMBER_TYPES, ids=str)
def test_the_type_of_numbers_is_the_one_of_pyarrow(kind: pa.DataType) -> None:
    assert number_type(kind) == np.dtype(kind.to_pandas_dtype())


@pytest.mark.slow
def test_numbers_are_read_without_pandas() -> None:
    subprocess.run([sys.executable, "-c", WITHOUT_PANDAS], check=True)
