"""The two sides of an extension as two texts, so that nvcc reads no header of PyTorch and g++ no kernel.

In: the CUDA text of a `load_inline` call. Out: `Sides`. The device's side has the kernels, whose instances are asked
for by name once the host's side is compiled; the host's side declares them, and pushes each launch's configuration
before it calls the stub that nvcc makes of a kernel, which is what nvcc itself makes of `<<<...>>>` (CUDA's
crt/device_functions.h). A text that cannot be cut right does not compile, or not link, and is built whole.
Not here: the build (`compile.cuda_library`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kernelgate.cuda_source import Refused
from kernelgate.cuda_source.device_part import Item, device_part
from kernelgate.cuda_source.functions import without_directives
from kernelgate.cuda_source.launches import rewritten
from kernelgate.cuda_source.lexer import Edit, blank

_WORD = re.compile(r"[A-Za-z_]\w*")
_STATIC = re.compile(r"\b(?:static|inline)\b\s*")
_DEVICE_HEADERS = re.compile(
    r"^[ \t]*#[ \t]*include\s*[<\"](?:mma\.h|cooperative_groups|cub/|cuda/|cuda_pipeline)[^\n]*"
)
_HEADER = re.compile(r"^[ \t]*#[ \t]*include\s*<([^>\n]+)>", re.MULTILINE)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b[^\n]*", re.MULTILINE)
_OF_PYTORCH = re.compile(r"(?:torch|ATen|c10|pybind11|THC)\b")
_STANDARD = ("algorithm", "cfloat", "climits", "cmath", "cstdint", "cstdio", "limits", "type_traits")
"""What PyTorch's headers bring in, and kernels use."""
_HALVES = ("c10/util/BFloat16.h", "c10/util/Half.h")
_ALIASES = "namespace at { using namespace c10; }\nnamespace torch { using namespace at; }\n"
_OF_PYTORCH_CODE = re.compile(r"_AND_HALF|_AND[2-8]?\b|\b(?:c10|at|torch)::B?(?:Half|Float16)\b|\bat::opmath")
_HOST_BEGINS = """#include <cuda_runtime.h>
#undef __launch_bounds__
#define __launch_bounds__(...)
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, CUstream_st* = nullptr);
"""


@dataclass(frozen=True)
class Sides:
    """`templates`: whether the device's side has kernels that only instances make."""

    device: str
    host: str
    templates: bool


def sides(source: str) -> Sides | None:
    """None for a text without a kernel, or with a launch that cannot be read."""
    part = device_part(source, marked=False)
    kernels = [item for item in part.items if item.kernel]
    if not kernels:
        return None
    try:
        launched = rewritten(source, _called)
    except Refused:
        return None
    halves = _HALVES if _OF_PYTORCH_CODE.search(source) else ()
    begins = "".join(f"#include <{name}>\n" for name in (*_STANDARD, *halves, *_own_headers(source)))
    begins += _ALIASES if halves else ""
    return Sides(
        begins + _exported(part.text),
        _HOST_BEGINS + _host_side(launched),
        any(item.template for item in kernels),
    )


def _own_headers(source: str) -> Iterator[str]:
    for found in _HEADER.finditer(source):
        if not _OF_PYTORCH.match(found[1]):
            yield found[1]


def _called(kernel: str, configuration: str, arguments: str) -> str:
    return f"(::__cudaPushCallConfiguration({configuration}) ? (void)0 : {kernel}({arguments}))"


def _exported(text: str) -> str:
    """Kernels that another unit can name: those of one unit alone lose `static`."""
    return _edited(text, _statics(text, device_part(text, marked=False).items))


def _statics(text: str, items: tuple[Item, ...]) -> Iterator[Edit]:
    for item in items:
        if item.kernel and not item.inside:
            head = text[item.start : item.name_end or item.end]
            for found in _STATIC.finditer(head):
                yield Edit(item.start + found.start(), item.start + found.end(), "")


def _host_side(text: str) -> str:
    """Without what runs on the device alone, and without its lines: a change in a kernel changes nothing here."""
    items = device_part(text, marked=False).items
    seen = without_directives(blank(text))
    by_host = {word for item in items if item.kind == "host" for word in _WORD.findall(seen[item.start : item.end])}
    edits = [
        Edit(found.start(), found.end(), "")
        for found in _INCLUDE.finditer(text)
        if _DEVICE_HEADERS.match(found[0])
    ]
    for item in items:
        if item.kernel and not item.inside:
            edits += _statics(text, (item,))
            if item.body is not None:
                edits.append(Edit(*item.body, ";"))
        elif item.kind == "device" and item.inside:
            if item.body is not None:
                edits.append(Edit(*item.body, ";"))
        elif item.kind == "device" or (item.kind in ("both", "constexpr") and item.name not in by_host):
            edits.append(Edit(item.start, item.end, ""))
    return _edited(text, edits)


def _edited(text: str, edits: Iterator[Edit] | list[Edit]) -> str:
    parts, at = [], 0
    for edit in sorted(edits, key=lambda each: (each.start, -each.end)):
        if edit.start >= at:
            parts += [text[at : edit.start], edit.text]
            at = edit.end
    return "".join([*parts, text[at:]])


_UNDEFINED = re.compile(r"^\s*U (?:void )?(.+)$", re.MULTILINE)


def instances(undefined: str, device: str) -> list[str]:
    """The kernels that one side calls and does not have, as they are declared. `undefined`: what `nm -C -u` says of it;
    `device`: the text that has them."""
    names = {item.scope + item.name for item in device_part(device, marked=False).items if item.kernel}
    return [one for one in _UNDEFINED.findall(undefined) if re.split(r"[<(]", one)[0] in names]
