"""Variables that hide a function of their name, or one of CUDA's own variables.

In: a failed build and one of its errors. Out: `Explained`, or None for another error. A certain change is given as a
fix; the judge proves it. Not here: names that are not declared (`repair.name_errors`).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from kernelgate.cuda_source import functions
from kernelgate.messages.failures import Diagnostic
from kernelgate.repair import rewrites
from kernelgate.repair.failed_build import Explained, FailedBuild, explained

_NO_FUNCTION = re.compile(
    r"'(?P<name>\w+)' cannot be used as a function|apparent call must have \(pointer-to-\) ?function type"
)
_OF_TWO_FLOATS = ("max", "min")


def _hidden_function(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """A variable that is called max, and then max of two numbers."""
    found, row, text = _NO_FUNCTION.search(error.message), build.units.row(error), build.units.text(error)
    if found is None:
        return None
    called = [found["name"]] if found["name"] else re.findall(r"(?<![\w:.])(\w+)\s*\(", text)
    above = "\n".join(functions.blank(build.units.source(error.unit)).split("\n")[: build.units.line(error)])
    for name in called:
        declared = re.search(rf"\b(?P<type>float|double|int|long|auto|unsigned|\w+_t)\s+{name}\s*[=;,{{]", above)
        if declared is None:
            continue
        instead = f"f{name}f" if name in _OF_TWO_FLOATS and declared["type"] == "float" else ""
        changed = None
        if row is not None and instead:
            changed = rewrites.replaced_in_statement(build.candidate, row, rf"(?<![\w:.]){name}(?=\s*\()", instead)
        step = f"Write {instead}(a, b), or rename the variable" if instead else "Rename the variable"
        return explained(build, error, f"{name} is a variable here, and hides the function", step, changed)
    return None


_NO_CLASS = re.compile(r"of non-class type|expression must have (?:a )?class type")
_OF_CUDA = {
    "blockDim": "block_size",
    "gridDim": "blocks",
    "blockIdx": "block",
    "threadIdx": "thread",
    "warpSize": "warp",
}


def _hidden_variable_of_cuda(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """`int blockDim = blockDim.x;`: the new variable is what its own value names."""
    found = re.search(rf"\b({'|'.join(_OF_CUDA)})\s*=\s*\1\b", build.units.text(error))
    if found is None or _NO_CLASS.search(error.message) is None:
        return None
    name, source = found[1], build.units.source(error.unit)
    changed = None
    if not re.search(rf"\b{_OF_CUDA[name]}\b", source):
        changed = rewrites.replaced_in_source(build.candidate, source, rf"\b{name}\b(?!\s*\.)", _OF_CUDA[name])
    about = f"a variable is called {name}, and hides CUDA's own"
    return explained(build, error, about, "Rename the variable", changed)


HIDDEN_NAMES: tuple[Callable[[FailedBuild, Diagnostic], Explained | None], ...] = (
    _hidden_function,
    _hidden_variable_of_cuda,
)
"""In order; the first that knows an error explains it."""
