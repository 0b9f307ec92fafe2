"""Cases of PyTorch's own samples, where a drop-in is asked for and the reference is one of PyTorch's operators.

In: a job, and the reference's module and inputs. Out: plans, and the inputs of each. Not here: where the samples come
from (`check.inputs.pytorch_samples`).
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import torch

from kernelgate.check.inputs.cases import Plan
from kernelgate.check.inputs.pytorch_samples import pytorch_samples
from kernelgate.check.nesting import tensors_in
from kernelgate.judge.reference.copies import copied
from kernelgate.messages.job import Job


class SampleCases:
    """Importing the samples takes seconds: it is done once, at the first question, and for a drop-in only."""

    def __init__(self, job: Job, module: torch.nn.Module, init: Sequence[Any], inputs: Sequence[Any]) -> None:
        self._job = job
        self._module = module
        self._init = init
        self._inputs = inputs

    def plans(self, dtype: torch.dtype) -> list[Plan]:
        """One for each sample."""
        if self._job.contract != "drop-in":
            return []
        shapes = [tuple(next(iter(tensors_in(sample))).shape) for sample in self._samples(dtype)]
        return [
            Plan(f"PyTorch's sample {at + 1}", "drop-in", shape=shape, sample=at)
            for at, shape in enumerate(shapes)
        ]

    def inputs(self, number: int, dtype: torch.dtype, device: torch.device) -> list[Any]:
        """Of one of those plans, on the device; not shared with another call."""
        return [copied(value).to(device) for value in self._samples(dtype)[number]]

    @functools.cache  # noqa: B019 - it lives as long as the run
    def _samples(self, dtype: torch.dtype) -> list[list[Any]]:
        return pytorch_samples(self._module, self._job.reference_label, self._init, self._inputs, dtype)
