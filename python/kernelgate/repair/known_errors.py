"""Errors that compilers report of programs as language models write them, each with its cause and its change.

In: a failed build and one of its errors. Out: `Explained`, or None for another error. A rule that knows a change of the
text for certain gives it as a fix; the judge proves it. Not here: names without a declaration or an include
(`repair.diagnostics`), calls and syntax (`repair.call_errors`, `repair.syntax_errors`), the changes themselves
(`repair.rewrites`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from kernelgate.cuda_source import functions
from kernelgate.cuda_source.nvcc_flags import refused_architecture
from kernelgate.messages.failures import Diagnostic
from kernelgate.repair import dispatch_fixes, rewrites, torch_headers
from kernelgate.repair.call_errors import CALL_ERRORS
from kernelgate.repair.failed_build import Explained, FailedBuild, explained, missing_header, undeclared_name
from kernelgate.repair.syntax_errors import SYNTAX_ERRORS

# C++ names that programs use as if they stood in no namespace.
_FULL_NAMES = {
    "Tensor": "torch::Tensor",
    "TensorOptions": "torch::TensorOptions",
    "empty_like": "torch::empty_like",
    "zeros_like": "torch::zeros_like",
    "ones_like": "torch::ones_like",
    "empty": "torch::empty",
    "zeros": "torch::zeros",
    "ones": "torch::ones",
    "full": "torch::full",
    "kFloat32": "torch::kFloat32",
    "kFloat": "torch::kFloat",
    "kFloat16": "torch::kFloat16",
    "kHalf": "torch::kHalf",
    "kBFloat16": "torch::kBFloat16",
    "kInt": "torch::kInt",
    "kLong": "torch::kLong",
    "kCUDA": "torch::kCUDA",
    "nullopt": "std::nullopt",
    "pair": "std::pair",
    "make_tuple": "std::make_tuple",
    "make_pair": "std::make_pair",
    "getCurrentCUDAStream": "at::cuda::getCurrentCUDAStream",
    "CUDAGuard": "c10::cuda::CUDAGuard",
    "OptionalCUDAGuard": "c10::cuda::OptionalCUDAGuard",
    "optional": "std::optional",
    "vector": "std::vector",
    "tuple": "std::tuple",
    "string": "std::string",
    "numeric_limits": "std::numeric_limits",
    "this_grid": "cooperative_groups::this_grid",
    "this_thread_block": "cooperative_groups::this_thread_block",
    "tiled_partition": "cooperative_groups::tiled_partition",
    "cg": "cooperative_groups",
    "wmma": "nvcuda::wmma",
}
# Names that PyTorch had once, and what stands for them.
_NEW_NAMES = {
    "AT_CHECK": "TORCH_CHECK",
    "AT_ASSERTM": "TORCH_CHECK",
    "AT_ASSERT": "TORCH_INTERNAL_ASSERT",
    "THCudaCheck": "C10_CUDA_CHECK",
    "THCCeilDiv": "at::ceil_div",
}
_DISPATCH = re.compile(r"\bAT_DISPATCH_\w+?(?:_AND(?P<count>\d?))?(?=\s*\()")
_MOST_DISPATCH_ROWS = 4  # from the macro's name to the line that a compiler names


def _source(build: FailedBuild, error: Diagnostic) -> str:
    return build.units.source(error.unit)


def _missing_namespace(build: FailedBuild, error: Diagnostic) -> Explained | None:
    text = build.units.text(error)
    name = undeclared_name(error)
    if name == "":  # it says only that what stands before :: is no namespace
        name = next((one for one in _FULL_NAMES if re.search(rf"(?<![\w:]){one}::", text)), "")
    if name not in _FULL_NAMES or not re.search(rf"(?<![\w:.>]){name}\b", text):
        return None
    full, about = _FULL_NAMES[name], f"{name} needs its namespace"
    changed = rewrites.qualified(build.candidate, _source(build, error), name, full)
    return explained(build, error, about, f"Write {full}", changed)


def _removed_name(build: FailedBuild, error: Diagnostic) -> Explained | None:
    name = undeclared_name(error) or ""
    if name not in _NEW_NAMES:
        return None
    new = _NEW_NAMES[name]
    changed = rewrites.replaced_in_source(build.candidate, _source(build, error), rf"\b{name}\b", new)
    return explained(build, error, f"PyTorch has no {name} any more", f"Write {new}", changed)


_REMOVED_HEADER = re.compile(r"\bTHC?/\w+\.(?:h|cuh)\b")


def _removed_header(build: FailedBuild, error: Diagnostic) -> Explained | None:
    found = _REMOVED_HEADER.search(error.message)
    if found is None:
        return None
    new = "ATen/cuda/Atomic.cuh" if "Atomics" in found.group() else "ATen/cuda/CUDAContext.h"
    changed = rewrites.replaced_in_source(
        build.candidate,
        _source(build, error),
        rf"(#[ \t]*include[ \t]*[<\"]){re.escape(found.group())}",
        rf"\g<1>{new}",
    )
    return explained(
        build, error, f"PyTorch has no {found.group()} any more", f"Include <{new}> instead", changed
    )


def _misnamed_header(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """A header that would be PyTorch's, which has none of that name and one that is meant."""
    name = missing_header(error)
    meant = torch_headers.meant(name) if name is not None else None
    if name is None or meant is None:
        return None
    changed = rewrites.replaced_in_source(
        build.candidate, _source(build, error), rf"(#[ \t]*include[ \t]*[<\"]){re.escape(name)}", rf"\g<1>{meant}"
    )
    return explained(build, error, f"PyTorch has no header {name}", f"Include <{meant}>", changed)


_NO_MEMBER = re.compile(r"(?:has no member named '(?P<gcc>type|data)'|has no member \"(?P<nvcc>type|data)\")")


def _removed_member(build: FailedBuild, error: Diagnostic) -> Explained | None:
    found = _NO_MEMBER.search(error.message)
    if found is None or "Tensor" not in error.message:
        return None
    name = found.group("gcc") or found.group("nvcc")
    candidate, source = build.candidate, _source(build, error)
    if name == "data":
        changed = rewrites.replaced_in_source(candidate, source, r"\.data<(?=\w+>\(\))", ".data_ptr<")
        about = "data<T>() of a tensor is deprecated, and is not there"
        return explained(build, error, about, "Write data_ptr<T>()", changed)
    changed = rewrites.replaced_in_source(
        candidate, source, r"\.type\(\)\.(is_cuda\(\)|scalarType\(\))", _of_tensor
    )
    return explained(
        build,
        error,
        "type() of a tensor is deprecated, and is not there",
        "Ask the tensor itself: scalar_type(), is_cuda()",
        changed,
    )


def _of_tensor(found: re.Match[str]) -> str:
    return f".{found.group(1).replace('scalarType', 'scalar_type')}"


def _dispatch_without_type(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """AT_DISPATCH on something that is no ScalarType: x, x.type(), x.dtype(), or on nothing."""
    row = build.units.row(error)
    rows = build.candidate.python.split("\n")
    above = range(row or 0, max(0, (row or 0) - _MOST_DISPATCH_ROWS), -1)
    row = next((at for at in above if _DISPATCH.search(rows[at - 1])), None)
    macro = _DISPATCH.search(rows[row - 1]) if row is not None else None
    if row is None or macro is None:
        return None
    # The types of _AND, _AND2 and its kin stand before the one that is dispatched on.
    before = 0 if macro["count"] is None else int(macro["count"] or 1)
    pattern = rf"({macro.group()}\s*\(\s*(?:[\w:]+\s*,\s*){{{before}}})([^,()\"]*(?:\(\s*\))?)(\s*,|\")"
    found = re.search(pattern, "\n".join(rows[row - 1 : row + _MOST_DISPATCH_ROWS]))
    if found is None or "scalar_type" in found.group(2):
        return None
    given = found.group(2).strip()
    tensor = re.sub(r"\.(?:type|dtype)\(\s*\)$", "", given) or _first_tensor(build, error)
    if not re.fullmatch(r"[A-Za-z_]\w*", tensor):
        return None
    behind = ", " if not given else ""
    changed = rewrites.replaced_in_statement(
        build.candidate, row, pattern, lambda at: f"{at.group(1)}{tensor}.scalar_type(){behind}{at.group(3)}"
    )
    name = macro.group()
    about = f"{name} is given no type" if not given else f"{name} is given {given}, which is no type"
    return explained(build, error, about, f"Dispatch on {tensor}.scalar_type()", changed)


def _first_tensor(build: FailedBuild, error: Diagnostic) -> str:
    """The first tensor of the function around an error; "" where there is none."""
    rows = _source(build, error).split("\n")
    at = next((n for n, row in enumerate(rows, start=1) if row == build.units.text(error)), 0)
    around = [
        each for each in functions.functions(_source(build, error)) if each.kind == "host" and each.line <= at
    ]
    names = [one.name for one in around[-1].parameters if one.is_tensor] if around else []
    return names[0] if names else ""


_POINTERS = (
    re.compile(r"invalid conversion from '(?:const )?(?P<have>void) ?\*' to '(?:const )?(?P<want>[\w:]+) ?\*"),
    re.compile(r"cannot convert '(?:const )?(?P<have>[\w:]+) ?\*' to '(?:const )?(?P<want>[\w:]+) ?\*"),
    re.compile(r"argument of type \"(?:const )?(?P<have>[\w:]+) \*\" is incompatible with parameter of type "
               r"\"(?:const )?(?P<want>[\w:]+) \*"),
    re.compile(r"a value of type \"(?:const )?(?P<have>[\w:]+) \*\" cannot be used to initialize an entity of type "
               r"\"(?:const )?(?P<want>[\w:]+) \*"),
)  # fmt: skip
_HALVES = {"__half": "Half", "half": "Half", "__nv_bfloat16": "BFloat16", "nv_bfloat16": "BFloat16"}


def _wrong_pointer(build: FailedBuild, error: Diagnostic) -> Explained | None:
    row = build.units.row(error)
    found = next((hit for one in _POINTERS if (hit := one.search(error.message)) is not None), None)
    if row is None or found is None:
        return None
    have, want = found.group("have").split("::")[-1], found.group("want")
    asked = (
        r"\b(const_|mutable_)?data_ptr(?=\(\))"
        if have == "void"
        else rf"\b(const_|mutable_)?data_ptr\s*<\s*(?:const\s+)?(?:\w+::)*{have}\s*>"
    )
    if _HALVES.get(want) == have:  # PyTorch's name of the type; CUDA's has the same bits
        changed = rewrites.replaced_in_statement(
            build.candidate,
            row,
            rf"\b\w+\s*\.\s*{asked}\(\)",
            lambda at: f"reinterpret_cast<{want}*>({at.group()})",
        )
        if changed is None:
            return None
        about, step = (
            f"PyTorch's {have} is passed where CUDA's {want} is expected",
            f"Cast the pointer to {want}*",
        )
        return explained(build, error, about, step, changed)
    statement = "".join(build.candidate.python.split("\n")[row - 1 : row + _MOST_DISPATCH_ROWS])
    # Where a type is dispatched on, the pointer is of that type, whatever it is in the case that failed first.
    if "scalar_t" in statement.replace(" ", "").partition(";")[0]:
        want = "scalar_t"
    changed = rewrites.replaced_in_statement(build.candidate, row, asked, rf"\g<1>data_ptr<{want}>")
    if changed is None:
        return _kernel_of_one_type(build, error, found.group("want")) if want == "scalar_t" else None
    given = "data_ptr() without a type" if have == "void" else f"data_ptr<{have}>"
    about = f"{given} is passed where a pointer to {found.group('want')} is expected"
    return explained(build, error, about, f"Pass data_ptr<{want}>()", changed)


_LAUNCHED = re.compile(r"\b(?P<kernel>\w+)\s*<<<")


def _kernel_of_one_type(build: FailedBuild, error: Diagnostic, type_: str) -> Explained | None:
    """A kernel without a template that AT_DISPATCH calls with pointers to each type."""
    found = _LAUNCHED.search(build.units.text(error))
    if found is None:
        return None
    kernel = found["kernel"]
    changed = dispatch_fixes.kernel_of_any_type(build.candidate, _source(build, error), kernel, type_)
    about = f"AT_DISPATCH calls {kernel} with each type of its list, and it takes {type_} alone"
    step = f"Make {kernel} a template of scalar_t, and launch {kernel}<scalar_t>"
    return explained(build, error, about, step, changed)


_SCHEMA_TYPE = re.compile(
    r"INVALID TYPE|unsupported (?:input|argument|output) type: (?:float|int)\b|schema knows"
)


def _schema_type(build: FailedBuild, error: Diagnostic) -> Explained | None:
    if _SCHEMA_TYPE.search(error.message) is None:
        return None
    sources = (build.failed.cuda_sources, build.failed.cpp_sources)
    changed = next(
        (new for one in sources if (new := rewrites.schema_types(build.candidate, one)) is not None), None
    )
    about = "an operator's schema knows neither float nor int in C++"
    return explained(build, error, about, "Take double for float, and int64_t for int", changed)


_ARCHITECTURE = re.compile(
    r"(?:Unsupported gpu architecture|not defined for option.*) '(?:compute|sm)_(?P<arch>\w+?)a?'"
)


def _unknown_architecture(build: FailedBuild, error: Diagnostic) -> Explained | None:
    found = _ARCHITECTURE.search(error.message)
    if found is None:
        return None
    changed = rewrites.without_flags(build.candidate, found["arch"])
    unknown = refused_architecture([f"-arch=sm_{found['arch']}"]) is not None
    about = f"{'no CUDA toolkit knows' if unknown else 'this CUDA toolkit does not know'} sm_{found['arch']}"
    return explained(
        build,
        error,
        about,
        "Take the flags that name it out: PyTorch's are those of this GPU",
        changed,
        lacks=not unknown,
    )


_STANDARD = re.compile(r"C\+\+(?P<standard>\d\d) (?:or later compatible compiler is required|to compile)")


def _old_standard(build: FailedBuild, error: Diagnostic) -> Explained | None:
    found = _STANDARD.search(error.message)
    if found is None:
        return None
    standard = int(found.group("standard"))
    changed = rewrites.with_standard(build.candidate, standard)
    return explained(
        build,
        error,
        f"PyTorch's headers need C++{standard}",
        f"Compile with -std=c++{standard}, or leave -std out",
        changed,
    )


@dataclass(frozen=True)
class _Words:
    """`about` and `next_step` are formatted with the groups of `message`."""

    message: re.Pattern[str]
    about: str
    next_step: str
    lacks: bool = False


_WORDS = (
    _Words(
        re.compile(r"call to 'shared<|expression must have a constant value"),
        "an array in a kernel has a size that is not constant",
        "Write its size as a constant, or make it extern __shared__ and pass its bytes at launch",
    ),
    _Words(
        re.compile(r"(?:cannot convert '(?:const )?|conversion (?:function )?from \"(?:const )?)(?P<name>(?:__)?half|"
                   r"__nv_bfloat16)['\"] to ['\"](?:const )?(?:float|int|double)['\"]"),
        "{name} is used as a float, and PyTorch compiles without CUDA's own conversions of it",
        "Convert it: __half2float(x), or __bfloat162float(x); or cast it: static_cast<float>(x)",
    ),
    _Words(
        re.compile(r"calling a __host__ function\(\"(?P<name>[\w:~]+).*?\"\) from a __\w+__ function"
                   r"\(\"(?P<caller>[\w:]+)"),
        "{caller} calls {name}, which is for the host alone",
        "Declare {name} __device__ if it is yours: a library's function for the host cannot be called in a kernel",
    ),
    _Words(
        re.compile(r"(?:reference to '|^\")(?P<name>\w+)['\"] is ambiguous"),
        "{name} is the name of two things",
        "Rename yours, or write its namespace; leave out using namespace",
    ),
    _Words(
        re.compile(r"(?:call of overloaded '|more than one instance of (?:overloaded )?function \"(?:\w+::)*)"
                   r"(?P<name>\w+)(?:\(|\").*(?:is ambiguous|matches)"),
        "the call of {name} fits several functions",
        "Convert its arguments to one type, or write the namespace of the one that is meant",
    ),
    _Words(
        re.compile(r"uses too much shared data \((?P<used>0x\w+|\d+) bytes, (?P<limit>0x\w+|\d+) max\)"),
        "a kernel declares more shared memory than the 48 KB that a block may have so",
        "Make it extern __shared__, pass its size at launch, and allow it with cudaFuncSetAttribute",
    ),
    _Words(
        re.compile(r"Python\.h(?:: No such file|\"|' file not found)"),
        "Python's headers are not installed",
        "Install them: sudo apt install python3-dev, sudo dnf install python3-devel, or conda install python",
        lacks=True,
    ),
    _Words(
        re.compile(r"unsupported GNU version|unsupported (?:Microsoft|clang) "),
        "nvcc does not take this version of the C++ compiler",
        "Name an older one: CXX=g++-12 and -ccbin g++-12, or install a newer CUDA toolkit",
        lacks=True,
    ),
)  # fmt: skip


def _in_words(build: FailedBuild, error: Diagnostic) -> Explained | None:
    for rule in _WORDS:
        found = rule.message.search(error.message)
        if found is not None:
            groups = found.groupdict()
            about, step = (words.format_map(groups) for words in (rule.about, rule.next_step))
            return explained(build, error, about, step, lacks=rule.lacks)
    return None


KNOWN_ERRORS: tuple[Callable[[FailedBuild, Diagnostic], Explained | None], ...] = (
    _unknown_architecture,
    _missing_namespace,
    _removed_name,
    _removed_header,
    _misnamed_header,
    _removed_member,
    _dispatch_without_type,
    _wrong_pointer,
    _schema_type,
    _old_standard,
    *CALL_ERRORS,
    *SYNTAX_ERRORS,
    _in_words,
)
"""In order; the first that knows an error explains it."""
