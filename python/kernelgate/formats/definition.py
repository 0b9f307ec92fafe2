"""A definition and a workload, as SOL-ExecBench and FlashInfer-Bench share them, as a problem in the KernelBench form.

In: both as plain JSON, and the folder that tensors in files lie in. Out: a program's text with `Model`, `get_inputs`
and `get_init_inputs`; axes are its constants, so that smaller sizes can be found. Numbers that a workload gives are
part of `Model`. Both dialects: axes of an expression, `custom` inputs and `float64` are SOL-ExecBench's.
Not here: solutions (`formats.solution`).
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kernelgate.formats import FormatError

Json = Mapping[str, Any]
_FLOATS = ("float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2")
_INTEGERS = ("int64", "int32", "int16", "int8")
_ARITHMETIC = (
    ast.Expression,
    ast.BinOp,
    ast.UnaryOp,
    ast.operator,
    ast.unaryop,
    ast.Name,
    ast.Load,
    ast.Constant,
)


def problem_text(definition: Json, workload: Json, folder: Path = Path()) -> str:
    """Raises FormatError."""
    names = list(_field(definition, "inputs", Mapping))
    given = _field(workload, "inputs", Mapping)
    if missing := [name for name in names if name not in given]:
        raise FormatError(f"The workload gives no input {missing[0]}", "Name its type in the workload")
    tensors = [name for name in names if given[name].get("type") != "scalar"]
    numbers = {name: _number(name, given[name].get("value")) for name in names if name not in tensors}
    if not tensors:
        raise FormatError("The workload gives numbers only", "Give at least one tensor")
    arguments = ", ".join(numbers.get(name, name) for name in names)
    lines = [
        _field(definition, "reference", str).rstrip(),
        "",
        "",
        "import torch",
        "",
        *axes_lines(definition, workload),
    ]
    lines += ["", "", "class Model(torch.nn.Module):", f"    def forward(self, {', '.join(tensors)}):"]
    lines += [f"        return run({arguments})", "", "", "def get_inputs():"]
    lines += _inputs(definition, given, tensors, folder, numbers)
    return "\n".join([*lines, "", "", "def get_init_inputs():", "    return []", ""])


def tolerance_of(workload: Json) -> tuple[float, float] | None:
    """Its own rtol and atol, which SOL-ExecBench gives; None if it gives none. The share of elements that may miss
    them is not taken: what misses is judged as without a tolerance. Raises FormatError."""
    given = workload.get("tolerance")
    if not isinstance(given, Mapping):
        return None
    found = [given.get(name, 0.0) for name in ("max_rtol", "max_atol")]
    if not all(isinstance(one, int | float) and 0 <= one < math.inf for one in found):
        raise FormatError("The workload's tolerance is no pair of numbers", "Give max_atol and max_rtol, 0 or more")
    return float(found[0]), float(found[1])


def axes_lines(definition: Json, workload: Json) -> list[str]:
    """A line for each axis: its constant, or what it is computed from."""
    lines, values = [], _field(workload, "axes", Mapping)
    last = []
    for name, axis in _field(definition, "axes", Mapping).items():
        if not name.isidentifier():
            raise FormatError(f"The axis {name!r} is no name", "Name it as Python names things")
        kind = axis.get("type")
        if kind == "expr":
            last.append(f"{name} = {expression(axis.get('expression'))}")
            continue
        value = axis.get("value") if kind == "const" else values.get(name)
        if type(value) is not int or value < 0:
            raise FormatError(f"The axis {name} has no size", "Give it in the workload's axes")
        lines.append(f"{name} = {value}")
    return [*lines, *last]


def expression(text: Any) -> str:
    """Arithmetic over names of axes, in which nothing can be called. Raises FormatError."""
    try:
        tree = ast.parse(str(text), mode="eval")
    except SyntaxError:
        tree = None
    if tree is None or not all(isinstance(node, _ARITHMETIC) for node in ast.walk(tree)):
        raise FormatError(
            f"The expression {text!r} is no arithmetic", "Use names of axes, numbers and + - * / // % **"
        )
    return ast.unparse(tree).replace(" / ", " // ")


def _inputs(
    definition: Json, given: Json, tensors: list[str], folder: Path, numbers: dict[str, str]
) -> list[str]:
    if any(given[name].get("type") == "custom" for name in tensors):
        entry = definition.get("custom_inputs_entrypoint")
        if not isinstance(entry, str) or not entry.isidentifier():
            raise FormatError("Inputs are custom and no function makes them", "Name custom_inputs_entrypoint")
        axes = [*_field(definition, "axes", Mapping)]
        passed = ", ".join(
            [*(f"{name!r}: {name}" for name in axes), *(f"{k!r}: {v}" for k, v in numbers.items())]
        )
        made = ", ".join(f"made[{name!r}]" for name in tensors)
        return [f'    made = {entry}({{{passed}}}, torch.device("cpu"))', f"    return [{made}]"]
    rows = [f"        {_input(name, definition['inputs'][name], given[name], folder)}," for name in tensors]
    return ["    return [", *rows, "    ]"]


def _input(name: str, spec: Json, how: Json, folder: Path) -> str:
    dtype = spec.get("dtype")
    if how.get("type") == "safetensors":
        path, key = str(folder / str(how.get("path"))), str(how.get("tensor_key"))
        return f'__import__("safetensors.torch").torch.load_file({path!r})[{key!r}]'
    if how.get("type") != "random":
        raise FormatError(
            f"The input {name} is {how.get('type')!r}", "Use random, scalar, safetensors or custom"
        )
    size = f"({''.join(f'{axis}, ' for axis in spec.get('shape') or [])})"
    if dtype in _FLOATS:
        return f"torch.randn({size}).to(torch.{dtype})"
    if dtype in _INTEGERS:
        return f"torch.randint(0, 100, {size}, dtype=torch.{dtype})"
    if dtype == "bool":
        return f"torch.randint(0, 2, {size}).bool()"
    raise FormatError(
        f"The input {name} is {dtype}, which PyTorch does not compute with", "Choose another definition"
    )


def _number(name: str, value: Any) -> str:
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise FormatError(f"The number {name} is {value!r}", "Give a finite number")
    return repr(value)


def _field(record: Json, name: str, kind: Any) -> Any:
    value = record.get(name) if isinstance(record, Mapping) else None
    if not isinstance(value, kind):
        raise FormatError(f"There is no {name}", "Give it as the format asks")
    return value
