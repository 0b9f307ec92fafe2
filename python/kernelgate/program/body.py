"""Distinguishes three kinds of body: Python that uses ModelNew, Python that defines it, CUDA C++.

By parsing, never by a flag.
"""

from __future__ import annotations

from typing import Literal

from kernelgate.program.kind import bindings, is_cuda, is_markdown, mentions_model_new, without_triple_quoted
from kernelgate.program.markdown import code_in
from kernelgate.program.parsing import python_tree, without_leading_magics

BodyKind = Literal["uses", "defines", "cuda"]


def body_kind(text: str) -> BodyKind:
    """The kind of a cell's body. A Markdown answer has the kind of its code blocks."""
    text = without_leading_magics(text)
    tree = python_tree(text)
    if tree is not None:
        return "defines" if any(True for _ in bindings(tree, "ModelNew")) else "uses"
    if is_markdown(text):
        code = code_in(text)
        return "uses" if code is None else "cuda" if code.language == "cuda" else "defines"
    if is_cuda(text):
        return "cuda"
    return "defines" if mentions_model_new(without_triple_quoted(text)) else "uses"
