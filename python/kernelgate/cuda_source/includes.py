"""What a C++ text may include, whatever its conditions and macros: names, before any compiler has run.

In: source text. Out: `Included`. More may be named than is included: what stands in a branch that is not taken counts,
because a header may decide the branch, and what `__has_include` asks for. Not here: which files those names lead to.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kernelgate.cuda_source.lexer import blank

_SPLICE = re.compile(r"\\[ \t]*\r?\n")
_DIRECTIVE = re.compile(r"^[ \t\v\f]*(?:#|%:|\?\?=)[ \t]*(?:include_next|include|import|embed)\b[ \t]*", re.MULTILINE)
_ASKED = re.compile(r"\b__has_(?:include_next|include|embed)\s*\(\s*")
_NAME = re.compile(r"<([^>\n]+)>|\"([^\"\n]+)\"")
_BY_ASSEMBLER = re.compile(r"\bincbin\b|\"[^\"\n]*\.include\b")
_JOINED = re.compile(r"\"\s*\"")


@dataclass(frozen=True)
class Included:
    """`names` as they stand between <> or quotes; `complete` where the text names all that it may include: no macro
    gives a name, and the assembler reads no file."""

    names: frozenset[str]
    complete: bool


def included(text: str) -> Included:
    """What a text itself includes or asks for, not what its headers include."""
    spliced = _SPLICE.sub("", text)
    seen = blank(spliced)
    names: set[str] = set()
    complete = _BY_ASSEMBLER.search(_JOINED.sub("", spliced)) is None
    for found in (*_DIRECTIVE.finditer(seen), *_ASKED.finditer(seen)):
        name = _NAME.match(spliced, found.end())
        if name is None:
            complete = False
        else:
            names.add(name[1] or name[2])
    return Included(frozenset(names), complete)
