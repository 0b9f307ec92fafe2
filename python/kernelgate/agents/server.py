"""`kernelgate mcp`: the tools by the Model Context Protocol, over standard input and output.

Needs the package `mcp`, which the extra `kernelgate[mcp]` brings. Not here: the tools (`agents.tools`).
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import sys
from collections.abc import Callable
from typing import Any

from kernelgate.agents import TOOLS, runs
from kernelgate.messages.job import UsageError

_INSTRUCTIONS = (
    "KernelGate says whether a CUDA program for PyTorch is right, and how fast. Send a program with verify; apply the "
    "fix of the answer if there is one, or change what its text names, and verify again."
)


def server() -> Any:
    """The server with all tools. Raises UsageError without the package `mcp`."""
    try:
        from mcp.server import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
    except ImportError:
        raise UsageError(
            "The package mcp is not installed", "Install it: pip install 'kernelgate[mcp]'"
        ) from None
    found = MCPServer("kernelgate", instructions=_INSTRUCTIONS)
    for tool in TOOLS:
        module, _, name = tool.partition(":")
        found.add_tool(_saying(getattr(importlib.import_module(module), name), ToolError))
    return found


def _saying(tool: Callable[..., Any], error: type[Exception]) -> Callable[..., Any]:
    """The tool, whose mistakes its caller reads: others are an internal error to the protocol."""

    @functools.wraps(tool)
    async def said(*given: Any, **named: Any) -> Any:
        try:
            found = tool(*given, **named)
            return await found if inspect.isawaitable(found) else found
        except UsageError as exc:
            raise error(str(exc)) from None

    return said


def serve() -> int:
    """Until standard input is closed. Whatever else would be printed goes to standard error."""
    ours = server()
    try:
        with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
            ours.run("stdio")
    finally:
        runs.end_all()
        sys.stdout.flush()
    return 0
