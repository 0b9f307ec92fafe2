"""What an evaluation is asked: candidates, each with its problem and the options of its run.

In: plain JSON, as a person or a program writes it. Out: `Asked`, a job or why there is none.
Not here: which files of a folder are candidates (`evaluation.found`), judging (`evaluation.conduct`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

import msgspec

from kernelgate.commands.option_table import job_of, rows
from kernelgate.commands.program_files import read_program
from kernelgate.commands.references import with_reference
from kernelgate.messages.job import Job, UsageError, Verb, suggestion

RUN_S = 900.0
"""How long a run of an evaluation may take, if nobody said: nobody waits for it who could end it."""
_NOT_OF = {"problem": {"inputs", "sizes"}, "reference": {"shape"}}
"""Options that a problem of the catalogue, or a reference, does not take."""
_FIELDS = ("name", "candidate", "label", "problem", "reference", "verb", "options")


@dataclass(frozen=True)
class Asked:
    """One candidate. `name`: what its row is called. `job` is None if there is none, and `error` says why.
    `source`: what it is called where it comes from, as plain JSON: `definition`, `solution`, `workload`.
    `file`: where its text lies, as the person named it; "" if it was given as text."""

    name: str
    job: Job | None
    error: str = ""
    source: Mapping[str, Any] = field(default_factory=dict)
    file: str = ""

    @property
    def key(self) -> str:
        """The same for the same question, in every session: of name, program, problem and options."""
        plain = {} if self.job is None else msgspec.to_builtins(self.job)
        said = {key: value for key, value in plain.items() if key not in ("run", "cache")}
        written = msgspec.json.encode(
            {"name": self.name, "job": said, "error": self.error}, order="deterministic"
        )
        return hashlib.sha256(written).hexdigest()[:32]


def asked(
    name: str,
    text: str,
    options: Mapping[str, Any],
    verb: Verb = "verify",
    label: str | None = None,
    *,
    first_line: int = 1,
    source: Mapping[str, Any] | None = None,
) -> Asked:
    """A candidate's text with options by their names in Python. What is wrong with them becomes its error."""
    try:
        known = [row.name for row in rows(verb=verb)]
        for option in options:
            if option not in known:
                raise UsageError(f"{verb} takes no {option}", suggestion(option, known))
        written, reference = with_reference(options, text)
        label = label or Path(name).name
        job = job_of(written, verb, text, label, first_line=first_line, reference=reference)
    except UsageError as exc:
        return Asked(name, None, str(exc))
    job.awaited = False
    if "timeout" not in options:
        job.limits = msgspec.structs.replace(job.limits, run_s=RUN_S)
    return Asked(name, job, source=source or {})


def asked_as_json(
    written: Mapping[str, Any],
    number: int,
    folder: Path,
    usual: Mapping[str, Any],
    usual_verb: Verb = "verify",
) -> Asked:
    """A job as plain JSON: `candidate`, a text or a file; `problem` or `reference`; further `options`; `name`.

    `number`: which one it is, from 1. `folder`: where its files are. `usual`: options of all jobs.
    """
    name = str(written.get("name") or f"job {number}") if isinstance(written, Mapping) else f"job {number}"
    try:
        text, label, file = _candidate(written, folder)
        verb = written.get("verb", usual_verb)
        if verb not in get_args(Verb):
            raise UsageError(f"There is no verb {verb!r}", suggestion(str(verb), get_args(Verb)))
        own = written.get("options", {})
        if not isinstance(own, Mapping):
            raise UsageError("options is no object", 'Write it as {"device": "emulated"}')
    except UsageError as exc:
        return Asked(name, None, str(exc))
    options = {**usual, **own}
    for named in ("problem", "reference"):
        if named in written:
            # An option of all jobs may be of their usual problem alone.
            dropped = {"problem", "reference", *(_NOT_OF[named] - set(own))}
            options = {key: value for key, value in options.items() if key not in dropped}
    options |= {key: written[key] for key in ("problem", "reference") if key in written}
    options = _reference_in(options, folder)
    if "name" not in written:
        name = label
    return replace(asked(name, text, options, verb, Path(label).name), file=file)


def _candidate(written: Any, folder: Path) -> tuple[str, str, str]:
    """Text, label and file. Raises UsageError."""
    if not isinstance(written, Mapping):
        raise UsageError("A job is no object", 'Write it as {"candidate": "mine.py", "problem": "leakyrelu"}')
    for key in written:
        if key not in _FIELDS:
            raise UsageError(f"A job has no {key}", suggestion(str(key), _FIELDS))
    candidate = written.get("candidate")
    if not isinstance(candidate, str) or not candidate.strip():
        raise UsageError("A job has no candidate", "Give a program's text, or the name of a file")
    if "\n" in candidate.strip():
        return candidate, str(written.get("label") or "program"), ""
    file = str(folder / candidate)
    return read_program(file), str(written.get("label") or candidate), file


def _reference_in(options: dict[str, Any], folder: Path) -> dict[str, Any]:
    """A reference that is a file of the folder is named from here."""
    reference = options.get("reference")
    if isinstance(reference, str) and reference.endswith(".py") and "\n" not in reference:
        return {**options, "reference": str(folder / reference)}
    return options


def limit_s(job: Job) -> float:
    """By when a run has ended, seconds after its start: its own limit, and what it takes to start and to end."""
    limits = job.limits
    return (limits.run_s or limits.build_s + 100 * limits.call_s) + 300.0
