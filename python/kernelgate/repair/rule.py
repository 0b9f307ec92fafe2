"""What a rule of repair is: an error that a compiler reports, what is said of it, and the change that removes it.

In: nothing. Out: `Rule`, `FailedBuild`, `Explained`, and what an error names. Not here: the rules (`bindings`,
`names`, `words`), their order (`diagnostics`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from kernelgate.messages.failures import CompilerFailed, Diagnostic
from kernelgate.program.candidate import Candidate
from kernelgate.repair.compiler_log import Units
from kernelgate.repair.edits import rewritten
from kernelgate.report.types import Edit, Place

_UNDECLARED = (
    re.compile(
        r"'(?P<name>[\w:]+)'(?: in namespace '[\w:]+')? (?:was not declared|has not been declared"
        r"|does not name a type|is not a member of|is not a namespace-name)"
    ),
    re.compile(r"identifier \"(?P<name>[\w:]+)\" is undefined"),
    re.compile(r"namespace \"[\w:]+\" has no member \"(?P<name>\w+)\""),
    re.compile(r"use of undeclared identifier '(?P<name>[\w:]+)'"),
    re.compile(r"(?P<name>)name (?:followed by \"::\" )?must be a (?:class or )?namespace(?: name)?"),
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


@dataclass(frozen=True)
class Example:
    """What a compiler prints of the tests' program with `wrong` in place of `right`, and what is said of it: `says`
    ends the sentence, `line` is the program's. `fixed`: what the fix makes of `wrong`; None if no fix is certain."""

    log: str
    says: str
    line: int
    right: str = ""
    wrong: str = ""
    fixed: str | None = None


@dataclass(frozen=True)
class Rule:
    """`explain` gives None for another error. It gives a change only if it certainly removes the error named; the judge
    proves it. Each example states somebody's need."""

    explain: Callable[[FailedBuild, Diagnostic], Explained | None]
    examples: tuple[Example, ...]


def in_words(message: str, about: str, step: str, *examples: Example, lacks: bool = False) -> Rule:
    """A rule without a change. `about` and `step` are formatted with the groups of `message`."""
    pattern = re.compile(message)

    def explain(build: FailedBuild, error: Diagnostic) -> Explained | None:
        found = pattern.search(error.message)
        if found is None:
            return None
        said, next_step = (words.format_map(found.groupdict()) for words in (about, step))
        return explained(build, error, said, next_step, lacks=lacks)

    return Rule(explain, examples)


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
    """With the change as a fix, if there is one and the person's text shows its place. `place`: if it is not the line
    of the error."""
    if place is None:
        place = build.units.place(error) if error.line else build.units.argument_place("name")
    found = rewritten(build.candidate, changed) if changed is not None else None
    fix, edit = found or (None, None)
    return Explained(about, place, next_step, fix, edit, lacks)


def undeclared_name(error: Diagnostic) -> str | None:
    """The name that an error says is unknown; "" if it says so of a namespace without naming it."""
    for pattern in _UNDECLARED:
        found = pattern.search(error.message)
        if found is not None:
            return found.group("name")
    return None
