"""A second opinion on a program's device code, by NVRTC: whether a GPU's compiler takes it, and what its kernels take.

In: CUDA source as load_inline gets it. Out: `Opinion`. Start at `nvrtc.opinion`.
It needs no GPU, executes nothing, and imports no torch. Not here: processes; a source may well break the compiler.
"""
