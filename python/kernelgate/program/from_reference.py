"""A ModelNew for programs that define none, where a reference says what they are for.

In: CUDA C++ whose `forward` takes the inputs and then Model's parameters, or Python with such a `forward` bound by
PYBIND11, or with `custom_kernel(data)`; and the reference. Out: readable Python in which ModelNew is the reference's
Model with another `forward`, so that constructor and parameters are the reference's own.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from kernelgate.cuda_source import functions
from kernelgate.program.extensions import load_inline_calls
from kernelgate.program.from_cuda import bound_names, cuda_literal, host_function, quoted
from kernelgate.program.kind import bindings
from kernelgate.program.literals import literals
from kernelgate.program.source import ProgramError

Lines = list[tuple[str, int | None]]


def program_around(cuda: str, reference: str) -> tuple[str, tuple[int | None, ...]]:
    """The program, and for each of its lines the line of `cuda` behind it. Raises ProgramError."""
    host = _forward(cuda)
    binds_itself = "PYBIND11_MODULE" in functions.blank(cuda)
    names = {target: name for name, target in bound_names(cuda).items()}
    called = names.get(host.name, host.name) if binds_itself else host.name
    lines: Lines = [("from torch.utils.cpp_extension import load_inline", None), ("", None)]
    lines += [(f"CPP_SOURCE = {quoted('' if binds_itself else host.prototype)}", host.line), ("", None)]
    lines += cuda_literal(cuda)
    lines += [("", None), ("extension = load_inline(", None), (f'    name="reference_{host.name}",', None)]
    lines += [("    cpp_sources=CPP_SOURCE,", host.line), ("    cuda_sources=CUDA_SOURCE,", None)]
    if not binds_itself:
        lines.append((f"    functions=[{quoted(host.name)}],", host.line))
    lines.append((")", None))
    added = _model_new(reference, f"extension.{called}", host)
    lines += [(text, host.line if "extension." in text else None) for text in added]
    return "\n".join(text for text, _ in lines) + "\n", tuple(behind for _, behind in lines)


def model_new_for(python: str, tree: ast.Module, reference: str) -> str | None:
    """Lines to put below a program without ModelNew; None if it has no bound `forward`, no `custom_kernel` and no
    Model of its own."""
    if _own_model(tree, reference):
        return "ModelNew = Model"
    extension = _bound_extension(python, tree)
    if extension is not None:
        name, host = extension
        return "\n".join(_model_new(reference, f"{name}.forward", host))
    kernel = next((n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "custom_kernel"), None)
    if kernel is None:
        return None
    data = "tuple(tensors)" if _takes_a_tuple(kernel) else "tensors[0] if len(tensors) == 1 else tuple(tensors)"
    return "\n".join(_class(reference, [f"return custom_kernel({data})"]))


def _own_model(tree: ast.Module, reference: str) -> bool:
    """Whether a program defines a Model that is not the reference's."""
    found = [
        [ast.dump(node) for node in one.body if isinstance(node, ast.ClassDef) and node.name == "Model"]
        for one in (tree, ast.parse(reference))
    ]
    return bool(found[0]) and found[0][-1] not in found[1]


def _forward(cuda: str) -> functions.Function:
    """The function that is bound as `forward`, else the one that ModelNew would call."""
    target = bound_names(cuda).get("forward")
    defined = [each for each in functions.functions(cuda) if each.defined and each.name == target]
    return defined[-1] if defined else host_function(cuda)


def _bound_extension(python: str, tree: ast.Module) -> tuple[str, functions.Function | None] | None:
    """The name of an extension whose `forward` can be called, and that function where the text shows it."""
    calls = {call.line: call for call in load_inline_calls(tree)}
    for node in reversed(tree.body):
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
            continue
        call = calls.get(node.value.lineno) if isinstance(node.value, ast.Call) else None
        if call is None:
            continue
        texts = [literal.value for literal in literals(python) if "forward" in literal.value]
        source = next((text for text in texts if "forward" in bound_names(text)), None)
        if source is None and "forward" not in call.functions:
            continue
        found = [f for text in texts for f in functions.functions(text) if f.defined]
        target = bound_names(source)["forward"] if source is not None else "forward"
        return node.targets[0].id, next((f for f in found if f.name == target), None)
    return None


def _takes_a_tuple(kernel: ast.FunctionDef) -> bool:
    """Whether custom_kernel unpacks its data or takes elements of it; one tensor is then a tuple, too."""
    if not kernel.args.args:
        return True
    data = kernel.args.args[0].arg
    for node in ast.walk(kernel):
        is_data = [isinstance(part, ast.Name) and part.id == data for part in ast.iter_child_nodes(node)]
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id == data:
            if any(isinstance(target, ast.Tuple | ast.List) for target in node.targets):
                return True
        elif isinstance(node, ast.Subscript | ast.Starred) and any(is_data):
            return True
    return False


def _model_new(reference: str, called: str, host: functions.Function | None) -> list[str]:
    argument = _function_argument(reference)
    if argument is not None:
        return _class(reference, [f"return super().forward(*inputs, {argument}={called})"], tensors=False)
    if host is None:
        return _class(reference, [f"return {called}(*tensors)"])
    arguments: list[str] = []
    numbers = 0
    for each in host.parameters:
        if each.is_tensor:
            arguments.append(f"tensors[{len(arguments) - numbers}]")
        else:
            arguments.append(f"_value(self, {quoted(each.name)})")
            numbers += 1
    helper = _VALUE if numbers else []
    return [*helper, *_class(reference, [f"return {called}({', '.join(arguments)})"])]


_VALUE = [
    "",
    "",
    "def _value(module, name):",
    '    """What a number is in Model, or in the first of its parts that has one of that name."""',
    "    for part in module.modules():",
    "        if hasattr(part, name):",
    "            return getattr(part, name)",
    '    raise TypeError(f"forward takes {name}, and Model has no attribute of that name")',
]


def _class(reference: str, body: Sequence[str], *, tensors: bool = True) -> list[str]:
    tree = _parsed(reference)
    bound = list(bindings(tree, "Model"))
    is_function = bool(bound) and isinstance(bound[-1], ast.FunctionDef)
    head = [
        "",
        "",
        "import types as _types",
        "",
        "import torch as _torch",
        "",
        f"_REFERENCE = {reference!r}",
        '_reference = _types.ModuleType("reference")',
        'exec(compile(_REFERENCE, "<reference>", "exec"), _reference.__dict__)',
        "",
        "",
        f"class ModelNew({'_torch.nn.Module' if is_function else '_reference.Model'}):",
    ]
    if is_function:  # which makes the module
        head += [
            "    def __init__(self, *arguments):",
            "        super().__init__()",
            "        self.reference = _reference.Model(*arguments)",
            "",
        ]
    lines = ["tensors = [*inputs, *self.parameters(), *self.buffers()]"] if tensors else []
    return [*head, "    def forward(self, *inputs):", *(f"        {line}" for line in [*lines, *body])]


def _function_argument(reference: str) -> str | None:
    """The parameter of Model.forward whose default is a function of the reference, which a program replaces."""
    tree = _parsed(reference)
    own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in tree.body:
        for part in node.body if isinstance(node, ast.ClassDef) and node.name == "Model" else []:
            if isinstance(part, ast.FunctionDef) and part.name == "forward" and part.args.defaults:
                given = part.args.args[-len(part.args.defaults) :]
                for argument, default in zip(given, part.args.defaults, strict=True):
                    if isinstance(default, ast.Name) and default.id in own:
                        return argument.arg
    return None


def _parsed(reference: str) -> ast.Module:
    try:
        return ast.parse(reference)
    except (SyntaxError, ValueError) as exc:
        words = exc.msg if isinstance(exc, SyntaxError) else str(exc)
        raise ProgramError(
            f"The reference is not valid Python: {words}", None, "Correct the reference program"
        ) from exc
