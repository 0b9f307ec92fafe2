"""Rules for slips of the pen: a semicolon that is missing, and a name that is nearly one that g++ knows.

In: a failed build and one of its errors. Out: `Explained`; None for another error. Not here: names that need an include
(`names`).
"""

from __future__ import annotations

import difflib
import re

from kernelgate.cuda_source import functions
from kernelgate.messages.failures import Diagnostic
from kernelgate.program.candidate import Candidate
from kernelgate.repair.rule import Example, Explained, FailedBuild, Rule, explained

_MOST_ROWS = 20  # of one statement
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
    within = here[: max(0, error.column - 1)].strip() != ""  # behind what is there of the statement
    begins = not within and _NO_STATEMENT.match(here) is None
    rows = range(line - 1, 0, -1) if begins or error.column <= 1 else range(line, 0, -1)
    at = next((n for n in rows if seen[n - 1].strip()), None)
    if at is None or not _ENDS_STATEMENT.search(seen[at - 1]):
        return None
    if _NO_STATEMENT.match(seen[at - 1]) and not within:
        return None
    source = build.units.source(error.unit)
    row = build.candidate.source_line(source, at)
    changed = None
    if row is not None:
        shown, end = source.split("\n")[at - 1], len(seen[at - 1].rstrip())
        changed = _inserted_in_row(build.candidate, row, shown, end, ";")
    place = build.units.place_in(error.unit, at)
    return explained(build, error, "a semicolon is missing", "End this statement with ;", changed, place)


def _inserted_in_row(candidate: Candidate, row: int, shown: str, at: int, text: str) -> str | None:
    """`text` in a row of C++ behind its first `at` characters. `shown`: the row as the compiler read it; the Python has
    it as it stands, if no escape is in it."""
    rows = candidate.python.split("\n")
    begin = rows[row - 1].find(shown) if rows[row - 1].count(shown) == 1 else -1
    if begin < 0:
        return None
    rows[row - 1] = rows[row - 1][: begin + at] + text + rows[row - 1][begin + at :]
    return "\n".join(rows)


_GUESS = re.compile(
    r"'(?:\w+::)*(?P<name>[A-Za-z_]\w+)' (?!has no member).*; did you mean '(?P<meant>[\w:]+)'\?$"
)


def _suggested(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """A name that is nearly one that g++ knows, or that it knows in a namespace."""
    found, row = _GUESS.search(error.message), build.units.row(error)
    if found is None or row is None:
        return None
    name, meant = found["name"], found["meant"]
    within = meant.endswith(f"::{name}")
    # One letter differs in too many names for a guess at a short one.
    if not within and not difflib.get_close_matches(name, [meant], cutoff=0.75 if len(name) > 3 else 0.85):
        return None
    changed = _in_statement(build.candidate, row, name, meant)
    if within:
        return explained(build, error, f"{name} needs its namespace", f"Write {meant}", changed)
    about = f"{name} is not declared; likely cause: {meant} is meant"
    return explained(build, error, about, f"Write {meant}, or declare {name} before this line", changed)


def _in_statement(candidate: Candidate, row: int, name: str, meant: str) -> str:
    """The other name in a row of C++ and those that follow it, to the end of the statement."""
    rows = candidate.python.split("\n")
    last = next((at for at in range(row, len(rows) + 1) if ";" in rows[at - 1]), row)
    until = min(last, row + _MOST_ROWS)
    changed = re.sub(rf"(?<![\w:.>]){name}\b", meant, "\n".join(rows[row - 1 : until]))
    return "\n".join([*rows[: row - 1], changed, *rows[until:]])


_COUNT = "    int n = x.numel();"
_GRID = "twice<<<(n + 255) / 256"

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
                "cuda.cu:6:31: error: expected ';' before '}' token",
                "a semicolon is missing",
                10,
                "    if (i < n) y[i] = 2 * x[i];",
                "    if (i < n) y[i] = 2 * x[i]",
                "    if (i < n) y[i] = 2 * x[i];",
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
    Rule(
        _suggested,
        (
            Example(
                "cuda.cu:11:60: error: 'm' was not declared in this scope",
                "'m' was not declared in this scope",
                15,
                _GRID,
                "twice<<<(m + 255) / 256",
            ),
            Example(
                "cuda.cu:9:14: error: 'zeros' was not declared in this scope; did you mean 'at::zeros'?",
                "zeros needs its namespace",
                13,
                "    auto y = torch::empty_like(x);",
                "    auto y = zeros(x.sizes(), x.options());",
                "    auto y = at::zeros(x.sizes(), x.options());",
            ),
        ),
    ),
)
