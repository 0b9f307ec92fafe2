"""Certain fixes of Triton's kernels: products of float32 in TF32, and functions that triton.language lacks.

In: a candidate. Out: `Fix`, or None if the text does not show it for certain. Not here: which error asks for which
(`exceptions`, `judge.verdict`). The judge proves a fix before it is offered.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from pathlib import Path

from kernelgate.program.candidate import Candidate
from kernelgate.repair.edits import Fix, replaced, rewriting, span
from kernelgate.repair.python_fixes import behind_imports

_LIBDEVICE = "from triton.language.extra import libdevice"


def exact_products(candidate: Candidate) -> tuple[Fix, int] | None:
    """Triton's products of float32 without TF32, in which `tl.dot` computes unless it is told otherwise."""
    python, calls = candidate.python, list(_products(candidate.tree))
    for end in sorted((span(candidate.python, call)[1] - 1 for call in calls), reverse=True):
        before = python[:end].rstrip().removesuffix(",")
        python = f'{before}, input_precision="ieee"{python[end:]}'
    step = 'Give tl.dot input_precision="ieee": without it, it rounds float32 to TF32'
    fix = rewriting(candidate, python, step)
    return (fix, min(call.lineno for call in calls)) if fix is not None else None


def _products(tree: ast.Module) -> Iterator[ast.Call]:
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    for call in calls:
        is_told = {"input_precision", "allow_tf32"} & {one.arg for one in call.keywords}
        if ast.unparse(call.func) in ("tl.dot", "triton.language.dot") and not is_told:
            yield call


def from_libdevice(candidate: Candidate, name: str) -> Fix | None:
    """A function that triton.language lacks, from libdevice, which has all of CUDA's; nothing if that lacks it too."""
    triton = importlib.util.find_spec("triton")
    folders = (triton and triton.submodule_search_locations) or []
    files = [Path(folder, "language", "extra", "libdevice.py") for folder in folders]
    if not any(f"\ndef {name}(" in file.read_text(encoding="utf-8") for file in files if file.is_file()):
        return None
    asked = (f"tl.{name}", f"tl.math.{name}", f"triton.language.{name}", f"triton.language.math.{name}")
    nodes = [one for one in ast.walk(candidate.tree) if isinstance(one, ast.Attribute) and ast.unparse(one) in asked]
    rows = replaced(candidate.python, nodes, f"libdevice.{name}").split("\n")
    if _LIBDEVICE not in rows:
        rows.insert(behind_imports(candidate.tree), _LIBDEVICE)
    step = f"Import libdevice, and call libdevice.{name}: triton.language has no {name}"
    return rewriting(candidate, "\n".join(rows), step) if nodes else None
