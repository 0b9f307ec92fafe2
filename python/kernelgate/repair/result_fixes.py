"""Certain fixes of the form of a result: a value too many, a number for a tensor, a dimension of size 1, another dtype.

In: a candidate, and how its result differs. Out: `Fix` and its line, or None. Not here: wrong values.
The judge proves a fix before it is offered.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from kernelgate.program.candidate import Candidate
from kernelgate.repair.edits import Fix, replaced, rewriting, span
from kernelgate.report.wrong_results import NotOneTensor, OtherDtype, OtherShape


def in_wanted_form(
    candidate: Candidate, how: NotOneTensor | OtherDtype | OtherShape
) -> tuple[Fix, int] | None:
    """The one `return` of ModelNew.forward with the form that is wanted."""
    value = _returned(candidate)
    if value is None:
        return None
    if isinstance(how, NotOneTensor):
        return _as_one_tensor(candidate, value)
    call = f".to(torch.{how.wanted})" if isinstance(how, OtherDtype) else _of_shape(how.got, how.wanted)
    return _with_call(candidate, value, call, how.next_step) if call is not None else None


def _returned(candidate: Candidate) -> ast.expr | None:
    """What ModelNew.forward returns, if it has one `return`."""
    models = [
        node for node in candidate.tree.body if isinstance(node, ast.ClassDef) and node.name == "ModelNew"
    ]
    methods = [each for model in models for each in model.body if isinstance(each, ast.FunctionDef)]
    forward = next((each for each in methods if each.name == "forward"), None)
    found = (
        [each for each in ast.walk(forward) if isinstance(each, ast.Return)] if forward is not None else []
    )
    return found[0].value if len(found) == 1 else None


def _as_one_tensor(candidate: Candidate, value: ast.expr) -> tuple[Fix, int] | None:
    if isinstance(value, ast.Tuple | ast.List) and value.elts:
        return _with_text(
            candidate, value, _text(candidate, value.elts[0]), "Return the one tensor that Model does"
        )
    called = value.func if isinstance(value, ast.Call) and not value.args else None
    if isinstance(called, ast.Attribute) and called.attr in ("item", "tolist", "cpu", "numpy"):
        step = f"Return the tensor itself, without .{called.attr}()"
        return _with_text(candidate, value, _text(candidate, called.value), step)
    return None


def _of_shape(got: Sequence[int], wanted: Sequence[int]) -> str | None:
    """The call that puts in, or takes out, dimensions of size 1."""
    got, wanted = list(got), list(wanted)
    if [size for size in got if size != 1] != [size for size in wanted if size != 1]:
        return None
    if not wanted:
        return ".reshape(())"
    if len(wanted) == len(got) + 1:
        at = next(at for at in range(len(wanted)) if wanted[:at] + wanted[at + 1 :] == got)
        return f".unsqueeze({at})"
    if len(got) == len(wanted) + 1:
        at = next(at for at in range(len(got)) if got[:at] + got[at + 1 :] == wanted)
        return f".squeeze({at})"
    return None


def _with_call(candidate: Candidate, value: ast.expr, call: str, step: str) -> tuple[Fix, int] | None:
    text = _text(candidate, value)
    plain = isinstance(value, ast.Name | ast.Call | ast.Attribute | ast.Subscript)
    return _with_text(candidate, value, f"{text}{call}" if plain else f"({text}){call}", step)


def _with_text(candidate: Candidate, value: ast.expr, text: str, step: str) -> tuple[Fix, int] | None:
    fix = rewriting(candidate, replaced(candidate.python, [value], text), step)
    return (fix, value.lineno) if fix is not None else None


def _text(candidate: Candidate, node: ast.expr) -> str:
    begin, end = span(candidate.python, node)
    return candidate.python[begin:end]
