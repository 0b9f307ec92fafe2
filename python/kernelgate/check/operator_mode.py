"""The base of what watches or changes the operators that PyTorch dispatches.

In: each operator that is called while it is entered. Out: what the derived class makes of it.
"""

from __future__ import annotations

from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode


class OperatorMode(TorchDispatchMode):  # type: ignore[misc]
    """A dispatch mode that is entered quickly."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # PyTorch would import torch._dynamo for it, which takes seconds


class OperatorNames(OperatorMode):
    """Notes which operators are called while it is entered: by their names in ATen, without overloads."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.names.add(func._schema.name.removeprefix("aten::"))
        return func(*args, **(kwargs or {}))
