"""Whose fault an error of ptxas is: NVRTC makes right PTX, so that of a program with inline PTX is its own.

In: a CUDA source and what ptxas says. Out: a `Refusal`, with the line of the one `asm` statement that the error is
about; None if another toolkit or architecture may take it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kernelgate.messages.device_compile import Refusal

_ASM = re.compile(r"\b(?:__)?asm(?:__)?\b[^(;{}]*\(.*?\)\s*;", re.DOTALL)
_OF_THE_TOOLKIT = re.compile(r"requires|version|supported|resource|too (?:much|many)|aborted", re.IGNORECASE)
_NAMED = re.compile(r"'([^']+)'")
_NEXT = "Correct the PTX; its instructions are described in NVIDIA's PTX ISA. A newer toolkit may know a newer one"


def refused_ptx(source: str, errors: Sequence[str]) -> Refusal | None:
    """`errors`: each message of ptxas, the first first."""
    statements = list(_ASM.finditer(source))
    if not errors or not statements or _OF_THE_TOOLKIT.search(errors[0]):
        return None
    named = _NAMED.search(errors[0])
    about = [one for one in statements if named is not None and _has_word(one[0], named[1])]
    line = source.count("\n", 0, about[0].start()) + 1 if len(about) == 1 else 0
    return Refusal(f"inline PTX: {errors[0].strip()}"[:1500], line, 0, _NEXT)


def _has_word(text: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None
