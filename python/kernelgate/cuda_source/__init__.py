"""The one reader of CUDA C++ text: tokens, functions, launches, device code. Positions only; nothing is compiled.

**Invariant:** imports nothing else of kernelgate.
"""
