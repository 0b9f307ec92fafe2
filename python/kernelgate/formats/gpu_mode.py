"""A problem of GPU MODE: `task.yml`, `reference.py` and `submission.py`, as a problem and a program of ours.

In: the texts of the files. Out: a reference for each of the task's tests, and the program. `generate_input` draws on
the CPU, with a seed of the run's instead of the test's: nothing can be known of its inputs. `custom_kernel(data)` is
what `program.from_reference` knows already.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from kernelgate.formats import FormatError
from kernelgate.module_lines import module_lines

_DEVICE = "cuda"


def reference_text(reference: str, test: Mapping[str, Any], modules: Mapping[str, str]) -> str:
    """The problem of one test. `modules`: the task's other files by their names as modules. Raises FormatError."""
    tree = _parsed(reference)
    defined = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    for name in ("ref_kernel", "generate_input"):
        if name not in defined:
            raise FormatError(f"reference.py defines no {name}", "Give the reference of the task as it is")
    sizes = {name: value for name, value in test.items() if name != "seed"}
    plain = {name: repr(value) for name, value in sizes.items() if not isinstance(value, dict)}
    lines = [module_lines(modules) + ast.unparse(_OnTheCpu().visit(tree)), "", "import torch", ""]
    lines += [f"{name} = {value}" for name, value in plain.items()]
    passed = [f"{name}={name}" for name in plain]
    if any(argument.arg == "seed" for argument in defined["generate_input"].args.args):
        passed.append("seed=torch.initial_seed() % (2**31 - 1)")  # of the run's seed, also on tensors without memory
    # One tensor alone is the data itself; several are a tuple, as they were made.
    lines += ["", "", "class Model(torch.nn.Module):", "    def forward(self, *data):"]
    lines += [
        f"        return ref_kernel(data if {_unpacks(defined['ref_kernel'])} or len(data) > 1 else data[0])",
        "",
        "",
    ]
    lines += ["def get_inputs():", f"    data = generate_input({', '.join(passed)})"]
    lines += ["    return list(data) if isinstance(data, (tuple, list)) else [data]", "", ""]
    return "\n".join([*lines, "def get_init_inputs():", "    return []", ""])


def tolerance_of(reference: str) -> tuple[float, float] | None:
    """The rtol and atol that `check_implementation` is made with; None if it names none."""
    for node in _parsed(reference).body:
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        if ast.unparse(node.targets[0]) == "check_implementation":
            given = {
                str(one.arg): float(one.value.value)
                for one in node.value.keywords
                if one.arg in ("rtol", "atol")
                and isinstance(one.value, ast.Constant)
                and isinstance(one.value.value, int | float)
            }
            if given:
                return given.get("rtol", 0.0), given.get("atol", 0.0)
    return None


def submission_text(submission: str, modules: Mapping[str, str]) -> tuple[str, int]:
    """The program, and the line of submission.py at which it begins: below 1, as lines of ours stand above it."""
    above = module_lines(modules)
    return above + submission, 1 - above.count("\n")


def module_names(reference: str, submission: str, files: Mapping[str, str]) -> dict[str, str]:
    """Of the files beside them, those that either imports, by the module's name, each after those that it imports."""
    found: dict[str, str] = {}

    def add(text: str) -> None:
        for node in ast.walk(_parsed(text)):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else (
                [alias.name for alias in node.names] if isinstance(node, ast.Import) else [])  # fmt: skip
            for name in names:
                if name in files and name not in found:
                    found[name] = ""  # so that two that import each other come to an end
                    add(files[name])
                    found[name] = found.pop(name) or ast.unparse(_OnTheCpu().visit(_parsed(files[name])))

    for text in (reference, submission):
        add(text)
    return found


def _unpacks(function: ast.FunctionDef) -> bool:
    """Whether its data is unpacked or indexed, so that it is a tuple even if it has one element."""
    data = function.args.args[0].arg if function.args.args else ""
    for node in ast.walk(function):
        value = node.value if isinstance(node, ast.Assign | ast.Subscript | ast.Starred) else None
        is_data = isinstance(value, ast.Name) and value.id == data
        if is_data and (
            not isinstance(node, ast.Assign) or isinstance(node.targets[0], ast.Tuple | ast.List)
        ):
            return True
    return False


class _OnTheCpu(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        is_device = isinstance(node.value, str) and node.value.partition(":")[0] == _DEVICE
        return ast.copy_location(ast.Constant("cpu"), node) if is_device else node


def _parsed(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError) as exc:
        raise FormatError(
            f"A file of the task is no Python: {exc}", "Give the files of the task as they are"
        ) from None
