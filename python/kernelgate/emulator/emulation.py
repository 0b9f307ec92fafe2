"""Emulation in a worker process: install it once, then run candidate code under it.

In: a cache folder and a descriptor for the last words of a crash. Out: `Emulation`.
Not here: the judge's side (`faults.decode_fault`, `toolchain.supported`), which needs no torch.
"""

from __future__ import annotations

import ctypes
import dataclasses
import importlib.machinery
import importlib.util
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import torch

from kernelgate.emulator.build.extension import Built, Extension, find
from kernelgate.emulator.build.libraries import Builder, OwnBuilder, find_library
from kernelgate.emulator.device.device_mode import EmulatedDevice, reach_beyond_functions
from kernelgate.emulator.device.native import ORDERS, SIDES, Native
from kernelgate.emulator.device.streams import Streams
from kernelgate.emulator.device.torch_surface import patch_torch
from kernelgate.emulator.faults.faults import Fault, decode_fault
from kernelgate.emulator.translate.architecture import arch_flags
from kernelgate.emulator.triton.interpreter import take_over
from kernelgate.emulator.triton.launches import Launches

OnBuild = Callable[[Built], None]
CudaSourcesHook = Callable[[str, list[str]], list[str]]

_installed: list[Emulation] = []


class Emulation:
    """Emulation in this process, as `install` returns it."""

    def __init__(self, native: Native, of_triton: Launches, *, examine: bool = False) -> None:
        self._native = native
        self._of_triton = of_triton
        self._guarded: str | None = None
        self.mode = EmulatedDevice(native)
        self.streams = Streams(native, self.mode.on_cpu)
        self.mode.wait_for_device = self.streams.wait_for_host
        reach_beyond_functions(self.mode)
        of_triton.streams = self.streams
        take_over(of_triton, self.mode.on_cpu)
        if examine:
            native.examine()

    @contextmanager
    def active(self) -> Iterator[None]:
        """Around candidate code: import, construction and calls."""
        with self.mode:
            self.streams.watch.enter()
            try:
                yield
            finally:
                self.streams.watch.leave()

    @contextmanager
    def guarded(self, side: Literal["end", "start"] = "end") -> Iterator[None]:
        """Tensors allocated inside are poisoned, and trap right after their end, or before their start."""
        if side not in SIDES:
            raise ValueError(f"side must be one of {SIDES}, not {side!r}")
        outer, self._guarded = self._guarded, side
        self._native.guard_tensors(True, side)
        try:
            yield
        finally:
            self._guarded = outer
            self._native.guard_tensors(outer is not None, outer or "end")

    def order(self, name: Literal["normal", "reversed", "shuffled"], seed: int = 1) -> None:
        """The order of blocks, and of threads within one. A right program gives the same result in each."""
        if name not in ORDERS:
            raise ValueError(f"order must be one of {ORDERS}, not {name!r}")
        self._native.set_order(name, seed & (2**64 - 1))
        self._of_triton.set_order(name, seed)

    def is_on_device(self, tensor: torch.Tensor) -> bool:
        """Whether the program would find the tensor on the GPU."""
        return not tensor.is_meta and not self.mode.on_cpu(tensor)

    def give(self, tensor: torch.Tensor) -> None:
        """Marks the tensor as an input: a memory check then reports kernels that write to it."""
        self._native.give(tensor.data_ptr())

    def workers(self, count: int) -> None:
        """How many OS threads share the blocks of a large launch; 1 makes float atomics repeatable."""
        self._native.set_workers(count)

    def overwritten(self) -> list[Fault]:
        """Writes since the last call into the slack between a tensor and its guard page."""
        return [decode_fault(line) for line in self._native.overwritten()]

    def findings(self, *, raised: bool = False) -> list[Fault]:
        """Findings since the last call: waits that could not end, a launch that failed and, in a
        memory check, all that it sees. A failed launch counts where its error was not looked at, or was `raised`."""
        return [decode_fault(line) for line in self.finding_lines(raised=raised)]

    def finding_lines(self, *, raised: bool = False) -> list[bytes]:
        """`findings` as undecoded lines, for a caller that passes them on."""
        of_cuda = [*self._native.findings(), *self._native.failed_launch(raised=raised)]
        return [*of_cuda, *self._of_triton.findings()]

    def examine_anew(self, poison: int = 0) -> None:
        """Has the next mistake reported although it was reported before; `poison` is what fresh memory then holds
        (64 bits; 0 for the usual pattern)."""
        self._native.examine_anew()
        self._native.set_poison(poison)
        self._of_triton.examine_anew(poison)

    def count_costs(self, on: bool) -> None:
        """Starts or stops counting what accesses cost a GPU's memory, in a process that examines; forgets the rest."""
        self._native.count_costs(on)

    def cost_lines(self) -> list[bytes]:
        """What was counted, a line an instruction, undecoded: see `decode_costs`."""
        return self._native.costs()

    def launches(self) -> int:
        """How many kernels were launched so far."""
        return self._native.launches() + self._of_triton.count

    def take_triton(self) -> str:
        """The version of Triton, if its interpreter has run its first kernel since the last call."""
        return self._of_triton.take_version()

    @contextmanager
    def without_kernels(self) -> Iterator[None]:
        """In the body, launches do nothing: memory that a kernel would write stays as it is."""
        self._skip_launches(True)
        try:
            yield
        finally:
            self._skip_launches(False)

    def _skip_launches(self, skip: bool) -> None:
        self._native.skip_launches(skip)
        self._of_triton.skipped = skip

    def failed_check(self, error: BaseException) -> tuple[str, int] | None:
        """Unit ("cuda.cu" or "main.cpp") and line of the TORCH_CHECK that raised the error; None if none did."""
        found = self._native.last_check()
        if found is None or found[0] not in ("cuda.cu", "main.cpp") or str(error) != found[2]:
            return None
        return found[0], found[1]

    def unchecked_launch_error(self) -> str | None:
        """A launch that failed and that the program never checked; asking forgets it."""
        return self._native.take_launch_error()


def install(
    *,
    cache: Path,
    fault_fd: int,
    builder: Builder | None = None,
    on_build: OnBuild | None = None,
    cuda_sources_hook: CudaSourcesHook | None = None,
    examine: bool = False,
    launch_limit_s: float = 0.0,
    arch: str | None = None,
    every_configuration: bool = False,
) -> Emulation:
    """Patches torch in this process, for good, and has crashes written to `fault_fd` as one JSON line.

    `builder` is asked for what `cache` does not hold; without one this process builds, and writes there.
    `on_build` is called for every extension; `cuda_sources_hook(name, sources)` may replace the CUDA sources before
    they are built. With `examine` every access of a kernel is checked: see `Emulation.findings`. A launch that
    takes longer than `launch_limit_s` ends the process with a fault "endless"; 0 is no limit. `arch`: the GPU that
    programs are compiled for and that they see, such as "sm_75"; otherwise their text decides.
    `every_configuration`: a kernel that Triton tunes is run in each of its configurations, and not in the first alone.
    A second call returns the first's Emulation. Raises ToolchainMissing.
    """
    if _installed:
        return _installed[0]
    builder = builder or OwnBuilder(cache)
    native = Native(
        find_library("runtime", cache) or builder.library("runtime"),
        find_library("facade", cache) or builder.library("facade"),
        find_library("allocator", cache) or builder.library("allocator"),
    )
    native.install_fault_handler(fault_fd)
    native.limit_launches(launch_limit_s)

    def load(extension: Extension, is_python_module: bool) -> types.ModuleType | str:
        sources = list(extension.cuda_sources)
        if cuda_sources_hook is not None:
            sources = cuda_sources_hook(extension.name, sources)
        defines = [*extension.defines, *arch_flags(arch)]
        extension = dataclasses.replace(extension, cuda_sources=sources, examine=examine, defines=defines)
        built = find(extension, cache) or builder.extension(extension)
        if on_build is not None:
            on_build(built)
        return _load(extension.name, built.library, is_python_module, native)

    of_triton = Launches(fault_fd, native.place, launch_limit_s, examine=examine)
    of_triton.every_configuration = every_configuration
    _installed.append(Emulation(native, of_triton, examine=examine))
    patch_torch(load, _installed[0].streams, arch)
    return _installed[0]


def _load(name: str, library: Path, is_python_module: bool, native: Native) -> types.ModuleType | str:
    """The extension's module, or the library's path if it is none; its operators are in torch.ops then."""
    module = _import(name, library) if is_python_module else str(library)
    if not is_python_module:
        ctypes.PyDLL(str(library))
    native.register_operators()
    return module


def _import(name: str, library: Path) -> types.ModuleType:
    loader = importlib.machinery.ExtensionFileLoader(name, str(library))
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module
