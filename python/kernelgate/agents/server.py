"""`kernelgate mcp`: the tools by the Model Context Protocol, over standard input and output.

Needs the package `mcp`, which the extra `kernelgate[mcp]` brings. Not here: the tools (`agents.tools`).
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable
from typing import Any

from kernelgate.agents import TOOLS, placement, runs
from kernelgate.agents.kernel import Kernel
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


def serve(url: str = "", kernel_name: str = "") -> int:
    """Until standard input is closed. `url`: of the Jupyter server or kernel gateway in whose kernel the tools run; in
    this process if it is empty. The token is JUPYTER_TOKEN. Raises UsageError."""
    kernel = _kernel(url, kernel_name) if url else None
    placement.choose(kernel)
    ours = server()
    try:
        with contextlib.suppress(KeyboardInterrupt, BrokenPipeError):
            ours.run("stdio")
    finally:
        runs.end_all()
        if kernel is not None:
            kernel.close()
        sys.stdout.flush()
    return 0


def _kernel(url: str, kernel_name: str) -> Kernel:
    if not url.startswith(("http://", "https://")):
        raise UsageError(f"{url} is no address of a server", "Write it as http://host:8888")
    if importlib.util.find_spec("tornado") is None:
        raise UsageError("The package tornado is not installed", "Install it: pip install tornado")
    return Kernel(url, os.environ.get("JUPYTER_TOKEN", ""), kernel_name)
