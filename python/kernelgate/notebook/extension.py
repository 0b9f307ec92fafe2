"""`%load_ext kernelgate` and `%unload_ext kernelgate`: all magics, or none where a name is taken."""

from __future__ import annotations

from typing import Any

from kernelgate.notebook.completion import complete_words, forget_words
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
