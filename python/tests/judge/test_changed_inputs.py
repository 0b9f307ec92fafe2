"""How near a tensor that a call writes to has to come to what the reference leaves in it."""

from __future__ import annotations

import pytest
import torch

from kernelgate.judge.comparison.changed_inputs import near_enough


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_a_buffer_that_is_never_written_is_not_near_enough(dtype: torch.dtype) -> None:
    right = torch.randn(64, 64, generator=torch.Generator().manual_seed(0)).to(dtype)
    assert not near_enough(torch.zeros_like(right), right)
    assert near_enough(right * (1 + torch.finfo(dtype).eps), right)
