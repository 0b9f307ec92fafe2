"""What is said of the tensors among inputs is true of them."""

from __future__ import annotations

import pytest
import torch

from kernelgate.check.nesting import dtype_words


@pytest.mark.parametrize(
    ("dtypes", "words"),
    [
        ([torch.float32, torch.int64], "float32"),
        ([torch.float64], "float32"),  # as the run calls the reference
        ([torch.bool, torch.bool], "bool"),
        ([torch.uint8, torch.int64], "uint8, int64"),
        ([torch.complex64], "complex64"),
        ([], "float32"),
    ],
)
def test_the_dtype_of_inputs_is_the_runs_own_only_where_one_has_it(dtypes: list[torch.dtype], words: str) -> None:
    inputs = [{"x": torch.zeros(2, dtype=dtype)} for dtype in dtypes]
    assert dtype_words(inputs, torch.float32) == words
