"""Flags that nvcc refuses: those of g++, and misspelt ones of its own.

In: the flags of a program for nvcc. Out: the first that it refuses for certain. The list is short, as nvcc has more
options than we know: any other flag counts as right.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_OF_GCC = re.compile(
    r"-m(?:arch|tune|cpu)=\S+|-mavx\S*|-msse\S*|-mfma|-Wall|-Wextra|-W?pedantic|-pipe|-fopenmp|-fPIC|-fpic|-flto\S*"
    r"|-ffast-math|-funroll-loops|-fpermissive|-fomit-frame-pointer|-ftree-vectorize|-fvisibility=\S+|-fno-\S+"
)
_NEARLY_FAST_MATH = re.compile(r"--?(?!use_fast_math$)(?:use_)?fast[-_]?maths?")
# Each takes the next word, which is for another tool.
_FOR_OTHERS = re.compile(r"-X\w+|--(?:compiler|linker|archive|ptxas|nvlink)-options")
_PASSES_UNKNOWN = re.compile(r"--?forward-unknown-(?:to-host-compiler|opts)")


def refused_flag(flags: Sequence[str]) -> str | None:
    """None if nvcc takes them all, as far as that is known."""
    words = [word for flag in flags for word in flag.split()]
    if any(_PASSES_UNKNOWN.fullmatch(word) for word in words):
        return None
    own = [word for before, word in zip(["", *words], words, strict=False) if not _FOR_OTHERS.fullmatch(before)]
    return next((word for word in own if _OF_GCC.fullmatch(word) or _NEARLY_FAST_MATH.fullmatch(word)), None)


# Of every toolkit from 8 to 13, and of those to come.
_ARCHITECTURES = re.compile(r"(?:[2-9]\d|1\d\d)[af]?")
_NAMED = re.compile(r"\b((?:compute|sm|lto)_(\w+))")


def refused_architecture(flags: Sequence[str]) -> str | None:
    """The first architecture that no toolkit knows, such as compute_9O with a letter for its last digit."""
    words = [word for flag in flags for word in flag.split() if "arch" in word or "code" in word]
    named = [found for word in words for found in _NAMED.findall(word)]
    return next((name for name, number in named if not _ARCHITECTURES.fullmatch(number)), None)
