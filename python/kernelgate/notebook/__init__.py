"""KernelGate in a notebook's kernel: the Python calls, what the front end asks for, and the magics."""

from kernelgate.notebook.drawing import draw_case
from kernelgate.notebook.evaluating import evaluate
from kernelgate.notebook.extension import load_ipython_extension, unload_ipython_extension
from kernelgate.notebook.probe import handshake
from kernelgate.notebook.running import benchmark, profile, verify
from kernelgate.notebook.sources import remember_cell

__all__ = [
    "benchmark",
    "draw_case",
    "evaluate",
    "handshake",
    "load_ipython_extension",
    "profile",
    "remember_cell",
    "unload_ipython_extension",
    "verify",
]
