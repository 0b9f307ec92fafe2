"""The words of a command line or of a magic, read by one table of options.

In: the words after a verb or a magic. Out: options by name. A mistake is a UsageError, never an exit of the process.
No option is ignored in silence: what was asked of a run that takes times, where it took none, is said (`undone`).
Not here: which options there are (`commands.option_table`), which program is meant, a file or a cell.
"""

from __future__ import annotations

import argparse
import difflib
import typing
from collections.abc import Mapping
from typing import Any, NoReturn

from kernelgate.commands.option_table import OPTIONS, Row, rows
from kernelgate.messages.job import Verb, suggestion
from kernelgate.messages.option import Use
from kernelgate.report import Report
from kernelgate.run import UsageError


class Parser(argparse.ArgumentParser):
    """A parser whose mistakes are UsageErrors with a next step; `help_hint` says where the options are listed."""

    def __init__(self, *, help_hint: str = "", **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)
        self.help_hint = help_hint or f"See {self.prog} --help"

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse's, except that a word which is not known is refused here, where its neighbours are known."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            raise self._unknown(unknown[0])
        return found, unknown

    def error(self, message: str) -> NoReturn:
        raise UsageError(message[:1].upper() + message[1:], self.help_hint)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            raise UsageError(f"There is no {action.dest} {value!r}", suggestion(value, list(action.choices)))

    def _unknown(self, word: str) -> UsageError:
        if not word.startswith("-"):
            return UsageError(f"{word!r} is one word too many", self.help_hint)
        known = [option for action in self._actions for option in action.option_strings]
        close = difflib.get_close_matches(word.split("=")[0], known, n=1)
        return UsageError(
            f"There is no option {word}", f"Did you mean {close[0]}?" if close else self.help_hint
        )


_GROUPS: dict[Use, str] = {"source": "against what", "every": "how", "timing": "how it is timed"}


def add_options(parser: argparse.ArgumentParser, *uses: Use, verb: Verb) -> None:
    """The options of those uses that a run of `verb` has; one that is not given leaves nothing in the namespace."""
    for use, title in _GROUPS.items():
        found = rows(use, verb=verb) if not uses or use in uses else []
        group = parser.add_argument_group(title) if found else parser
        for row in found:
            group.add_argument(row.flag, dest=row.name, default=argparse.SUPPRESS, help=row.help, **_form(row))


def _form(row: Row) -> dict[str, Any]:
    """How argparse reads the words of an option."""
    kinds = typing.get_args(row.kind) or (row.kind,)
    if bool in kinds:
        return {"action": "store_true" if len(kinds) == 1 else argparse.BooleanOptionalAction}
    metavar = row.option.metavar or row.name.upper()
    number = next((kind for kind in (int, float) if kind in kinds), None)
    return {
        "metavar": metavar,
        **({"action": "append"} if row.option.repeats else {}),
        **({"type": number} if number is not None else {}),
    }


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """Where the report goes."""
    group = parser.add_argument_group("output")
    group.add_argument("--json", action="store_true", help="print the report as JSON")
    group.add_argument("--for-model", action="store_true", help="print it for a model: at most 600 tokens")
    group.add_argument("--html", metavar="FILE", help="write the report as a page")


def written_options(args: argparse.Namespace) -> dict[str, Any]:
    """The options of a run that were given, by name."""
    return {name: value for name, value in vars(args).items() if name in OPTIONS}


def undone(written: Mapping[str, Any], report: Report) -> list[str]:
    """A sentence for the file that is not written, and one for the other options. `written`: options by name."""
    timing = report.timing
    if timing is not None and timing.rows:
        return []
    flags = [OPTIONS[name].flag for name in written if OPTIONS[name].option.use == "timing" and name != "trace"]
    why = f"nothing was timed{f', as {timing.note}' if timing is not None and timing.note else ''}"
    files = [f"{written['trace']} is not written: {why}"] if written.get("trace") else []
    return [*files, *([f"{' and '.join(flags)} did nothing: {why}"] if flags else [])]
