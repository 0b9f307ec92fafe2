"""The one reader of CUDA C++ text: tokens, functions, launches, device code. It works by position, and compiles
nothing.

**Invariant:** imports nothing else of kernelgate.
"""
