"""The cells that a kernel has seen: their text, by cell id or by execution count, kept until the kernel ends.

In: what the front end names, and what is run. Out: a `Cell`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kernelgate.program import Source
from kernelgate.program.names import free_names, gathered
from kernelgate.program.parsing import python_tree
from kernelgate.run import UsageError

_MAX_CELLS = 200


@dataclass(frozen=True)
class Cell:
    """A cell as the person sees it. `count` is n of "In [n]"; None for one that has not been run as it stands."""

    text: str
    count: int | None
    cell_id: str | None = None
    is_needed: bool = False
    """Handed over for the names that it binds, whether it has been executed or not."""

    @property
    def label(self) -> str:
        return f"cell [{self.count}]" if self.count is not None else "the cell above"


_cells: dict[str, Cell] = {}
_running: list[Cell] = []  # the cell that runs now, or ran last; one at most


def remember_cell(cell_id: str, text: str, role: str = "") -> None:
    """Keeps the text of a cell that a person asks to verify, or with the role "needed" of one whose names another
    cell needs. The oldest is forgotten beyond 200 cells."""
    known = _cells.get(cell_id)
    count = known.count if known is not None and known.text == text else None
    _keep(cell_id, Cell(text, count, cell_id, role == "needed"))


def _keep(cell_id: str, cell: Cell) -> None:
    _cells.pop(cell_id, None)
    _cells[cell_id] = cell
    while len(_cells) > _MAX_CELLS:
        del _cells[next(iter(_cells))]


def shell_here() -> Any:
    """The IPython shell that this code runs in; None outside of IPython, which this does not import."""
    import sys

    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


def watch_cells() -> None:
    """From now on, cells that run are remembered too."""
    shell = shell_here()
    if shell is not None and _note not in shell.events.callbacks["pre_run_cell"]:
        shell.events.register("pre_run_cell", _note)


def stop_watching(shell: Any) -> None:
    """Undoes `watch_cells`."""
    if _note in shell.events.callbacks["pre_run_cell"]:
        shell.events.unregister("pre_run_cell", _note)


def _note(info: Any) -> None:
    shell = shell_here()
    if shell is None or not info.store_history:  # the body of a magic runs as a cell within a cell
        return
    cell_id = getattr(info, "cell_id", None)
    # Not shell.execution_count: IPython 8 counts a cell after it has run, IPython 9 before.
    cell = Cell(info.raw_cell, len(shell.history_manager.input_hist_raw), cell_id)
    _running[:] = [cell]
    if cell_id is not None:
        _keep(cell_id, cell)


def running_cell() -> Cell | None:
    """The cell that runs now; None outside of IPython, and in the cell in which the watch began."""
    return _running[0] if _running else None


def cell_named(cell: str | int) -> Cell:
    """A cell by its id, or by n of "In [n]". Raises UsageError."""
    if isinstance(cell, int):
        return _executed(cell)
    found = _cells.get(cell)
    if found is None:
        raise UsageError(
            f"The cell {cell!r} has not been run since kernelgate was loaded",
            "Press Verify on the cell, or give the number of the cell as it ran: cell=5",
        )
    return found


class NotebookCells:
    """The cells of this kernel, for `commands.references`."""

    def cell(self, number_or_id: str) -> tuple[str, str]:
        """Raises UsageError."""
        found = cell_named(int(number_or_id) if number_or_id.isdecimal() else number_or_id)
        return found.text, found.label

    def texts(self) -> list[tuple[str, str]]:
        """Those that were handed over for their names, then those that were executed; newest first."""
        shell = shell_here()
        if shell is None:
            return []
        needed = [(one.text, one.label) for one in _cells.values() if one.is_needed]
        texts = enumerate(shell.history_manager.input_hist_raw)
        run = [(text, Cell(text, count).label) for count, text in texts if count and text.strip()]
        return [*needed[::-1], *run[::-1]]


def needed_of_other_cells(text: str) -> tuple[Source, ...]:
    """The passages of executed cells that bind the names a program uses and does not bind, the newest of each."""
    tree = python_tree(text)
    names = free_names(tree) if tree is not None else set()
    if not names:
        return ()  # no cell has to be parsed
    return gathered(names, [cell for cell in NotebookCells().texts() if cell[0] != text])


def _executed(count: int) -> Cell:
    shell = shell_here()
    if shell is None:
        raise UsageError("There are no cells outside of a notebook", "Pass the program as source=")
    texts = shell.history_manager.input_hist_raw
    if not 0 < count < len(texts) or not texts[count].strip():
        raise UsageError(f"No cell has run as [{count}] in this kernel", "Run the cell, then give its number")
    known = next((one for one in _cells.values() if one.count == count), None)
    return Cell(texts[count], count, known.cell_id if known is not None else None)
