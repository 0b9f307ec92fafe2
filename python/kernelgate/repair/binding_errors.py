"""Errors of PYBIND11_MODULE: a name that it binds and its source does not declare, or that `functions` binds as well.

In: a failed build and one of its errors. Out: `Explained`, or None for another error. A certain change is given as a
fix; the judge proves it. Not here: what `functions` lists (`repair.diagnostics`).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from kernelgate.cuda_source import functions
from kernelgate.messages.failures import Diagnostic
from kernelgate.repair import rewrites
from kernelgate.repair.failed_build import Explained, FailedBuild, explained, undeclared_name
from kernelgate.repair.insertion import insertion
from kernelgate.repair.line_edits import rewritten
from kernelgate.repair.load_inline_fixes import as_cuda
from kernelgate.repair.python_places import replaced


def misnamed_extension(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """The name of the module that `functions` makes is no name of C++. The build says so in other words."""
    name = build.failed.extension
    if not build.failed.functions or not name or name.isidentifier():
        return None
    call = build.candidate.extension(name, build.failed.call_line)
    plain = re.sub(r"\W|^(?=\d)", "_", name)
    literal = call.literals.get("name", ()) if call is not None else ()
    changed = replaced(build.candidate.python, literal, f'"{plain}"') if len(literal) == 1 else None
    about = f"{name} is no name for an extension: it may have letters, digits and _ alone"
    return explained(build, error, about, f"Name it {plain}", changed, build.units.argument_place("name"))


_TWO_MODULES = re.compile(r"(?:redefinition|multiple definition) of .*?(?:PyInit_|pybind11_init|pybind11_module)")


def functions_beside_module(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """`functions` makes a module, and the source has one of its own. Where cpp_sources declares nothing, the one that
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
    place = build.units.argument_place("functions")
    return explained(build, error, about, "Leave functions out", changed, place)


def undeclared_in_module(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """`m.def("f", &f)` where the source declares no f: the other source defines it, or another name is meant."""
    name = undeclared_name(error)
    if not name or not re.search(rf"\bdef\s*\(.*&\s*(?:\w+::)*{name}\b", build.units.text(error)):
        return None
    hosts = [
        each
        for each in functions.functions(f"{build.failed.cpp_sources}\n{build.failed.cuda_sources}")
        if each.kind == "host" and each.defined and not each.hidden and not each.namespaces
    ]
    same = {each.prototype for each in hosts if each.name == name}
    if len(same) == 1 and error.unit == "main.cpp":
        return _defined_in_the_other(build, error, name, same.pop())
    known = list(dict.fromkeys(each.name for each in hosts))
    near = difflib.get_close_matches(name, known, n=2, cutoff=0.5) or known
    about = f"PYBIND11_MODULE binds {name}, and no function has that name"
    if len(near) != 1:
        step = f"Bind the function that is meant, or define {name}"
        return explained(build, error, about, step)
    changed = rewrites.replaced_in_source(
        build.candidate, build.units.source(error.unit), rf"&\s*{name}\b", f"&{near[0]}"
    )
    return explained(build, error, about, f"Bind {near[0]}, which the source defines", changed)


def _defined_in_the_other(build: FailedBuild, error: Diagnostic, name: str, prototype: str) -> Explained:
    call = build.candidate.extension(build.failed.extension, build.failed.call_line)
    return Explained(
        f"cpp_sources declares no {name}, which PYBIND11_MODULE binds",
        build.units.place(error),
        "Add this declaration to cpp_sources, above PYBIND11_MODULE",
        prototype,
        insertion(build.candidate, call, "cpp_sources", prototype, "top"),
    )


def misnamed_declaration(
    build: FailedBuild, name: str, hosts: Sequence[functions.Function]
) -> Explained | None:
    """The one declaration in cpp_sources that nothing defines, and that has the parameters of `name`."""
    sources = (build.failed.cpp_sources, build.failed.cuda_sources)
    known = [each for text in sources for each in functions.functions(text)]
    defined = {each.name for each in known if each.defined}
    undefined = [each for each in functions.functions(sources[0]) if each.name not in defined]
    if len(undefined) != 1 or len(hosts) != 1:
        return None
    other = undefined[0]
    if [each.type for each in other.parameters] != [each.type for each in hosts[0].parameters]:
        return None
    changed = rewrites.replaced_in_source(build.candidate, sources[0], rf"\b{other.name}(?=\s*\()", name)
    found = rewritten(build.candidate, changed) if changed is not None else None
    return Explained(
        f"cpp_sources declares {other.name}, which nothing defines, and no {name}",
        build.units.place_in("main.cpp", other.line),
        f"Name it {name} in cpp_sources",
        *(found or (None, None)),
    )


_DEFINED_TWICE = re.compile(r"multiple definition of [`'](?:\w+::)*(?P<name>\w+)\(")


def defined_twice(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """A function that cpp_sources defines beside cuda_sources, where it should only declare it."""
    found = _DEFINED_TWICE.search(error.message)
    if found is None or error.line:
        return None
    name, source = found["name"], build.failed.cpp_sources
    both = [
        [each for each in functions.functions(text) if each.name == name and each.defined]
        for text in (source, build.failed.cuda_sources)
    ]
    if [len(each) for each in both] != [1, 1]:
        return None
    changed = rewrites.declared_only(build.candidate, source, both[0][0])
    return explained(
        build,
        error,
        f"cpp_sources and cuda_sources both define {name}",
        f"Let cpp_sources declare {name} only",
        changed,
        build.units.place_in("main.cpp", both[0][0].line),
    )


# The second is what emulation's compiler says, whose headers have the words of the first.
_OF_KERNELS = re.compile(
    r"'?__(?:global|device|shared)__'? (?:does not name a type|was not declared|is undefined)"
    r"|'(?:threadIdx|blockIdx|blockDim|gridDim)' was not declared"
)


def kernels_in_cpp(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """Kernels that stand in cpp_sources, which is compiled for the host alone."""
    if error.unit != "main.cpp" or _OF_KERNELS.search(error.message) is None:
        return None
    call = build.candidate.extension(build.failed.extension, build.failed.call_line)
    changed = as_cuda(build.candidate, call.line) if call is not None else None
    about = "kernels stand in cpp_sources, which is compiled as C++ and not as CUDA"
    step = "Pass this source as cuda_sources, and declare in cpp_sources what functions names"
    return explained(build, error, about, step, changed)
