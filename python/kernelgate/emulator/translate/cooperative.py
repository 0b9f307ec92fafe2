"""Kernels that a program passes as a void*: the cast is taken out, so that their parameters are known.

In: source text. Out: the same text, every other character if it was. A kernel that comes in a variable keeps its
cast, and does not compile: `lanes` calls that a refusal.
"""

from __future__ import annotations

import re

from kernelgate.cuda_source.lexer import blank

_LAUNCH = r"\bcudaLaunch(?:Cooperative)?Kernel\s*\(\s*"
_POINTER = r"(?:const\s+)?void\s*\*\s*"
_CASTS = (
    re.compile(rf"{_LAUNCH}(\(\s*{_POINTER}\)\s*&?)"),
    re.compile(rf"{_LAUNCH}(reinterpret_cast\s*<\s*{_POINTER}>\s*\(\s*&?)\s*[\w:]+(?:<[^()]*?>)?\s*(\))"),
)


def with_typed_kernels(source: str) -> str:
    if not re.search(_LAUNCH, source):
        return source
    text = list(source)
    for cast in _CASTS:
        for found in cast.finditer(blank(source)):
            for group in range(1, cast.groups + 1):
                text[found.start(group) : found.end(group)] = re.sub(r"[^\n]", " ", found[group])
    return "".join(text)
