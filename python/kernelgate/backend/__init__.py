"""Where a candidate runs: a CUDA device, or emulation on the CPU, behind one small interface.

The worker uses a backend to place inputs, run the candidate and return its outputs. Nothing else in the worker or the
judge asks which one it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    import torch

    from kernelgate.messages.build_requests import BuiltExtension
    from kernelgate.messages.parcel import Parcel

ThreadOrder = Literal["normal", "reversed", "shuffled"]


class Backend(Protocol):
    """The device side of a worker. All tensors live where the candidate expects its device tensors."""

    emulated: bool

    def running(self, order: ThreadOrder) -> AbstractContextManager[Any]:
        """Around everything that executes candidate code."""

    def place(self, parcel: Parcel, descriptors: list[int]) -> torch.Tensor:
        """A tensor with the parcel's elements, dtype and strides, in memory of its own."""

    def read(self, parcel: Parcel, descriptors: list[int]) -> torch.Tensor:
        """The same, to be copied to a tensor of the program, which never gets it."""

    def empty(self, shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
        """A dense tensor for the caller to fill."""

    def collect(self, tensor: torch.Tensor, descriptors: list[int], *, copy: bool) -> Parcel:
        """The tensor's elements, ready to be sent beside `descriptors`, which are the caller's to close.

        `copy`: as they are now, whoever writes to the tensor later.
        """

    def release(self) -> None:
        """Frees the memory of what was sent, once it has been read."""

    def poison(self, nbytes: int) -> None:
        """Fills free memory with a pattern that no right answer holds, unless fresh memory has it already."""

    def finish(self) -> list[str]:
        """Waits for the work that was launched. Returns writes outside of tensors, in words."""

    def findings(self, *, raised: bool = False) -> list[str]:
        """Faults that the device has reported since the last call, in its own words. `raised`: the program raised
        CUDA's error of one."""

    def read_back(self, result: Any) -> None:
        """The caller reads a result of the candidate's, without waiting for more than its own stream."""

    def failed_check(self, error: BaseException) -> tuple[str, int] | None:
        """Unit and line of the C++ check that raised the error, where the device knows them."""

    def examine_anew(self, poison: int) -> None:
        """Has known faults reported again, and fresh memory hold `poison` (64 bits; 0: as usual)."""

    def count_costs(self, on: bool) -> None:
        """Starts or stops counting what accesses cost, where the device examines them; forgets what was counted."""

    def costs(self) -> list[str]:
        """What was counted, in the device's own words."""

    def launches(self) -> int | None:
        """How many kernels of the candidate were launched so far; None if the device does not count them."""

    def without_kernels(self) -> AbstractContextManager[Any]:
        """Within it, launches do nothing, where the device counts them."""

    def is_device_tensor(self, tensor: torch.Tensor) -> bool:
        """Whether the tensor lies where a result of the candidate belongs."""

    def to_device(self, module: torch.nn.Module) -> torch.nn.Module:
        """The module with its parameters on the device."""

    def built(self) -> list[BuiltExtension]:
        """The extensions built or loaded since the last call."""
