"""Compiling device code in a worker that has no candidate.

In: a `Compile`. Out: `Compiled`. Not here: what it means for the run (`judge.stages.device_compile`).
"""

from __future__ import annotations

from kernelgate.messages.device_compile import Opinion
from kernelgate.messages.worker import Compile, Compiled
from kernelgate.nvrtc.library import nvrtc as library
from kernelgate.nvrtc.opinion import look

_PATIENCE_S = 6.0


def compile_device_code(request: Compile) -> Compiled:
    """The opinions in the order of the architectures. After one that took long, no further one is asked for."""
    found = library()
    version = found.version if found is not None else ""
    opinions: list[Opinion] = []
    slow: Opinion | None = None
    for arch in request.archs:
        if slow is not None:
            why = f"{slow.arch} alone took {slow.seconds:.0f} s"
            opinions.append(Opinion(arch, "not looked at", why))
            continue
        opinions.append(look(request.cuda, arch, request.flags, listing=request.listing))
        if opinions[-1].seconds > _PATIENCE_S and opinions[-1].state == "compiled":
            slow = opinions[-1]
    return Compiled(version, opinions)
