"""What a candidate runs on, and what is possible there. Only this and the backends ask which device it is.

In: a kind and an index. Out: answers to "can this be timed?".
Not here: which device a job gets (`judge.choose_target`), running anything there (`backend.cuda`, `backend.emulated`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import torch

TargetKind = Literal["cuda", "emulated"]


@dataclass(frozen=True)
class Target:
    """`index`: of the CUDA device; 0 in emulation. It can be made if there is no torch."""

    kind: TargetKind
    index: int = 0

    @property
    def emulated(self) -> bool:
        """CUDA C++ on the CPU, built by g++: what nvcc or Triton would build is not built here."""
        return self.kind == "emulated"

    @property
    def can_time(self) -> bool:
        """Emulation says nothing about speed."""
        return self.kind == "cuda"

    @property
    def can_sanitize(self) -> bool:
        """compute-sanitizer looks at kernels on a GPU."""
        return self.kind == "cuda"

    @property
    def can_check_memory(self) -> bool:
        """Whether the run's own build can be examined access by access; for a GPU it has to be built once more."""
        return self.kind == "emulated"

    @property
    def shares_memory(self) -> bool:
        """Whether results come as memory of the device, by CUDA IPC, if nothing forbids it."""
        return self.kind == "cuda"

    @property
    def torch_device(self) -> torch.device:
        """Where the reference computes, and where the judge holds inputs and results."""
        import torch

        return torch.device("cuda", self.index) if self.kind == "cuda" else torch.device("cpu")

    @property
    def generators(self) -> list[torch.device]:
        """The devices that have random generators of their own, beside the CPU's."""
        return [self.torch_device] if self.kind == "cuda" else []


EMULATED = Target("emulated")
