"""A class whose name is nearly ModelNew: a slip, and the one that was meant."""

from __future__ import annotations

import ast
import difflib

_NEAR = 0.8


def near_model_new(tree: ast.AST) -> ast.ClassDef | None:
    """The class that is named most nearly ModelNew, capitals aside; None if none is near."""
    found = [(_likeness(node.name), node) for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return max((each for each in found if each[0] >= _NEAR), key=lambda each: each[0], default=(0.0, None))[1]


def _likeness(name: str) -> float:
    plain = name.lower().replace("_", "")
    return max(difflib.SequenceMatcher(None, plain, meant).ratio() for meant in ("modelnew", "newmodel"))
