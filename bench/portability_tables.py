"""What portability.py found, as tables in Markdown."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

Row = dict[str, Any]


def as_markdown(results: Row) -> str:
    lines = ["# The programs with other toolkits and PyTorchs", ""]
    lines += [*(f"- {key}: {value}" for key, value in results["environment"].items()), ""]
    for part, rows in results["parts"].items():
        lines += [f"## {part}", "", *(TABLES[part](rows) if rows else ["not run"]), ""]
    return "\n".join(lines)


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]


def crossed(rows: list[Row], down: str, across: str, cell: Callable[[Row], str]) -> list[str]:
    """A row for each value of `down`, a column for each of `across`; a cell tells what its rows agree on, or each."""
    columns = list(dict.fromkeys(row[across] for row in rows))
    lines = []
    for value in dict.fromkeys(row[down] for row in rows):
        cells = []
        for column in columns:
            here = {row["operator"]: cell(row) for row in rows if (row[down], row[across]) == (value, column)}
            same = set(here.values())
            cells.append(same.pop() if len(same) == 1 else "; ".join(f"{k}: {v}" for k, v in here.items()))
        lines.append([value, *cells])
    return table([down, *columns], lines)


def result(row: Row) -> str:
    return row["result"] + (f" ({row['error'][:120]})" if row["result"] == "refused" else "")


def result_and_time(row: Row) -> str:
    return result(row) + (f", {statistics.median(row['cold_s']):.1f} s" if row["cold_s"] else "")


TABLES: dict[str, Callable[[list[Row]], list[str]]] = {
    "device": lambda rows: crossed(rows, "toolkit", "arch", result),
    "host": lambda rows: crossed(rows, "torch", "operator", result),
    "fallback": lambda rows: table(
        list(dict.fromkeys(key for row in rows for key in row)), [list(map(str, row.values())) for row in rows]
    ),
    "nvcc": lambda rows: crossed(rows, "operator", "arch", result_and_time),
}
