"""What the worker reads of a result while the device is busy."""

import pytest
import torch

from kernelgate.worker.call_modes import read_like

_NUMBERS = torch.randn(4, 1, dtype=torch.complex64)


@pytest.mark.parametrize(
    "result",
    [
        pytest.param(_NUMBERS, id="as it lies"),
        pytest.param(_NUMBERS.conj(), id="a conjugate"),
        pytest.param(_NUMBERS[:1].conj().imag, id="a negative"),
    ],
)
def test_a_copy_of_the_memory_is_read_as_the_result_is(result: torch.Tensor) -> None:
    memory = read_like(result, result)
    assert memory.data_ptr() == result.data_ptr()
    assert not memory.is_conj() and not memory.is_neg()
    there = torch.empty(memory.shape, dtype=memory.dtype)
    there.copy_(memory)
    assert torch.equal(read_like(there, result), result)
