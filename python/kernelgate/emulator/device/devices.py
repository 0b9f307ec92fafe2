"""Which device a tensor is on, and what PyTorch says when a program mixes devices up.

In emulation all memory is the host's, so each piece of guarded memory carries a tag: the GPU's, unless a program made
it on the CPU. Views and what is computed in place share their memory and so its tag. What cannot be asked (memory that
is not guarded, tensors that stand for others while a graph is captured) may be anywhere, and no rule applies to it.
Not here: which functions move a tensor (`torch_surface`), what a kernel does with host memory (`runtime`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Literal, cast

import torch

from kernelgate.emulator.device.native import Native

CPU = torch.device("cpu")
GPU = torch.device("cuda", 0)


# As runtime/memory.h numbers them. Plain numbers: they are asked for at every call of a function of torch.
Place = Literal[-1, 0, 1, 2]
UNKNOWN: Final = -1
DEVICE: Final = 0
HOST: Final = 1
PINNED: Final = 2


class Devices:
    """The tags of this process."""

    def __init__(self, native: Native) -> None:
        self._native = native

    def place(self, tensor: Any) -> Place:
        address = _address(tensor)
        return cast(Place, self._native.place(address)) if address else UNKNOWN

    def on_cpu(self, tensor: Any) -> bool:
        return self.place(tensor) >= HOST

    def put(self, result: Any, place: Place) -> None:
        """Tags the tensors of a result, but for views of what is on the CPU already."""
        for tensor in tensors_of((result,)):
            there, address = self.place(tensor), _address(tensor)
            if there == DEVICE:
                self._native.put(address, place)
            elif there == UNKNOWN and place == HOST and address:
                self._native.note_host(address, tensor.nbytes)

    def refuse_mixed(self, tensors: Sequence[torch.Tensor]) -> None:
        """Raises what PyTorch raises for tensors of two devices; a number of the CPU goes with any."""
        places = [self.place(tensor) for tensor in tensors]
        if max(places) < HOST or DEVICE not in places:
            return
        found = [
            "cpu" if place >= HOST else "cuda:0"
            for tensor, place in zip(tensors, places, strict=True)
            if place == DEVICE or (place >= HOST and tensor.dim() > 0)
        ]
        other = next((name for name in found if name != found[0]), None)
        if other is not None:
            raise RuntimeError(
                "Expected all tensors to be on the same device, but found at least two devices, "
                f"{found[0]} and {other}!"
            )

    def refuse_far_indices(self, indexed: torch.Tensor, indices: Iterable[torch.Tensor]) -> None:
        """Raises what PyTorch raises for a tensor of the CPU that is indexed by one of the GPU."""
        if self.on_cpu(indexed) and any(self.place(index) == DEVICE for index in indices):
            raise RuntimeError(
                "indices should be either on cpu or on the same device as the indexed tensor (cpu)"
            )

    def refuse_numpy(self, tensor: torch.Tensor) -> None:
        """Raises what PyTorch raises for a tensor of the GPU that numpy would look into."""
        if self.place(tensor) == DEVICE:
            raise TypeError(
                "can't convert cuda:0 device type tensor to numpy. "
                "Use Tensor.cpu() to copy the tensor to host memory first."
            )


def _address(tensor: Any) -> int:
    """Where a tensor's elements begin; 0 if it has no memory of its own."""
    if type(tensor) is not torch.Tensor and type(tensor) is not torch.nn.Parameter:
        return 0
    try:
        address: int = tensor.data_ptr()
        return address
    except RuntimeError:  # sparse, or standing for another
        return 0


def storage_address(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr() if _address(tensor) else 0


def share_memory(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one is other or (_address(one) != 0 and storage_address(one) == storage_address(other))


def tensors_of(values: Iterable[Any]) -> Iterator[torch.Tensor]:
    """The tensors among the arguments or results of a function, also in lists."""
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, list | tuple):
            yield from tensors_of(value)


def names_gpu(device: Any) -> bool:
    if isinstance(device, torch.device):
        return bool(device.type == "cuda")
    if isinstance(device, str):
        return device.split(":")[0] == "cuda"
    return isinstance(device, int) and not isinstance(device, bool)


def names_cpu(device: Any) -> bool:
    if isinstance(device, torch.device):
        return bool(device.type == "cpu")
    return isinstance(device, str) and device.split(":")[0] == "cpu"


def named_place(device: Any) -> Place | None:
    """Where a device is; None for no device, or another kind of one."""
    if names_gpu(device):
        return DEVICE
    return HOST if names_cpu(device) else None
