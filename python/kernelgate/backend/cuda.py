"""The backend of a CUDA device: memory by CUDA IPC, builds by load_inline through the content-addressed cache."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import torch

from kernelgate.backend import ThreadOrder
from kernelgate.backend import tensor_methods as methods
from kernelgate.backend.memory import opened, packed, storage_bytes, view_of
from kernelgate.compile.cuda import Build, install_cached_load_inline
from kernelgate.messages.build_requests import BuiltExtension
from kernelgate.messages.parcel import Parcel

_synchronize = torch.cuda.synchronize  # a candidate may put something else in its place
_MOST_BLOCKS = 256
_LEAST_POISONED = 1 << 30  # bytes, so that small calls do not fill what large ones have left
_SMALL = 1 << 20  # bytes: the caching allocator's largest request that its pool of small blocks serves


class CudaBackend:
    """Runs a candidate on one GPU. Touches CUDA when it is made, so it is made in the worker only."""

    emulated = False

    def __init__(
        self, index: int, cache: Path, arch: str | None, build: Build, *, quick: bool = False
    ) -> None:
        self._device = torch.device("cuda", index)
        self._built: list[BuiltExtension] = []
        self._sent: list[torch.Tensor] = []
        torch.cuda.set_device(self._device)
        self._probe = torch.zeros(1, device=self._device)
        install_cached_load_inline(cache, arch, self._built.append, build, quick=quick)

    def running(self, order: ThreadOrder) -> AbstractContextManager[Any]:
        return nullcontext()

    def place(self, parcel: Parcel, descriptors: list[int]) -> torch.Tensor:
        theirs = opened(parcel, descriptors, self._device)
        if not theirs.untyped_storage().nbytes():
            return theirs
        data = storage_bytes(theirs).clone()
        torch.cuda.synchronize(self._device)
        return view_of(data, parcel, theirs.dtype)

    def read(self, parcel: Parcel, descriptors: list[int]) -> torch.Tensor:
        return self.place(parcel, descriptors)

    def empty(self, shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
        return methods.empty(tuple(shape), dtype=dtype, device=self._device)

    def collect(self, tensor: torch.Tensor, descriptors: list[int], *, copy: bool) -> Parcel:
        dense = (
            methods.clone(tensor, memory_format=torch.contiguous_format)
            if copy
            else methods.contiguous(tensor)
        )
        _synchronize(self._device)
        # It stays until the next request; the judge has copied or compared it by then.
        self._sent.append(dense)
        parcel = packed(dense, descriptors)
        parcel.result_stride = list(methods.stride(tensor))
        return parcel

    def release(self) -> None:
        self._sent.clear()
        torch.cuda.ipc_collect()

    def poison(self, nbytes: int) -> None:
        self.release()
        # The caching allocator hands a free block to the next request of its size: with these filled, a result that is
        # never written shows NaN instead of the last right answer.
        sizes = self._free_sizes()
        if not any(size >= nbytes for size in sizes if (size > _SMALL) == (nbytes > _SMALL)):
            sizes.append(nbytes)  # only then, or the cache would grow with every call
        blocks = [torch.empty(size // 2, dtype=torch.bfloat16, device=self._device) for size in sizes]
        # The allocator hands out the smallest block that suffices, and the beginning of one that is larger.
        left = _LEAST_POISONED + 2 * nbytes
        for block in sorted(blocks, key=torch.Tensor.numel):
            block[: left // 2].fill_(float("nan"))
            left = max(0, left - block.nbytes)
        torch.cuda.synchronize(self._device)
        blocks.clear()

    def _free_sizes(self) -> list[int]:
        """Sizes of requests, in bytes and the largest first, that together take all free blocks of the allocator.

        A block of the small pool is used in pieces: a request above _SMALL goes to the other pool, however much is
        free in this one.
        """
        sizes: list[int] = []
        stream = torch.cuda.current_stream(self._device).cuda_stream
        for segment in torch.cuda.memory_snapshot():
            if segment["device"] != self._device.index or segment["stream"] != stream:
                continue  # what is free there is for other streams
            if segment.get("segment_pool_id", (0, 0)) != (0, 0):
                continue  # a CUDA graph's own
            for block in segment["blocks"]:
                size = int(block["size"])
                if block["state"] != "inactive":
                    continue
                if segment["segment_type"] == "small":
                    sizes += [_SMALL] * (size // _SMALL) + [size % _SMALL] * (size % _SMALL > 0)
                else:
                    sizes.append(size)
        return sorted(sizes, reverse=True)[:_MOST_BLOCKS]

    def finish(self) -> list[str]:
        # A refused launch leaves an error that only the next kernel reports: let that kernel be ours.
        self._probe.add_(1)
        _synchronize(self._device)
        return []

    def findings(self, *, raised: bool = False) -> list[str]:
        return []

    def read_back(self, result: Any) -> None:
        pass  # nothing is examined here

    def failed_check(self, error: BaseException) -> tuple[str, int] | None:
        return None  # PyTorch's exceptions carry no line

    def count_costs(self, on: bool) -> None:
        pass  # ncu counts on a GPU

    def costs(self) -> list[str]:
        return []

    def examine_anew(self, poison: int) -> None:
        pass  # another program examines a GPU: compute-sanitizer

    def launches(self) -> int | None:
        return None

    def without_kernels(self) -> AbstractContextManager[Any]:
        return nullcontext()

    def is_device_tensor(self, tensor: torch.Tensor) -> bool:
        return bool(tensor.device == self._device)

    def to_device(self, module: torch.nn.Module) -> torch.nn.Module:
        return module.to(self._device)

    def built(self) -> list[BuiltExtension]:
        new = self._built[:]
        self._built.clear()
        return new
