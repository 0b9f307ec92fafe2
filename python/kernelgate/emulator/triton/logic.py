"""`and`, `or` and `not` in kernels, as Triton's compiler has them: of tensors, each element by itself, and both sides
are computed. Python, and so the interpreter, would take one side as a whole: a mask `m < M and n < N` would be `n < N`.

In: a kernel's syntax tree. Out: the tree that the interpreter runs. Not here: what else it rewrites (`triton.runtime`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

_TOGETHER, _NEGATED = "kernelgate_together", "kernelgate_negated"
_CHAINED = "simultaneous multiple comparison is not supported"


def compile_logic(interpreter: Any, tensor: Any) -> None:
    """Has Triton's interpreter, a module, compute them so. `tensor`: the class of a kernel's values."""
    from triton.compiler.errors import UnsupportedLanguageConstruct

    def together(method: str, *sides: Callable[[], Any]) -> Any:
        found: list[Any] = []
        value: Any = None
        for side in sides:
            value = side()
            if isinstance(value, tensor):
                found.append(value)
            elif bool(value) is (method == "logical_or"):
                return value  # known before the kernel runs: the rest is not compiled
        for other in found[1:]:
            found[0] = getattr(found[0], method)(other)
        return found[0] if found else value

    def negated(value: Any) -> Any:
        return value == 0 if isinstance(value, tensor) else not value

    class Transformer(interpreter.ASTTransformer):  # type: ignore[misc]
        def visit_Assign(self, node: ast.Assign) -> ast.AST:
            changed = super().visit_Assign(node)
            changed.value = self.generic_visit(changed.value)
            return changed  # type: ignore[no-any-return]

        def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
            self.generic_visit(node)
            method = ast.Constant("logical_and" if isinstance(node.op, ast.And) else "logical_or")
            nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
            sides = [ast.copy_location(ast.Lambda(nothing, side), side) for side in node.values]
            return ast.copy_location(_call(_TOGETHER, method, *sides), node)

        def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
            self.generic_visit(node)
            is_not = isinstance(node.op, ast.Not)
            return ast.copy_location(_call(_NEGATED, node.operand), node) if is_not else node

        def visit_Compare(self, node: ast.Compare) -> ast.AST:
            self.generic_visit(node)
            if len(node.ops) > 1:
                raise UnsupportedLanguageConstruct(None, node, f"{ast.unparse(node)}: {_CHAINED}")
            return node

    setattr(interpreter, _TOGETHER, together)  # a kernel's globals are given the interpreter's
    setattr(interpreter, _NEGATED, negated)
    interpreter.FunctionRewriter.ast_transformer = Transformer()


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])
