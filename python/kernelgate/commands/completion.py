"""What completes the `kernelgate` command in a shell, made from its parser: subcommands, options and their values.

In: the parser. Out: a script for bash, zsh or fish, which shtab writes. Not here: completion in a notebook
(`notebook.completion`).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from kernelgate.catalogue import operators
from kernelgate.commands.option_table import OPTIONS
from kernelgate.messages.job import UsageError, suggestion

SHELLS = ("bash", "zsh", "fish")


def completion(parser: argparse.ArgumentParser, shell: str) -> str:
    """The script. Raises UsageError."""
    if shell not in SHELLS:
        raise UsageError(f"There is no completion for {shell!r}", suggestion(shell, SHELLS))
    try:
        import shtab
    except ImportError:
        raise UsageError("shtab, which writes it, is not installed", "pip install shtab") from None
    kinds = {"FILE": shtab.FILE, "WHAT": shtab.FILE, "FOLDER": shtab.DIRECTORY, "DIR": shtab.DIRECTORY}
    for action in _actions(parser):
        values = OPTIONS[action.dest].values if action.dest in OPTIONS else ()
        values = tuple(operators()) if action.metavar == "ID" else values
        if values:
            action.choices = values
        elif action.metavar in kinds:
            action.complete = kinds[action.metavar]  # type: ignore[attr-defined]
    return str(shtab.complete(parser, shell))


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from _actions(each)
        else:
            yield action
