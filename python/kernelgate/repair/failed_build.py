"""A failed build as the rules read it, and what one of them makes of an error.

In: nothing. Out: `FailedBuild`, `Explained`, and the name that an error says is not declared.
Not here: the rules (`repair.diagnostics`, `repair.known_errors`, `repair.syntax_errors`, `repair.call_errors`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kernelgate.messages.failures import CompilerFailed, Diagnostic
from kernelgate.program.candidate import Candidate
from kernelgate.repair.line_edits import rewritten
from kernelgate.repair.units import Units
from kernelgate.report.types import Edit, Place

_UNDECLARED = (
    re.compile(
        r"'(?P<name>[\w:]+)' (?:was not declared|has not been declared|does not name a type"
        r"|is not a member of|is not a namespace-name)"
    ),
    re.compile(r"identifier \"(?P<name>[\w:]+)\" is undefined"),
    re.compile(r"namespace \"[\w:]+\" has no member \"(?P<name>\w+)\""),
    re.compile(r"use of undeclared identifier '(?P<name>[\w:]+)'"),
    re.compile(r"(?P<name>)name (?:followed by \"::\" )?must be a (?:class or )?namespace(?: name)?"),
)

_NO_HEADER = (
    re.compile(r"^(?P<header>[\w./+-]+): No such file or directory"),
    re.compile(r"cannot open source file \"(?P<header>[^\"]+)\""),
    re.compile(r"^'(?P<header>[\w./+-]+)' file not found"),
)


@dataclass(frozen=True)
class Explained:
    """`about` ends the sentence "Does not compile: ...". `lacks`: the machine lacks what it names, and nothing of the
    program is wrong."""

    about: str
    place: Place
    next_step: str
    fix: str | None = None
    edit: Edit | None = None
    lacks: bool = False


@dataclass(frozen=True)
class FailedBuild:
    """`units` maps the lines of its `errors` to the person's."""

    candidate: Candidate
    failed: CompilerFailed
    errors: list[Diagnostic]
    units: Units


def explained(
    build: FailedBuild,
    error: Diagnostic,
    about: str,
    next_step: str,
    changed: str | None = None,
    place: Place | None = None,
    *,
    lacks: bool = False,
) -> Explained:
    """With the change as a fix, where there is one and the person's text shows its place. `place`: where it is not the
    error's own line."""
    if place is None:
        place = build.units.place(error) if error.line else build.units.argument_place("name")
    found = rewritten(build.candidate, changed) if changed is not None else None
    fix, edit = found or (None, None)
    return Explained(about, place, next_step, fix, edit, lacks)


def undeclared_name(error: Diagnostic) -> str | None:
    """The name that an error says is unknown; "" where it says so of a namespace without naming it."""
    for pattern in _UNDECLARED:
        found = pattern.search(error.message)
        if found is not None:
            return found.group("name")
    return None


def missing_header(error: Diagnostic) -> str | None:
    """The header that an error says is not there."""
    found = next(filter(None, (pattern.search(error.message) for pattern in _NO_HEADER)), None)
    return found.group("header") if found is not None else None
