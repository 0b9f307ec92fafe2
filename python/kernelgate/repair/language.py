"""Rules for C++ itself: a semicolon, and what a kernel or a call may not have.

In: a failed build and one of its errors. Out: `Explained`; None for another error. Not here: names (`names`).
"""

from __future__ import annotations

import re

from kernelgate.cuda_source import functions
from kernelgate.messages.failures import Diagnostic
from kernelgate.repair import rewrites
from kernelgate.repair.rule import Example, Explained, FailedBuild, Rule, explained, in_words

_NO_SEMICOLON = re.compile(r"expected (?:'[,}]' or )?(?:';'|a \";\")")
# What a statement that lacks its semicolon ends with; another end goes on in the next row.
_ENDS_STATEMENT = re.compile(r"(?:[\w\])\"']|\+\+|--)\s*$")
_NO_STATEMENT = re.compile(r"^\s*(?:#|(?:if|for|while|else|switch|template)\b)")


def _missing_semicolon(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """The row above the one that a compiler names, if that one ends as a statement does without its semicolon. g++ has
    a fix-it of its own for an expression, and none for a declaration."""
    if _NO_SEMICOLON.search(error.message) is None or not build.units.text(error):
        return None
    seen = functions.blank(build.units.source(error.unit)).split("\n")
    line = build.units.line(error)
    here = seen[line - 1]
    # g++ names the end of the statement itself, or what follows; nvcc what follows.
    begins = here[: max(0, error.column - 1)].strip() == "" and _NO_STATEMENT.match(here) is None
    rows = range(line - 1, 0, -1) if begins or error.column <= 1 else range(line, 0, -1)
    at = next((n for n in rows if seen[n - 1].strip()), None)
    if at is None or _NO_STATEMENT.match(seen[at - 1]) or not _ENDS_STATEMENT.search(seen[at - 1]):
        return None
    source = build.units.source(error.unit)
    row = build.candidate.source_line(source, at)
    changed = None
    if row is not None:
        shown, end = source.split("\n")[at - 1], len(seen[at - 1].rstrip())
        changed = rewrites.inserted_in_row(build.candidate, row, shown, end, ";")
    place = build.units.place_in(error.unit, at)
    return explained(build, error, "a semicolon is missing", "End this statement with ;", changed, place)


_NARROW = re.compile(r"\b(?P<name>(?:__)?half2?|__nv_bfloat16)\b")
_NO_OPERATOR = re.compile(r"no match for 'operator|no operator \"|no suitable|cannot convert|conversion")
_NARROW_FLAGS = {
    "half": ("HALF_OPERATORS", "HALF_CONVERSIONS"),
    "half2": ("HALF2_OPERATORS",),
    "nv_bfloat16": ("BFLOAT16_CONVERSIONS",),
}


def _narrow_operators(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """PyTorch builds with -D__CUDA_NO_HALF_OPERATORS__ and its like, which flags behind these take back. nvcc names the
    types of operands in lines of their own."""
    types = build.failed.log if error.message.startswith("no operator") else error.message
    found = _NARROW.search(types) if _NO_OPERATOR.search(error.message) else None
    if found is None:
        return None
    flags = [f"-U__CUDA_NO_{name}__" for name in _NARROW_FLAGS[found["name"].removeprefix("__")]]
    about = f"PyTorch's flags switch off CUDA's own operators and conversions of {found['name']}"
    changed = rewrites.with_cuda_flags(build.candidate, flags)
    return explained(build, error, about, f"Switch them on, in extra_cuda_cflags: {' '.join(flags)}", changed)


_CUDA_FLAGS = 'extra_cuda_cflags=["-O3", "--use_fast_math"'
_COUNT = "    int n = x.numel();"
_ELEMENT = "    if (i < n) y[i] = 2 * x[i];"

RULES = (
    Rule(
        _missing_semicolon,
        (
            Example(
                "cuda.cu:10:5: error: expected ',' or ';' before 'int'",
                "a semicolon is missing",
                13,
                "    auto y = torch::empty_like(x);",
                "    auto y = torch::empty_like(x)",
                "    auto y = torch::empty_like(x);",
            ),
            Example(
                'cuda.cu(11): error: expected a ";"',
                "a semicolon is missing",
                14,
                _COUNT,
                "    int n = x.numel()  // elements",
                "    int n = x.numel();  // elements",
            ),
            Example(
                'cuda.cu(11): error: expected a ";"', 'expected a ";"', 15, _COUNT, "    int n = x.numel() +"
            ),
        ),
    ),
    in_words(
        r"call to 'shared<|expression must have a constant value",
        "an array in a kernel has a size that is not constant",
        "Write its size as a constant, or make it extern __shared__ and pass its bytes at launch",
        Example(
            "cuda.cu(6): error: expression must have a constant value",
            "an array in a kernel has a size that is not constant",
            10,
            _ELEMENT,
            "    float s[n]; if (i < n) y[i] = s[i];",
        ),
    ),
    Rule(
        _narrow_operators,
        (
            Example(
                "cuda.cu:10:35: error: no match for 'operator+' (operand types are 'const __half' and 'const __half')",
                "PyTorch's flags switch off CUDA's own operators and conversions of __half",
                14,
                _CUDA_FLAGS,
                _CUDA_FLAGS,
                f'{_CUDA_FLAGS}, "-U__CUDA_NO_HALF_OPERATORS__", "-U__CUDA_NO_HALF_CONVERSIONS__"',
            ),
            Example(
                'cuda.cu(6): error: no suitable conversion function from "const __nv_bfloat16" to "float" exists',
                "PyTorch's flags switch off CUDA's own operators and conversions of __nv_bfloat16",
                10,
                _CUDA_FLAGS,
                _CUDA_FLAGS,
                f'{_CUDA_FLAGS}, "-U__CUDA_NO_BFLOAT16_CONVERSIONS__"',
            ),
        ),
    ),
    in_words(
        r"calling a (?:constexpr )?__host__ function\(\"(?P<name>[\w:~]+).*?\"\) from a __\w+__ function"
        r"\(\"(?P<caller>[\w:]+)",
        "{caller} calls {name}, which is for the host alone",
        "Declare {name} __device__ if it is yours: a library's function for the host cannot be called in a kernel",
        Example(
            'cuda.cu(6): error: calling a constexpr __host__ function("row_off") from a __device__ function("twice") '
            "is not allowed.",
            "twice calls row_off, which is for the host alone",
            10,
        ),
    ),
    in_words(
        r"(?:call of overloaded '|more than one instance of (?:overloaded )?function \"(?:\w+::)*)"
        r"(?P<name>\w+)(?:\(|\").*(?:is ambiguous|matches)",
        "the call of {name} fits several functions",
        "Convert its arguments to one type, or write the namespace of the one that is meant",
        Example(
            'cuda.cu(10): error: more than one instance of overloaded function "min" matches the argument list:',
            "the call of min fits several functions",
            14,
        ),
    ),
)
