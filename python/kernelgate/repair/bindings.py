"""Rules for the functions that Python calls: `functions` of load_inline, cpp_sources, PYBIND11_MODULE.

In: a failed build and one of its errors. Out: `Explained`; None for another error. Not here: other names (`names`).
"""

from __future__ import annotations

import re

from kernelgate.cuda_source import functions
from kernelgate.messages.failures import Diagnostic
from kernelgate.repair import rewrites
from kernelgate.repair.edits import insertion
from kernelgate.repair.rule import Example, Explained, FailedBuild, Rule, explained, undeclared_name

# A prototype with these words alone means in cpp_sources what it means in cuda_sources.
_KNOWN_WORDS = re.compile(
    r"(?:torch|at|c10|std|Tensor|TensorOptions|ScalarType|IntArrayRef|optional|vector|tuple|string|const|unsigned"
    r"|signed|void|bool|char|short|int|long|float|double|size_t|u?int(?:8|16|32|64)_t)"
)
_TWO_MODULES = re.compile(
    r"(?:redefinition|multiple definition) of .*?(?:PyInit_|pybind11_init|pybind11_module)"
)


def _functions_beside_module(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """`functions` makes a module, and the source has one of its own. If cpp_sources declares nothing, the one that
    `functions` makes fails first."""
    listed = build.failed.functions
    sources = functions.blank(f"{build.failed.cpp_sources}\n{build.failed.cuda_sources}")
    if not listed or not re.search(r"\bPYBIND11_MODULE\s*\(", sources):
        return None
    undeclared = error.unit == "main.cpp" and undeclared_name(error) in listed
    if not undeclared and not _TWO_MODULES.search(error.message):
        return None
    call = build.candidate.extension(build.failed.extension, build.failed.call_line)
    changed = rewrites.without_argument(build.candidate, call.line, "functions") if call is not None else None
    about = "functions binds what the source's own PYBIND11_MODULE binds"
    return explained(
        build, error, about, "Leave functions out", changed, build.units.argument_place("functions")
    )


def _undeclared(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """A name in `functions` that cpp_sources does not declare, where load_inline binds it."""
    name = undeclared_name(error)
    if error.unit != "main.cpp" or name not in build.failed.functions:
        return None
    defined = [each for each in functions.functions(build.failed.cuda_sources) if each.name == name]
    place = build.units.argument_place("functions")
    if not any(each.kind == "host" for each in defined):
        about = (
            f"{name} is a CUDA kernel, and functions names host functions"
            if defined
            else f"no function {name} is defined"
        )
        host = f"Write a host function that launches {name}, and name that one in functions"
        return Explained(
            about,
            place,
            host if defined else f"Define {name} in cuda_sources, or correct its name in functions",
        )
    if all(each.hidden for each in defined if each.kind == "host"):
        step = f"Make {name} an ordinary function, and declare it in cpp_sources"
        return Explained(f"{name} is static, a template or in an unnamed namespace", place, step)
    fix = _prototypes(build)
    several = fix is not None and "\n" in fix
    call = build.candidate.extension(build.failed.extension, build.failed.call_line)
    return Explained(
        f"cpp_sources declares no {name}",
        build.units.argument_place("cpp_sources"),
        f"Add {'these declarations' if several else 'this declaration'} to cpp_sources"
        if fix is not None
        else f"Declare {name} in cpp_sources, as cuda_sources defines it",
        fix,
        insertion(build.candidate, call, "cpp_sources", fix, "end") if fix is not None else None,
    )


def _prototypes(build: FailedBuild) -> str | None:
    """Declarations of all undeclared functions; None if one of them is not certain."""
    lines = []
    for name in dict.fromkeys(undeclared_name(each) for each in build.errors if each.unit == "main.cpp"):
        if name not in build.failed.functions:
            continue
        known = functions.functions(build.failed.cuda_sources)
        hosts = [each for each in known if each.name == name and each.kind == "host"]
        prototypes = {each.prototype for each in hosts if not each.hidden}
        # Two of a name: the binding would not know which. cpp_sources knows no types of the program's own.
        if len(prototypes) != 1 or hosts[0].namespaces or not _portable(hosts[0]):
            return None
        lines.append(prototypes.pop())
    return "\n".join(lines) or None


def _portable(function: functions.Function) -> bool:
    types = [function.returns, *(parameter.type for parameter in function.parameters)]
    words = [word for text in types for word in re.findall(r"[A-Za-z_]\w*", text)]
    return all(_KNOWN_WORDS.fullmatch(word) for word in words)


# The second is what emulation's compiler says, whose headers have the words of the first.
_OF_KERNELS = re.compile(
    r"'?__(?:global|device|shared)__'? (?:does not name a type|was not declared|is undefined)"
    r"|'(?:threadIdx|blockIdx|blockDim|gridDim)' was not declared"
)


def _kernels_in_cpp(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """Kernels that stand in cpp_sources, which is compiled for the host alone."""
    if error.unit != "main.cpp" or _OF_KERNELS.search(error.message) is None:
        return None
    about = "kernels stand in cpp_sources, which is compiled as C++ and not as CUDA"
    step = "Pass this source as cuda_sources, and declare in cpp_sources what functions names"
    return explained(build, error, about, step)


_END = '    return y;\n}\n"""\n'
_MODULE = '    return y;\n}\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("f", &f); }\n"""\n'
_DECLARED = """ext = load_inline(
    name="m",
    cpp_sources="torch::Tensor f(torch::Tensor x);",
    cuda_sources=SOURCE,
"""
_LISTED = f'{_DECLARED}    functions=["f"],\n'
_BESIDE = "functions binds what the source's own PYBIND11_MODULE binds"
_SOURCES = '    cpp_sources="torch::Tensor f(torch::Tensor x);",\n    cuda_sources=SOURCE,\n'

RULES = (
    Rule(
        _functions_beside_module,
        (
            Example(
                "main.cpp:4:62: error: 'f' was not declared in this scope",
                _BESIDE,
                24,
                _END + _LISTED,
                _MODULE + _LISTED,
                _MODULE + _DECLARED,
            ),
            Example(
                "/usr/bin/ld: cuda.cuda.o: in function `PyInit_m': multiple definition of `PyInit_m'; main.o: first",
                _BESIDE,
                24,
                _END + _LISTED,
                _MODULE + _LISTED,
                _MODULE + _DECLARED,
            ),
        ),
    ),
    Rule(
        _undeclared,
        (
            Example(
                "main.cpp:4:62: error: 'f' was not declared in this scope",
                "cpp_sources declares no f",
                21,
                'cpp_sources="torch::Tensor f(torch::Tensor x);"',
                'cpp_sources=""',
                'cpp_sources="torch::Tensor f(torch::Tensor x);"',
            ),
            Example(
                "main.cpp:5:16: error: 'twice' was not declared in this scope",
                "twice is a CUDA kernel, and functions names host functions",
                23,
                'functions=["f"],',
                'functions=["f", "twice"],',
            ),
            Example(
                "main.cpp:5:16: error: 'backward' was not declared in this scope",
                "no function backward is defined",
                23,
                'functions=["f"],',
                'functions=["f", "backward"],',
            ),
        ),
    ),
    Rule(
        _kernels_in_cpp,
        (
            Example(
                "main.cpp:5:13: error: 'blockIdx' was not declared in this scope",
                "kernels stand in cpp_sources, which is compiled as C++ and not as CUDA",
                9,
                _SOURCES,
                "    cpp_sources=SOURCE,\n",
            ),
        ),
    ),
)
