"""Makes a program of CUDA C++: load_inline around the person's source, and a ModelNew that calls it.

In: CUDA C++ and the operator it is for. Out: readable Python with the source in it, line for line.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Sequence
from typing import Protocol

from kernelgate.cuda_source import functions
from kernelgate.program.source import ProgramError
from kernelgate.report.bounded import to_lines

_BOUND_NAME = re.compile(r"\bm\s*\.\s*def\s*\(\s*\"(\w+)\"\s*,\s*&?\s*([\w:]+)")
_SIGNATURE = "torch::Tensor f(torch::Tensor x, ...)"


class ParameterLike(Protocol):
    """A constructor parameter of the operator's module; `default` is None if it must be given."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def default(self) -> float | int | bool | None: ...


class OperatorLike(Protocol):
    """What a program around CUDA C++ has to know of the operator."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def parameters(self) -> Sequence[ParameterLike]: ...


def program_around(cuda: str, operator: OperatorLike) -> tuple[str, tuple[int | None, ...]]:
    """The program, and for each of its lines the line of `cuda` behind it.

    The host function is called with the input tensors, then with the operator's parameters: those that it
    names, if all its numbers are named like parameters, else all of them in order.
    """
    host = host_function(cuda)
    tensors = [
        _python_name(each.name, f"x{at}") for at, each in enumerate(p for p in host.parameters if p.is_tensor)
    ]
    passed = _passed(host, operator)
    bound = {target: name for name, target in bound_names(cuda).items()}
    binds_itself = "PYBIND11_MODULE" in functions.blank(cuda)
    called = bound.get(host.name, host.name) if binds_itself else host.name
    prototype = "" if binds_itself else host.prototype
    if host.namespaces and prototype:
        prototype += f" using {'::'.join(host.namespaces)}::{host.name};"

    lines: list[tuple[str, int | None]] = []

    def add(*texts: str, behind: int | None = None) -> None:
        lines.extend((text, behind) for text in texts)

    add("import torch.nn as nn", "from torch.utils.cpp_extension import load_inline", "")
    add(f"CPP_SOURCE = {quoted(prototype)}", "", behind=host.line)
    lines.extend(cuda_literal(cuda))
    add("", "extension = load_inline(", f"    name={quoted(_extension_name(operator, host))},")
    add("    cpp_sources=CPP_SOURCE,", behind=host.line)
    add("    cuda_sources=CUDA_SOURCE,")
    if not binds_itself:
        add(f"    functions=[{quoted(host.name)}],", behind=host.line)
    add(")", "", "", "class ModelNew(nn.Module):")
    if operator.parameters:
        add(f"    def __init__(self, {', '.join(map(_declared, operator.parameters))}):")
        add("        super().__init__()")
        add(*(f"        self.{parameter.name} = {parameter.name}" for parameter in operator.parameters))
        add("")
    add(f"    def forward(self, {', '.join(tensors)}):")
    arguments = ", ".join([*tensors, *(f"self.{name}" for name in passed)])
    add(f"        return extension.{called}({arguments})", behind=host.line)
    return "\n".join(text for text, _ in lines) + "\n", tuple(behind for _, behind in lines)


def bound_names(cuda: str) -> dict[str, str]:
    """What PYBIND11_MODULE binds: the names of C++ functions by those in Python."""
    return {name: target.split("::")[-1] for name, target in _BOUND_NAME.findall(cuda)}


def host_function(cuda: str) -> functions.Function:
    """What ModelNew calls: returns a tensor, and other files can name it; the last such function."""
    defined = [each for each in functions.functions(cuda) if each.defined and each.kind == "host"]
    hosts = [each for each in defined if each.returns_tensor and any(p.is_tensor for p in each.parameters)]
    visible = [each for each in hosts if not each.hidden]
    if visible:
        return visible[-1]
    if hosts:
        raise ProgramError(
            f"{hosts[-1].name} is static, a template or in an unnamed namespace, so that it cannot be bound",
            hosts[-1].line,
            "Make it an ordinary function",
        )
    if defined and not defined[-1].hidden:
        last = defined[-1]
        raise ProgramError(
            f"No host function returns a tensor: {last.name} returns {last.returns}",
            last.line,
            f"Return the result, as in {_SIGNATURE}",
        )
    kernels = [each for each in functions.functions(cuda) if each.kind == "kernel"]
    raise ProgramError(
        "The CUDA source has no host function that takes a tensor and returns one",
        kernels[-1].line if kernels else _first_code_line(cuda),
        f"Add {_SIGNATURE}, which launches the kernel",
    )


def _passed(host: functions.Function, operator: OperatorLike) -> list[str]:
    numbers = [each for each in host.parameters if not each.is_tensor]
    names = [parameter.name for parameter in operator.parameters]
    if all(number.name in names for number in numbers):
        return [number.name for number in numbers]
    if len(numbers) == len(names):
        return names
    takes = f"{len(numbers)} argument{'s' if len(numbers) != 1 else ''} beside tensors"
    has = ", ".join(names) if names else "no parameters"
    raise ProgramError(
        f"{host.name} takes {takes}; {operator.name} has {has}",
        host.line,
        f"Let {host.name} take its tensors, then {has}"
        if names
        else f"Let {host.name} take its tensors only",
    )


def cuda_literal(cuda: str) -> list[tuple[str, int | None]]:
    rows = to_lines(cuda.rstrip("\n"))
    for quote in ('"""', "'''"):
        if quote not in cuda and not cuda.rstrip("\n").endswith((quote[0], "\\")):
            texts = [*rows[:-1], rows[-1] + quote]
            texts[0] = f"CUDA_SOURCE = r{quote}{texts[0]}"
            return [(text, number) for number, text in enumerate(texts, start=1)]
    # No raw string can hold it: one literal a line.
    joined = [(f"    {row + chr(10)!r}", number) for number, row in enumerate(rows, start=1)]
    return [("CUDA_SOURCE = (", None), *joined, (")", None)]


def _declared(parameter: ParameterLike) -> str:
    default = "" if parameter.default is None else f" = {parameter.default!r}"
    return f"{parameter.name}: {parameter.type}{default}"


def _extension_name(operator: OperatorLike, host: functions.Function) -> str:
    return re.sub(r"\W", "_", f"{operator.id}_{host.name}")


def _python_name(name: str, otherwise: str) -> str:
    name = name or otherwise
    return (
        f"{name}_"
        if keyword.iskeyword(name) or name in ("self", "extension") or hasattr(builtins, name)
        else name
    )


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _first_code_line(text: str) -> int | None:
    return next((number for number, row in enumerate(to_lines(text), start=1) if row.strip()), None)
