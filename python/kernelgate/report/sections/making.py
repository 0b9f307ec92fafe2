"""What sections share: short ways to make blocks, each text within the bound of its field."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kernelgate.report.blocks import (
    Axis,
    Block,
    Column,
    Group,
    Item,
    Items,
    Note,
    Picture,
    Row,
    Section,
    State,
    Table,
    Text,
)
from kernelgate.report.bounded import clean, one_line
from kernelgate.report.measured import Timing
from kernelgate.report.speed_words import name_of

Part = Table | Items | Text | Note | Picture
NAME, WORDS, SENTENCES = 120, 600, 1200
_MOST_ROWS = 120


def table(
    title: str,
    columns: Sequence[str],
    groups: Iterable[tuple[str, Iterable[Row]]],
    *,
    hint: str = "",
    axis: Axis | None = None,
) -> Table | None:
    """Columns as words, with their kind behind a bar: "Time|number", "Rate|number|wide"; None if there is no row."""
    found = [Group(name=one_line(name, WORDS), rows=list(rows)[:_MOST_ROWS]) for name, rows in groups]
    found = [group for group in found if group.rows]
    head = [_column(*column.split("|")) for column in columns]
    return (
        Table(title=title, hint=one_line(hint, WORDS), columns=head, groups=found, axis=axis)
        if found
        else None
    )


def _column(name: str, kind: str = "text", wide: str = "") -> Column:
    return Column(name=name, kind=kind, wide=bool(wide))  # type: ignore[arg-type]


def row(
    name: str,
    *cells: str,
    kind: str = "",
    state: State | None = None,
    line: int | None = None,
    details: Iterable[str] = (),
) -> Row:
    return Row(
        name=one_line(name, WORDS),
        cells=[one_line(cell, WORDS) for cell in cells],
        kind=kind,  # type: ignore[arg-type]
        state=state,
        line=line,
        details=[one_line(text, SENTENCES) for text in details if text][:4],
    )


def items(rows: Iterable[tuple[str, str]]) -> Items | None:
    """Those that have a value."""
    found = [
        Item(name=one_line(name, NAME), value=one_line(value, SENTENCES)) for name, value in rows if value
    ]
    return Items(rows=found) if found else None


def note(text: str) -> Note | None:
    return Note(text=one_line(text, SENTENCES)) if text else None


def text(title: str, said: str, lines: int = 0, *, folded: bool = True) -> Text:
    count = max(lines, len(clean(said).rstrip("\n").split("\n")))
    return Text(title=one_line(title, WORDS), text=said, lines=count, folded=folded)


def section(
    id: str,
    name: str,
    conclusion: str,
    blocks: Iterable[Part | None],
    *,
    aside: Iterable[Part | None] = (),
    open: bool = False,
) -> Section | None:
    """None if it holds nothing."""
    shown, beside = ([_block(part) for part in some if part is not None] for some in (blocks, aside))
    if not shown and not beside:
        return None
    said = one_line(conclusion, SENTENCES)
    return Section(id=id, name=name, conclusion=said, open=open, blocks=shown, aside=beside)


def _block(part: Part) -> Block:
    """The field of a block that a part goes into has its name."""
    block = Block()
    setattr(block, type(part).__name__.lower(), part)
    return block


def sides(timing: Timing) -> tuple[str, str]:
    """The heads of the columns of the program and of the reference."""
    return "This kernel|number", f"{name_of(timing, 'reference')}|number"
