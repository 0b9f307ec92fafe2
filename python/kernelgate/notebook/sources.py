"""Programs that the front end has named: the text of a cell, by the cell's id, kept until the kernel ends."""

from __future__ import annotations

_MAX_CELLS = 200
_texts: dict[str, str] = {}


def remember_cell(cell_id: str, text: str) -> None:
    """Keeps the text of a cell that a person asks to verify. The oldest is forgotten beyond 200 cells."""
    _texts.pop(cell_id, None)
    _texts[cell_id] = text
    while len(_texts) > _MAX_CELLS:
        del _texts[next(iter(_texts))]


def cell_text(cell_id: str) -> str | None:
    """The text of a cell that was remembered; None where there is none."""
    return _texts.get(cell_id)
