"""`%load_ext kernelgate` and `%unload_ext kernelgate`: all magics, or none where a name is taken; and the
completion of the words after a magic: its verbs, the ids of problems, its options, and the values of an option.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from kernelgate.catalogue import operators
from kernelgate.commands.option_table import OPTIONS
from kernelgate.notebook.magics import magics
from kernelgate.notebook.sources import stop_watching, watch_cells
from kernelgate.run import UsageError

_MARK = "_kernelgate"


def load_ipython_extension(shell: Any) -> None:
    """Registers the magics. Raises UsageError where a name is taken; then nothing has been registered."""
    ours = magics(shell)
    for name in ours:
        for kind in ("line", "cell"):
            there = shell.magics_manager.magics[kind].get(name)
            if there is not None and not _is_ours(there):
                raise UsageError(
                    f"The magic {'%' if kind == 'line' else '%%'}{name} belongs to something else, "
                    "so nothing was loaded",
                    "Unload the extension that has it, or restart the kernel, and load kernelgate first",
                )
    for name, magic in ours.items():
        setattr(magic, _MARK, True)
        shell.register_magic_function(magic, magic_kind="line_cell", magic_name=name)
        complete_words(shell, name, magic.parser)  # type: ignore[attr-defined]
    watch_cells()


def unload_ipython_extension(shell: Any) -> None:
    """Removes the magics that are ours."""
    for registered in shell.magics_manager.magics.values():
        for name in [name for name, magic in registered.items() if _is_ours(magic)]:
            del registered[name]
            forget_words(shell, name)
    stop_watching(shell)


def _is_ours(magic: Any) -> bool:
    return getattr(magic, _MARK, False) is True


def complete_words(shell: Any, magic: str, parser: argparse.ArgumentParser) -> None:
    """Has IPython complete the words after `%magic` and `%%magic`."""

    def complete(_shell: Any, event: Any) -> list[str]:
        before = event.text_until_cursor.split()
        if event.symbol and before:
            before = before[:-1]
        return [word for word in words_after(parser, before[1:]) if word.startswith(event.symbol)]

    forget_words(shell, magic)
    for sign in ("%", "%%"):
        shell.set_hook("complete_command", complete, str_key=f"{sign}{magic}")


def forget_words(shell: Any, magic: str) -> None:
    """Undoes `complete_words`."""
    for sign in ("%", "%%"):
        shell.strdispatchers["complete_command"].strs.pop(f"{sign}{magic}", None)


def words_after(parser: argparse.ArgumentParser, before: Sequence[str]) -> list[str]:
    """What may stand after these words of a magic's line."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            chosen = next((word for word in before if word in action.choices), None)
            if chosen is None:
                return list(action.choices)
            return words_after(action.choices[chosen], before[before.index(chosen) + 1 :])
    flags = {flag: action for action in parser._actions for flag in action.option_strings}
    last = flags.get(before[-1]) if before else None
    if last is not None and last.nargs != 0:
        row = OPTIONS.get(last.dest)
        return list(row.values) if row is not None else []
    given = {flags[word].dest for word in before if word in flags}
    left = [flag for flag, action in flags.items() if flag.startswith("--") and action.dest not in given]
    takes_problem = any(not action.option_strings for action in parser._actions)
    return [*(operators() if takes_problem and not before else ()), *left]
