"""A solution, as SOL-ExecBench and FlashInfer-Bench share it, as a program with ModelNew.

In: solution, definition and workload as plain JSON. Out: a program's text. Files of Python become modules; headers
are put if they are included. If outputs are passed in, ModelNew makes them, of the sizes that the inputs have.
Not here: the problem (`formats.definition`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from kernelgate.cuda_source import functions
from kernelgate.formats import FormatError
from kernelgate.formats.definition import Json, axes_lines, expression
from kernelgate.module_lines import module_lines

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"[ \t]*$', re.MULTILINE)


def solution_text(solution: Json, definition: Json, workload: Json) -> str:
    """Raises FormatError."""
    spec = solution.get("spec")
    files = {
        str(one["path"]): str(one["content"])
        for one in solution.get("sources") or []
        if isinstance(one, Mapping)
    }
    entry, _, function = str(spec.get("entry_point") if isinstance(spec, Mapping) else "").partition("::")
    if not isinstance(spec, Mapping) or entry not in files or not function.isidentifier():
        raise FormatError("The entry point is in no file of the solution", 'Write it as "main.py::run"')
    if str(spec.get("language")) in ("cuda", "cpp"):
        if spec.get("binding", "torch") != "torch":
            raise FormatError(
                f"Its binding is {spec['binding']}", "Bind it with torch, which is what can be judged"
            )
        program, called = _compiled(files, function, spec), f"_extension.{function}"
    else:
        program, called = _modules(files, entry), function
    return (
        f"{program.rstrip()}\n\n\nimport torch\n\n\n{_model_new(called, definition, workload, _passes(spec))}"
    )


def _passes(spec: Json) -> bool:
    return spec.get("destination_passing_style", True) is not False


def _modules(files: Mapping[str, str], entry: str) -> str:
    """The entry's file as it is, below the others as modules."""
    others = {str(PurePosixPath(path).with_suffix("")).replace("/", "."): text for path, text in files.items()
              if path != entry and path.endswith(".py")}  # fmt: skip
    return f"{module_lines(others)}{files[entry]}"


def _compiled(files: Mapping[str, str], function: str, spec: Json) -> str:
    """A call of load_inline with the files; a header is put if it is included."""
    texts = {path: _with_headers(text, files) for path, text in files.items()}
    cuda = "\n".join(text for path, text in texts.items() if path.endswith(".cu"))
    cpp = "\n".join(text for path, text in texts.items() if path.endswith((".cpp", ".cc", ".cxx")))
    binds = "PYBIND11_MODULE" in cuda + cpp
    found = [one for one in functions.functions(cuda + "\n" + cpp) if one.defined and one.name == function]
    if not binds and not found:
        raise FormatError(f"No file defines {function}", "Name a function of the solution as its entry point")
    prototype = "" if binds or not cuda else found[-1].prototype
    options = spec.get("compile_options") or {}
    flags = {"extra_cflags": options.get("cflags"), "extra_cuda_cflags": options.get("cuda_cflags"),
             "extra_ldflags": options.get("ld_flags")}  # fmt: skip
    lines = [
        "from torch.utils.cpp_extension import load_inline",
        "",
        f"CUDA_SOURCE = {_quoted(cuda)}",
        "",
        "_extension = load_inline(",
    ]
    lines += [
        f"    name={'solution_' + function!r},",
        f"    cpp_sources={_quoted(cpp or prototype)},",
        "    cuda_sources=CUDA_SOURCE,",
    ]
    lines += [] if binds else [f"    functions=[{function!r}],"]
    lines += [f"    {name}={list(map(str, value))!r}," for name, value in flags.items() if value]
    return "\n".join([*lines, ")"])


def _quoted(text: str) -> str:
    return f"r'''{text}'''" if "'''" not in text and not text.endswith(("\\", "'")) else repr(text)


def _with_headers(text: str, files: Mapping[str, str], depth: int = 8) -> str:
    def put(found: re.Match[str]) -> str:
        path = next((path for path in files if path == found[1] or path.endswith(f"/{found[1]}")), None)
        return found[0] if path is None or depth == 0 else _with_headers(files[path], files, depth - 1)

    return _INCLUDE.sub(put, text).replace("#pragma once", "")


def _model_new(called: str, definition: Json, workload: Json, passes: bool) -> str:
    inputs: Mapping[str, Any] = definition["inputs"]
    given = workload["inputs"]
    tensors = [name for name in inputs if given[name].get("type") != "scalar"]
    arguments = [name if name in tensors else repr(given[name]["value"]) for name in inputs]
    lines = ["class ModelNew(torch.nn.Module):", f"    def forward(self, {', '.join(tensors)}):"]
    if not passes:
        return "\n".join([*lines, f"        return {called}({', '.join(arguments)})", ""])
    sizes = {axis: f"{name}.shape[{at}]" for name in reversed(tensors)
             for at, axis in reversed(list(enumerate(inputs[name].get("shape") or [])))}  # fmt: skip
    constants = dict(line.split(" = ") for line in axes_lines(definition, workload))
    axes: Mapping[str, Json] = definition["axes"]
    used = {axis for spec in definition["outputs"].values() for axis in spec.get("shape") or []}
    needed = used | {name for name in axes if any(axes[one].get("type") == "expr" for one in used)}
    for name in sorted(needed, key=lambda name: axes[name].get("type") == "expr"):
        kind = axes[name].get("type")
        own = expression(axes[name]["expression"]) if kind == "expr" else sizes.get(name, constants[name])
        lines.append(f"        {name} = {own}")
    for name, spec in definition["outputs"].items():
        size = "".join(f"{axis}, " for axis in spec.get("shape") or [])
        lines.append(
            f"        {name} = torch.empty(({size}), dtype=torch.{spec['dtype']}, device={tensors[0]}.device)"
        )
    outputs = list(definition["outputs"])
    lines.append(f"        {called}({', '.join([*arguments, *outputs])})")
    return "\n".join([*lines, f"        return {', '.join(outputs)}", ""])
