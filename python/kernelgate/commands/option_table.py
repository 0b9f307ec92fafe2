"""The options of a run as a table, made from the fields of `Job`: what parser, job, completion and signatures share.

In: nothing. Out: `OPTIONS` by name, and a job from what a person wrote.
Not here: words on a command line (`commands.options`), calls from Python (`notebook.running`).
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from kernelgate.catalogue import operators
from kernelgate.commands.program_files import check_writable
from kernelgate.commands.references import Reference
from kernelgate.messages.job import Job, Passage, Verb, checked, suggestion
from kernelgate.messages.option import Option, Use
from kernelgate.program import Source
from kernelgate.report.wording import lower_first, upper_first
from kernelgate.run import UsageError, new_run_id


@dataclass(frozen=True)
class Row:
    """An option under the name that it has in Python. `kind`: the type of what a person writes there."""

    name: str
    field: str
    kind: Any
    default: Any
    option: Option

    @property
    def flag(self) -> str:
        return self.option.flag or f"--{self.name.replace('_', '-')}"

    def value(self, written: Any) -> Any:
        """The field's value. Raises UsageError."""
        if self.option.read is not None:
            written = self.option.read(written)
        elif written is None and self.default is None:
            return _FIELDS[self.field].default
        try:
            return msgspec.convert(written, _FIELDS[self.field].type, strict=False)
        except msgspec.ValidationError as exc:
            if self.values and isinstance(written, str):
                raise UsageError(f"There is no {self.name} {written!r}", suggestion(written, self.values)) from None
            what = f"{self.name} cannot be {written!r}: {lower_first(str(exc))}"
            raise UsageError(what, upper_first(self.help)) from None

    @property
    def values(self) -> tuple[str, ...]:
        """What it may be, where that can be listed."""
        return tuple(operators()) if self.name == "problem" else self.option.values

    @property
    def help(self) -> str:
        """What it does, in a line."""
        ids = f": {', '.join(self.values)}" if self.name == "problem" else ""
        return f"{self.option.help}{ids}"

    @property
    def parameter(self) -> inspect.Parameter:
        """As it stands in a signature."""
        kind = inspect.Parameter.KEYWORD_ONLY
        return inspect.Parameter(self.name, kind, default=self.default, annotation=self.kind)


_FIELDS = {field.name: field for field in msgspec.structs.fields(Job)}


def _rows() -> dict[str, Row]:
    rows = {}
    for name, hint in typing.get_type_hints(Job, include_extras=True).items():
        option = next((one for one in getattr(hint, "__metadata__", ()) if isinstance(one, Option)), None)
        if option is None:
            continue
        kind = hint.__origin__ if option.written is None else option.written
        default = _FIELDS[name].default if option.default is ... else option.default
        row = Row(option.name or name, name, kind, default, option)
        rows[row.name] = row
    return rows


OPTIONS = _rows()
OURS = "our program"
"""How the catalogue's program is called."""


def rows(*uses: Use, verb: Verb = "profile") -> list[Row]:
    """The options of those uses, without those that take times where `verb` takes none."""
    found = [row for row in OPTIONS.values() if not uses or row.option.use in uses]
    return [row for row in found if verb != "verify" or row.option.use != "timing"]


def job_of(
    written: Mapping[str, Any],
    verb: Verb,
    text: str,
    label: str,
    *,
    first_line: int = 1,
    above: Sequence[Source] = (),
    cell_id: str | None = None,
    ours: bool = False,
    reference: Reference | None = None,
) -> Job:
    """A run of the program `text`, which begins at line `first_line` of the person's cell, below passages of other
    cells, with options by name. `ours`: it is the catalogue's.

    Raises UsageError.
    """
    fields = {OPTIONS[name].field: OPTIONS[name].value(value) for name, value in written.items()}
    job = Job(
        run=new_run_id(),
        text=text,
        label=label,
        first_line=first_line,
        above=tuple(Passage(one.text, one.label, one.first_line) for one in above),
        cell_id=cell_id,
        ours=ours,
        verb=verb,
        reference_label=reference.label if reference is not None else "",
        reference_first_line=reference.first_line if reference is not None else 1,
        **fields,
    )
    if job.trace:
        check_writable(job.trace)
        job.trace = str(Path(job.trace).resolve())  # a run may work elsewhere
    return checked(job)
