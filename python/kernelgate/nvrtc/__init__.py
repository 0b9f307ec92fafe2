"""The device compile check, by NVRTC: whether a GPU's compiler accepts a program's device code, and what its kernels
use.

In: CUDA source as load_inline gets it. Out: `DeviceCompile`. Start at `nvrtc.compile_check`.
It needs no GPU, executes nothing, and imports no torch. Not here: processes; a source may well break the compiler.
"""
