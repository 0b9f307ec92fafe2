"""The backend without a GPU: the candidate's CUDA source, compiled for the CPU and run in emulation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import torch

from kernelgate.backend import ThreadOrder
from kernelgate.backend import tensor_methods as methods
from kernelgate.backend.memory import pack_host, unpack_host, view_of
from kernelgate.emulator import Builder, Built, Emulation, install, know_ahead
from kernelgate.messages.build_requests import BuiltExtension
from kernelgate.messages.parcel import Parcel

know_ahead()  # the fork server imports this, and its children need not find it out


class EmulatedBackend:
    """Runs a candidate in emulation. It patches torch in this process for good, so only the worker makes one."""

    emulated = True

    def __init__(
        self,
        cache: Path,
        fault_fd: int,
        builder: Builder,
        *,
        examine: bool = False,
        launch_limit_s: float = 0.0,
        arch: str | None = None,
        every_configuration: bool = False,
    ) -> None:
        self._built: list[BuiltExtension] = []
        self._emulation: Emulation = install(
            cache=cache,
            fault_fd=fault_fd,
            builder=builder,
            on_build=self._note,
            examine=examine,
            launch_limit_s=launch_limit_s,
            arch=arch,
            every_configuration=every_configuration,
        )

    def _note(self, built: Built) -> None:
        self._built.append(
            BuiltExtension(
                name=built.name,
                lane="emulation",
                seconds=built.seconds,
                cached=built.cached,
                compiler=built.compiler
                if built.lane == "facade"
                else f"{built.compiler} with PyTorch's own headers",
            )
        )

    def running(self, order: ThreadOrder) -> AbstractContextManager[Any]:
        return self._candidate_code(order)

    @contextmanager
    def _candidate_code(self, order: ThreadOrder) -> Iterator[None]:
        self._emulation.order(order)
        # Every tensor made here ends at an unreadable page, and starts poisoned.
        with self._emulation.active(), self._emulation.guarded():
            yield

    def place(self, parcel: Parcel, descriptors: list[int]) -> torch.Tensor:
        arrived = unpack_host(parcel, descriptors)
        with self._emulation.guarded():
            data = torch.empty(parcel.storage_bytes, dtype=torch.uint8)
        data.untyped_storage().copy_(arrived.untyped_storage())
        self._emulation.give(data)
        return view_of(data, parcel, arrived.dtype)

    def read(self, parcel: Parcel, descriptors: list[int]) -> torch.Tensor:
        return unpack_host(parcel, descriptors)

    def empty(self, shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
        with self._emulation.guarded():
            return methods.empty(tuple(shape), dtype=dtype)

    def collect(self, tensor: torch.Tensor, descriptors: list[int], *, copy: bool) -> Parcel:
        # What travels is a file in memory, so it is a copy in any case.
        dense = methods.contiguous(methods.detach(tensor))
        size = methods.numel(dense) * methods.element_size(dense)
        if methods.storage_nbytes(methods.untyped_storage(dense)) != size:
            dense = methods.clone(dense, memory_format=torch.contiguous_format)
        parcel = pack_host(dense, descriptors)
        parcel.result_stride = list(methods.stride(tensor))
        return parcel

    def release(self) -> None:
        pass  # what was sent was a copy

    def poison(self, nbytes: int) -> None:
        pass  # fresh memory is always poisoned here

    def finish(self) -> list[str]:
        # On a GPU a refused launch leaves an error that the next kernel, whosever it is, reports.
        refused = self._emulation.unchecked_launch_error()
        if refused is not None:
            raise RuntimeError(f"CUDA error: {refused}")
        return [fault.text for fault in self._emulation.overwritten()]

    def findings(self, *, raised: bool = False) -> list[str]:
        lines = self._emulation.finding_lines(raised=raised)
        return [line.decode(errors="replace")[:8192] for line in lines[:64]]

    def read_back(self, result: Any) -> None:
        self._emulation.streams.read_back(result)

    def failed_check(self, error: BaseException) -> tuple[str, int] | None:
        return self._emulation.failed_check(error)

    def examine_anew(self, poison: int) -> None:
        self._emulation.examine_anew(poison)

    def count_costs(self, on: bool) -> None:
        self._emulation.count_costs(on)

    def costs(self) -> list[str]:
        return [line.decode(errors="replace")[:8192] for line in self._emulation.cost_lines()[:1024]]

    def launches(self) -> int | None:
        return self._emulation.launches()

    def without_kernels(self) -> AbstractContextManager[Any]:
        return self._emulation.without_kernels()

    def is_device_tensor(self, tensor: torch.Tensor) -> bool:
        return self._emulation.is_on_device(tensor)

    def to_device(self, module: torch.nn.Module) -> torch.nn.Module:
        return module.to("cuda")

    def built(self) -> list[BuiltExtension]:
        new = self._built[:]
        self._built.clear()
        if version := self._emulation.take_triton():
            compiler = f"Triton's interpreter {version}"
            new.append(BuiltExtension(name="triton", lane="emulation", seconds=0.0, cached=False, compiler=compiler))
        return new
