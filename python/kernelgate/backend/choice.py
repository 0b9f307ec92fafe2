"""Chooses the backend of a worker by what it is asked to load. Only workers import this: a backend runs a candidate."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from kernelgate.backend import Backend
from kernelgate.messages.worker import Load

if TYPE_CHECKING:
    from kernelgate.compile.cuda import Build
    from kernelgate.emulator import Builder


def backend_for(load: Load, fault_fd: int, builder: Builder, cuda_build: Build) -> Backend:
    """`fault_fd` takes what emulation reports of a fault; `builder` builds for it, `cuda_build` for a GPU."""
    cache = Path(load.cache)
    if load.device == "emulated":
        from kernelgate.backend.emulated import EmulatedBackend

        return EmulatedBackend(
            cache,
            fault_fd,
            builder,
            examine=load.examine,
            launch_limit_s=load.launch_limit_s,
            arch=load.arch,
            every_configuration=load.every_configuration,
        )
    from kernelgate.backend.cuda import CudaBackend

    return CudaBackend(load.device_index, cache, load.arch, cuda_build, quick=load.quick)
