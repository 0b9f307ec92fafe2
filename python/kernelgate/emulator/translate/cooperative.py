"""Kernels that a program passes as a void*: the cast is taken out, so that their parameters are known.

In: source text. Out: the same text, every other character where it was. A kernel that comes in a variable keeps its
cast, and does not compile: `lanes` calls that a refusal.
"""

from __future__ import annotations

import re

from kernelgate.cuda_source.lexer import blank

_CAST = re.compile(r"\bcudaLaunchCooperativeKernel\s*\(\s*(\(\s*(?:const\s+)?void\s*\*\s*\)\s*&?)")


def with_typed_kernels(source: str) -> str:
    if "cudaLaunchCooperativeKernel" not in source:
        return source
    text = list(source)
    for found in _CAST.finditer(blank(source)):
        text[found.start(1) : found.end(1)] = re.sub(r"[^\n]", " ", found[1])
    return "".join(text)
