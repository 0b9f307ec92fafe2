"""A call of a tool in a kernel, for a caller elsewhere (`agents.kernel`).

In: a tool's name and its arguments as JSON. Out: what displays itself as JSON: `answer`, or `error` and `next_step`.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec

from kernelgate.agents import TOOLS, tools
from kernelgate.messages.job import UsageError


class Answered:
    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    def _repr_json_(self) -> dict[str, Any]:
        return self._data


def answer(tool: str, arguments: str) -> Answered:
    """In a thread: the kernel's own has a loop that runs."""
    if not any(known.endswith(f":{tool}") for known in TOOLS):
        return Answered(
            {"error": f"There is no tool {tool}", "next_step": "Install the same KernelGate on both sides"}
        )
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(_answer, tool, json.loads(arguments)).result()


def _answer(tool: str, arguments: dict[str, Any]) -> Answered:
    try:
        found = getattr(tools, tool)(**arguments)
        found = asyncio.run(found) if inspect.iscoroutine(found) else found
    except UsageError as exc:
        return Answered({"error": exc.what, "next_step": exc.next_step})
    return Answered({"answer": msgspec.to_builtins(found)})
