"""The base of what watches or changes the operators that PyTorch dispatches.

In: each operator that is called while it is entered. Out: what the derived class makes of it.
"""

from __future__ import annotations

from torch.utils._python_dispatch import TorchDispatchMode


class OperatorMode(TorchDispatchMode):  # type: ignore[misc]
    """A dispatch mode that is entered quickly."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # PyTorch would import torch._dynamo for it, which takes seconds
