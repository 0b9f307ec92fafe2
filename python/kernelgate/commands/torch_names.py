"""Whether PyTorch has what an expression names: so that no file is written about a module that does not exist.

In: an expression such as `torch.nn.GELU()`. Out: nothing, or `ProgramError` with the nearest name. Imports torch where
it is installed, and calls nothing of it.
"""

from __future__ import annotations

import ast
import difflib
import importlib.util

from kernelgate.program.source import ProgramError
from kernelgate.safe_path import Elsewhere

_SHORT = {"nn": "torch.nn", "F": "torch.nn.functional"}


def refuse_missing_name(expression: str) -> None:
    """Raises ProgramError. Looks at the dotted names that begin at torch, nn or F."""
    with Elsewhere():
        if importlib.util.find_spec("torch") is None:
            return
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError):
        return  # who reads the expression says what is wrong with it
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            _look_up(ast.unparse(node).split("."))


def _look_up(parts: list[str]) -> None:
    names = [*_SHORT.get(parts[0], parts[0]).split("."), *parts[1:]]
    if names[0] != "torch" or not all(name.isidentifier() for name in names):
        return
    with Elsewhere():
        import torch

    owner: object = torch
    for at, name in enumerate(names[1:], 1):
        if not hasattr(owner, name):
            near = difflib.get_close_matches(name, dir(owner), n=1)
            holder = ".".join(names[:at])
            meant = f"Write {holder}.{near[0]}, or another of its names" if near else f"Name what {holder} has"
            raise ProgramError(f"{holder} has no {name}", None, meant)
        owner = getattr(owner, name)
