"""Compiling device code in a worker that has no candidate.

In: a `Compile`. Out: `Compiled`. Not here: what it means for the run (`judge.stages.device_compile`).
"""

from __future__ import annotations

from kernelgate.messages.device_compile import DeviceCompile
from kernelgate.messages.worker import Compile, Compiled
from kernelgate.nvrtc.compile_check import check_device_code
from kernelgate.nvrtc.library import nvrtc as library

_PATIENCE_S = 6.0


def compile_device_code(request: Compile) -> Compiled:
    """The results in the order of the architectures. After a slow one the rest are skipped."""
    found = library()
    version = found.version if found is not None else ""
    results: list[DeviceCompile] = []
    slow: DeviceCompile | None = None
    for arch in request.archs:
        if slow is not None:
            why = f"{slow.arch} alone took {slow.seconds:.0f} s"
            results.append(DeviceCompile(arch, "not looked at", why))
            continue
        given = (request.cuda, arch, request.flags, request.listing, request.lines)
        results.append(check_device_code(*given))
        if results[-1].seconds > _PATIENCE_S and results[-1].state == "compiled":
            slow = results[-1]
    return Compiled(version, results)
