"""What a report shows below its facts: sections of blocks, which HTML and the front end draw as they are.

In: nothing. Out: the types below, a part of the report's. Their words are made once, by `report.sections`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from kernelgate.report.record import Count, Log, Name, Record, Sentences, Words

Place = Annotated[float, Meta(ge=-1e24, le=1e24)]
"""Where something lies on an axis."""

State = Literal["pass", "fail", "unsupported", "not run", "unclear", "FASTER", "SLOWER", "SAME", "UNCLEAR"]
"""What a row came to. It is drawn as a shape, beside the words that say it."""


class Drawn(Record, omit_defaults=True):
    """A notebook holds only what differs from a default."""


class Mark(Drawn, kw_only=True):
    """Something in the chart of a row. A bar ends at `at`, a limit is an upright line there; a band and an interval
    reach from `low` to `high`; samples are those of the forward calls of `program`, with cold caches."""

    kind: Literal["bar", "dot", "interval", "band", "limit", "samples"]
    of: Literal["candidate", "reference", "arithmetic", "prediction", "vendor"] = "candidate"
    at: Place = 0.0
    low: Place = 0.0
    high: Place = 0.0
    program: Name = ""


class Axis(Drawn, kw_only=True):
    """What the charts of all rows share."""

    kind: Literal["linear", "ratios", "logarithmic"]
    low: Place
    high: Place
    unit: Literal["", "s", "x"] = ""
    shown: bool = True


class Row(Drawn, kw_only=True):
    name: Words
    cells: Annotated[list[Words], Meta(max_length=10)] = []
    """One for each column after the first that is no chart."""
    kind: Literal["", "candidate", "limit", "failed"] = ""
    state: State | None = None
    line: Count | None = None
    """Of the program's text, where the row is about one."""
    marks: Annotated[list[Mark], Meta(max_length=8)] = []
    details: Annotated[list[Sentences], Meta(max_length=4)] = []
    """Below the row; of a row with a chart, said where a person points at it."""


class Column(Drawn, kw_only=True):
    name: Name
    kind: Literal["text", "number", "result", "code", "kernel", "chart"] = "text"
    wide: bool = False
    """Left out where the report is narrow."""


class Group(Drawn, kw_only=True):
    rows: Annotated[list[Row], Meta(max_length=120)]
    name: Words = ""


class Table(Drawn, kw_only=True):
    title: Words
    hint: Words = ""
    columns: Annotated[list[Column], Meta(max_length=10)]
    groups: Annotated[list[Group], Meta(max_length=40)]
    axis: Axis | None = None


class Item(Drawn, kw_only=True):
    name: Name
    value: Sentences


class Items(Drawn, kw_only=True):
    """Names and what is to be said of each."""

    rows: Annotated[list[Item], Meta(max_length=40)]


class Text(Drawn, kw_only=True):
    """What a tool or the program said, word for word; `lines` of the whole."""

    title: Words
    text: Log
    lines: Count
    folded: bool = True


class Note(Drawn, kw_only=True):
    text: Sentences


class Picture(Drawn, kw_only=True):
    """A chart that is no column of a table. The front end draws it from the report's own figures; `values` says each
    mark of it in words."""

    of: Literal["roofline", "sizes", "timeline", "error map", "errors", "values"]
    title: Words
    hint: Words = ""
    phase: Name = ""
    values: Annotated[list[Words], Meta(max_length=120)] = []
    note: Sentences = ""


class Block(Drawn, kw_only=True):
    """One of these."""

    table: Table | None = None
    items: Items | None = None
    text: Text | None = None
    note: Note | None = None
    picture: Picture | None = None


class Section(Drawn, kw_only=True):
    """A fold that states its conclusion; `plain` is none, and always in sight."""

    id: Name
    name: Words
    conclusion: Sentences = ""
    open: bool = False
    plain: bool = False
    blocks: Annotated[list[Block], Meta(max_length=24)] = []
    aside: Annotated[list[Block], Meta(max_length=12)] = []
    """Beside the others, if there is room."""
