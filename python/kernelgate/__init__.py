"""KernelGate: insert hand-optimized CUDA kernels into a notebook, and prove them there.

    import kernelgate
    report = kernelgate.verify(source_text, problem="leakyrelu")
    report.verdict.outcome              # "pass", "fail", "unclear" or "not run"

Importing this package is light; torch is imported by the processes of a run; by this one only for
`draw_case`, which makes tensors here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kernelgate.safe_path import Elsewhere
from kernelgate.version import __version__ as __version__

__all__ = [
    "KernelInterface",
    "benchmark",
    "draw_case",
    "evaluate",
    "handshake",
    "load_ipython_extension",
    "operator",
    "profile",
    "remember_cell",
    "unload_ipython_extension",
    "verify",
]

if TYPE_CHECKING:
    from kernelgate.interface import KernelInterface
    from kernelgate.notebook import (
        benchmark,
        draw_case,
        evaluate,
        handshake,
        load_ipython_extension,
        profile,
        remember_cell,
        unload_ipython_extension,
        verify,
    )
    from kernelgate.program.from_expression import operator


def __getattr__(name: str) -> Any:
    with Elsewhere():
        if name == "KernelInterface":
            from kernelgate.interface import KernelInterface

            return KernelInterface
        if name == "operator":
            from kernelgate.program.from_expression import operator

            return operator
        if name in __all__:
            import kernelgate.notebook as notebook

            return getattr(notebook, name)
    raise AttributeError(f"module 'kernelgate' has no attribute {name!r}")
