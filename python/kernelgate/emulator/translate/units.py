"""The units of an extension, as the compiler gets them, in one of two lanes.

In: the strings that load_inline gets. Out: `Unit`s with their flags, or `Refused`. The facade lane compiles in a
second, against our own headers instead of torch's (`torch_facade`). The lane of the real headers compiles what the
facade lacks, and takes as long as torch's headers do. The CUDA side is the same. Headers of the standard library that
PyTorch's bring with them are included where a program uses their names, since each costs every build its time; and a
kernel that is passed as a void* loses the cast, so that its parameters are known. Not here: compiling (`build`), which
lane to take (`lanes`).
"""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from kernelgate.cuda_source import Refused
from kernelgate.cuda_source.launches import bad_launches, rewrite_launches
from kernelgate.cuda_source.lexer import Edit, apply, blank
from kernelgate.cuda_source.preprocessor import CUDA_DEFINES, without_dropped_lines
from kernelgate.emulator.build.toolchain import python_headers
from kernelgate.emulator.errors import CompileFailed, Diagnostic
from kernelgate.emulator.translate.architecture import (
    SM90_DEFINES,
    SM90_FLAGS,
    arch_defines,
    needs_sm90,
    rewrite_cluster_dims,
)
from kernelgate.emulator.translate.host_calls import bad_kernel_calls, host_calls
from kernelgate.emulator.translate.host_side import as_host_sees_it
from kernelgate.emulator.translate.ptx import rewrite_ptx
from kernelgate.emulator.translate.ptx_call import PTX
from kernelgate.emulator.translate.ptx_hopper import HOPPER
from kernelgate.emulator.translate.refusals import HERE, refuse_uncovered, without_libraries
from kernelgate.emulator.translate.shared import rewrite_shared
from kernelgate.emulator.translate.torch_operators import declared_operators

Lane = Literal["facade", "real headers"]
INCLUDE_FLAG = "-idirafter"
"""Before a folder of the person's headers: those of the emulator come first, as those of CUDA are wanted."""
Functions = str | Sequence[str] | Mapping[str, str] | None

# No macro: a program's own macros hand the bare name on to TORCH_LIBRARY_IMPL.
_OF_CUDA = re.compile(r"\b(?:DeviceType|DispatchKey)\s*::\s*(CUDA)\b")
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"\n]+)[>\"][^\n]*", re.MULTILINE)
_MODULE = re.compile(r"\bPYBIND11_MODULE\s*\([^(){}]*\)\s*\{[^{}]*\}")
_OF_TORCH = ("torch/", "ATen/", "c10/", "pybind11/", "caffe2/")


@dataclass(frozen=True)
class Sources:
    """An extension as load_inline gets it; `flags` are the compiler's for both units."""

    name: str
    cpp: str
    cuda: str
    functions: Functions
    implicit_headers: bool


@dataclass(frozen=True)
class Unit:
    name: str  # as diagnostics and debug lines call it
    before: str  # what load_inline puts in front
    source: str
    flags: tuple[str, ...]
    begins_with: str = ""
    """Includes of the emulator's headers that stand before all else, also by flags: these may be precompiled."""
    header_flags: tuple[str, ...] = ()
    """For them alone: without what the program has defined."""

    @property
    def text(self) -> str:
        return f'{self.before}#line 1 "{self.name}"\n{self.source}\n'


def make_units(
    sources: Sources, flags: tuple[str, ...], host_flags: tuple[str, ...], lane: Lane
) -> list[Unit]:
    """The units to compile; `host_flags` are for main.cpp if it is compiled with torch's own headers. Raises
    Refused, and CompileFailed for what only nvcc would refuse.

    For sm_90a where the text has what only that has; for sm_80 all the same where a program has a way of its own there
    and that for sm_90a is not covered. For the architecture of the flags if they have one (`arch_flags`)."""
    defines = [flag for flag in flags if flag.startswith(("-D", "-U"))]
    if asked := arch_defines(defines):
        cuda = without_dropped_lines(as_host_sees_it(sources.cuda), [*asked, *defines])
        return _units(sources, cuda, flags, host_flags, lane, defines)
    sm90 = without_dropped_lines(as_host_sees_it(sources.cuda), [*SM90_DEFINES, *defines])
    if needs_sm90(sm90):
        try:
            return _units(sources, sm90, (*flags, *SM90_FLAGS), (*host_flags, *SM90_FLAGS), lane, defines)
        except Refused as refused:
            sm80 = without_dropped_lines(as_host_sees_it(sources.cuda), defines)
            if needs_sm90(sm80):
                raise refused
    else:
        sm80 = without_dropped_lines(as_host_sees_it(sources.cuda), defines)
    return _units(sources, sm80, flags, host_flags, lane, defines)


def _units(
    sources: Sources,
    cuda: str,
    flags: tuple[str, ...],
    host_flags: tuple[str, ...],
    lane: Lane,
    defines: Sequence[str],
) -> list[Unit]:
    cpp = without_dropped_lines(sources.cpp, defines, cuda=False)
    refuse_uncovered(cpp, "main.cpp")
    cpp = without_libraries(cpp)
    real = lane == "real headers"
    include = (
        HERE / "include",
        HERE / "torch_cuda",
        *(_torch_includes() if real else (HERE / "torch_facade",)),
    )
    common = [f"-DTORCH_EXTENSION_NAME={sources.name}"]
    for folder in (*include, python_headers()):
        common += ["-isystem", str(folder)]
    if real:
        common += _torch_defines()
    before = "#include <torch/extension.h>\n" if sources.implicit_headers else ""
    source = cpp + _bindings(sources.functions)
    if real:
        source = _after_includes(source, "main.cpp")
    # Where main.cpp only declares and binds there is nothing to examine in it.
    of_main = host_flags if real or only_declares(cpp) else flags
    main_flags = (*common, *of_main)
    # The headers of sm_90a are other ones, and seldom wanted: they are not precompiled.
    precompiles = not real and not set(SM90_FLAGS) & set(flags)
    of_headers = _without_defines(main_flags)
    begins_with = before if precompiles else ""
    before += _brought(sources, cpp) if not real else ""
    units = [Unit("main.cpp", before, source, main_flags, begins_with, of_headers)]
    if not cuda.strip():
        return units
    refuse_uncovered(cuda, "cuda.cu")
    cuda = without_libraries(cuda)
    _refuse_calls(sources.name, cuda)
    translated = _translate(cuda)
    before = ""
    if sources.implicit_headers:
        before = "#include <torch/types.h>\n#include <cuda.h>\n#include <cuda_runtime.h>\n"
    # Only a program with inline PTX pays for the header of its instructions.
    shim = ["kernelgate/nvcc.h"] + ["kernelgate/ptx.h"] * (PTX in translated)
    shim += ["kernelgate/hopper.h"] * (HOPPER in translated)
    first = tuple(part for header in shim for part in ("-include", header))
    if real and (sources.implicit_headers or includes_torch(cuda)):
        # torch's headers must not see that this is CUDA: they would want nvcc's own.
        wanted = ["torch/extension.h"] * sources.implicit_headers + list(_torch_headers(cuda))
        before = "".join(f"#include <{header}>\n" for header in (*wanted, *shim))
        translated, first = _after_includes(translated, "cuda.cu"), ()
    begins_with = f"#include <{shim[0]}>\n{before}" if before and precompiles else ""
    before += _brought(sources, cuda) if not real else ""
    of_headers = (*CUDA_DEFINES, *_without_defines((*common, *flags)))
    # The user's -U comes after torch's -D, as on nvcc's command line.
    all_flags = (*CUDA_DEFINES, *common, *flags, *first)
    units.append(Unit("cuda.cu", before, translated, all_flags, begins_with, of_headers))
    return units


def _brought(sources: Sources, text: str) -> str:
    """What PyTorch's headers have beside those of the facade, as far as a source names it."""
    if not (sources.implicit_headers or includes_torch(text)):
        return ""
    blanked, pytorch = blank(text), torch_folder()
    return brought_headers(blanked) + (declared_operators(blanked, pytorch / "include") if pytorch else "")


def _refuse_calls(extension: str, cuda: str) -> None:
    """Raises CompileFailed, in nvcc's words, for calls and launches that it refuses."""
    found = [Diagnostic("cuda.cu", line, 1, "error", words) for line, words in bad_launches(cuda)]
    for call in host_calls(cuda):
        side = "__global__" if call.is_kernel else "__device__"
        what = f'calling a __host__ function("{call.name}") from a {side} function("{call.caller}") is not allowed'
        found.append(Diagnostic("cuda.cu", call.line, 1, "error", what))
    found += [Diagnostic("cuda.cu", bad.line, 1, "error", bad.words) for bad in bad_kernel_calls(cuda)]
    if found:
        log = "".join(f"{d.unit}:{d.line}: error: {d.message}\n" for d in found)
        raise CompileFailed(extension, log, tuple(found))


def _without_defines(flags: Sequence[str]) -> tuple[str, ...]:
    return tuple(flag for flag in flags if not flag.startswith(("-D", "-U", INCLUDE_FLAG)))


def only_declares(cpp: str) -> bool:
    """Whether main.cpp has no code of its own: declarations, and modules that bind names."""
    return "{" not in _MODULE.sub("", blank(cpp))


def beyond_facade(sources: Sources) -> bool:
    """Whether a source includes a header that torch has and the facade does not."""
    headers = [m[1] for text in (sources.cpp, sources.cuda) for m in _INCLUDE.finditer(text)]
    return any(
        header.startswith(_OF_TORCH)
        and not any((HERE / folder / header).is_file() for folder in ("torch_facade", "torch_cuda"))
        and in_torch(header)
        for header in headers
    )


def in_torch(header: str) -> bool:
    """Whether the installed PyTorch has a header; if there is none, it may."""
    return torch_folder() is None or any((each / header).is_file() for each in _torch_includes())


def includes_torch(source: str) -> bool:
    return any(True for _ in _torch_headers(source))


def _torch_headers(source: str) -> list[str]:
    found = (m[1] for m in _INCLUDE.finditer(source))
    return [h for h in found if h.startswith(_OF_TORCH) and not (HERE / "torch_cuda" / h).is_file()]


def torch_folder() -> Path | None:
    """Where torch is installed, found without importing it."""
    spec = importlib.util.find_spec("torch")
    return Path(spec.origin).parent if spec is not None and spec.origin else None


def _torch_includes() -> list[Path]:
    root = torch_folder()
    assert root is not None  # `lanes` asks first
    return [root / "include", root / "include" / "torch" / "csrc" / "api" / "include"]


def torch_libraries() -> list[str]:
    """What links an extension to torch's own libraries, which its process has loaded."""
    root = torch_folder()
    assert root is not None
    return [f"-L{root / 'lib'}", "-lc10", "-ltorch_cpu", "-ltorch", "-ltorch_python"]


def _torch_defines() -> list[str]:
    new_abi = not hasattr(sys.modules.get("torch"), "_C") or sys.modules["torch"]._C._GLIBCXX_USE_CXX11_ABI
    version = importlib.metadata.version("torch")  # another torch, another key
    return [f"-D_GLIBCXX_USE_CXX11_ABI={int(new_abi)}", f"-DKERNELGATE_TORCH={version}"]


def _after_includes(source: str, unit: str) -> str:
    """Devices renamed for the rest of the source: torch's headers must have been read before."""
    spots = [m.span(1) for m in _OF_CUDA.finditer(blank(source))]
    source = apply(source, [Edit(start, end, "CPU") for start, end in spots])
    at = max((m.end() for m in _INCLUDE.finditer(source)), default=0)
    line = source.count("\n", 0, at) + 1
    return f'{source[:at]}\n#include <kernelgate/on_torch.h>\n#line {line} "{unit}"\n{source[at:]}'


@functools.lru_cache(maxsize=8)  # looking a program up and building it both ask
def _translate(cuda: str) -> str:
    rewritten = rewrite_launches(rewrite_shared(rewrite_ptx(rewrite_cluster_dims(with_typed_kernels(cuda)))))
    # No macro: libstdc++ spells the attribute with this very name.
    spots = [m.span() for m in re.finditer(r"\b__noinline__\b", blank(rewritten))]
    return apply(rewritten, [Edit(start, end, "__attribute__((noinline))") for start, end in spots])


def _bindings(functions: Functions) -> str:
    if functions is None:
        return ""
    if isinstance(functions, str):
        functions = [functions]
    documented = functions if isinstance(functions, Mapping) else {f: f for f in functions}
    lines = [f'm.def("{f}", torch::wrap_pybind_function({f}), "{doc}");' for f, doc in documented.items()]
    return "\n".join(["\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {", *lines, "}"])


_LAUNCH = r"\bcudaLaunch(?:Cooperative)?Kernel\s*\(\s*"
_POINTER = r"(?:const\s+)?void\s*\*\s*"
_CASTS = (
    re.compile(rf"{_LAUNCH}(\(\s*{_POINTER}\)\s*&?)"),
    re.compile(rf"{_LAUNCH}(reinterpret_cast\s*<\s*{_POINTER}>\s*\(\s*&?)\s*[\w:]+(?:<[^()]*?>)?\s*(\))"),
)


def with_typed_kernels(source: str) -> str:
    if not re.search(_LAUNCH, source):
        return source
    text = list(source)
    for cast in _CASTS:
        for found in cast.finditer(blank(source)):
            for group in range(1, cast.groups + 1):
                text[found.start(group) : found.end(group)] = re.sub(r"[^\n]", " ", found[group])
    return "".join(text)


_BROUGHT = {
    "atomic": r"atomic\w*|memory_order\w*",
    "bit": r"bit_cast|popcount|countl_zero|countr_zero",
    "bitset": "bitset",
    "chrono": "chrono",
    "condition_variable": "condition_variable",
    "deque": "deque",
    "iomanip": "set(?:w|precision|fill)|hex|fixed|scientific|boolalpha",
    "iostream": r"c(?:out|err|log)|endl|flush|[io]?stream",
    "list": "list",
    "map": "(?:multi)?map",
    "memory": r"(?:unique|shared|weak)_ptr|make_(?:unique|shared)|addressof",
    "mutex": r"\w*mutex|lock_guard|unique_lock|scoped_lock|once_flag|call_once",
    "numbers": "numbers",
    "numeric": "accumulate|iota|gcd|lcm|partial_sum|inner_product|reduce",
    "set": "(?:multi)?set",
    "sstream": r"[io]?stringstream",
    "stdexcept": r"(?:runtime|logic|domain|length|range|overflow)_error|invalid_argument|out_of_range",
    "thread": "thread|this_thread",
    "tuple": r"tuple\w*|tie|make_tuple|apply",
    "unordered_map": "unordered_(?:multi)?map",
    "unordered_set": "unordered_(?:multi)?set",
    "utility": "pair|make_pair|exchange",
    "variant": r"variant\w*|visit|monostate|get_if|holds_alternative",
}
_NAMES = {header: re.compile(names) for header, names in _BROUGHT.items()}
_QUALIFIED = re.compile(r"\bstd\s*::\s*(\w+)")
_ALL_OPEN = re.compile(r"\busing\s+namespace\s+std\b")


def brought_headers(blanked: str) -> str:
    """An #include for each header of which the text names something."""
    names_of_std = re.compile(r"(\w+)") if _ALL_OPEN.search(blanked) else _QUALIFIED
    found = set(names_of_std.findall(blanked))
    return "".join(
        f"#include <{header}>\n" for header, names in _NAMES.items() if any(map(names.fullmatch, found))
    )
