"""What a call of the candidate gave, opened in the judge. Not here: whether it is right (`judge.comparison`)."""

from __future__ import annotations

from dataclasses import dataclass

import torch

from kernelgate.messages.worker import Returned


@dataclass(frozen=True)
class Result:
    """What a call gave. On a GPU the tensors are the worker's own memory: compare them before the next call."""

    answer: Returned
    outputs: list[torch.Tensor]
    inputs: list[torch.Tensor]
    earlier: list[torch.Tensor]
    gradients: list[torch.Tensor | None]

    @property
    def output(self) -> torch.Tensor | None:
        """The first tensor."""
        return self.outputs[0] if self.outputs else None
