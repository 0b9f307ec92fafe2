"""Functions of `at::` that a program calls, declared as the installed PyTorch declares them, for the facade.

In: blanked source text. Out: declarations whose bodies call PyTorch's operator through Python. Not here: what makes a
tensor by `TensorOptions` (`torch_facade/ATen/ops`), methods of a tensor.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path

from kernelgate.emulator.translate.refusals import HERE

_CALLED = re.compile(r"\b([a-z]\w*)\s*\(")
_DECLARED = re.compile(
    r"^inline (?P<result>[^\n(]+?) ?\b(?P<name>\w+)\((?P<parameters>[^\n]*)\) \{\n"
    r"    return at::_ops::(?P<operator>\w+)",
    re.MULTILINE,
)
_BEYOND_FACADE = re.compile(r"SymInt|Dimname|Generator|TensorOptions|Layout|Stream|Storage|array<|Device|c10::List")
_PARAMETER = re.compile(r"(\w+)(?:=(?:\{[^}]*\}|[^,]*))?(?:, |$)")


def declared_operators(blanked: str, pytorch: Path) -> str:
    """`pytorch`: the folder of its headers."""
    folder = pytorch / "ATen" / "ops"
    found = "".join(_declarations(name, folder) for name in sorted(set(_CALLED.findall(blanked))))
    return f"#include <ATen/ATen.h>\n#include <kernelgate/operators.h>\nnamespace at {{\n{found}}}\n" if found else ""


@functools.cache
def _declarations(name: str, folder: Path) -> str:
    header = folder / f"{name.removesuffix('_')}.h"
    if not header.is_file() or (HERE / "torch_facade" / "ATen" / "ops" / header.name).is_file():
        return ""
    declared = _DECLARED.finditer(header.read_text(encoding="utf-8"))
    return "".join(
        _declaration(m) for m in declared if m["name"] == name and not _BEYOND_FACADE.search(m["parameters"])
    )


def _declaration(declared: re.Match[str]) -> str:
    name, result, parameters = declared["name"], declared["result"], declared["parameters"]
    overload = declared["operator"][len(name) + 1 :]
    arguments = "".join(f", {one}" for one in _PARAMETER.findall(parameters))
    returned, after = ("void", " return self;") if result.endswith("&") else (result, "")
    call = f'return kernelgate::aten<{returned}>("{name}", "{overload}"{arguments});'
    return f"inline {result} {name}({parameters}) {{ {call.removeprefix('return ' if after else '')}{after} }}\n"
