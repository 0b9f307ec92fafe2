"""Errors of C++'s syntax, whose cause stands before the place that a compiler names: a semicolon, a brace, a name.

In: a failed build and one of its errors. Out: `Explained`, or None for another error. A certain change is given as a
fix; the judge proves it. Not here: other errors (`repair.known_errors`).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from kernelgate.cuda_source import functions
from kernelgate.messages.failures import Diagnostic
from kernelgate.program.lookalikes import first_in, plain
from kernelgate.repair import rewrites
from kernelgate.repair.failed_build import Explained, FailedBuild, explained
from kernelgate.repair.insertion import insertion

_NO_SEMICOLON = re.compile(r"expected (?:'[,}]' or )?(?:';'|a \";\")")
# What a statement that lacks its semicolon ends with; another end goes on in the next row.
_ENDS_STATEMENT = re.compile(r"(?:[\w\])\"']|\+\+|--)\s*$")
_NO_STATEMENT = re.compile(r"^\s*(?:#|(?:if|for|while|else|switch|template)\b)")


def _missing_semicolon(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """The row above the one that a compiler names, where that one ends as a statement does without its semicolon."""
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
        changed = rewrites.inserted_in_row(
            build.candidate, row, source.split("\n")[at - 1], len(seen[at - 1].rstrip()), ";"
        )
    place = build.units.place_in(error.unit, at)
    return explained(build, error, "a semicolon is missing", "End this statement with ;", changed, place)


_STRANGE = re.compile(r"extended character|stray '|unrecognized token|not valid in an identifier|unexpected character")


def _lookalike(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """A character that only looks like one of C++: a no-break space, a multiplication sign, a curly quotation mark."""
    name, row = first_in(build.units.text(error)), build.units.row(error)
    if not name or _STRANGE.search(error.message) is None:
        return None
    changed = None
    if row is not None:
        changed = rewrites.replaced_in_row(build.candidate, row, r".+", lambda found: plain(found[0]))
    return explained(build, error, f"C++ has no {name}", "Write the character of the keyboard", changed)


_NO_DECLARATOR = re.compile(r"expected (?:initializer|';'|',' or ';')|expected a \";\"")


def _declaration_without_semicolon(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """cpp_sources ends with a declaration that lacks its semicolon: the error is in what load_inline puts behind it."""
    source = build.failed.cpp_sources.rstrip()
    if error.unit != "main.cpp" or not source.endswith(")") or _NO_DECLARATOR.search(error.message) is None:
        return None
    at = source.count("\n") + 1
    row = build.candidate.source_line(build.failed.cpp_sources, at)
    shown = source.split("\n")[-1]
    changed = None
    if row is not None:
        changed = rewrites.inserted_in_row(build.candidate, row, shown, len(shown), ";")
    about, step = "a semicolon is missing at the end of cpp_sources", "End the declaration with ;"
    return explained(build, error, about, step, changed, build.units.place_in("main.cpp", at))


_WITHIN_FUNCTION = re.compile(
    r"function-definition is not allowed here|function definition is not allowed here"
)


def _unclosed_function(build: FailedBuild, error: Diagnostic) -> Explained | None:
    if _WITHIN_FUNCTION.search(error.message) is None:
        return None
    about = "a function begins before the one above it has ended"
    return explained(build, error, about, "Close the function above this line: a } is missing in it")


_ENDS_TOO_EARLY = re.compile(r"expected '\}' at end of input|expected a \"\}\"|expected '\}'$")


def _unclosed_at_end(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """The last function of a source lacks its last brace."""
    if _ENDS_TOO_EARLY.search(error.message) is None or error.unit not in ("main.cpp", "cuda.cu"):
        return None
    seen = functions.blank(build.units.source(error.unit))
    if seen.count("{") != seen.count("}") + 1:
        return None
    argument = "cuda_sources" if error.unit == "cuda.cu" else "cpp_sources"
    call = build.candidate.extension(build.failed.extension, build.failed.call_line)
    edit = insertion(build.candidate, call, argument, "}", "end")
    return Explained(
        "the source ends within a function",
        build.units.place(error),
        "Close the last function with }",
        "}",
        edit,
    )


_UNTERMINATED = re.compile(r"unterminated argument list invoking macro \"(?P<name>\w+)\"")


def _unterminated_macro(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """A macro's call that no parenthesis closes: the lambda of AT_DISPATCH ends with `});`, and opens with `([&] {`."""
    found = _UNTERMINATED.search(error.message)
    if found is None:
        return None
    name, source = found["name"], build.units.source(error.unit)
    seen = functions.blank(source)
    for call in re.finditer(rf"\b{name}\s*\(", seen):
        if functions.closing(seen, call.end() - 1) < len(seen):
            continue
        line = functions.line_at(source, call.start())
        row = build.candidate.source_line(source, line)
        end = re.search(r"\}\s*\)\s*;", seen[call.end() :])
        changed = None
        if row is not None and end is not None:
            last = row + seen[call.start() : call.end() + end.start()].count("\n")
            changed = rewrites.replaced_in_statement(build.candidate, last, r"\}\s*\)\s*;", "}));")
        return explained(
            build,
            error,
            f"the arguments of {name} are not closed",
            "Write as many ) as ( : its lambda ends with }));",
            changed,
            build.units.place_in(error.unit, line),
        )
    return None


_NO_EXPRESSION = re.compile(r"expected (?:primary-expression|an expression|unqualified-id)")
_NAMELESS = r"(\bAT_DISPATCH_\w+\s*\((?:[^;{}\"]*?,)?\s*[\w.\->]+\(\)\s*,\s*)(?=\(?\s*\[)"


def _dispatch_without_name(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """AT_DISPATCH with a type and a lambda, and without the name between them."""
    row = build.units.row(error) if _NO_EXPRESSION.search(error.message) else None
    if row is None or "AT_DISPATCH" not in build.units.text(error):
        return None
    line = build.units.line(error)
    around = [
        f for f in functions.functions(build.units.source(error.unit)) if f.kind == "host" and f.line <= line
    ]
    name = around[-1].name if around else "forward"
    changed = rewrites.replaced_in_statement(build.candidate, row, _NAMELESS, rf'\g<1>"{name}", ')
    if changed is None:
        return None
    about = "AT_DISPATCH is given no name between its type and its lambda"
    return explained(build, error, about, f'Write "{name}" as its second argument', changed)


_TUTORIAL_MACROS = re.compile(
    r"'?\"?(?P<name>CHECK_(?:INPUT|CUDA|CONTIGUOUS|DIM|SHAPE|TYPE))['\"] (?:was not declared|is undefined)"
)


def _tutorial_macro(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """A macro that PyTorch's tutorials define, and that no header has."""
    found = _TUTORIAL_MACROS.search(error.message)
    if found is None:
        return None
    step = f"Define {found['name']} at the top of the source, or write TORCH_CHECK here"
    return explained(build, error, f"{found['name']} is a macro that no header defines", step)


_NO_TYPE = re.compile(r"forbids declaration of '(?P<name>\w+)' with no type|explicit type is missing")


def _no_return_type(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """A definition without the type that it returns, which its declaration in cpp_sources has."""
    found = _NO_TYPE.search(error.message)
    named = re.match(r"\s*(\w+)\s*\(", build.units.text(error)) if found is not None else None
    if found is None or named is None:
        return None
    name, row = found["name"] or named[1], build.units.row(error)
    types = {each.returns for each in functions.functions(build.failed.cpp_sources) if each.name == name}
    about = f"{name} is defined without the type that it returns"
    if row is None or len(types) != 1:
        return explained(build, error, about, f"Write its type before it, as torch::Tensor {name}(...)")
    type_ = types.pop()
    changed = rewrites.replaced_in_row(build.candidate, row, rf"\b(?={name}\s*\()", f"{type_} ")
    return explained(build, error, about, f"Write {type_} {name}(...)", changed)


SYNTAX_ERRORS: tuple[Callable[[FailedBuild, Diagnostic], Explained | None], ...] = (
    _lookalike,
    _declaration_without_semicolon,
    _missing_semicolon,
    _unclosed_function,
    _unclosed_at_end,
    _unterminated_macro,
    _dispatch_without_name,
    _tutorial_macro,
    _no_return_type,
)
"""In order; the first that knows an error explains it."""
