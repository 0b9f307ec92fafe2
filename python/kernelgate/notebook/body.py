"""What a cell's body is below a magic: code that uses ModelNew, which means our program, or one to judge.

In: a body, and how the shell makes Python of it. By parsing, never by a flag.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Literal

from kernelgate.program.kind import bindings, is_cuda, is_markdown, mentions_model_new
from kernelgate.program.near_name import near_model_new

BodyKind = Literal["uses", "defines", "other"]


def body_kind(body: str, name: str, as_python: Callable[[str], str]) -> BodyKind:
    """Whether it names ModelNew, or the `name` that it is bound to, or defines it; CUDA C++ and Markdown define.

    A class of nearly that name is one that was to be judged, unless it uses ModelNew itself.
    """
    try:
        tree = ast.parse(as_python(body))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "defines" if is_cuda(body) or is_markdown(body) or mentions_model_new(body) else "other"
    names = {"ModelNew", name}
    if any(True for each in names for _ in bindings(tree, each)):
        return "defines"
    near = near_model_new(tree)
    return "uses" if _named(tree, names) and (near is None or _named(near, names)) else "other"


def _named(tree: ast.AST, names: set[str]) -> bool:
    itself = set()  # a class names itself in `super(ModelNew, self)`, which uses nothing
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id == "super":
                itself |= set(node.args)
            elif _is_magic(node):
                texts = [each.value for each in node.args if isinstance(each, ast.Constant)]
                if any(re.search(rf"\b{name}\b", str(text)) for text in texts for name in names):
                    return True
    return any(isinstance(node, ast.Name) and node.id in names and node not in itself for node in ast.walk(tree))


def _is_magic(call: ast.Call) -> bool:
    """`%timeit ModelNew()(x)`, as IPython writes it: the rest of the line is a text."""
    shell = call.func.value if isinstance(call.func, ast.Attribute) else None
    return isinstance(shell, ast.Call) and isinstance(shell.func, ast.Name) and shell.func.id == "get_ipython"
